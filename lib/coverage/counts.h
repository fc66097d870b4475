/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file counts.h
 * PCs of one part and their counts: a sorted array, and a hash map for what came since it was made.
 * An array is a third as large as a map, and two of them are united in one pass.
 */
#ifndef KCT_COVERAGE_COUNTS_H
#define KCT_COVERAGE_COUNTS_H

#include <kcovtrace/pcset.h>

#include "base/map.h"

/** All zero is empty. */
struct kct_counts {
	struct kct_pc_count *rows; /* by PC, each once */
	size_t n, max;
	struct kct_map fresh; /* not among the rows yet, or more of them */
};

/** Free the memory; empty afterwards. */
void kct_counts_clear(struct kct_counts *counts);

/** The sum of two counts, at most UINT64_MAX. */
uint64_t kct_count_sum(uint64_t a, uint64_t b);

/** Count. KCT_ERR_NO_MEMORY. */
int kct_counts_add(struct kct_counts *counts, uint64_t pc, uint64_t count);

/** Put all in the array. KCT_ERR_NO_MEMORY. */
int kct_counts_seal(struct kct_counts *counts);

/* The rows of the others are sorted; `counts` is sealed. */

/** Add `n` rows. KCT_ERR_NO_MEMORY, then nothing changed. */
int kct_counts_unite(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n);

/** Drop the PCs of `n` rows. */
void kct_counts_subtract(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n);

/** Drop all but the PCs of `n` rows, and keep the lower counts. */
void kct_counts_intersect(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n);

#endif
