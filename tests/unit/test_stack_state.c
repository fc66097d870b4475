/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames, names, errors and limits of a stack; what single records do: test_stack.c. */
#include "stack_trace.h"

#include "base/macros.h"
#include "stack/state.h"

static void step(struct kct_stack *stack, struct kct_record record, struct kct_step *ret_step)
{
	assert_int_equal(kct_stack_step(stack, &record, ret_step), 0);
}

static const struct kct_frame *top_of(const struct kct_stack *stack)
{
	size_t n;
	const struct kct_frame *frames = kct_stack_frames(stack, &n);

	assert_true(n > 0);
	return &frames[n - 1];
}

static void test_a_frame_knows_where_it_is_from(void **state)
{
	static const struct kct_record records[] = {
		ENTRY(1, 'A', AT('Z', 0x33)),
		CALL((uint64_t)1 << 63, 'A', 'B'),
		EESUM(UINT64_MAX - 2, 1, 0),
	};
	struct kct_stack *stack = new_stack(true, 0, true);
	const struct kct_frame *frames;
	size_t n;

	(void)state;
	assert_int_equal(kct_stack_feed(stack, records, ARRAY_SIZE(records)), 0);
	frames = kct_stack_frames(stack, &n);
	assert_int_equal(n, 3);
	assert_true(frames[0].pc == AT('A', 0x10) && frames[0].caller == AT('Z', 0x33));
	assert_true(frames[0].index == 1 && frames[0].function == 'A');
	assert_true(frames[1].pc == AT('B', 0x10) && frames[1].caller == AT('A', 0x80));
	assert_true(frames[1].index == (uint64_t)1 << 63 && frames[1].function == 'B');
	assert_true(frames[2].pc == 0 && frames[2].caller == 0 && frames[2].function == 0);
	assert_true(frames[2].index == UINT64_MAX - 2 && frames[2].kind == KCT_FRAME_UNTRACED);
	kct_stack_free(stack);
}

/* A frame gets its ENTRY, its EXIT and what lies between and in no callee. */
static void test_weights(void **state)
{
	struct kct_stack *stack = new_stack(true, 3, false);
	const struct kct_frame *popped;
	struct kct_step did;
	size_t n;

	(void)state;
	step(stack, (struct kct_record)ENTRY1(1, 'A'), &did);
	step(stack, (struct kct_record)PCS(2, 'A', 10), &did);
	step(stack, (struct kct_record)CALL(12, 'A', 'B'), &did);
	step(stack, (struct kct_record)MEMORY(14, 'B'), &did);
	step(stack, (struct kct_record)LOST(19, 7, 0), &did);
	step(stack, (struct kct_record)UNKNOWN(26, 1), &did);
	step(stack, (struct kct_record)EXIT(27, 'X'), &did);
	assert_true(did.outside);
	assert_int_equal(top_of(stack)->records, 3); /* ENTRY, MEMORY, UNKNOWN */
	step(stack, (struct kct_record)EESUM(28, 0, -1), &did);
	popped = kct_stack_popped(stack, &n);
	assert_int_equal(n, 1);
	assert_int_equal(popped[0].records, 4); /* the EESUM belongs to what it closed */
	assert_true(popped[0].pc == AT('B', 0x10));
	assert_int_equal(top_of(stack)->records, 0);
	step(stack, (struct kct_record)EESUM(29, 1, 0), &did);
	step(stack, (struct kct_record)CALL(30, 'X', 'C'), &did);
	assert_int_equal(did.flags, KCT_STEP_TOO_DEEP);
	assert_int_equal(top_of(stack)->records, 1); /* the ENTRY that found no place */
	step(stack, (struct kct_record)EXIT(32, 'C'), &did);
	assert_int_equal(top_of(stack)->records, 2);
	step(stack, (struct kct_record)EXIT(33, 'A'), &did);
	popped = kct_stack_popped(stack, &n);
	assert_int_equal(n, 3);
	assert_int_equal(popped[0].records, 12);
	assert_int_equal(popped[0].end, KCT_END_CLOSED);
	assert_int_equal(popped[2].end, KCT_END_SKIPPED);
	assert_int_equal(stats_of(stack).records, 10 + 3 + 3 + 4);
	assert_int_equal(stats_of(stack).outside, 1);
	kct_stack_free(stack);
}

/* formats.md, stable access names: how many earlier ones in the same activation. */
static void test_names(void **state)
{
	static const struct {
		const char *name;
		struct kct_record record;
		uint32_t sibling; /* of the frame on top, or of the access */
	} rows[] = {
		{"first A", ENTRY1(1, 'A'), 0},
		{"B in first A", CALL(2, 'A', 'B'), 0},
		{"access at the PC of no entry", MEMORY(4, 'B'), 0},
		{"again", MEMORY(9, 'B'), 1},
		{"another PC", MEMORY(14, 'C'), 0},
		{"back in A", EXIT(19, 'B'), 0},
		{"access in A at B's PC", MEMORY(20, 'B'), 0},
		{"second B", CALL(25, 'A', 'B'), 1},
		{"its accesses are its own", MEMORY(27, 'B'), 0},
		{"B in B", CALL(32, 'B', 'B'), 0},
		{"back in B", EXIT(34, 'B'), 1},
		{"second B in B", CALL(35, 'B', 'B'), 1},
		{"both return", EXIT(37, 'B'), 1},
		{"and", EXIT(38, 'B'), 0},
		{"C in A", CALL(39, 'A', 'C'), 0},
		{"it returns", EXIT(41, 'C'), 0},
		{"third B", CALL(42, 'A', 'B'), 2},
		{"exit of A: both are closed", EXIT(44, 'A'), 0},
		{"second A", ENTRY1(45, 'A'), 1},
		{"first B in second A", CALL(46, 'A', 'B'), 0},
		{"skipped by a call of A: second B", CALL(48, 'A', 'B'), 1},
		{"popped by an EESUM", EESUM(50, -2, -2), 0},
		{"access outside", MEMORY(51, 'A'), 0},
		{"third A", ENTRY1(56, 'A'), 2},
		{"it returns", EXIT(57, 'A'), 0},
		{"exit of what called all of these", EXIT(58, 'Q'), 0},
		{"first A in its caller", ENTRY1(59, 'A'), 0},
	};
	struct kct_stack *stack = new_stack(true, 0, true);
	struct kct_step did;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t depth;

		step(stack, rows[i].record, &did);
		kct_stack_frames(stack, &depth);
		if (rows[i].record.kind == KCT_RECORD_MEMORY)
			CHECK_EQ(rows[i].name, did.sibling, rows[i].sibling);
		else
			CHECK_EQ(rows[i].name, depth ? top_of(stack)->sibling : 0, rows[i].sibling);
	}
	kct_stack_free(stack);
}

static void test_no_names_unless_asked_for(void **state)
{
	struct kct_stack *stack = new_stack(false, 0, false);
	struct kct_step did;

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		step(stack, (struct kct_record)ENTRY1(1, 'A'), &did);
		assert_int_equal(top_of(stack)->sibling, 0);
		step(stack, (struct kct_record)EXIT(1, 'A'), &did);
	}
	kct_stack_free(stack);
}

static void test_finish_and_reset(void **state)
{
	static const struct kct_record deep[] = {ENTRY1(1, 'A'), ENTRY1(2, 'A'), ENTRY1(3, 'A')};
	struct kct_stack *stack = new_stack(true, 2, true);
	struct kct_step did;
	size_t n;

	(void)state;
	kct_stack_finish(stack, &did);
	assert_int_equal(did.popped, 0);
	assert_int_equal(kct_stack_feed(stack, deep, 3), 0);
	kct_stack_finish(stack, &did);
	assert_int_equal(did.popped, 2);
	assert_int_equal(kct_stack_popped(stack, &n)[1].end, KCT_END_UNFINISHED);
	assert_int_equal(n, 2);
	assert_int_equal(stats_of(stack).unfinished, 2);
	/* The next section starts anew: no hidden call, no number, no open function. */
	step(stack, (struct kct_record)EXIT(4, 'A'), &did);
	assert_int_equal(did.flags, KCT_STEP_UNDERFLOW);
	assert_int_equal(kct_stack_feed(stack, deep, 1), 0);
	assert_int_equal(top_of(stack)->sibling, 0);
	kct_stack_reset(stack);
	assert_int_equal(stats_of(stack).records, 0);
	kct_stack_frames(stack, &n);
	assert_int_equal(n, 0);
	step(stack, (struct kct_record)CALL(5, 'X', 'B'), &did);
	step(stack, (struct kct_record)EXIT(7, 'A'), &did);
	assert_int_equal(did.flags, KCT_STEP_UNDERFLOW);
	kct_stack_free(stack);
}

/* The second pass over a trace finds all its memory there: nothing is allocated per record. */
static void test_memory_stays(void **state)
{
	static const struct kct_record records[] = {
		ENTRY1(1, 'A'),	    CALL(2, 'A', 'B'),	MEMORY(4, 'B'), EESUM(9, 200, -1),
		CALL(10, 'A', 'C'), CALL(12, 'C', 'D'), EXIT(14, 'A'),	EXIT(15, 'A'),
	};
	struct kct_stack *stack = new_stack(true, 0, true);
	struct kct_stack before;
	struct kct_step did;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		step(stack, records[i], &did);
	before = *stack;
	for (int round = 0; round < 100; round++) {
		kct_stack_reset(stack);
		for (size_t i = 0; i < ARRAY_SIZE(records); i++)
			step(stack, records[i], &did);
		assert_ptr_equal(stack->frames, before.frames);
		assert_ptr_equal(stack->copied, before.copied);
		assert_ptr_equal(stack->numbers, before.numbers);
		assert_ptr_equal(stack->siblings.log, before.siblings.log);
		assert_ptr_equal(stack->siblings.heads, before.siblings.heads);
	}
	assert_true(before.max_copied >= 200);
	kct_stack_free(stack);
}

struct moody {
	int result; /* of the next question */
	size_t questions;
};

static int moody_function(void *context, uint64_t pc, uint64_t *ret_function)
{
	struct moody *moody = context;

	moody->questions++;
	*ret_function = pc;
	return moody->result;
}

static void test_source_is_asked_once_and_its_errors_come_through(void **state)
{
	static const struct kct_record records[] = {ENTRY1(1, 'A'), PC(2, 'A'), CALL(3, 'B', 'C')};
	struct moody moody = {.result = 1};
	struct kct_stack_options options = {
		.size = sizeof(options),
		.functions = {.function_of = moody_function, .context = &moody},
	};
	struct kct_stack *stack;
	size_t n;

	(void)state;
	assert_int_equal(kct_stack_new(&options, &stack), 0);
	assert_int_equal(kct_stack_feed(stack, records, 2), 0);
	moody.result = KCT_ERR_DWARF;
	assert_int_equal(kct_stack_feed(stack, records + 1, 2), KCT_ERR_DWARF);
	assert_int_equal(stats_of(stack).records, 3); /* those before the failing one */
	kct_stack_frames(stack, &n);
	assert_int_equal(n, 1);
	moody.result = 0;
	moody.questions = 0;
	for (int i = 0; i < 5; i++)
		assert_int_equal(kct_stack_feed(stack, records + 2, 1), 0);
	assert_int_equal(moody.questions, 2); /* C and its caller; not known is an answer too */
	kct_stack_reset(stack);
	assert_int_equal(kct_stack_feed(stack, records, 3), 0);
	assert_int_equal(moody.questions, 2);
	kct_stack_free(stack);
}

static void test_errors(void **state)
{
	struct {
		struct kct_stack_options options;
		uint64_t newer;
	} big = {.options = {.size = sizeof(big)}};
	struct kct_record cmp = CMP(1, 'A'), junk = RECORD(1, KINDS, 0), pc = PC(1, 'A');
	struct kct_stack *stack = NULL;
	struct kct_stack_stats stats = {.size = sizeof(stats) + 8};
	struct kct_step did = {.flags = 77};

	(void)state;
	big.newer = 1;
	assert_int_equal(kct_stack_new(&big.options, &stack), KCT_ERR_ARGUMENT);
	big.options.size = 0;
	assert_int_equal(kct_stack_new(&big.options, &stack), KCT_ERR_ARGUMENT);
	assert_null(stack);
	big.options.size = sizeof(big);
	big.newer = 0;
	assert_int_equal(kct_stack_new(&big.options, &stack), 0);
	assert_int_equal(kct_stack_step(stack, &cmp, &did), KCT_ERR_MODE);
	assert_int_equal(kct_stack_step(stack, &junk, &did), KCT_ERR_ARGUMENT);
	assert_int_equal(did.flags, 77);
	assert_int_equal(kct_stack_feed(stack, &pc, 1), 0);
	assert_int_equal(kct_stack_stats(stack, &stats), KCT_ERR_ARGUMENT);
	stats.size = offsetof(struct kct_stack_stats, depth);
	stats.depth = 55;
	assert_int_equal(kct_stack_stats(stack, &stats), 0);
	assert_int_equal(stats.records, 1);
	assert_int_equal(stats.depth, 55); /* an older caller's struct ends before it */
	kct_stack_free(stack);
	kct_stack_free(NULL);
	assert_int_equal(kct_stack_new(NULL, &stack), 0);
	kct_stack_free(stack);
}

static void test_end_names(void **state)
{
	static const char *const names[] = {"open", "closed", "skipped", "untraced", "unfinished"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(kct_frame_end_name(i), names[i]);
	assert_non_null(kct_frame_end_name(ARRAY_SIZE(names)));
}

/* A search a record would take hours here. */
static void test_deep_stack_and_exits_that_match_nothing(void **state)
{
	enum { DEPTH = 1000000 };
	struct kct_stack *stack = new_stack(true, 0, true);
	const struct kct_record in = CALL(1, 'A', 'A'), other = EXIT(2, 'B'), out = EXIT(3, 'A');
	const struct kct_record access = MEMORY(4, 'A'), foreign = CALL(5, 'B', 'C');

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		assert_int_equal(kct_stack_feed(stack, &in, 1), 0);
	for (int i = 0; i < DEPTH; i++) {
		assert_int_equal(kct_stack_feed(stack, &other, 1), 0);
		assert_int_equal(kct_stack_feed(stack, &access, 1), 0);
	}
	assert_int_equal(kct_stack_feed(stack, &foreign, 1), 0);
	assert_int_equal(stats_of(stack).depth, DEPTH + 1);
	assert_int_equal(stats_of(stack).underflows, DEPTH);
	for (int i = 0; i < DEPTH; i++)
		assert_int_equal(kct_stack_feed(stack, &out, 1), 0);
	assert_int_equal(stats_of(stack).depth, 0);
	assert_int_equal(stats_of(stack).skipped, 1);
	kct_stack_free(stack);
}

static void test_eesum_extremes(void **state)
{
	struct kct_stack *stack = new_stack(true, 100000, false);
	struct kct_step did;

	(void)state;
	for (int i = 0; i < 1000; i++)
		step(stack, (struct kct_record)EESUM(1, INT16_MAX, 0), &did);
	assert_int_equal(stats_of(stack).depth, 100000);
	assert_int_equal(stats_of(stack).untraced, 100000);
	assert_int_equal(stats_of(stack).too_deep, 1000 * INT16_MAX - 100000);
	kct_stack_reset(stack);
	step(stack, (struct kct_record)EESUM(1, INT16_MAX, INT16_MIN), &did);
	assert_int_equal(did.pushed, 65535);
	assert_int_equal(stats_of(stack).underflows, 32768);
	step(stack, (struct kct_record)EESUM(1, INT16_MIN, INT16_MIN), &did);
	assert_int_equal(did.popped, 32768);
	assert_int_equal(stats_of(stack).depth, 32767);
	/* Values that no decoder makes. */
	step(stack, (struct kct_record)EESUM(1, INT32_MAX, INT32_MIN), &did);
	assert_int_equal(did.popped, 32767);
	assert_int_equal(did.pushed, 100000);
	kct_stack_free(stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_frame_knows_where_it_is_from),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_names_unless_asked_for),
		cmocka_unit_test(test_finish_and_reset),
		cmocka_unit_test(test_memory_stays),
		cmocka_unit_test(test_source_is_asked_once_and_its_errors_come_through),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_end_names),
		cmocka_unit_test(test_deep_stack_and_exits_that_match_nothing),
		cmocka_unit_test(test_eesum_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
