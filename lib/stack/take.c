/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each kind of record does to the stack.
 *
 * An unknown function (number 0) is treated as one function of its own: a PC
 * with a known function never lies in it, and two PCs without one may or may not
 * lie in the same.
 */
#include <string.h>

#include "base/array.h"
#include "stack/state.h"

/** The record belongs to the frame on top. */
static void give_top(struct kct_stack *stack, uint64_t weight, struct kct_step *step)
{
	if (stack->depth > 0) {
		stack->frames[stack->depth - 1].records += weight;
	} else {
		stack->stats.outside += weight;
		step->outside = true;
	}
}

/** Position of the nearest open frame of a function that has one. */
static size_t find_open(const struct kct_stack *stack, uint64_t number)
{
	size_t at = stack->depth - 1;

	while (stack->numbers[at] != number)
		at--;
	return at;
}

static bool is_open(const struct kct_stack *stack, uint64_t number)
{
	return stack->functions->entries[number].open > 0;
}

void kct_stack_pop_to(struct kct_stack *stack, size_t depth, enum kct_frame_end end)
{
	for (size_t i = depth; i < stack->depth; i++)
		stack->frames[i].end = (uint8_t)end;
	if (stack->functions) {
		for (size_t i = depth; i < stack->depth; i++)
			stack->functions->entries[stack->numbers[i]].open--;
	}
	if (end == KCT_END_SKIPPED)
		stack->stats.skipped += stack->depth - depth;
	stack->popped = stack->frames + depth;
	stack->n_popped = stack->depth - depth;
	stack->depth = depth;
	if (stack->unconfirmed > depth)
		stack->unconfirmed = depth;
	if (stack->keep_names)
		kct_siblings_leave(&stack->siblings, depth);
}

/** Room for the frames of a step that pops down to `depth` and then pushes `pushes` frames. */
static int reserve_frames(struct kct_stack *stack, size_t depth, size_t pushes)
{
	size_t popped = stack->depth - depth;
	int result = 0;

	if (unlikely(depth + pushes > stack->max_frames))
		result = kct_array_reserve(&stack->frames, &stack->max_frames, depth + pushes);
	if (result == 0 && stack->functions)
		result = kct_array_reserve(&stack->numbers, &stack->max_numbers, depth + pushes);
	if (result == 0 && popped > 0 && pushes > 0 && stack->stepping)
		result = kct_array_reserve(&stack->copied, &stack->max_copied, popped);
	return result;
}

/** Before frames are pushed over those that this step closed. */
static void keep_popped(struct kct_stack *stack)
{
	if (stack->n_popped == 0 || !stack->stepping || stack->popped == stack->copied)
		return;
	memcpy(stack->copied, stack->popped, stack->n_popped * sizeof(*stack->copied));
	stack->popped = stack->copied;
}

/**
 * A record showed that a frame, the top one or about to be, is open. If it was before
 * records were lost, so are those below it.
 */
static void confirm(struct kct_stack *stack, size_t position)
{
	if (position < stack->unconfirmed)
		stack->unconfirmed = 0;
}

/** `n` frames have no place: count them as open without a frame. */
static void hide_frames(struct kct_stack *stack, uint64_t n, struct kct_step *step)
{
	stack->hidden += n;
	stack->stats.too_deep += n;
	step->flags |= KCT_STEP_TOO_DEEP;
}

/** What an ENTRY is about to do. */
struct call {
	size_t depth;	   /* frames that stay open below it */
	uint64_t function; /* number */
	uint64_t caller;   /* number; with symbols only */
	enum kct_confidence confidence;
};

/**
 * Where the caller PC of an ENTRY says that we are. A caller that lies in an open
 * function below the top means that the frames above it have returned: a function that
 * writes an ENTRY cannot make a call while it is not on top.
 */
static void judge_edge(const struct kct_stack *stack, const struct kct_record *record,
		       struct call *call)
{
	uint64_t top;

	call->depth = stack->depth;
	call->confidence = KCT_EDGE_VERIFIED;
	if (stack->depth == 0)
		return;
	if (!stack->functions || record->entry.caller == 0) {
		call->confidence = kct_unchecked_edge(stack);
		return;
	}
	top = stack->numbers[stack->depth - 1];
	if (call->caller == 0 && top == 0 &&
	    stack->frames[stack->depth - 1].kind == KCT_FRAME_CALLED)
		call->confidence = kct_unchecked_edge(stack);
	else if (call->caller != 0 && is_open(stack, call->caller))
		call->depth = find_open(stack, call->caller) + 1;
	else
		call->confidence = KCT_EDGE_VIA_UNTRACED;
}

static int plan_call(struct kct_stack *stack, const struct kct_record *record, struct call *call)
{
	int result = 0;

	*call = (struct call){0};
	if (stack->functions) {
		result = kct_functions_number(stack->functions, record->pc, &call->function);
		if (result == 0 && record->entry.caller != 0)
			result = kct_functions_number(stack->functions, record->entry.caller,
						      &call->caller);
	}
	if (result == 0)
		judge_edge(stack, record, call);
	return result;
}

static void count_edge(struct kct_stack *stack, const struct call *call, struct kct_step *step)
{
	if (call->confidence == KCT_EDGE_VIA_UNTRACED) {
		stack->stats.via_untraced++;
		step->flags |= KCT_STEP_VIA_UNTRACED;
	} else if (call->confidence == KCT_EDGE_VERIFIED && call->depth > 0) {
		stack->stats.verified_edges++;
		confirm(stack, call->depth - 1);
	}
}

/** Close what the call shows to have returned, and open its frame. */
static void make_call(struct kct_stack *stack, const struct kct_record *record,
		      const struct call *call, struct kct_step *step)
{
	struct kct_frame *frame;

	if (call->depth < stack->depth) {
		step->popped = stack->depth - call->depth;
		step->flags |= KCT_STEP_HEALED;
		kct_stack_pop_to(stack, call->depth, KCT_END_SKIPPED);
		keep_popped(stack);
	}
	count_edge(stack, call, step);
	frame = kct_stack_open(stack, record, call->confidence);
	if (stack->functions) {
		struct kct_function_entry *function = &stack->functions->entries[call->function];

		frame->function = function->identity;
		function->open++;
		stack->numbers[stack->depth - 1] = call->function;
	}
	if (stack->keep_names)
		frame->sibling =
			kct_siblings_next(&stack->siblings, stack->depth - 1, record->pc, false);
	step->pushed = 1;
}

static int take_entry(struct kct_stack *stack, const struct kct_record *record,
		      struct kct_step *step)
{
	struct call call = {.depth = SIZE_MAX};
	int result = 0;

	/* Calls among calls without a frame say nothing of those with one; nor would it be cheap to
	 * search the frames, of which none is closed, again and again. */
	if (stack->hidden == 0)
		result = plan_call(stack, record, &call);
	if (result < 0)
		return result;
	if (call.depth >= stack->limit) {
		hide_frames(stack, 1, step);
		give_top(stack, 1, step);
		return 0;
	}
	result = reserve_frames(stack, call.depth, 1);
	if (result == 0 && stack->keep_names)
		result = kct_siblings_reserve(&stack->siblings);
	if (result == 0)
		make_call(stack, record, &call, step);
	return result;
}

#define NO_FRAME SIZE_MAX

/**
 * Which frame an EXIT closes. With symbols: the nearest one of its function;
 * if there is none, an untraced frame on top, which may be of any function. An
 * EXIT of no known function closes the nearest frame of which that is true too.
 */
static int exit_target(struct kct_stack *stack, const struct kct_record *record,
		       size_t *ret_position)
{
	uint64_t number;
	int result;

	*ret_position = stack->depth > 0 ? stack->depth - 1 : NO_FRAME;
	if (!stack->functions)
		return 0;
	result = kct_functions_number(stack->functions, record->pc, &number);
	if (result < 0 || stack->depth == 0)
		return result;
	if (is_open(stack, number)) {
		*ret_position = find_open(stack, number);
		if (number != 0)
			confirm(stack, *ret_position);
	} else if (stack->frames[stack->depth - 1].kind != KCT_FRAME_UNTRACED) {
		*ret_position = NO_FRAME;
	}
	return 0;
}

static void underflow(struct kct_stack *stack, struct kct_step *step)
{
	stack->stats.underflows++;
	stack->stats.outside++;
	step->flags |= KCT_STEP_UNDERFLOW;
	step->outside = true;
	/* The activation that all roots so far were called from, outside the trace, has ended. */
	if (stack->keep_names && stack->depth == 0)
		kct_siblings_reset(&stack->siblings);
}

static int take_exit(struct kct_stack *stack, const struct kct_record *record,
		     struct kct_step *step)
{
	size_t position;
	int result;

	if (stack->hidden > 0) {
		stack->hidden--;
		give_top(stack, 1, step);
		return 0;
	}
	result = exit_target(stack, record, &position);
	if (result < 0)
		return result;
	if (position == NO_FRAME) {
		underflow(stack, step);
		return 0;
	}
	step->popped = stack->depth - position;
	if (step->popped > 1) {
		step->flags |= KCT_STEP_HEALED;
		kct_stack_pop_to(stack, position + 1, KCT_END_SKIPPED);
	}
	kct_stack_pop_to(stack, position, KCT_END_CLOSED);
	stack->n_popped = step->popped;
	stack->frames[position].records++;
	return 0;
}

static void push_untraced(struct kct_stack *stack, const struct kct_record *record, size_t pushes,
			  struct kct_step *step)
{
	for (size_t i = stack->depth; i < stack->depth + pushes; i++) {
		stack->frames[i] = (struct kct_frame){
			.index = record->index,
			.kind = KCT_FRAME_UNTRACED,
			.confidence = KCT_EDGE_UNCHECKED,
		};
		if (stack->functions)
			stack->numbers[i] = 0;
	}
	if (stack->functions)
		stack->functions->entries[0].open += pushes;
	stack->depth += pushes;
	stack->stats.max_depth = kct_max_u64(stack->stats.max_depth, stack->depth);
	stack->stats.untraced += pushes;
	step->pushed = pushes;
}

/** Pop -min frames, push delta - min frames of which nothing is known. */
static int take_eesum(struct kct_stack *stack, const struct kct_record *record,
		      struct kct_step *step)
{
	int64_t delta = record->eesum.delta, min = record->eesum.min;
	uint64_t pops, pushes, hidden, known;
	int result;

	if (min > 0 || delta < min || record->flags & KCT_RECORD_INVALID) {
		give_top(stack, 1, step);
		stack->stats.invalid_eesum++;
		step->flags |= KCT_STEP_INVALID_EESUM;
		return 0;
	}
	hidden = kct_min_u64((uint64_t)-min, stack->hidden);
	pops = (uint64_t)-min - hidden;
	known = kct_min_u64(pops, stack->depth);
	pushes = (uint64_t)(delta - min);
	pushes = kct_min_u64(pushes, stack->limit - (stack->depth - known));
	result = reserve_frames(stack, stack->depth - known, pushes);
	if (result < 0)
		return result;
	give_top(stack, 1, step);
	stack->hidden -= hidden;
	if (known > 0)
		kct_stack_pop_to(stack, stack->depth - known, KCT_END_UNTRACED);
	step->popped += known;
	stack->stats.untraced_pops += known;
	stack->stats.underflows += pops - known;
	if (pops > known)
		step->flags |= KCT_STEP_UNDERFLOW;
	if (pushes > 0) {
		keep_popped(stack);
		push_untraced(stack, record, pushes, step);
	}
	if (pushes < (uint64_t)(delta - min))
		hide_frames(stack, (uint64_t)(delta - min) - pushes, step);
	return 0;
}

/** Is the access in the function on top? Nothing is said where one of them is unknown. */
static void classify_access(struct kct_stack *stack, uint64_t number, struct kct_step *step)
{
	const struct kct_frame *top = &stack->frames[stack->depth - 1];

	if (top->kind == KCT_FRAME_UNTRACED || (top->function == 0 && number == 0))
		return;
	if (number == stack->numbers[stack->depth - 1]) {
		stack->stats.memory_top++;
	} else {
		stack->stats.memory_outside++;
		step->flags |= KCT_STEP_MEMORY_OUTSIDE;
	}
}

static int take_memory(struct kct_stack *stack, const struct kct_record *record,
		       struct kct_step *step)
{
	uint64_t number = 0;
	int result = 0;

	if (stack->functions && stack->depth > 0)
		result = kct_functions_number(stack->functions, record->pc, &number);
	if (result == 0 && stack->keep_names)
		result = kct_siblings_reserve(&stack->siblings);
	if (result < 0)
		return result;
	if (stack->functions && stack->depth > 0)
		classify_access(stack, number, step);
	else if (stack->functions)
		stack->stats.memory_outside++;
	if (stack->keep_names)
		step->sibling = kct_siblings_next(&stack->siblings, stack->depth, record->pc, true);
	give_top(stack, 1, step);
	return 0;
}

/** Records are missing, or one cannot be read: what is open may have changed. */
static void take_gap(struct kct_stack *stack, const struct kct_record *record,
		     struct kct_step *step)
{
	stack->unconfirmed = stack->depth;
	give_top(stack, kct_record_weight(record), step);
}

int kct_stack_take(struct kct_stack *stack, const struct kct_record *record, struct kct_step *step)
{
	int result = 0;

	switch (record->kind) {
	case KCT_RECORD_ENTRY:
		result = take_entry(stack, record, step);
		break;
	case KCT_RECORD_EXIT:
		result = take_exit(stack, record, step);
		break;
	case KCT_RECORD_EESUM:
		result = take_eesum(stack, record, step);
		break;
	case KCT_RECORD_MEMORY:
		result = take_memory(stack, record, step);
		break;
	case KCT_RECORD_LOST:
	case KCT_RECORD_UNKNOWN:
		take_gap(stack, record, step);
		break;
	case KCT_RECORD_PC:
	case KCT_RECORD_WAIT:
	case KCT_RECORD_WAKE:
		give_top(stack, kct_record_weight(record), step);
		break;
	case KCT_RECORD_CMP:
		return KCT_ERR_MODE;
	default:
		return KCT_ERR_ARGUMENT;
	}
	if (result == 0)
		stack->stats.records += kct_record_weight(record);
	return result;
}
