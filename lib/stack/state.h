/* SPDX-License-Identifier: BSD-2-Clause */
/** @file state.h What a struct kct_stack holds; only lib/stack sees it. */
#ifndef KCT_STACK_STATE_H
#define KCT_STACK_STATE_H

#include <kcovtrace/stack.h>

#include "stack/functions.h"
#include "stack/siblings.h"

struct kct_stack {
	/* Open frames, then those that the last step closed: they stay in place. */
	struct kct_frame *frames;
	size_t max_frames;
	size_t depth; /* open frames */
	size_t limit; /* most frames that may be open */

	/* Function number of each frame; only with a function source. */
	uint64_t *numbers;
	size_t max_numbers;
	struct kct_functions *functions; /* NULL without a source */

	/* Calls at the depth limit that have no frame: their ends close no frame either. */
	uint64_t hidden;

	/* Frames at the bottom that were open when records were lost and that nothing has
	 * confirmed since. If one is confirmed, so are those below it: a count is enough. */
	size_t unconfirmed;

	const uint64_t *sections; /* where they begin */
	size_t n_sections;
	size_t next_section;

	bool keep_names;
	struct kct_siblings siblings;

	/* Frames closed by the last step: in place, or copied when frames were pushed on them. */
	bool stepping; /* somebody may ask for them */
	const struct kct_frame *popped;
	size_t n_popped;
	struct kct_frame *copied;
	size_t max_copied;

	struct kct_stack_stats stats; /* without `depth` */
};

/**
 * Take one record (not a CMP): change the stack, add to the zeroed `*step`. On
 * failure nothing has changed.
 */
int kct_stack_take(struct kct_stack *stack, const struct kct_record *record, struct kct_step *step);

/** Close the frames from position `depth` up, all with the same end. */
void kct_stack_pop_to(struct kct_stack *stack, size_t depth, enum kct_frame_end end);

/** Whether both PCs are known to lie in one function; of PCs that the stack has seen. */
bool kct_stack_same_function(const struct kct_stack *stack, uint64_t pc, uint64_t other);

/** The edge cannot be checked: has the frame below survived everything since it was confirmed? */
static inline enum kct_confidence kct_unchecked_edge(const struct kct_stack *stack)
{
	return stack->unconfirmed == stack->depth ? KCT_EDGE_AFTER_LOSS : KCT_EDGE_UNCHECKED;
}

/** Open the frame of an ENTRY; there is room. Field by field: the compiler keeps it in place. */
static inline struct kct_frame *kct_stack_open(struct kct_stack *stack,
					       const struct kct_record *record,
					       enum kct_confidence confidence)
{
	struct kct_frame *frame = &stack->frames[stack->depth++];

	frame->pc = record->pc;
	frame->caller = record->entry.caller;
	frame->index = record->index;
	frame->function = 0;
	frame->records = 1;
	frame->sibling = 0;
	frame->kind = KCT_FRAME_CALLED;
	frame->end = KCT_END_OPEN;
	frame->confidence = (uint8_t)confidence;
	frame->reserved = 0;
	if (stack->depth > stack->stats.max_depth)
		stack->stats.max_depth = stack->depth;
	return frame;
}

/** How many records of the trace a record stands for; LOST none. */
static inline uint64_t kct_record_weight(const struct kct_record *record)
{
	if (record->kind == KCT_RECORD_PC)
		return record->count;
	return record->kind != KCT_RECORD_LOST;
}

/**
 * Position of the frame that a record belongs to, given the stack after it; only
 * if it is not `outside`. Equal to the number of open frames (or more): a frame that it
 * closed.
 */
static inline size_t kct_step_owner(size_t depth, const struct kct_record *record,
				    const struct kct_step *step)
{
	switch (record->kind) {
	case KCT_RECORD_EXIT:
		return step->popped ? depth : depth - 1;
	case KCT_RECORD_EESUM:
		return depth - step->pushed + step->popped - 1;
	default:
		return depth - 1;
	}
}

#endif
