/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends in a function of its own that does not return. */
#include <stdio.h>
#include <stdlib.h>

static void leave(int status)
{
	puts("bye");
	exit(status);
}

static int check(int n)
{
	if (n > 3)
		leave(0);
	puts("checked");
	return n;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += check(i);
		printf("%d\n", sum);
	}
	puts("not here");
	return sum;
}
