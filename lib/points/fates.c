/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "image/names.h"
#include "points/fates.h"

/* Functions that never return and have no points are small: a message, and the end. */
#define MAX_NEVER 512

/* A call: if the callee keeps the control, so does the caller. */
struct link {
	uint32_t callee, caller;
};

struct making {
	struct kct_fates *fates;
	const uint64_t *hits;
	struct link *links;
	size_t n_links, max_links;
	uint32_t *queue;
	size_t n_queue, max_queue;
};

void kct_fates_clear(struct kct_fates *fates)
{
	free(fates->fates);
	free(fates->hit);
	free(fates->never);
	*fates = (struct kct_fates){0};
}

/** Index of the function that holds an address, the number of functions if none does. */
static size_t function_of(const struct kct_points *points, uint64_t address)
{
	size_t low = 0, high = points->n_functions;
	const struct kct_image_function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return points->n_functions;
	function = &points->functions[low - 1];
	if (address == function->address || address - function->address < function->size)
		return low - 1;
	return points->n_functions;
}

/** The node of the callee: a function, or all that pointers call. False: it returns, it is outside. */
static bool callee_of(const struct kct_fates *fates, const struct kct_graph_call *call,
		      size_t *ret_node)
{
	if (call->role == KCT_ROLE_CALLS_BACK || call->role == KCT_ROLE_INDIRECT_THUNK) {
		*ret_node = fates->any;
		return true;
	}
	*ret_node = function_of(fates->points, call->target);
	return *ret_node < fates->points->n_functions;
}

bool kct_fates_keeps(const struct kct_fates *fates, const struct kct_graph_call *call)
{
	size_t node;

	if (call->role == KCT_ROLE_NORETURN || call->role == KCT_ROLE_MAY_END)
		return true;
	if (kct_role_is_point(call->role) || !callee_of(fates, call, &node))
		return false;
	return fates->fates[node] == KCT_FATE_KEEPS || fates->fates[node] == KCT_FATE_ABSENT;
}

/** Put a function on the list of those to look at, once. */
static int ask(struct making *making, size_t node)
{
	if (making->fates->fates[node] != KCT_FATE_UNKNOWN)
		return 0;
	if (kct_array_reserve(&making->queue, &making->max_queue, making->n_queue + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	making->fates->fates[node] = KCT_FATE_ASKED;
	making->queue[making->n_queue++] = (uint32_t)node;
	return 0;
}

/** Which functions have points, and which of them were hit; ask for those. */
static int sort_functions(struct making *making)
{
	struct kct_fates *fates = making->fates;
	const struct kct_points *points = fates->points;
	int result = 0;

	for (size_t i = 0; i < points->n; i++) {
		size_t node;

		if (!kct_point_is_coverage(points->items[i].kind))
			continue;
		node = function_of(points, points->items[i].call);
		if (node == points->n_functions)
			continue;
		if (fates->fates[node] == KCT_FATE_UNKNOWN)
			fates->fates[node] = KCT_FATE_ABSENT;
		if (making->hits[i / 64] >> i % 64 & 1)
			fates->hit[node] = 1;
	}
	for (size_t i = 0; i < points->n_functions && result >= 0; i++) {
		if (fates->hit[i])
			fates->fates[i] = KCT_FATE_UNKNOWN;
		/* Pointers may lead to those without points. */
		if (fates->hit[i] ||
		    (fates->fates[i] == KCT_FATE_UNKNOWN && points->functions[i].size <= MAX_NEVER))
			result = ask(making, i);
	}
	return result;
}

/** Mark the blocks that can reach a return of the function, or a trap. */
static int find_ways_out(const struct kct_region *region, uint8_t *out)
{
	const struct kct_graph *graph = region->graph;
	uint32_t n = (uint32_t)graph->n_blocks, depth = 0;
	uint32_t *stack KCT_AUTO_FREE = calloc((size_t)n + 1, sizeof(*stack));
	struct kct_links links;

	if (!stack || kct_graph_links(graph, true, &links) < 0)
		return KCT_ERR_NO_MEMORY;
	for (uint32_t b = 0; b < n; b++) {
		const struct kct_block *block = &graph->blocks[b];

		out[b] = (block->flags & KCT_BLOCK_RETURN) || kct_region_is_dead(region, b);
		if (out[b])
			stack[depth++] = b;
	}
	while (depth > 0) {
		uint32_t b = stack[--depth];

		for (uint32_t i = links.first[b]; i < links.first[b + 1]; i++) {
			uint32_t from = links.to[i];

			if (!out[from] && region->inside[from])
				stack[depth++] = from;
			out[from] |= region->inside[from];
		}
	}
	kct_links_clear(&links);
	return 0;
}

/** Whether a function can have kept the control by itself: 1 or 0. */
static int keeps_itself(const struct kct_region *region)
{
	const struct kct_graph *graph = region->graph;
	uint8_t *out KCT_AUTO_FREE = calloc(1, graph->n_blocks + 1);
	int result;

	if (!out)
		return KCT_ERR_NO_MEMORY;
	result = find_ways_out(region, out);
	if (result < 0)
		return result;
	for (size_t b = 0; b < graph->n_blocks; b++) {
		if (region->inside[b] && (kct_region_stops(region, b) || !out[b]))
			return 1;
	}
	for (size_t i = 0; i < graph->n_calls; i++) {
		if (region->inside[graph->calls[i].block] &&
		    (graph->calls[i].role == KCT_ROLE_MAY_END ||
		     graph->calls[i].role == KCT_ROLE_NORETURN))
			return 1;
	}
	return 0;
}

/** Note whom a function can have called, and ask for them. */
static int note_calls(struct making *making, const struct kct_region *region, size_t caller)
{
	const struct kct_graph *graph = region->graph;

	for (size_t i = 0; i < graph->n_calls; i++) {
		size_t callee;

		if (!region->inside[graph->calls[i].block] ||
		    !callee_of(making->fates, &graph->calls[i], &callee))
			continue;
		if (kct_array_reserve(&making->links, &making->max_links, making->n_links + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		making->links[making->n_links++] =
			(struct link){(uint32_t)callee, (uint32_t)caller};
		if (callee != making->fates->any && ask(making, callee) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return 0;
}

/** Whether a function without points calls what never returns, and has no return itself. */
static bool never_returns(const struct kct_graph *graph)
{
	bool stops = false, returns = false;

	for (size_t b = 0; b < graph->n_blocks; b++) {
		stops |= (graph->blocks[b].flags & KCT_BLOCK_STOP) != 0;
		returns |= (graph->blocks[b].flags & KCT_BLOCK_RETURN) != 0;
	}
	return stops && !returns;
}

static int look_at(struct making *making, size_t node)
{
	struct kct_fates *fates = making->fates;
	const struct kct_image_function *function = &fates->points->functions[node];
	struct kct_region region = {0};
	struct kct_graph *graph;
	int result;

	fates->fates[node] = KCT_FATE_RETURNS;
	/* A cold part is in the graph of its function. */
	if (kct_name_cold_stem(function->name))
		return 0;
	result = kct_graph_new(fates->points, function->address, &graph, NULL);
	if (result == KCT_ERR_NO_MEMORY)
		return result;
	if (result < 0) { /* nothing is known of it */
		fates->fates[node] = KCT_FATE_KEEPS;
		return 0;
	}
	result = kct_region_make(&region, graph, making->hits);
	if (result >= 0)
		result = keeps_itself(&region);
	if (result > 0)
		fates->fates[node] = KCT_FATE_KEEPS;
	if (result > 0 && !fates->hit[node])
		fates->never[node] = never_returns(graph);
	if (result >= 0)
		result = note_calls(making, &region, node);
	kct_region_clear(&region);
	kct_graph_free(graph);
	return result;
}

static int compare_links(const void *left, const void *right)
{
	const struct link *a = left, *b = right;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->caller > b->caller) - (a->caller < b->caller);
}

/** Whether a pointer may have led to a function: anything but the start of a program. */
static bool may_be_pointed_to(const struct kct_fates *fates, size_t node)
{
	return (fates->hit[node] || fates->never[node]) &&
	       strcmp(fates->points->functions[node].name, "main") != 0;
}

static int keep(struct making *making, size_t node)
{
	if (kct_array_reserve(&making->queue, &making->max_queue, making->n_queue + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	making->fates->fates[node] = KCT_FATE_KEEPS;
	making->queue[making->n_queue++] = (uint32_t)node;
	return 0;
}

/** Who calls a function that keeps the control keeps it. */
static int spread_up(struct making *making, size_t node)
{
	struct kct_fates *fates = making->fates;
	size_t low = 0, high = making->n_links;
	int result = 0;

	if (node != fates->any && fates->fates[fates->any] != KCT_FATE_KEEPS &&
	    may_be_pointed_to(fates, node))
		result = keep(making, fates->any);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (making->links[middle].callee < node)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < making->n_links && making->links[low].callee == node && result >= 0; low++) {
		if (fates->fates[making->links[low].caller] == KCT_FATE_RETURNS)
			result = keep(making, making->links[low].caller);
	}
	return result;
}

static int spread_fates(struct making *making)
{
	struct kct_fates *fates = making->fates;
	int result = 0;

	if (making->n_links)
		qsort(making->links, making->n_links, sizeof(*making->links), compare_links);
	making->n_queue = 0;
	for (size_t i = 0; i < fates->any && result >= 0; i++) {
		/* A call of what was not hit has not returned either. */
		if (fates->fates[i] == KCT_FATE_KEEPS || fates->fates[i] == KCT_FATE_ABSENT) {
			uint8_t fate = fates->fates[i];

			result = keep(making, i);
			fates->fates[i] = fate;
		}
	}
	for (size_t i = 0; i < making->n_queue && result >= 0; i++)
		result = spread_up(making, making->queue[i]);
	return result;
}

int kct_fates_make(struct kct_fates *fates, const struct kct_points *points, const uint64_t *hits)
{
	struct making making = {.fates = fates, .hits = hits};
	int result = 0;

	*fates = (struct kct_fates){
		.points = points,
		.any = points->n_functions,
		.fates = calloc(points->n_functions + 1, 1),
		.hit = calloc(points->n_functions + 1, 1),
		.never = calloc(points->n_functions + 1, 1),
	};
	if (!fates->fates || !fates->hit || !fates->never)
		result = KCT_ERR_NO_MEMORY;
	if (result >= 0)
		result = sort_functions(&making);
	for (size_t i = 0; result >= 0 && i < making.n_queue; i++)
		result = look_at(&making, making.queue[i]);
	if (result >= 0)
		result = spread_fates(&making);
	free(making.links);
	free(making.queue);
	if (result < 0)
		kct_fates_clear(fates);
	return result;
}
