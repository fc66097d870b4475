/* SPDX-License-Identifier: BSD-2-Clause */
#include "points/region.h"

int kct_graph_links(const struct kct_graph *graph, bool reversed, struct kct_links *ret_links)
{
	uint32_t(*edges)[2] KCT_AUTO_FREE = calloc(graph->n_edges + 1, sizeof(*edges));
	size_t n = 0;

	if (!edges)
		return KCT_ERR_NO_MEMORY;
	for (uint32_t b = 0; b < graph->n_blocks; b++) {
		const struct kct_block *block = &graph->blocks[b];

		for (uint32_t i = 0; i < block->n_successors; i++) {
			edges[n][0] = b;
			edges[n++][1] = graph->edges[block->first_successor + i];
		}
	}
	return kct_links_make(ret_links, (uint32_t)graph->n_blocks, (const uint32_t(*)[2])edges, n,
			      reversed);
}

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
	if (region->inside[b])
		return;
	region->entered[b] = 1;
	region->inside[b] = 1;
	stack[0] = (uint32_t)b;
	spread(region, stack, 1);
}

/**
 * Where control can have come from to a block that was hit, but that only missed blocks lead to: the trace
 * began behind them or lost them, or control came by ways that the graph does not know. It came into
 * the region behind the missed blocks, or right there. What was `seen` on the way back from another block is
 * not gone through again.
 */
static void enter_from_missed(struct kct_region *region, uint32_t hit, const struct kct_links *back,
			      uint32_t *stack, uint8_t *seen, uint32_t *list)
{
	uint32_t n = 0;
	bool found = false;

	seen[hit] = 1;
	list[n++] = hit;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t b = list[k];

		for (uint32_t i = back->first[b]; i < back->first[b + 1]; i++) {
			uint32_t from = back->to[i];

			region->entered[b] |= region->missed[from];
			found |= region->missed[from];
			if (seen[from] || region->missed[from])
				continue;
			seen[from] = 1;
			list[n++] = from;
		}
	}
	if (!found)
		region->entered[hit] = 1;
	for (uint32_t k = 0; k < n; k++) {
		if (region->entered[list[k]])
			enter(region, list[k], stack);
	}
}

/** Enter at blocks that were hit and not reached so far. */
static int enter_at_hits(struct kct_region *region, uint32_t *stack)
{
	const struct kct_graph *graph = region->graph;
	uint32_t n = (uint32_t)graph->n_blocks;
	uint8_t *seen KCT_AUTO_FREE = calloc(1, graph->n_blocks + 1);
	uint32_t *list KCT_AUTO_FREE = calloc(graph->n_blocks + 1, sizeof(*list));
	struct kct_links back = {0};
	int result = seen && list ? 0 : KCT_ERR_NO_MEMORY;

	for (uint32_t b = 0; b < n && result >= 0; b++) {
		if (!region->hit[b] || region->inside[b])
			continue;
		if (!back.first)
			result = kct_graph_links(graph, true, &back);
		if (result >= 0)
			enter_from_missed(region, b, &back, stack, seen, list);
		/* Also where all ways back go round in circles. */
		if (result >= 0)
			enter(region, b, stack);
	}
	kct_links_clear(&back);
	return result;
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
		if (!(graph->blocks[b].flags & KCT_BLOCK_ENTRY) || region->missed[b])
			continue;
		enter(region, b, stack);
		region->entered[b] = 1;
	}
	if (enter_at_hits(region, stack) < 0) {
		kct_region_clear(region);
		return KCT_ERR_NO_MEMORY;
	}
	return 0;
}
