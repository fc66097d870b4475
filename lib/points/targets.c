/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where indirect jumps go. Compilers put the targets of a switch into a table of addresses, or of distances from
 * the table. Any number in an instruction of the function that is the address of data is taken for the
 * address of a table, and read as long as it leads to instructions of the function: too many targets only make
 * less certain, too few would make wrong.
 *
 * A function with an indirect jump but without a block that nothing else reaches has no such table: the
 * jump is one to another function in place of a call and a return.
 */
#include <string.h>

#include "base/array.h"
#include "points/graph.h"

/* Numbers of an instruction that refers to a table lie in its last bytes. */
#define OPERAND_BYTES 8

/* Entries that are read for one function; with more, all blocks are targets. */
#define MAX_ENTRIES 65536

/** Take the target of a table's entry. False if it is none: the table ends. */
static bool take_entry(struct kct_build *build, uint64_t address)
{
	size_t i = kct_build_find(build, address);

	if (i == build->n_insns || build->insns[i].address != address)
		return false;
	build->marks[i] |= KCT_MARK_TARGET;
	return true;
}

static uint64_t read_entry(const uint8_t *data, uint64_t table, unsigned form)
{
	uint64_t low = kct_le32_signed(data) & UINT32_MAX;

	switch (form) {
	case 0: /* distance */
		return table + kct_le32_signed(data);
	case 1: /* address of 32 bits */
		return low;
	default:
		return low | kct_le32_signed(data + 4) << 32;
	}
}

/** Read the table at `address`, if one is there, in all forms. */
static void read_table(struct kct_build *build, uint64_t address)
{
	static const uint8_t sizes[] = {4, 4, 8};
	uint64_t bytes;
	const uint8_t *data = kct_points_data(build->points, address, &bytes);

	for (unsigned form = 0; data && form < ARRAY_SIZE(sizes); form++) {
		uint64_t i;

		for (i = 0; bytes - i >= sizes[form] && build->table_entries < MAX_ENTRIES;
		     i += sizes[form]) {
			if (!take_entry(build, read_entry(data + i, address, form)))
				break;
			build->table_entries++;
		}
	}
}

/** Read the tables whose addresses may be in an instruction. */
static void read_operands(struct kct_build *build, const struct kct_instruction *insn)
{
	uint64_t end = insn->address + insn->length;
	struct kct_piece piece;
	uint32_t first = insn->length > OPERAND_BYTES ? insn->length - OPERAND_BYTES : 1;

	if (insn->length < 6 || insn->flow == KCT_FLOW_PADDING ||
	    !kct_points_code(build->points, insn->address, &piece) || piece.bytes < insn->length)
		return;
	for (uint32_t i = first; i + 4 <= insn->length; i++) {
		uint64_t number = kct_le32_signed(piece.code + i);

		read_table(build, end + number);
		read_table(build, number);
		if ((int64_t)number < 0)
			read_table(build, (uint32_t)number);
	}
}

void kct_build_read_tables(struct kct_build *build)
{
	bool jumps = false;

	/* In linked x86 code; where tables cannot be read, all blocks are targets. */
	if (!build->points->machine->needs_capstone || build->points->image->relocatable)
		return;
	for (size_t i = 0; i < build->n_insns; i++)
		jumps |= build->insns[i].flow == KCT_FLOW_JUMP_INDIRECT;
	for (size_t i = 0; jumps && i < build->n_insns; i++)
		read_operands(build, &build->insns[i]);
}

/* Blocks by what is known of them. */
struct reach {
	uint8_t *padding; /* holds nothing else */
	uint8_t *target;  /* of indirect jumps */
	uint8_t *reached; /* from the entries */
	uint32_t *first;  /* edge of each block, and one more */
	uint32_t *stack;
};

static void find_padding(const struct kct_build *build, uint8_t *padding)
{
	memset(padding, 1, build->graph->n_blocks);
	for (size_t i = 0; i < build->n_insns; i++) {
		if (build->insns[i].flow != KCT_FLOW_PADDING ||
		    (build->marks[i] & KCT_MARK_SKIPPED))
			padding[build->block_of[i]] = 0;
	}
}

static void index_edges(const struct kct_build *build, uint32_t *first)
{
	size_t next = 0;

	for (size_t b = 0; b <= build->graph->n_blocks; b++) {
		while (next < build->n_edges && build->edges[next].from < b)
			next++;
		first[b] = (uint32_t)next;
	}
}

/** Set reach->reached, with indirect jumps going to the targets. True if no code is left over. */
static bool reach_all(const struct kct_build *build, const struct reach *reach)
{
	const struct kct_graph *graph = build->graph;
	bool jumped = false;
	size_t depth = 0, next = 0;

	memset(reach->reached, 0, graph->n_blocks);
	for (size_t b = 0; b < graph->n_blocks; b++) {
		reach->reached[b] = (graph->blocks[b].flags & KCT_BLOCK_ENTRY) != 0;
		if (reach->reached[b])
			reach->stack[depth++] = (uint32_t)b;
	}
	while (depth > 0) {
		uint32_t b = reach->stack[--depth];

		for (uint32_t i = reach->first[b]; i < reach->first[b + 1]; i++) {
			uint32_t to = build->edges[i].to;

			if (!reach->reached[to])
				reach->stack[depth++] = to;
			reach->reached[to] = 1;
		}
		for (size_t t = 0; !jumped && (graph->blocks[b].flags & KCT_BLOCK_INDIRECT) &&
				   t < graph->n_blocks;
		     t++) {
			if (reach->target[t] && !reach->reached[t])
				reach->stack[depth++] = (uint32_t)t;
			reach->reached[t] |= reach->target[t];
		}
		jumped |= (graph->blocks[b].flags & KCT_BLOCK_INDIRECT) != 0;
	}
	while (next < graph->n_blocks && (reach->reached[next] || reach->padding[next]))
		next++;
	return next == graph->n_blocks;
}

/** Decide where indirect jumps go. */
static void choose_targets(struct kct_build *build, const struct reach *reach)
{
	const struct kct_graph *graph = build->graph;
	bool jumps = false;

	for (size_t b = 0; b < graph->n_blocks; b++)
		jumps |= (graph->blocks[b].flags & KCT_BLOCK_INDIRECT) != 0;
	if (reach_all(build, reach) || !jumps)
		return;
	for (size_t i = 0; i < build->n_insns; i++) {
		if (build->marks[i] & KCT_MARK_TARGET)
			reach->target[build->block_of[i]] = 1;
	}
	if (build->table_entries < MAX_ENTRIES && reach_all(build, reach))
		return;
	for (size_t b = 0; b < graph->n_blocks; b++)
		reach->target[b] = !reach->padding[b];
	reach_all(build, reach);
}

/** Take padding that nothing reaches out of the graph; the rest that nothing reaches is entries. */
static void drop_padding(struct kct_build *build, const struct reach *reach)
{
	struct kct_graph *graph = build->graph;
	uint32_t *renumber = reach->stack;
	size_t n = 0, n_edges = 0, n_calls = 0;

	for (size_t b = 0; b < graph->n_blocks; b++) {
		renumber[b] = KCT_NO_BLOCK;
		if (!reach->reached[b] && reach->padding[b])
			continue;
		if (!reach->reached[b])
			graph->blocks[b].flags |= KCT_BLOCK_ENTRY;
		if (reach->target[b])
			build->targets[build->n_targets++] = (uint32_t)n;
		renumber[b] = (uint32_t)n;
		graph->blocks[n++] = graph->blocks[b];
	}
	graph->n_blocks = n;
	for (size_t i = 0; i < build->n_edges; i++) {
		struct kct_edge edge = {renumber[build->edges[i].from],
					renumber[build->edges[i].to]};

		if (edge.from != KCT_NO_BLOCK && edge.to != KCT_NO_BLOCK)
			build->edges[n_edges++] = edge;
	}
	build->n_edges = n_edges;
	for (size_t i = 0; i < graph->n_calls; i++) {
		graph->calls[n_calls] = graph->calls[i];
		graph->calls[n_calls].block = renumber[graph->calls[i].block];
		n_calls += graph->calls[n_calls].block != KCT_NO_BLOCK;
	}
	graph->n_calls = n_calls;
}

int kct_build_targets(struct kct_build *build)
{
	size_t n = build->graph->n_blocks + 1;
	uint8_t *marks KCT_AUTO_FREE = calloc(3, n);
	uint32_t *numbers KCT_AUTO_FREE = calloc(2 * sizeof(*numbers), n);
	struct reach reach;

	if (!marks || !numbers || kct_array_reserve(&build->targets, &build->max_targets, n) < 0)
		return KCT_ERR_NO_MEMORY;
	reach = (struct reach){
		.padding = marks,
		.target = marks + n,
		.reached = marks + 2 * n,
		.first = numbers,
		.stack = numbers + n,
	};
	find_padding(build, reach.padding);
	index_edges(build, reach.first);
	choose_targets(build, &reach);
	drop_padding(build, &reach);
	return 0;
}
