/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "stack/state.h"

#define DEFAULT_DEPTH ((size_t)16 * 1024 * 1024)

int kct_stack_new(const struct kct_stack_options *options, struct kct_stack **ret_stack)
{
	struct kct_stack_options copy = {0};
	struct kct_stack *stack;
	int result;

	if (options) {
		result = kct_options_copy(options, sizeof(copy), &copy);
		if (result < 0)
			return result;
	}
	stack = calloc(1, sizeof(*stack));
	if (!stack)
		return KCT_ERR_NO_MEMORY;
	if (copy.functions.function_of) {
		result = kct_functions_new(&copy.functions, &stack->functions);
		if (result < 0) {
			kct_stack_free(stack);
			return result;
		}
	}
	stack->limit = copy.max_depth ? kct_min_u64(copy.max_depth, SIZE_MAX) : DEFAULT_DEPTH;
	stack->keep_names = copy.keep_names;
	stack->sections = copy.sections;
	stack->n_sections = copy.sections ? copy.n_sections : 0;
	*ret_stack = stack;
	return 0;
}

void kct_stack_free(struct kct_stack *stack)
{
	if (!stack)
		return;
	kct_functions_free(stack->functions);
	kct_siblings_clear(&stack->siblings);
	free(stack->frames);
	free(stack->numbers);
	free(stack->copied);
	free(stack);
}

void kct_stack_reset(struct kct_stack *stack)
{
	if (stack->functions)
		kct_functions_close_all(stack->functions);
	kct_siblings_reset(&stack->siblings);
	stack->depth = 0;
	stack->hidden = 0;
	stack->unconfirmed = 0;
	stack->next_section = 0;
	stack->n_popped = 0;
	stack->stats = (struct kct_stack_stats){0};
}

static bool begins_section(const struct kct_stack *stack, const struct kct_record *record)
{
	return stack->next_section < stack->n_sections &&
	       record->index >= stack->sections[stack->next_section];
}

/** Close what is open before a record that begins a section. On failure nothing has changed. */
static int start_section(struct kct_stack *stack, const struct kct_record *record,
			 struct kct_step *step)
{
	size_t depth = stack->depth;

	if (stack->stepping && kct_array_reserve(&stack->copied, &stack->max_copied, depth) < 0)
		return KCT_ERR_NO_MEMORY;
	while (begins_section(stack, record))
		stack->next_section++;
	kct_stack_finish(stack, NULL);
	/* The record may push frames. */
	if (stack->stepping && depth > 0) {
		memcpy(stack->copied, stack->popped, depth * sizeof(*stack->copied));
		stack->popped = stack->copied;
	}
	step->popped = depth;
	step->flags |= KCT_STEP_SECTION;
	return 0;
}

/** Records in a row that only add to the frame on top. */
static void take_points(struct kct_stack *stack, uint64_t count)
{
	if (stack->depth > 0)
		stack->frames[stack->depth - 1].records += count;
	else
		stack->stats.outside += count;
	stack->stats.records += count;
}

/**
 * Calls and returns of a stack without symbols and names, most of what is left. False: the
 * record, or what it does, is not that simple.
 */
static bool take_simple(struct kct_stack *stack, const struct kct_record *record)
{
	if (stack->hidden > 0)
		return false;
	if (record->kind == KCT_RECORD_ENTRY) {
		if (stack->depth >= stack->max_frames || stack->depth >= stack->limit)
			return false;
		kct_stack_open(stack, record,
			       stack->depth ? kct_unchecked_edge(stack) : KCT_EDGE_VERIFIED);
	} else if (record->kind == KCT_RECORD_EXIT && stack->depth > 0) {
		struct kct_frame *frame = &stack->frames[--stack->depth];

		frame->records++;
		frame->end = KCT_END_CLOSED;
		if (stack->unconfirmed > stack->depth)
			stack->unconfirmed = stack->depth;
	} else {
		return false;
	}
	stack->stats.records++;
	return true;
}

int kct_stack_feed(struct kct_stack *stack, const struct kct_record *records, size_t n)
{
	bool simple = !stack->functions && !stack->keep_names;
	uint64_t points = 0;
	int result = 0;

	stack->stepping = false;
	for (size_t i = 0; i < n && result == 0; i++) {
		struct kct_step step = {0};

		if (begins_section(stack, &records[i])) {
			if (points > 0)
				take_points(stack, points);
			points = 0;
			result = start_section(stack, &records[i], &step);
			if (result < 0)
				break;
		}
		if (records[i].kind == KCT_RECORD_PC ||
		    (simple && records[i].kind == KCT_RECORD_MEMORY)) {
			points += kct_record_weight(&records[i]);
			continue;
		}
		if (points > 0)
			take_points(stack, points);
		points = 0;
		if (!simple || !take_simple(stack, &records[i]))
			result = kct_stack_take(stack, &records[i], &step);
	}
	if (points > 0)
		take_points(stack, points);
	stack->n_popped = 0;
	return result;
}

int kct_stack_step(struct kct_stack *stack, const struct kct_record *record,
		   struct kct_step *ret_step)
{
	struct kct_step step = {0};
	int result;

	stack->stepping = true;
	stack->n_popped = 0;
	result = begins_section(stack, record) ? start_section(stack, record, &step) : 0;
	if (result == 0)
		result = kct_stack_take(stack, record, &step);
	if (result < 0)
		return result;
	*ret_step = step;
	return 0;
}

int kct_stack_finish(struct kct_stack *stack, struct kct_step *ret_step)
{
	stack->stats.unfinished += stack->depth;
	stack->n_popped = 0;
	stack->hidden = 0;
	if (stack->depth > 0)
		kct_stack_pop_to(stack, 0, KCT_END_UNFINISHED);
	kct_siblings_reset(&stack->siblings);
	if (ret_step)
		*ret_step = (struct kct_step){.popped = stack->n_popped};
	return 0;
}

const struct kct_frame *kct_stack_frames(const struct kct_stack *stack, size_t *ret_n)
{
	*ret_n = stack->depth;
	return stack->frames;
}

const struct kct_frame *kct_stack_popped(const struct kct_stack *stack, size_t *ret_n)
{
	*ret_n = stack->n_popped;
	return stack->popped;
}

int kct_stack_stats(const struct kct_stack *stack, struct kct_stack_stats *ret_stats)
{
	struct kct_stack_stats stats = stack->stats;
	size_t size = ret_stats->size;

	if (size < sizeof(size) || size > sizeof(stats))
		return KCT_ERR_ARGUMENT;
	stats.size = size;
	stats.depth = stack->depth;
	memcpy(ret_stats, &stats, size);
	return 0;
}

bool kct_stack_same_function(const struct kct_stack *stack, uint64_t pc, uint64_t other)
{
	uint64_t number;

	if (!stack->functions || pc == 0 || other == 0)
		return false;
	number = kct_functions_recall(stack->functions, pc);
	return number != 0 && number == kct_functions_recall(stack->functions, other);
}

const char *kct_frame_end_name(unsigned end)
{
	static const char *const names[] = {
		[KCT_END_OPEN] = "open",
		[KCT_END_CLOSED] = "closed",
		[KCT_END_SKIPPED] = "skipped",
		[KCT_END_UNTRACED] = "untraced",
		[KCT_END_UNFINISHED] = "unfinished",
	};

	return end < ARRAY_SIZE(names) ? names[end] : "unknown";
}
