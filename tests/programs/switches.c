/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions that cannot be traced: nothing changes, frames are left, frames are added. */
#include "runtime.h"

KT_NOINLINE int leaf(int n)
{
	return n + kt_sink;
}

KT_NOINLINE void away_and_back(void)
{
	kt_switch_away();
	kt_sink = leaf(1); /* entered and left unseen */
	kt_switch_back();
}

KT_NOINLINE void leaves_unseen(void)
{
	kt_sink = leaf(2);
	kt_switch_away(); /* its own exit is not seen */
}

KT_NOINLINE void entered_unseen(void)
{
	kt_switch_back(); /* its entry was not seen, its exit is */
	kt_sink = leaf(3);
}

KT_NOINLINE void parent(void)
{
	away_and_back();
	leaves_unseen();
	entered_unseen();
	kt_sink = leaf(4);
}

int main(void)
{
	parent();
	kt_sink = leaf(5);
	return 0;
}
