/* SPDX-License-Identifier: BSD-2-Clause */
/** @file out_tree.h Writing a call tree. */
#ifndef CLI_OUT_TREE_H
#define CLI_OUT_TREE_H

#include "call_view.h"
#include "input.h"

/** A call tree in the order in which it is written: each call before its callees. */
struct tree_view {
	const struct input *input;
	struct session *session;
	const struct kct_call *nodes; /**< by node number */
	size_t n;
	uint64_t *order;	   /**< position in the view -> node number */
	struct view_call *calls;   /**< by position */
	struct view_place *places; /**< by position */
	uint64_t *records;	   /**< by position: own records, with those of calls not shown */
	uint64_t outside;	   /**< records of no call that is shown */
};

/** Calls of one function in a row, where a trace has no call records. */
struct tree_run {
	uint64_t first, last; /**< word indices */
	uint64_t pc;	      /**< of the first record */
	uint64_t records;     /**< 0: none yet */
};

void tree_write_text(struct output *out, const struct tree_view *view);
void tree_write_json(struct output *out, const struct tree_view *view);

/** Write a run in the format of the options. */
void tree_write_run(struct output *out, const struct options *options, struct session *session,
		    const struct input *input, const struct tree_run *run);

/** Records of no call; nothing in JSON, which has calls only. */
void tree_write_outside(struct output *out, const struct options *options, uint64_t records);

/** Say that the buffer of the input `name` was full: below a tree in text, else beside the output. */
void tree_write_full(struct output *out, const struct options *options, const char *name);

#endif
