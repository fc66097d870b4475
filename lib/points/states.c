/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "points/fates.h"

struct kct_states {
	const struct kct_points *points;
	uint64_t *hits;
	struct kct_fates fates;
};

/* The region as a graph with one root and one end, for dominators. */
struct flow {
	const struct kct_states *states;
	const struct kct_region *region;
	uint32_t n;    /* blocks */
	uint32_t root; /* node n: from where the region is entered */
	uint32_t end;  /* node n + 1: where control goes for good */
	uint32_t (*edges)[2];
	size_t n_edges;
	uint32_t *above; /* immediate dominators */
	uint32_t *below; /* immediate postdominators */
};

int kct_states_new(const struct kct_points *points, const uint64_t *hits,
		   struct kct_states **ret_states, struct kct_error *error)
{
	struct kct_states *states;
	size_t bytes;
	int result;

	if (!points || !hits || !ret_states)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	bytes = (points->n + 63) / 64 * sizeof(*hits);
	states = calloc(1, sizeof(*states));
	if (states)
		states->hits = malloc(bytes + 1);
	if (!states || !states->hits) {
		free(states);
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	}
	memcpy(states->hits, hits, bytes);
	states->points = points;
	result = kct_fates_make(&states->fates, points, states->hits);
	if (result < 0) {
		kct_states_free(states);
		return kct_fail_code(error, result);
	}
	*ret_states = states;
	return 0;
}

void kct_states_free(struct kct_states *states)
{
	if (!states)
		return;
	kct_fates_clear(&states->fates);
	free(states->hits);
	free(states);
}

static void add_edge(struct flow *flow, uint32_t from, uint32_t to)
{
	flow->edges[flow->n_edges][0] = from;
	flow->edges[flow->n_edges++][1] = to;
}

/** The edges that control can have taken, and the ways in and out. */
static void add_edges(struct flow *flow)
{
	const struct kct_region *region = flow->region;
	const struct kct_graph *graph = region->graph;

	for (uint32_t b = 0; b < flow->n; b++) {
		const struct kct_block *block = &graph->blocks[b];

		if (!region->inside[b])
			continue;
		if (region->entered[b])
			add_edge(flow, flow->root, b);
		if ((block->flags & KCT_BLOCK_RETURN) || kct_region_stops(region, b))
			add_edge(flow, b, flow->end);
		for (uint32_t i = 0; i < block->n_successors; i++) {
			uint32_t to = graph->edges[block->first_successor + i];

			if (region->inside[to])
				add_edge(flow, b, to);
		}
	}
	for (size_t i = 0; i < graph->n_calls; i++) {
		const struct kct_graph_call *call = &graph->calls[i];

		if (region->inside[call->block] && kct_fates_keeps(&flow->states->fates, call))
			add_edge(flow, call->block, flow->end);
	}
}

/** Where control can go round for ever it may never have come out: such blocks get a way to the end. Those that
 *  lead nowhere but to a trap get none: as they were not executed, they say nothing of others. */
static int add_endless(struct flow *flow)
{
	uint8_t *out KCT_AUTO_FREE = calloc(1, (size_t)flow->n + 2);
	uint32_t *stack KCT_AUTO_FREE = calloc((size_t)flow->n + 2, sizeof(*stack));
	struct kct_links links;
	uint32_t depth = 0;

	if (!out || !stack ||
	    kct_links_make(&links, flow->n + 2, (const uint32_t(*)[2])flow->edges, flow->n_edges,
			   true) < 0)
		return KCT_ERR_NO_MEMORY;
	out[flow->end] = 1;
	stack[depth++] = flow->end;
	for (uint32_t b = 0; b < flow->n; b++) {
		out[b] = flow->region->inside[b] && kct_region_is_dead(flow->region, b);
		if (out[b])
			stack[depth++] = b;
	}
	while (depth > 0) {
		uint32_t b = stack[--depth];

		for (uint32_t i = links.first[b]; i < links.first[b + 1]; i++) {
			if (!out[links.to[i]])
				stack[depth++] = links.to[i];
			out[links.to[i]] = 1;
		}
	}
	kct_links_clear(&links);
	for (uint32_t b = 0; b < flow->n; b++) {
		if (flow->region->inside[b] && !out[b])
			add_edge(flow, b, flow->end);
	}
	return 0;
}

static int find_dominators(struct flow *flow)
{
	const uint32_t(*edges)[2] = (const uint32_t(*)[2])flow->edges;
	struct kct_links forward = {0}, backward = {0};
	int result = kct_links_make(&forward, flow->n + 2, edges, flow->n_edges, false);

	if (result >= 0)
		result = kct_links_make(&backward, flow->n + 2, edges, flow->n_edges, true);
	if (result >= 0)
		result = kct_dominators(&forward, &backward, flow->root, flow->above);
	if (result >= 0)
		result = kct_dominators(&backward, &forward, flow->end, flow->below);
	kct_links_clear(&forward);
	kct_links_clear(&backward);
	return result;
}

/** What was surely executed: from each hit block all that dominates and all that postdominates it. */
static int imply(const struct flow *flow, uint8_t *executed)
{
	uint32_t *stack KCT_AUTO_FREE = calloc((size_t)flow->n + 1, sizeof(*stack));
	uint32_t depth = 0;

	if (!stack)
		return KCT_ERR_NO_MEMORY;
	for (uint32_t b = 0; b < flow->n; b++) {
		executed[b] = flow->region->hit[b];
		if (executed[b])
			stack[depth++] = b;
	}
	while (depth > 0) {
		uint32_t b = stack[--depth];
		const uint32_t others[] = {flow->above[b], flow->below[b]};

		for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
			/* The root, the end and KCT_NO_NODE are no blocks. */
			if (others[i] >= flow->n || executed[others[i]])
				continue;
			executed[others[i]] = 1;
			stack[depth++] = others[i];
		}
	}
	return 0;
}

static void write_states(const struct kct_region *region, const uint8_t *executed,
			 uint8_t *ret_states)
{
	for (size_t b = 0; b < region->graph->n_blocks; b++) {
		if (region->hit[b])
			ret_states[b] = KCT_STATE_HIT;
		else if (executed[b])
			ret_states[b] = KCT_STATE_IMPLIED;
		else
			ret_states[b] =
				region->inside[b] ? KCT_STATE_UNKNOWN : KCT_STATE_NOT_REACHED;
	}
}

static int work_out(struct flow *flow, uint8_t *executed)
{
	int result;

	add_edges(flow);
	result = add_endless(flow);
	if (result >= 0)
		result = find_dominators(flow);
	return result < 0 ? result : imply(flow, executed);
}

int kct_states_blocks(struct kct_states *states, const struct kct_graph *graph, uint8_t *ret_states,
		      struct kct_error *error)
{
	size_t n = graph->n_blocks;
	struct kct_region region = {0};
	struct flow flow = {
		.states = states,
		.region = &region,
		.n = (uint32_t)n,
		.root = (uint32_t)n,
		.end = (uint32_t)n + 1,
	};
	uint8_t *executed KCT_AUTO_FREE = calloc(1, n + 1);
	int result;

	if (graph->points != states->points)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	/* Besides the edges of the graph each block may have one from the root and two to the end. */
	flow.edges = calloc(graph->n_edges + graph->n_calls + 3 * n + 1, sizeof(*flow.edges));
	flow.above = calloc(2 * (n + 2), sizeof(*flow.above));
	flow.below = flow.above ? flow.above + n + 2 : NULL;
	result = executed && flow.edges && flow.above
			 ? kct_region_make(&region, graph, states->hits)
			 : KCT_ERR_NO_MEMORY;
	if (result >= 0)
		result = work_out(&flow, executed);
	if (result >= 0)
		write_states(&region, executed, ret_states);
	kct_region_clear(&region);
	free(flow.edges);
	free(flow.above);
	return result < 0 ? kct_fail_code(error, result) : 0;
}
