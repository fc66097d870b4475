/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pool.h
 * Memory that is freed all at once, and strings kept once each. For results
 * that live as long as their owner.
 */
#ifndef KCT_BASE_POOL_H
#define KCT_BASE_POOL_H

#include <kcovtrace/error.h>

#include "base/macros.h"

struct kct_pool_block;

struct kct_pool_string {
	uint64_t hash;
	const char *text; /* NULL = empty slot */
};

/** All zero is an empty pool. */
struct kct_pool {
	struct kct_pool_block *blocks; /* newest first */
	struct kct_pool_string *strings;
	size_t n_slots;
	size_t n_strings;
	uint64_t seed; /* of the hash; set with the first slots */
};

/** Free everything; the pool is empty afterwards. */
void kct_pool_clear(struct kct_pool *pool);

/** `bytes` zeroed bytes aligned for any type, or NULL. Not movable, not freed one by one. */
void *kct_pool_alloc(struct kct_pool *pool, size_t bytes);

/** The pool's copy of a string of `length` bytes; equal strings give equal pointers. NULL when out
 *  of memory. */
const char *kct_pool_intern(struct kct_pool *pool, const char *text, size_t length);

#endif
