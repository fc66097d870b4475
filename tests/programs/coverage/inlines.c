/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are inlined where they are called. */
#include <stdio.h>

static inline __attribute__((always_inline)) int clamp(int n, int low, int high)
{
	if (n < low)
		return low;
	if (n > high)
		return high;
	return n;
}

static inline __attribute__((always_inline)) int scale(int n)
{
	int clamped = clamp(n, 0, 10);

	if (clamped == 10)
		puts("at the limit");
	return clamped * 3;
}

static __attribute__((noinline)) int twice(int n)
{
	return scale(n) + scale(n + 1);
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", twice(argc + 2));
	printf("%d\n", twice(argc * 40));
	return 0;
}
