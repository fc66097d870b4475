/* SPDX-License-Identifier: BSD-2-Clause */
/* Traced functions called by code without callbacks, directly and through a C library function. */
#include <stdlib.h>

#include "runtime.h"

KT_NOINLINE int worker(int n)
{
	return n + 1;
}

KT_UNTRACED int dispatch(int (*function)(int), int n)
{
	return function(n) + function(n + 1);
}

KT_NOINLINE int compare(const void *a, const void *b)
{
	return worker(*(const int *)a) - *(const int *)b;
}

KT_NOINLINE int outer(int n)
{
	int numbers[4] = {4, n, 2, 9};

	kt_sink = dispatch(worker, n);
	qsort(numbers, 4, sizeof(numbers[0]), compare);
	return numbers[0] + worker(n);
}

int main(void)
{
	for (int i = 0; i < 5; i++)
		kt_sink += outer(i);
	return 0;
}
