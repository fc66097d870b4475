/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stack_calls.h
 * The calls of a trace one by one, and which of their records the filters keep.
 *
 * Which call of a function led to a function that is to be kept is known only
 * when all calls are: the weights of stacks and the stacks at single records go by the same
 * list, so that they keep the same records.
 */
#ifndef CLI_STACK_CALLS_H
#define CLI_STACK_CALLS_H

#include "call_view.h"
#include "stack_paint.h"

/** A call, or all calls of one kind in one context. */
struct context {
	uint64_t parent; /**< NO_CALL: a root; comes before its children */
	uint64_t pc;	 /**< of the ENTRY; 0 untraced */
	uint64_t site;	 /**< where the parent called it; 0 unknown */
	bool has_match;	 /**< a record of it lies in an inner function that is to be kept */
};

/** All zero is empty. */
struct call_list {
	struct context *calls;
	size_t n, max;
	uint64_t *open; /**< calls of the open frames, by position in the stack */
	size_t max_open;
};

/** Add a call. */
void call_list_add(struct call_list *list, uint64_t parent, uint64_t pc, uint64_t site);

/**
 * Take what a record did to the stack, from the empty stack on. Each frame it opened is a new
 * call, but untraced ones on each other are one. Returns the call that the record belongs to,
 * NO_CALL for none.
 */
uint64_t call_list_step(struct call_list *list, const struct kct_stack *stack,
			const struct kct_record *record, const struct kct_step *step);

/** Look whether a record of `call` lies in an inner function that is to be kept. */
void call_list_match(struct call_list *list, uint64_t call, const struct kct_record *record,
		     const struct painter *painter);

/** What filters and depth leave of the calls. The caller frees the array. */
struct view_place *call_list_view(const struct call_list *list, const struct painter *painter,
				  uint64_t depth);

/** Whether the filters keep a record of `call` (NO_CALL: none) made at `location`; `leaf`: that is
 *  the PC of the record. */
bool call_list_keeps(const struct call_list *list, const struct view_place *places, uint64_t call,
		     uint64_t location, bool leaf, const struct painter *painter);

/** Free the list, which is empty then. */
void call_list_clear(struct call_list *list);

#endif
