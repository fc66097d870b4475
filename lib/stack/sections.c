/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stack that heals is fed the records. What does not go on where it is makes a
 * candidate, which knows how many frames were open. A later record of one of these
 * frames refutes it: the thread had only been in code that is not traced. Candidates
 * that are left are the starts, unless they come from a function that is known for such
 * excursions: the last of a section cannot be refuted. A candidate has at least as many
 * frames as the one before: a frame is only closed by records of it or of one below,
 * and these refute.
 */
#include <kcovtrace/sections.h>

#include "base/array.h"
#include "base/map.h"
#include "stack/state.h"

struct candidate {
	uint64_t index;	   /* of the record */
	size_t depth;	   /* frames that were open */
	uint64_t function; /* number of the function that the thread was in; 0: not known */
};

/* What is known of a function that is not on top. */
#define WAS_EXCURSION 1u /* the thread came back from it */
#define WAS_OUTERMOST 2u /* nothing was open */

struct kct_sections {
	struct kct_stack *stack;
	struct candidate *candidates;
	size_t n, max;
	struct kct_map known; /* by function number */
	uint64_t *starts;
	size_t n_starts, max_starts;
};

int kct_sections_new(const struct kct_function_source *functions,
		     struct kct_sections **ret_sections)
{
	struct kct_stack_options options = {.size = sizeof(options)};
	struct kct_sections *sections;
	int result;

	if (!functions || !functions->function_of || !ret_sections)
		return KCT_ERR_ARGUMENT;
	sections = calloc(1, sizeof(*sections));
	if (!sections)
		return KCT_ERR_NO_MEMORY;
	options.functions = *functions;
	result = kct_stack_new(&options, &sections->stack);
	if (result < 0) {
		kct_sections_free(sections);
		return result;
	}
	*ret_sections = sections;
	return 0;
}

void kct_sections_free(struct kct_sections *sections)
{
	if (!sections)
		return;
	kct_stack_free(sections->stack);
	kct_map_clear(&sections->known);
	free(sections->candidates);
	free(sections->starts);
	free(sections);
}

static int learn(struct kct_sections *sections, uint64_t function, uint64_t what)
{
	uint64_t *known;
	int result;

	if (function == 0)
		return 0;
	result = kct_map_put(&sections->known, function, &known);
	if (result >= 0)
		*known |= what;
	return result < 0 ? result : 0;
}

/** A record in a function, or called from it, does not go on where the `depth` open frames are. */
static int suspect(struct kct_sections *sections, uint64_t index, size_t depth, uint64_t function)
{
	struct candidate candidate = {index, depth, function}, *last;

	if (depth == 0)
		return learn(sections, function, WAS_OUTERMOST);
	last = sections->n ? &sections->candidates[sections->n - 1] : NULL;
	if (last && last->depth == depth && last->function == function)
		return 0;
	if (kct_array_reserve(&sections->candidates, &sections->max, sections->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	sections->candidates[sections->n++] = candidate;
	return 0;
}

/** The frame at a position is still open, or was until now. */
static int refute(struct kct_sections *sections, size_t position)
{
	int result = 0;

	while (sections->n > 0 && sections->candidates[sections->n - 1].depth > position &&
	       result == 0)
		result = learn(sections, sections->candidates[--sections->n].function,
			       WAS_EXCURSION);
	return result;
}

/** A PC lies in the function on top, or tells that the thread is elsewhere. */
static int judge_point(struct kct_sections *sections, const struct kct_record *record, bool may_not)
{
	struct kct_stack *stack = sections->stack;
	uint64_t number, top = 0;
	int result;

	if (stack->depth > 0 && stack->frames[stack->depth - 1].kind == KCT_FRAME_UNTRACED)
		return 0;
	result = kct_functions_number(stack->functions, record->pc, &number);
	if (stack->depth > 0)
		top = stack->numbers[stack->depth - 1];
	if (result < 0 || number == 0 || (stack->depth > 0 && top == 0))
		return result;
	if (number == top)
		return refute(sections, stack->depth - 1);
	return may_not ? suspect(sections, record->index, stack->depth, number) : 0;
}

static int judge_entry(struct kct_sections *sections, const struct kct_record *record,
		       const struct kct_step *step, size_t depth)
{
	const struct kct_stack *stack = sections->stack;

	if (step->flags & KCT_STEP_VIA_UNTRACED || stack->depth == 1)
		return suspect(sections, record->index, depth,
			       kct_functions_recall(stack->functions, record->entry.caller));
	if (step->pushed && stack->depth > 1 &&
	    stack->frames[stack->depth - 1].confidence == KCT_EDGE_VERIFIED)
		return refute(sections, stack->depth - 2);
	return 0;
}

/** What a record says, given the stack before (`depth`) and after it. */
static int judge(struct kct_sections *sections, const struct kct_record *record,
		 const struct kct_step *step, size_t depth)
{
	const struct kct_stack *stack = sections->stack;

	switch (record->kind) {
	case KCT_RECORD_ENTRY:
		return judge_entry(sections, record, step, depth);
	case KCT_RECORD_EXIT:
		if (step->flags & KCT_STEP_UNDERFLOW)
			return suspect(sections, record->index, depth,
				       kct_functions_recall(stack->functions, record->pc));
		return refute(sections, stack->depth);
	case KCT_RECORD_PC:
		return judge_point(sections, record, true);
	case KCT_RECORD_MEMORY:
		/* Untraced code that was called has accesses too. */
		return judge_point(sections, record, false);
	case KCT_RECORD_EESUM:
		return step->popped ? refute(sections, depth - (size_t)step->popped) : 0;
	case KCT_RECORD_LOST:
		if (record->lost.reason == KCT_LOST_CUT)
			return suspect(sections, record->index + record->words, depth, 0);
		return 0;
	default:
		return 0;
	}
}

int kct_sections_feed(struct kct_sections *sections, const struct kct_record *records, size_t n)
{
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++) {
		size_t depth = sections->stack->depth;
		struct kct_step step;

		result = kct_stack_step(sections->stack, &records[i], &step);
		if (result == 0)
			result = judge(sections, &records[i], &step, depth);
	}
	return result;
}

/** Whether the thread only was where it had come back from before. */
static bool is_excursion(struct kct_sections *sections, const struct candidate *candidate)
{
	const uint64_t *known = kct_map_find(&sections->known, candidate->function);

	return known && *known == WAS_EXCURSION;
}

int kct_sections_starts(struct kct_sections *sections, const uint64_t **ret_starts, size_t *ret_n)
{
	size_t depth = 0;

	if (kct_array_reserve(&sections->starts, &sections->max_starts, sections->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	sections->n_starts = 0;
	for (size_t i = 0; i < sections->n; i++) {
		const struct candidate *candidate = &sections->candidates[i];

		/* What an earlier start has left behind is not open any more. */
		if (candidate->depth <= depth || is_excursion(sections, candidate))
			continue;
		depth = candidate->depth;
		sections->starts[sections->n_starts++] = candidate->index;
	}
	*ret_starts = sections->starts;
	*ret_n = sections->n_starts;
	return 0;
}
