/* SPDX-License-Identifier: BSD-2-Clause */
/** @file pcset.h The inside of a struct kct_pc_set. */
#ifndef KCT_COVERAGE_PCSET_H
#define KCT_COVERAGE_PCSET_H

#include "base/pool.h"
#include "coverage/counts.h"

#define KCT_MAX_BUILD_ID_BYTES 64

struct kct_pc_part {
	struct kct_pc_origin origin; /* in the pool */
	struct kct_counts counts;
	size_t next; /* part whose origin has the same hash, + 1; 0: none */
};

struct kct_pc_set {
	enum kct_pc_kind kind;
	uint64_t traces;
	struct kct_pc_part *parts;
	size_t n_parts, max_parts;
	struct kct_map by_hash; /* hash of an origin -> the last such part + 1 */
	struct kct_pool pool;
};

/** Order of origins: image, section, build ID. */
int kct_pc_origin_compare(const struct kct_pc_origin *a, const struct kct_pc_origin *b);

/** Whether an origin can be: names of a sensible length without control characters. */
bool kct_pc_origin_is_sound(const struct kct_pc_origin *origin);

/** Put all parts in arrays. KCT_ERR_NO_MEMORY. */
int kct_pc_set_seal(struct kct_pc_set *set);

#endif
