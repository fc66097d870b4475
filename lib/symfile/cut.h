/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cut.h Tables cut down to some addresses, about which they say the same as before. */
#ifndef KCT_SYMFILE_CUT_H
#define KCT_SYMFILE_CUT_H

#include <kcovtrace/error.h>

#include "base/macros.h"
#include "tables/unit.h"

/* Addresses from `start` to before `end`. */
struct kct_extent {
	uint64_t start;
	uint64_t end;
};

/* Extents that are kept. All zero is none. */
struct kct_kept {
	struct kct_extent *extents; /* disjoint and sorted, once finished */
	size_t n, max;
};

/** Free the memory. */
void kct_kept_clear(struct kct_kept *kept);

/** Add an extent, if it is not empty. KCT_ERR_NO_MEMORY. */
int kct_kept_add(struct kct_kept *kept, uint64_t start, uint64_t end);

/** Sort, and join those that touch. */
void kct_kept_finish(struct kct_kept *kept);

/** Number of the first of n finished extents that ends behind `address`; n if none does. */
size_t kct_extent_find(const struct kct_extent *extents, size_t n, uint64_t address);

/** Whether some address from `start` to before `end` is in one of n finished extents. */
bool kct_extent_touches(const struct kct_extent *extents, size_t n, uint64_t start, uint64_t end);

/**
 * A unit that knows what `unit` knows of the extents, in one block of memory that is
 * the caller's to free. KCT_ERR_NO_MEMORY; KCT_ERR_LIMIT for tables that no reader makes.
 */
int kct_unit_cut(const struct kct_unit *unit, const struct kct_kept *kept,
		 struct kct_unit *ret_unit, void **ret_block);

#endif
