/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file region.h
 * The part of a graph where control can have been: what is left when the blocks are taken away whose points
 * were all missed, and what only they lead to.
 */
#ifndef KCT_POINTS_REGION_H
#define KCT_POINTS_REGION_H

#include "points/dominators.h"
#include "points/graph.h"

struct kct_region {
	const struct kct_graph *graph;
	uint8_t *hit;	  /* of blocks: holds a coverage point that was hit */
	uint8_t *missed;  /* holds coverage points, none of which was hit */
	uint8_t *inside;  /* control can have been there */
	uint8_t *entered; /* and can have come from outside */
	uint8_t *memory;
};

/** Find the region that a set of hits (as of kct_states_new()) leaves. KCT_ERR_NO_MEMORY. */
int kct_region_make(struct kct_region *region, const struct kct_graph *graph, const uint64_t *hits);

void kct_region_clear(struct kct_region *region);

/** The edges of a graph, or those against them; free with kct_links_clear(). KCT_ERR_NO_MEMORY. */
int kct_graph_links(const struct kct_graph *graph, bool reversed, struct kct_links *ret_links);

/** Whether control ends in a block of the region for good. */
static inline bool kct_region_stops(const struct kct_region *region, size_t block)
{
	uint32_t flags = region->graph->blocks[block].flags;

	/* After a trap all is over, and nobody reads the trace, unless the trace has the trap. */
	return (flags & KCT_BLOCK_STOP) || ((flags & KCT_BLOCK_DEAD) && region->hit[block]);
}

/** Whether a block ends in a way that is taken for impossible. */
static inline bool kct_region_is_dead(const struct kct_region *region, size_t block)
{
	return (region->graph->blocks[block].flags & KCT_BLOCK_DEAD) && !region->hit[block];
}

#endif
