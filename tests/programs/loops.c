/* SPDX-License-Identifier: BSD-2-Clause */
/* Repeated calls from one and from several places, with and without calls below. */
#include "runtime.h"

KT_INLINE int twice(int n)
{
	return n * 2;
}

KT_INLINE int four_times(int n)
{
	return twice(twice(n)) + (n > 5 ? kt_sink : 0);
}

KT_NOINLINE int leaf(int n)
{
	return four_times(n) + 1;
}

KT_NOINLINE int middle(int n)
{
	return leaf(n) + leaf(n + 1);
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		kt_sink = leaf(i);
	for (int i = 0; i < 50; i++) {
		kt_sink += middle(i);
		if (i % 10 == 9)
			kt_sink += leaf(i);
	}
	return 0;
}
