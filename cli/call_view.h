/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file call_view.h
 * What filters and the depth limit leave of calls that form a tree.
 *
 * Each call gets its place in the view: shown or not, at which level, and to
 * which shown call its own records go when it is not. The same rules serve the
 * call tree and the weights by stack.
 */
#ifndef CLI_CALL_VIEW_H
#define CLI_CALL_VIEW_H

#include "filter.h"
#include "session.h"

/** No call. */
#define NO_CALL UINT64_MAX

/** What a view needs to know of a call. */
struct view_call {
	uint64_t parent; /**< NO_CALL: a root; comes before its children */
	uint64_t pc;	 /**< names its function; 0: unknown function */
	uint64_t site;	 /**< where the parent called it; 0: unknown */
	uint64_t frames; /**< of the stack that it stands for; 1 but for untraced ones */
	bool has_match;	 /**< one of its own records lies in an inlined function to be kept */
	bool is_gap;	 /**< no call: stays wherever its parent stays */
};

/** What became of a call. */
struct view_place {
	uint64_t owner; /**< who gets its own records: itself, a call further up, or NO_CALL */
	uint64_t up;	/**< the nearest shown call above; NO_CALL: none */
	uint64_t level; /**< shown calls above it */
	uint64_t depth; /**< frames of these */
	bool kept;	/**< its records count */
	bool shown;	/**< and it appears itself: `owner` is itself */
};

/** Whether two addresses lie in one function, as far as is known. */
bool same_function(const struct kct_symbol *a, const struct kct_symbol *b);

/**
 * What the patterns say of the functions shown inside a call at `location`, besides its own:
 * those inlined there and, for the PC of a record (`leaf`), an untraced one that it called. Set of
 * enum verdict.
 */
unsigned inner_verdict(struct filter *filter, struct session *session, uint64_t call_pc,
		       uint64_t location, bool leaf);

/**
 * Place `n` calls, parents before children. `depth` 0 is no limit. The caller
 * frees the array.
 */
struct view_place *view_calls(const struct view_call *calls, size_t n, struct filter *filter,
			      struct session *session, uint64_t depth);

#endif
