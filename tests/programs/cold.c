/* SPDX-License-Identifier: BSD-2-Clause */
/* A function in two parts: its unlikely half, with calls of its own, lies elsewhere. */
#include "runtime.h"

KT_NOINLINE __attribute__((cold)) int complain(int n)
{
	return n - 100;
}

KT_NOINLINE int repair(int n)
{
	return complain(n) * 2;
}

KT_NOINLINE int work(int n)
{
	if (__builtin_expect(n % 7 == 3, 0)) {
		kt_sink = complain(n);
		n = repair(n) + complain(n + kt_sink);
	}
	return n + 1;
}

int main(void)
{
	for (int i = 0; i < 30; i++)
		kt_sink += work(i);
	return 0;
}
