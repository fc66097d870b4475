/* SPDX-License-Identifier: BSD-2-Clause */
/** @file counter.h How often a number was seen; also a set of numbers. */
#ifndef CLI_COUNTER_H
#define CLI_COUNTER_H

#include "util.h"

struct counter_slot {
	uint64_t key;
	uint64_t count; /**< 0 = empty slot */
};

/** All zero is empty. */
struct counter {
	struct counter_slot *slots;
	size_t n_slots; /**< a power of two, or 0 */
	size_t used;
};

void counter_add(struct counter *counter, uint64_t key, uint64_t n);

/** The keys, sorted; the caller frees them. */
uint64_t *counter_keys(const struct counter *counter, size_t *ret_n);

/** The slots in use, most often first, equal counts by key; the caller frees them. */
struct counter_slot *counter_ranking(const struct counter *counter, size_t *ret_n);

void counter_clear(struct counter *counter);

#endif
