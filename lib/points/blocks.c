/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "points/graph.h"

/* Edges of a function; more would be the product of many indirect jumps and many targets. */
#define MAX_EDGES ((size_t)4 << 20)

size_t kct_build_sites(const struct kct_build *build, const struct kct_instruction *insn,
		       size_t *ret_n)
{
	const struct kct_points *points = build->points;
	size_t low = 0, high = points->n_sites, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->sites[middle].from < insn->address)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < points->n_sites; end++) {
		if (points->sites[end].from - insn->address >= insn->length)
			break;
	}
	*ret_n = end - low;
	return low;
}

/** Whether instruction `i + 1` follows instruction `i` without a gap. */
static bool is_followed(const struct kct_build *build, size_t i)
{
	return i + 1 < build->n_insns &&
	       build->insns[i].address + build->insns[i].length == build->insns[i + 1].address;
}

static bool ends_block(const struct kct_instruction *insn)
{
	switch (insn->flow) {
	case KCT_FLOW_ON:
	case KCT_FLOW_PADDING:
		return false;
	case KCT_FLOW_CALL:
		return !kct_role_is_point(insn->role) && insn->role != KCT_ROLE_RETURNS;
	default:
		return true;
	}
}

static void mark_leader(struct kct_build *build, uint64_t address)
{
	size_t i = kct_build_find(build, address);

	if (i < build->n_insns)
		build->marks[i] |= KCT_MARK_LEADER;
}

static void mark_sites(struct kct_build *build, size_t i)
{
	size_t n, first = kct_build_sites(build, &build->insns[i], &n);

	for (size_t k = first; k < first + n; k++)
		mark_leader(build, build->points->sites[k].to);
	if (n)
		build->marks[i] |= KCT_MARK_ENDS;
}

static void mark_blocks(struct kct_build *build)
{
	size_t entry = kct_build_find(build, build->parts[0].address);

	if (entry < build->n_insns)
		build->marks[entry] |= KCT_MARK_ENTRY | KCT_MARK_LEADER;
	for (size_t i = 0; i < build->n_insns; i++) {
		const struct kct_instruction *insn = &build->insns[i];

		if (i == 0 || !is_followed(build, i - 1) || (build->marks[i] & KCT_MARK_TARGET))
			build->marks[i] |= KCT_MARK_LEADER;
		if (insn->flow == KCT_FLOW_JUMP || insn->flow == KCT_FLOW_BRANCH ||
		    insn->flow == KCT_FLOW_CALL)
			mark_leader(build, insn->target);
		if (build->points->n_sites)
			mark_sites(build, i);
		if (ends_block(insn))
			build->marks[i] |= KCT_MARK_ENDS;
		if ((build->marks[i] & KCT_MARK_ENDS) && i + 1 < build->n_insns)
			build->marks[i + 1] |= KCT_MARK_LEADER;
	}
}

static int cut_blocks(struct kct_build *build)
{
	struct kct_graph *graph = build->graph;

	build->block_of = calloc(build->n_insns + 1, sizeof(*build->block_of));
	if (!build->block_of)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < build->n_insns; i++) {
		const struct kct_instruction *insn = &build->insns[i];
		struct kct_block *block;

		if (build->marks[i] & KCT_MARK_LEADER) {
			if (kct_array_reserve(&graph->blocks, &graph->max_blocks,
					      graph->n_blocks + 1) < 0)
				return KCT_ERR_NO_MEMORY;
			graph->blocks[graph->n_blocks++] =
				(struct kct_block){.start = insn->address};
		}
		block = &graph->blocks[graph->n_blocks - 1];
		block->end = insn->address + insn->length;
		if (build->marks[i] & KCT_MARK_ENTRY)
			block->flags |= KCT_BLOCK_ENTRY;
		if (build->marks[i] & KCT_MARK_SKIPPED)
			block->flags |= KCT_BLOCK_UNDECODED;
		build->block_of[i] = (uint32_t)(graph->n_blocks - 1);
	}
	return 0;
}

static int add_edge(struct kct_build *build, uint32_t from, uint32_t to)
{
	if (build->n_edges > 0 && build->edges[build->n_edges - 1].from == from &&
	    build->edges[build->n_edges - 1].to == to)
		return 0;
	if (kct_array_reserve(&build->edges, &build->max_edges, build->n_edges + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	build->edges[build->n_edges++] = (struct kct_edge){from, to};
	return 0;
}

static int add_call(struct kct_build *build, uint32_t block, const struct kct_instruction *insn)
{
	struct kct_graph *graph = build->graph;
	bool indirect =
		insn->flow == KCT_FLOW_CALL_INDIRECT || insn->flow == KCT_FLOW_JUMP_INDIRECT;

	if (kct_array_reserve(&graph->calls, &graph->max_calls, graph->n_calls + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	graph->calls[graph->n_calls++] = (struct kct_graph_call){
		.target = indirect ? 0 : insn->target,
		.block = block,
		.role = indirect ? KCT_ROLE_INDIRECT_THUNK : insn->role,
	};
	return 0;
}

/** Go on with the next instruction; where there is none, `flag` says what that means. */
static int connect_next(struct kct_build *build, size_t i, uint32_t flag)
{
	uint32_t block = build->block_of[i];

	if (is_followed(build, i))
		return add_edge(build, block, build->block_of[i + 1]);
	build->graph->blocks[block].flags |= flag;
	return 0;
}

/** Go to the target, or leave for another function, which is a call that does not come back here. */
static int connect_target(struct kct_build *build, size_t i)
{
	uint32_t block = build->block_of[i];
	size_t target = kct_build_find(build, build->insns[i].target);

	if (target < build->n_insns)
		return add_edge(build, block, build->block_of[target]);
	build->graph->blocks[block].flags |= KCT_BLOCK_RETURN;
	return add_call(build, block, &build->insns[i]);
}

static int connect_call(struct kct_build *build, size_t i)
{
	const struct kct_instruction *insn = &build->insns[i];
	uint32_t block = build->block_of[i];
	struct kct_block *caller = &build->graph->blocks[block];
	size_t target = kct_build_find(build, insn->target);
	int result;

	if (!ends_block(insn)) /* another block begins behind it, by chance */
		return connect_next(build, i, KCT_BLOCK_RETURN);
	if (insn->role == KCT_ROLE_NORETURN || insn->role == KCT_ROLE_DEAD) {
		caller->flags |= insn->role == KCT_ROLE_DEAD ? KCT_BLOCK_DEAD : KCT_BLOCK_STOP;
		return 0;
	}
	caller->flags |= KCT_BLOCK_CALL;
	result = add_call(build, block, insn);
	/* `call 1f`, to read the address of the code; not a call of itself. */
	if (result >= 0 && target < build->n_insns && insn->flow == KCT_FLOW_CALL &&
	    !(build->marks[target] & KCT_MARK_ENTRY))
		result = add_edge(build, block, build->block_of[target]);
	return result < 0 ? result : connect_next(build, i, KCT_BLOCK_STOP);
}

static int connect_sites(struct kct_build *build, size_t i)
{
	size_t n, first = kct_build_sites(build, &build->insns[i], &n);
	int result = 0;

	for (size_t k = first; k < first + n && result >= 0; k++) {
		size_t target = kct_build_find(build, build->points->sites[k].to);

		if (target < build->n_insns)
			result = add_edge(build, build->block_of[i], build->block_of[target]);
	}
	/* A jump that is patched away goes on. */
	if (n && result >= 0)
		result = connect_next(build, i, 0);
	return result;
}

/** The edges from the last instruction of a block. */
static int connect(struct kct_build *build, size_t i)
{
	struct kct_block *block = &build->graph->blocks[build->block_of[i]];
	int result = build->points->n_sites ? connect_sites(build, i) : 0;

	if (result < 0)
		return result;
	switch (build->insns[i].flow) {
	case KCT_FLOW_JUMP:
		return connect_target(build, i);
	case KCT_FLOW_BRANCH:
		result = connect_target(build, i);
		return result < 0 ? result : connect_next(build, i, KCT_BLOCK_RETURN);
	case KCT_FLOW_CALL:
	case KCT_FLOW_CALL_INDIRECT:
		return connect_call(build, i);
	case KCT_FLOW_JUMP_INDIRECT:
		block->flags |= KCT_BLOCK_INDIRECT | KCT_BLOCK_RETURN;
		return add_call(build, build->block_of[i], &build->insns[i]);
	case KCT_FLOW_RETURN:
		block->flags |= KCT_BLOCK_RETURN;
		return 0;
	case KCT_FLOW_TRAP:
		block->flags |= KCT_BLOCK_DEAD;
		return connect_next(build, i, 0);
	default:
		return connect_next(build, i, KCT_BLOCK_RETURN);
	}
}

static int connect_all(struct kct_build *build)
{
	int result = 0;

	for (size_t i = 0; i < build->n_insns && result >= 0; i++) {
		if (i + 1 == build->n_insns || (build->marks[i + 1] & KCT_MARK_LEADER))
			result = connect(build, i);
	}
	return result;
}

/** The final edges: those that are known, and of indirect jumps those to all targets. */
static int write_edges(struct kct_build *build)
{
	struct kct_graph *graph = build->graph;
	size_t jumps = 0, next = 0;

	for (size_t b = 0; b < graph->n_blocks; b++)
		jumps += (graph->blocks[b].flags & KCT_BLOCK_INDIRECT) != 0;
	if (build->n_targets && jumps > MAX_EDGES / build->n_targets)
		return KCT_ERR_LIMIT;
	if (kct_array_reserve(&graph->edges, &graph->max_edges,
			      build->n_edges + jumps * build->n_targets + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t b = 0; b < graph->n_blocks; b++) {
		struct kct_block *block = &graph->blocks[b];

		block->first_successor = (uint32_t)graph->n_edges;
		while (next < build->n_edges && build->edges[next].from == b)
			graph->edges[graph->n_edges++] = build->edges[next++].to;
		for (size_t i = 0; (block->flags & KCT_BLOCK_INDIRECT) && i < build->n_targets; i++)
			graph->edges[graph->n_edges++] = build->targets[i];
		block->n_successors = (uint32_t)graph->n_edges - block->first_successor;
	}
	return 0;
}

static void place_points(struct kct_graph *graph)
{
	const struct kct_points *points = graph->points;

	for (size_t b = 0; b < graph->n_blocks; b++) {
		struct kct_block *block = &graph->blocks[b];
		size_t first = kct_points_from(points, block->start), end = first;

		while (end < points->n && points->items[end].call < block->end)
			end++;
		block->first_point = (uint32_t)first;
		block->n_points = (uint32_t)(end - first);
	}
}

int kct_build_blocks(struct kct_build *build)
{
	int result;

	kct_build_read_tables(build);
	mark_blocks(build);
	result = cut_blocks(build);
	if (result >= 0)
		result = connect_all(build);
	if (result >= 0)
		result = kct_build_targets(build);
	if (result >= 0)
		result = write_edges(build);
	if (result >= 0)
		place_points(build->graph);
	return result;
}
