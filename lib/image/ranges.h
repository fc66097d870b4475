/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file ranges.h
 * A set of address ranges that may overlap, made disjoint once, so that a
 * look-up is one binary search whatever the input was.
 */
#ifndef KCT_IMAGE_RANGES_H
#define KCT_IMAGE_RANGES_H

#include <kcovtrace/error.h>

#include "base/macros.h"

struct kct_range {
	uint64_t first;
	uint64_t last; /* inclusive: a range may end at the last address */
	uint32_t rank; /* where ranges overlap the lowest rank wins */
	uint32_t value;
};

/** All zero is an empty set. */
struct kct_ranges {
	struct kct_range *items;
	size_t n, max;
};

/** Free the memory; the set is empty afterwards. */
void kct_ranges_clear(struct kct_ranges *ranges);

/** Add a range; one whose last is below its first is left out. KCT_ERR_NO_MEMORY. */
int kct_ranges_add(struct kct_ranges *ranges, uint64_t first, uint64_t last, uint32_t rank,
		   uint32_t value);

/** Sort and cut where ranges overlap; more may be added and it be called again. */
int kct_ranges_finish(struct kct_ranges *ranges);

/** The piece that holds `address`, or NULL. Only after kct_ranges_finish(). */
const struct kct_range *kct_ranges_find(const struct kct_ranges *ranges, uint64_t address);

#endif
