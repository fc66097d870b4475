/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that nobody calls, code behind what is always so. */
#include <stdio.h>

int unused(int n);
int unused(int n)
{
	if (n > 3)
		puts("more");
	for (int i = 0; i < n; i++)
		printf("%d\n", i);
	return n * 2;
}

static int used(volatile int *flag)
{
	if (*flag) {
		puts("flag");
		return unused(*flag);
	}
	return 0;
}

int main(void)
{
	volatile int flag = 0;

	return used(&flag);
}
