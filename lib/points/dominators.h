/* SPDX-License-Identifier: BSD-2-Clause */
/** @file dominators.h Which nodes every way from a root to a node passes. */
#ifndef KCT_POINTS_DOMINATORS_H
#define KCT_POINTS_DOMINATORS_H

#include <kcovtrace/error.h>

#include "base/macros.h"

#define KCT_NO_NODE UINT32_MAX

/* The edges of nodes 0..n-1: those of node i are to[first[i]] up to to[first[i + 1]]. */
struct kct_links {
	uint32_t n;
	uint32_t *first;
	uint32_t *to;
};

/** Make links from `n_edges` pairs, or, `reversed`, the links against them. Free with
 *  kct_links_clear(). KCT_ERR_NO_MEMORY. */
int kct_links_make(struct kct_links *links, uint32_t n, const uint32_t (*edges)[2], size_t n_edges,
		   bool reversed);

void kct_links_clear(struct kct_links *links);

/**
 * The immediate dominator of each node: the nearest one that all ways from `root` pass. That of the root is
 * itself; of what it does not reach KCT_NO_NODE. Time grows like edges times the logarithm of the
 * nodes, whatever the graph. `ret` is the caller's array of n. KCT_ERR_NO_MEMORY.
 */
int kct_dominators(const struct kct_links *successors, const struct kct_links *predecessors,
		   uint32_t root, uint32_t *ret);

#endif
