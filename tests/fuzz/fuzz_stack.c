/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks, call trees and profiles over any bytes. The first four bytes choose the
 * layout and the options, the rest is the area. What must hold:
 * - no record is lost or counted twice: by the stack, its frames, both call trees and the profile
 * - what a step says that it did is what the frames show
 * - feeding in batches, or runs of PCs, or after a reset comes to the same counts
 * - folding keeps every call: the repeats add up to the calls without folding
 * - the depth limit holds and nothing is open after the end
 */
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "fuzz.h"

#define HEADER_BYTES 4u
#define BATCH	     13u
#define MAX_DEPTH    300u
#define KINDS	     4u /* of calls */

/* What the first bytes choose. */
struct choice {
	struct kct_layout layout;
	struct kct_stack_options options;
	uint64_t functions; /* of the toy source; the context of its function */
};

/* The views of one trace and what they must agree on. */
struct views {
	struct kct_stack *stack;
	struct kct_calltree *plain, *folded;
	struct kct_profile *profile;
	uint64_t weight;     /* of all records fed */
	uint64_t outside;    /* of those in no frame */
	uint64_t closed;     /* of the frames that were closed */
	uint64_t unfinished; /* frames that sections left open */
	size_t depth;
};

/** Few functions for many PCs, and some PCs of none. */
static int function_of(void *context, uint64_t pc, uint64_t *ret_function)
{
	uint64_t number = pc / 8 % (*(const uint64_t *)context + 1);

	if (number == 0)
		return 0;
	*ret_function = number;
	return 1;
}

static void choose(const uint8_t *header, struct choice *choice)
{
	static const char *const presets[] = {"linux-ext", "linux-mem", "linux-ext-v1", "linux-pc"};
	static const uint64_t depths[] = {MAX_DEPTH, 1, 2, 5};

	*choice = (struct choice){.options = {.size = sizeof(choice->options)}};
	FUZZ_CHECK(kct_layout_preset(presets[header[0] & 3], &choice->layout) == 0);
	choice->layout.endian = header[0] & 4 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
	choice->layout.eesum_quirk = header[0] & 8 ? KCT_EESUM_SIGN_EXTENDED : KCT_EESUM_NONE;
	if (choice->layout.mode == KCT_MODE_MEMORY)
		choice->layout.memory_words = 4 + (header[0] >> 4 & 3);
	choice->options.max_depth = depths[header[1] & 3];
	choice->options.keep_names = header[1] & 4;
	choice->functions = header[2] % 16;
	if (header[1] & 8)
		choice->options.functions =
			(struct kct_function_source){function_of, &choice->functions};
}

static uint64_t weight_of(const struct kct_record *record)
{
	return record->kind == KCT_RECORD_LOST ? 0 : record->count;
}

static struct kct_stack_stats stats_of(const struct kct_stack *stack)
{
	struct kct_stack_stats stats = {.size = sizeof(stats)};

	FUZZ_CHECK(kct_stack_stats(stack, &stats) == 0);
	return stats;
}

/** The frames that a step closed and left open. */
static void check_frames(struct views *views, const struct choice *choice,
			 const struct kct_step *step, bool finish)
{
	size_t depth, n_popped;
	const struct kct_frame *frames = kct_stack_frames(views->stack, &depth);
	const struct kct_frame *popped = kct_stack_popped(views->stack, &n_popped);

	FUZZ_CHECK(n_popped == step->popped && n_popped <= views->depth);
	FUZZ_CHECK(depth == views->depth - step->popped + step->pushed);
	FUZZ_CHECK(depth <= choice->options.max_depth);
	for (size_t i = 0; i < n_popped; i++) {
		FUZZ_CHECK(popped[i].end != KCT_END_OPEN);
		FUZZ_CHECK((popped[i].end == KCT_END_UNFINISHED) ==
			   (finish || step->flags & KCT_STEP_SECTION));
		FUZZ_CHECK((popped[i].kind == KCT_FRAME_UNTRACED) == (popped[i].pc == 0));
		views->closed += popped[i].records;
	}
	for (size_t i = depth - step->pushed; i < depth; i++)
		FUZZ_CHECK(frames[i].end == KCT_END_OPEN && frames[i].reserved == 0);
	views->depth = depth;
}

static void take(struct views *views, const struct choice *choice, const struct kct_record *record)
{
	struct kct_step step;

	FUZZ_CHECK(kct_stack_step(views->stack, record, &step) == 0);
	check_frames(views, choice, &step, false);
	if (step.flags & KCT_STEP_SECTION)
		views->unfinished += step.popped;
	views->weight += weight_of(record);
	if (step.outside)
		views->outside += weight_of(record);
	FUZZ_CHECK(kct_calltree_add(views->plain, views->stack, record, &step) == 0);
	FUZZ_CHECK(kct_calltree_add(views->folded, views->stack, record, &step) == 0);
	FUZZ_CHECK(kct_profile_add(views->profile, views->stack, record, &step) == 0);
}

/** Each node is reached once from the root, has the parent above it, and counts add up. */
static void check_tree(const struct kct_calltree *tree, const struct views *views,
		       uint64_t ret_repeats[KINDS])
{
	size_t n, reached = 0;
	const struct kct_call *calls = kct_calltree_nodes(tree, &n);
	uint64_t at = kct_calltree_root(tree), parent = KCT_NO_CALL;
	uint64_t sum = kct_calltree_outside(tree);

	memset(ret_repeats, 0, KINDS * sizeof(ret_repeats[0]));
	while (at != KCT_NO_CALL) {
		const struct kct_call *call;

		FUZZ_CHECK(at < n && reached++ < n);
		call = &calls[at];
		FUZZ_CHECK(call->parent == parent && call->kind < KINDS && call->repeats > 0);
		ret_repeats[call->kind] += call->repeats;
		if (call->kind != KCT_CALL_LOST)
			sum += call->records;
		if (call->first_child != KCT_NO_CALL) {
			parent = at;
			at = call->first_child;
			continue;
		}
		while (calls[at].next == KCT_NO_CALL && calls[at].parent != KCT_NO_CALL)
			at = calls[at].parent;
		parent = calls[at].parent;
		at = calls[at].next;
	}
	FUZZ_CHECK(reached == n);
	FUZZ_CHECK(sum == views->weight);
}

static void check_profile(const struct views *views, const struct kct_stack_stats *stats)
{
	size_t n;
	const struct kct_profile_node *nodes = kct_profile_nodes(views->profile, &n);
	uint64_t sum = 0, outside = 0;

	FUZZ_CHECK(n > 0 && nodes[0].parent == 0);
	for (size_t i = 1; i < n; i++) {
		FUZZ_CHECK(nodes[i].parent < i && !nodes[nodes[i].parent].is_place);
		FUZZ_CHECK(nodes[i].is_place ? nodes[i].records > 0 && nodes[i].calls == 0
					     : nodes[i].records == 0 && nodes[i].calls > 0);
		sum += nodes[i].records;
		if (nodes[i].parent == 0)
			outside += nodes[i].records;
	}
	FUZZ_CHECK(sum == views->weight && outside == stats->outside);
}

static void check_views(struct views *views, const struct choice *choice)
{
	uint64_t plain[KINDS], folded[KINDS];
	struct kct_stack_stats stats;
	struct kct_step step;
	size_t open = views->depth;

	FUZZ_CHECK(kct_stack_finish(views->stack, &step) == 0);
	check_frames(views, choice, &step, true);
	FUZZ_CHECK(kct_calltree_finish(views->plain, views->stack, &step) == 0);
	FUZZ_CHECK(kct_calltree_finish(views->folded, views->stack, &step) == 0);
	stats = stats_of(views->stack);
	FUZZ_CHECK(views->depth == 0 && stats.depth == 0 &&
		   stats.unfinished == open + views->unfinished);
	FUZZ_CHECK(stats.records == views->weight && stats.outside == views->outside);
	FUZZ_CHECK(views->closed + views->outside == views->weight);
	FUZZ_CHECK(stats.max_depth <= choice->options.max_depth);
	check_tree(views->plain, views, plain);
	check_tree(views->folded, views, folded);
	FUZZ_CHECK(memcmp(plain, folded, sizeof(plain)) == 0);
	check_profile(views, &stats);
}

static struct kct_stack *stack_of(const struct choice *choice)
{
	struct kct_stack *stack;

	FUZZ_CHECK(kct_stack_new(&choice->options, &stack) == 0);
	return stack;
}

/** Step by step, with all views. */
static struct kct_stack_stats step_through(const struct choice *choice, const void *data,
					   size_t bytes, unsigned flags)
{
	struct views views = {.stack = stack_of(choice)};
	struct kct_stack_stats stats;
	struct kct_decoder *decoder;
	struct kct_record record;

	FUZZ_CHECK(kct_calltree_new(0, &views.plain) == 0);
	FUZZ_CHECK(kct_calltree_new(KCT_CALLTREE_FOLD, &views.folded) == 0);
	FUZZ_CHECK(kct_profile_new(&views.profile) == 0);
	FUZZ_CHECK(kct_decoder_new(&choice->layout, data, bytes, flags, &decoder, NULL) == 0);
	while (kct_decoder_next(decoder, &record, NULL) > 0)
		take(&views, choice, &record);
	check_views(&views, choice);
	stats = stats_of(views.stack);
	kct_decoder_free(decoder);
	kct_calltree_free(views.plain);
	kct_calltree_free(views.folded);
	kct_profile_free(views.profile);
	kct_stack_free(views.stack);
	return stats;
}

static struct kct_stack_stats feed(struct kct_stack *stack, const struct choice *choice,
				   const void *data, size_t bytes, unsigned flags)
{
	struct kct_record batch[BATCH];
	struct kct_decoder *decoder;
	size_t n;

	FUZZ_CHECK(kct_decoder_new(&choice->layout, data, bytes, flags, &decoder, NULL) == 0);
	while (kct_decoder_batch(decoder, BATCH, batch, &n, NULL) > 0)
		FUZZ_CHECK(kct_stack_feed(stack, batch, n) == 0);
	FUZZ_CHECK(kct_stack_finish(stack, NULL) == 0);
	kct_decoder_free(decoder);
	return stats_of(stack);
}

static void check_same(const struct kct_stack_stats *one, struct kct_stack_stats other)
{
	FUZZ_CHECK(memcmp(one, &other, sizeof(other)) == 0);
}

/** The same with a stack that starts anew where sections are found. */
static void check_sections(struct choice *choice, const void *data, size_t bytes)
{
	struct kct_record batch[BATCH];
	struct kct_sections *sections;
	struct kct_stack_stats stats;
	struct kct_decoder *decoder;
	struct kct_stack *stack;
	size_t n;

	FUZZ_CHECK(kct_sections_new(&choice->options.functions, &sections) == 0);
	FUZZ_CHECK(kct_decoder_new(&choice->layout, data, bytes, KCT_DECODE_SECTIONS, &decoder,
				   NULL) == 0);
	while (kct_decoder_batch(decoder, BATCH, batch, &n, NULL) > 0)
		FUZZ_CHECK(kct_sections_feed(sections, batch, n) == 0);
	kct_decoder_free(decoder);
	FUZZ_CHECK(kct_sections_starts(sections, &choice->options.sections,
				       &choice->options.n_sections) == 0);
	for (size_t i = 1; i < choice->options.n_sections; i++)
		FUZZ_CHECK(choice->options.sections[i - 1] < choice->options.sections[i]);
	stats = step_through(choice, data, bytes, KCT_DECODE_SECTIONS);
	stack = stack_of(choice);
	check_same(&stats, feed(stack, choice, data, bytes, KCT_DECODE_SECTIONS));
	kct_stack_free(stack);
	kct_sections_free(sections);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_stack_stats stats;
	struct kct_decoder *decoder;
	struct kct_stack *stack;
	struct choice choice;
	uint8_t *area;

	if (bytes < HEADER_BYTES)
		return -1;
	choose(data, &choice);
	bytes -= HEADER_BYTES;
	area = malloc(bytes ? bytes : 1);
	FUZZ_CHECK(area);
	memcpy(area, data + HEADER_BYTES, bytes);
	if (kct_decoder_new(&choice.layout, area, bytes, 0, &decoder, NULL) == 0) {
		kct_decoder_free(decoder);
		stats = step_through(&choice, area, bytes, 0);
		check_same(&stats, step_through(&choice, area, bytes, KCT_DECODE_PC_RUNS));
		stack = stack_of(&choice);
		check_same(&stats, feed(stack, &choice, area, bytes, 0));
		kct_stack_reset(stack);
		check_same(&stats, feed(stack, &choice, area, bytes, KCT_DECODE_PC_RUNS));
		kct_stack_free(stack);
		if (choice.options.functions.function_of)
			check_sections(&choice, area, bytes);
	}
	free(area);
	return 0;
}
