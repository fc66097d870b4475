/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct and mutual recursion: equal functions on the stack, each with its own exit. */
#include "runtime.h"

KT_NOINLINE int factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

int is_odd(int n);

KT_NOINLINE int is_even(int n)
{
	return n == 0 ? 1 : is_odd(n - 1);
}

KT_NOINLINE int is_odd(int n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

int main(void)
{
	kt_sink = factorial(12);
	kt_sink += is_even(9);
	return 0;
}
