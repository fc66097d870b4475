/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fates.h
 * Which functions can have kept the control: those that were possibly in a place that ends the thread or never
 * comes back, and those that called them.
 *
 * Taken for granted: functions of other images return unless their name says otherwise; functions without any
 * point, and code without a point before a trap, do not hit traps; a loop with a way out ends.
 */
#ifndef KCT_POINTS_FATES_H
#define KCT_POINTS_FATES_H

#include "points/region.h"

enum kct_fate {
	KCT_FATE_UNKNOWN = 0, /* nobody has called it, as far as is known */
	KCT_FATE_ASKED,	      /* to be looked at */
	KCT_FATE_RETURNS,
	KCT_FATE_KEEPS,	 /* may not return */
	KCT_FATE_ABSENT, /* would have hit its point if it had been called */
};

/* By index of the function in points->functions; the last one stands for all that pointers call. */
struct kct_fates {
	const struct kct_points *points;
	uint8_t *fates; /* enum kct_fate */
	uint8_t *hit;	/* of functions: a coverage point was hit */
	uint8_t *never; /* has no points and no way to return: clang gives such functions none */
	size_t any;	/* index of the last one */
};

/** Find the fates of all functions that a set of hits says anything of. KCT_ERR_NO_MEMORY. */
int kct_fates_make(struct kct_fates *fates, const struct kct_points *points, const uint64_t *hits);

void kct_fates_clear(struct kct_fates *fates);

/** Whether a call can have kept the control. */
bool kct_fates_keeps(const struct kct_fates *fates, const struct kct_graph_call *call);

#endif
