/* SPDX-License-Identifier: BSD-2-Clause */
#include "points/region.h"

void kct_region_clear(struct kct_region *region)
{
	free(region->memory);
	*region = (struct kct_region){0};
}

/** What the points of a block say. */
static void judge_block(struct kct_region *region, size_t b, const uint64_t *hits)
{
	const struct kct_block *block = &region->graph->blocks[b];
	const struct kct_points *points = region->graph->points;

	for (uint32_t i = block->first_point; i - block->first_point < block->n_points; i++) {
		if (!kct_point_is_coverage(points->items[i].kind))
			continue;
		if (hits[i / 64] >> i % 64 & 1)
			region->hit[b] = 1;
		else
			region->missed[b] = 1;
	}
	if (region->hit[b])
		region->missed[b] = 0;
}

/** Go from the blocks on the stack to all others that are not known to be missed. */
static void spread(struct kct_region *region, uint32_t *stack, size_t depth)
{
	const struct kct_graph *graph = region->graph;

	while (depth > 0) {
		const struct kct_block *block = &graph->blocks[stack[--depth]];

		for (uint32_t i = 0; i < block->n_successors; i++) {
			uint32_t to = graph->edges[block->first_successor + i];

			if (region->inside[to] || region->missed[to])
				continue;
			region->inside[to] = 1;
			stack[depth++] = to;
		}
	}
}

static void enter(struct kct_region *region, size_t b, uint32_t *stack)
{
	region->entered[b] = 1;
	if (region->inside[b])
		return;
	region->inside[b] = 1;
	stack[0] = (uint32_t)b;
	spread(region, stack, 1);
}

int kct_region_make(struct kct_region *region, const struct kct_graph *graph, const uint64_t *hits)
{
	size_t n = graph->n_blocks;
	uint32_t *stack KCT_AUTO_FREE = calloc(sizeof(*stack), n + 1);
	uint8_t *memory = calloc(4, n + 1);

	if (!memory || !stack) {
		free(memory);
		return KCT_ERR_NO_MEMORY;
	}
	*region = (struct kct_region){
		.graph = graph,
		.hit = memory,
		.missed = memory + n,
		.inside = memory + 2 * n,
		.entered = memory + 3 * n,
		.memory = memory,
	};
	for (size_t b = 0; b < n; b++)
		judge_block(region, b, hits);
	for (size_t b = 0; b < n; b++) {
		if ((graph->blocks[b].flags & KCT_BLOCK_ENTRY) && !region->missed[b])
			enter(region, b, stack);
	}
	/* The trace began or lost something, or control came by ways that the graph does not know. */
	for (size_t b = 0; b < n; b++) {
		if (region->hit[b] && !region->inside[b])
			enter(region, b, stack);
	}
	return 0;
}
