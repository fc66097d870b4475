/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls at the end, which become jumps. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int finish(int n)
{
	printf("%d\n", n);
	return n;
}

static __attribute__((noinline)) int stop(int n)
{
	puts("stop");
	exit(n > 100);
}

static __attribute__((noinline)) int route(int n)
{
	if (n < 3)
		return finish(n + 1);
	if (n < 5)
		return finish(n - 1);
	return stop(n);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += route(i);
		puts("routed");
	}
	printf("%d\n", sum);
	return 0;
}
