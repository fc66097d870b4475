/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_text.h"
#include "stack_trace.h"

#include <kcovtrace/sections.h>

#include "base/macros.h"

#define MAX_RECORDS 16

/* The starts as text. */
struct row {
	const char *name;
	struct kct_record trace[MAX_RECORDS + 1];
	const char *starts;
};

/* R calls the roots and is never traced itself; U is code that is not traced. */
static const struct row rows[] = {
	{"nothing", {END_OF_TRACE}, ""},
	{"calls that return are one section",
	 {CALL(1, 'R', 'A'), EXIT(3, 'A'), CALL(4, 'R', 'B'), EXIT(6, 'B'), END_OF_TRACE},
	 ""},
	{"a root after a cut call",
	 {CALL(1, 'R', 'A'), CALL(3, 'A', 'B'), CALL(5, 'R', 'C'), EXIT(7, 'C'), CALL(8, 'R', 'D'),
	  EXIT(10, 'D'), END_OF_TRACE},
	 "5"},
	{"a call through untraced code that comes back",
	 {CALL(1, 'R', 'A'), CALL(3, 'U', 'B'), EXIT(5, 'B'), PC(6, 'A'), END_OF_TRACE},
	 ""},
	{"the same, seen by a later call",
	 {CALL(1, 'R', 'A'), CALL(3, 'U', 'B'), EXIT(5, 'B'), CALL(6, 'A', 'C'), END_OF_TRACE},
	 ""},
	{"the same, seen by its end",
	 {CALL(1, 'R', 'A'), CALL(3, 'U', 'B'), EXIT(5, 'B'), EXIT(6, 'A'), END_OF_TRACE},
	 ""},
	{"the same, seen by an access",
	 {CALL(1, 'R', 'A'), CALL(3, 'U', 'B'), EXIT(5, 'B'), MEMORY(6, 'A'), END_OF_TRACE},
	 ""},
	{"one of a known kind, cut",
	 {CALL(1, 'R', 'A'), CALL(3, 'U', 'B'), EXIT(5, 'B'), PC(6, 'A'), CALL(7, 'U', 'B'),
	  CALL(9, 'R', 'C'), EXIT(11, 'C'), END_OF_TRACE},
	 "9"},
	{"a section that begins with a PC",
	 {CALL(1, 'R', 'A'), PC(3, 'W'), CALL(4, 'W', 'B'), EXIT(6, 'B'), END_OF_TRACE},
	 "3"},
	{"a section that begins with an end",
	 {CALL(1, 'R', 'A'), EXIT(3, 'W'), CALL(4, 'W', 'B'), EXIT(6, 'B'), END_OF_TRACE},
	 "3"},
	{"a cut record is the end of a section",
	 {CALL(1, 'R', 'A'), LOST(3, 2, KCT_LOST_CUT), CALL(5, 'R', 'C'), EXIT(7, 'C'),
	  END_OF_TRACE},
	 "5"},
	{"it is, whatever comes next",
	 {CALL(1, 'R', 'A'), LOST(3, 2, KCT_LOST_CUT), PC(5, '['), CALL(6, 'R', 'C'), EXIT(8, 'C'),
	  END_OF_TRACE},
	 "5"},
	{"but not if the call goes on",
	 {CALL(1, 'R', 'A'), LOST(3, 2, KCT_LOST_CUT), PC(5, 'A'), EXIT(6, 'A'), END_OF_TRACE},
	 ""},
	{"two starts", /* the second within frames of the first section and of the second */
	 {CALL(1, 'R', 'A'), CALL(3, 'R', 'B'), CALL(5, 'B', 'C'), CALL(7, 'R', 'D'), EXIT(9, 'D'),
	  END_OF_TRACE},
	 "3 7"},
	{"functions that are not known say nothing",
	 {CALL(1, 'R', 'A'), PC(3, '['), PC(4, '['), END_OF_TRACE},
	 ""},
	{"after an EESUM nobody knows what is on top",
	 {CALL(1, 'R', 'A'), EESUM(3, 1, 0), PC(4, 'W'), EESUM(5, -1, -1), EXIT(6, 'A'),
	  END_OF_TRACE},
	 ""},
};

static void say_starts(const struct row *row, struct text *text)
{
	struct kct_function_source source = {.function_of = letter_of};
	struct kct_sections *sections;
	const uint64_t *starts;
	size_t n;

	assert_int_equal(kct_sections_new(&source, &sections), 0);
	assert_int_equal(kct_sections_feed(sections, row->trace, trace_length(row->trace)), 0);
	assert_int_equal(kct_sections_starts(sections, &starts, &n), 0);
	for (size_t i = 0; i < n; i++)
		say(text, "%s%llu", i ? " " : "", (unsigned long long)starts[i]);
	kct_sections_free(sections);
}

static void test_starts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text text = {.used = 0};

		say_starts(&rows[i], &text);
		CHECK_STR(rows[i].name, text.bytes, rows[i].starts);
	}
}

/** What each record does to a stack that starts anew at words 5 and 9. */
static void test_stack_starts_anew(void **state)
{
	static const struct kct_record trace[] = {
		CALL(1, 'R', 'A'), CALL(3, 'A', 'B'), CALL(5, 'B', 'C'),
		EXIT(7, 'B'),	   CALL(8, 'C', 'D'), EESUM(10, 2, 0),
	};
	static const uint64_t sections[] = {5, 9};
	static const struct {
		uint64_t popped, pushed;
		size_t depth;
		bool section;
	} expected[] = {
		{0, 1, 1, false}, {0, 1, 2, false}, {2, 1, 1, true},
		{0, 0, 1, false}, {0, 1, 2, false}, {2, 2, 2, true}, /* C and D; two untraced */
	};
	struct kct_stack_options options = {
		.size = sizeof(options),
		.functions = {.function_of = letter_of},
		.sections = sections,
		.n_sections = ARRAY_SIZE(sections),
	};
	struct kct_stack *stack, *fed;
	size_t depth;

	(void)state;
	assert_int_equal(kct_stack_new(&options, &stack), 0);
	for (size_t i = 0; i < ARRAY_SIZE(trace); i++) {
		const struct kct_frame *popped;
		struct kct_step step;
		size_t n;

		assert_int_equal(kct_stack_step(stack, &trace[i], &step), 0);
		kct_stack_frames(stack, &depth);
		assert_int_equal(depth, expected[i].depth);
		assert_int_equal(step.popped, expected[i].popped);
		assert_int_equal(step.pushed, expected[i].pushed);
		assert_int_equal((step.flags & KCT_STEP_SECTION) != 0, expected[i].section);
		popped = kct_stack_popped(stack, &n);
		assert_int_equal(n, expected[i].popped);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(popped[k].end, KCT_END_UNFINISHED);
	}
	assert_int_equal(stats_of(stack).unfinished, 4);
	assert_int_equal(stats_of(stack).underflows, 1); /* B is not open in the second section */

	/* Many at once give the same counts. */
	assert_int_equal(kct_stack_new(&options, &fed), 0);
	assert_int_equal(kct_stack_feed(fed, trace, ARRAY_SIZE(trace)), 0);
	struct kct_stack_stats one = stats_of(stack), many = stats_of(fed);
	assert_memory_equal(&one, &many, sizeof(one));
	/* A reset stack knows its sections again. */
	kct_stack_reset(fed);
	assert_int_equal(kct_stack_feed(fed, trace, 3), 0);
	kct_stack_frames(fed, &depth);
	assert_int_equal(depth, 1);
	kct_stack_free(stack);
	kct_stack_free(fed);
}

/** Calls of an earlier section are not taken for those of a call that the trace did not see begin. */
static void test_tree_keeps_sections_apart(void **state)
{
	static const struct kct_record trace[] = {
		CALL(1, 'W', 'A'),
		CALL(3, 'W', 'B'),
		EXIT(5, 'B'),
		EXIT(6, 'W'),
	};
	static const uint64_t sections[] = {3};
	struct kct_stack_options options = {
		.size = sizeof(options),
		.functions = {.function_of = letter_of},
		.sections = sections,
		.n_sections = ARRAY_SIZE(sections),
	};
	struct kct_calltree *tree;
	struct kct_stack *stack;
	struct kct_step step;
	const struct kct_call *calls;
	size_t n;

	(void)state;
	assert_int_equal(kct_stack_new(&options, &stack), 0);
	assert_int_equal(kct_calltree_new(0, &tree), 0);
	for (size_t i = 0; i < ARRAY_SIZE(trace); i++) {
		assert_int_equal(kct_stack_step(stack, &trace[i], &step), 0);
		assert_int_equal(kct_calltree_add(tree, stack, &trace[i], &step), 0);
	}
	calls = kct_calltree_nodes(tree, &n);
	assert_int_equal(n, 3);
	assert_int_equal(calls[0].end, KCT_END_UNFINISHED);
	assert_true(calls[0].parent == KCT_NO_CALL);
	assert_int_equal(calls[2].kind, KCT_CALL_INFERRED);
	assert_true(calls[1].parent == 2);
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

static void test_refuses_no_functions(void **state)
{
	struct kct_function_source none = {0};
	struct kct_sections *sections;

	(void)state;
	assert_int_equal(kct_sections_new(&none, &sections), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_sections_new(NULL, &sections), KCT_ERR_ARGUMENT);
	kct_sections_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_stack_starts_anew),
		cmocka_unit_test(test_tree_keeps_sections_apart),
		cmocka_unit_test(test_refuses_no_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
