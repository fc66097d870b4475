/* SPDX-License-Identifier: BSD-2-Clause */
/** @file graph.h The inside of a struct kct_graph, and the steps that make one. */
#ifndef KCT_POINTS_GRAPH_H
#define KCT_POINTS_GRAPH_H

#include "points/points.h"

#define KCT_NO_BLOCK UINT32_MAX

/* A call at the end of a block, or a jump to another function. */
struct kct_graph_call {
	uint64_t target; /* 0: not known, or not in this image */
	uint32_t block;
	uint8_t role; /* enum kct_role */
};

struct kct_graph {
	const struct kct_points *points;
	struct kct_block *blocks;
	size_t n_blocks, max_blocks;
	uint32_t *edges;
	size_t n_edges, max_edges;
	struct kct_graph_call *calls; /* by block */
	size_t n_calls, max_calls;
};

struct kct_edge {
	uint32_t from, to;
};

/* A function while its graph is made. */
struct kct_build {
	const struct kct_points *points;
	struct kct_reader *reader; /* the spare one of the points, or its like */
	struct kct_graph *graph;
	struct kct_piece *parts; /* code of the function, the one that was asked for first */
	size_t n_parts, max_parts;
	struct kct_instruction *insns; /* by address */
	size_t n_insns, max_insns;
	uint8_t *marks;		/* of instructions, KCT_MARK_* */
	uint32_t *block_of;	/* of instructions */
	struct kct_edge *edges; /* that are known so far, by `from` */
	size_t n_edges, max_edges;
	uint32_t *targets; /* blocks that indirect jumps may go to */
	size_t n_targets, max_targets;
	size_t table_entries; /* that were read */
};

#define KCT_MARK_LEADER	 0x1u  /* begins a block */
#define KCT_MARK_ENTRY	 0x2u  /* the function can be entered here */
#define KCT_MARK_ENDS	 0x4u  /* ends a block */
#define KCT_MARK_TARGET	 0x10u /* a table says that an indirect jump may go here */
#define KCT_MARK_SKIPPED 0x8u  /* bytes that are no known instruction */

/** Find the parts of the function at `address` and the code that only it jumps to, and read their
 *  instructions. KCT_ERR_NOT_FOUND, KCT_ERR_LIMIT, KCT_ERR_NO_MEMORY. */
int kct_build_sweep(struct kct_build *build, uint64_t address);

/** Index of the instruction that holds `address`; n_insns if there is none. */
size_t kct_build_find(const struct kct_build *build, uint64_t address);

/** Cut the instructions into blocks and connect them. KCT_ERR_LIMIT, KCT_ERR_NO_MEMORY. */
int kct_build_blocks(struct kct_build *build);

/** Mark the instructions that the tables of addresses lead to that the function refers to. */
void kct_build_read_tables(struct kct_build *build);

/** Once the direct edges are known, decide where indirect jumps go and which blocks are entries for want of
 *  a known way, and drop what only fills gaps. */
int kct_build_targets(struct kct_build *build);

/** The sites of an instruction: index of the first in points->sites and how many. */
size_t kct_build_sites(const struct kct_build *build, const struct kct_instruction *insn,
		       size_t *ret_n);

#endif
