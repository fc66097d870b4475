/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file siblings.h
 * How often each PC was entered, or made a memory access, in each open
 * activation: the numbers that name an access (docs/formats.md).
 *
 * Activations close in reverse order. So the counters are a log in order of
 * their first use: those of the innermost activation are always at its end, and
 * each is the newest of its hash chain. Closing an activation cuts the log; no
 * counter outlives its activation and nothing is ever searched for removal.
 */
#ifndef KCT_STACK_SIBLINGS_H
#define KCT_STACK_SIBLINGS_H

#include <kcovtrace/error.h>

#include "base/macros.h"

struct kct_sibling {
	uint64_t pc;
	uint64_t parent; /* frames open in the activation that it counts for */
	uint64_t older;	 /* next in the hash chain: position in the log + 1, 0 none */
	uint32_t count;
	bool memory; /* counts accesses, not entries */
};

/** All zero is empty. */
struct kct_siblings {
	struct kct_sibling *log;
	size_t n_log;
	size_t max_log;
	uint64_t *heads; /* newest of each chain: position in the log + 1, 0 none */
	size_t n_heads;	 /* a power of two, or 0 */
	uint64_t seed;	 /* of the hash */
};

/** Free the memory. */
void kct_siblings_clear(struct kct_siblings *siblings);

/** Make room for one more counter, so that the next kct_siblings_next() cannot fail. */
int kct_siblings_reserve(struct kct_siblings *siblings);

/**
 * The number of the next entry (or access) with `pc` in the innermost
 * activation, where `parent` frames are open: how many were before. Saturates.
 */
uint32_t kct_siblings_next(struct kct_siblings *siblings, uint64_t parent, uint64_t pc,
			   bool memory);

/** Only `depth` frames are open now: drop the counters of the activations above. */
void kct_siblings_leave(struct kct_siblings *siblings, uint64_t depth);

/** Drop all counters, keep the memory. */
void kct_siblings_reset(struct kct_siblings *siblings);

#endif
