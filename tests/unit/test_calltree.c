/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_text.h"
#include "stack_tree.h"

#include "base/macros.h"

/*
 * A tree as text: a call of A with 3 records is `A=3`, then its callees in
 * parentheses. `A?` `A~` `A!` are edges unchecked, via untraced code, after a loss; `A+`
 * open, `A/` skipped, `A.` popped by an EESUM, `A*` unfinished; `x2` repeats; `_` an
 * untraced frame, `3_` three of one EESUM, `<A>` inferred, `LOST2=7` seven words lost for reason 2.
 */
static void say_call(struct text *text, const struct kct_call *call)
{
	static const char *const ends[] = {"+", "", "/", ".", "*"};
	static const char *const edges[] = {"", "?", "~", "!"};

	if (call->frames != 1)
		say(text, "%u", call->frames);
	if (call->kind == KCT_CALL_LOST)
		say(text, "LOST%u", call->lost_reason);
	else if (call->kind == KCT_CALL_INFERRED)
		say(text, "<%c>", letter(call->pc));
	else
		say(text, "%c%s%s", letter(call->pc),
		    call->kind == KCT_CALL_CALLED ? edges[call->confidence] : "", ends[call->end]);
	assert_int_equal(call->kind == KCT_CALL_UNTRACED,
			 call->pc == 0 && call->kind != KCT_CALL_LOST);
	if (call->repeats != 1)
		say(text, "x%llu", (unsigned long long)call->repeats);
	say(text, "=%llu", (unsigned long long)call->records);
}

static void say_calls(struct text *text, const struct kct_call *calls, uint64_t first,
		      uint64_t parent)
{
	for (uint64_t at = first; at != KCT_NO_CALL; at = calls[at].next) {
		text->visited++;
		assert_true(calls[at].parent == parent);
		if (at != first)
			say(text, " ");
		say_call(text, &calls[at]);
		if (calls[at].first_child == KCT_NO_CALL)
			continue;
		say(text, "(");
		say_calls(text, calls, calls[at].first_child, at);
		say(text, ")");
	}
}

static void check_tree(const char *name, const struct kct_calltree *tree, const char *expected)
{
	struct text text = {.used = 0};
	size_t n;
	const struct kct_call *calls = kct_calltree_nodes(tree, &n);

	say_calls(&text, calls, kct_calltree_root(tree), KCT_NO_CALL);
	CHECK_STR(name, text.bytes, expected);
	CHECK_EQ(name, text.visited, n);
}

struct row {
	const char *name;
	bool symbols;
	uint64_t max_depth;
	struct kct_record records[16];
	const char *flat;   /* without folding */
	const char *folded; /* NULL: the same */
	uint64_t outside;
};

/* A call that returns at once: two records. */
#define LEAF(i, from, function) CALL(i, from, function), EXIT((i) + 2, function)

static const struct row rows[] = {
	{"empty", true, 0, {END_OF_TRACE}, "", NULL, 0},
	{"calls",
	 true,
	 0,
	 {ENTRY1(1, 'A'), PC(2, 'A'), CALL(3, 'A', 'B'), LEAF(5, 'B', 'C'), PC(8, 'B'),
	  EXIT(9, 'B'), LEAF(10, 'A', 'D'), EXIT(13, 'A'), LEAF(14, 'Z', 'E'), END_OF_TRACE},
	 "A=3(B=3(C=2) D=2) E=2",
	 NULL,
	 0},
	{"edges",
	 false,
	 0,
	 {ENTRY1(1, 'A'), ENTRY1(2, 'B'), LOST(3, 1, KCT_LOST_CUT), ENTRY1(4, 'C'), END_OF_TRACE},
	 "A*=1(B?*=1(LOST1=1 C!*=1))",
	 NULL,
	 0},
	{"C6: starts in the middle",
	 true,
	 0,
	 {PC(1, 'Y'), EXIT(2, 'Y'), EXIT(3, 'X'), ENTRY1(4, 'A'), PC(5, 'A'), EXIT(6, 'A'),
	  END_OF_TRACE},
	 "<X>=1(<Y>=1) A=3",
	 NULL,
	 1},
	{"C6: ends in the middle",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), END_OF_TRACE},
	 "A*=1(B*=1)",
	 NULL,
	 0},
	{"C6: the roots show who called them",
	 true,
	 0,
	 {LEAF(1, 'Q', 'E'), EXIT(4, 'Y'), LEAF(5, 'X', 'A'), LEAF(8, 'X', 'B'), EXIT(11, 'X'),
	  LEAF(12, 'W', 'C'), EXIT(15, 'W'), END_OF_TRACE},
	 "E=2 <W>=1(<X>=1(<Y>=1 A=2 B=2) C=2)",
	 NULL,
	 0},
	{"C6: without symbols they do not",
	 false,
	 0,
	 {EXIT(1, 'Y'), LEAF(2, 'X', 'A'), EXIT(5, 'X'), EXIT(6, 'W'), END_OF_TRACE},
	 "<Y>=1 A=2 <W>=1(<X>=1)",
	 NULL,
	 0},
	{"inferred: not across a gap",
	 true,
	 0,
	 {LEAF(1, 'X', 'A'), LOST(4, 9, KCT_LOST_MISSING), EXIT(13, 'X'), END_OF_TRACE},
	 "A=2 LOST2=9 <X>=1",
	 NULL,
	 0},
	{"C7: caller that is not on the stack",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'X', 'B'), LEAF(4, 'B', 'C'), EXIT(7, 'B'), EXIT(8, 'A'),
	  END_OF_TRACE},
	 "A=2(B~=2(C=2))",
	 NULL,
	 0},
	{"E1: exit of an outer function",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'C'), EXIT(6, 'B'), EXIT(7, 'Q'),
	  EXIT(8, 'A'), END_OF_TRACE},
	 "A=2(B=2(C/=1))",
	 NULL,
	 1},
	{"E4: tail call",
	 true,
	 0,
	 {ENTRY1(1, 'P'), LEAF(2, 'P', 'A'), LEAF(5, 'P', 'B'), EXIT(8, 'P'), END_OF_TRACE},
	 "P=2(A=2 B=2)",
	 NULL,
	 0},
	{"E10: gaps",
	 true,
	 0,
	 {LOST(1, 5, KCT_LOST_BAD_PC), ENTRY1(6, 'A'), LOST(7, 3, KCT_LOST_CUT), UNKNOWN(10, 1),
	  EXIT(11, 'A'), LOST(12, 1, KCT_LOST_UNWRITTEN), END_OF_TRACE},
	 "LOST3=5 A=3(LOST1=3 LOST7=1) LOST0=1",
	 NULL,
	 0},
	{"E10: unknown words in a row",
	 true,
	 0,
	 {UNKNOWN(1, 1), UNKNOWN(2, 1), ENTRY1(3, 'A'), UNKNOWN(4, 1), UNKNOWN(5, 1), UNKNOWN(6, 1),
	  PC(7, 'A'), UNKNOWN(8, 1), LOST(9, 1, KCT_LOST_CUT), UNKNOWN(10, 1), EXIT(11, 'A'),
	  UNKNOWN(12, 1), END_OF_TRACE},
	 "LOST7=2 A=8(LOST7=3 LOST7=1 LOST1=1 LOST7=1) LOST7=1",
	 NULL,
	 3},
	{"unknown words in equal calls",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), UNKNOWN(3, 1), EXIT(4, 'A'), CALL(5, 'Z', 'A'), UNKNOWN(7, 1),
	  UNKNOWN(8, 1), EXIT(9, 'A'), END_OF_TRACE},
	 "A=3(LOST7=1) A=4(LOST7=2)",
	 "Ax2=7(LOST7x2=3)",
	 0},
	{"EESUM",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), EESUM(4, 1, -1), LEAF(5, 'X', 'C'), EXIT(8, 'X'),
	  EESUM(9, 0, 0), EXIT(10, 'A'), END_OF_TRACE},
	 "A=2(B.=2 2_/=2(C~=2))",
	 NULL,
	 0},
	{"too deep",
	 false,
	 2,
	 {ENTRY1(1, 'A'), ENTRY1(2, 'B'), ENTRY1(3, 'C'), ENTRY1(4, 'D'), EXIT(5, 'D'),
	  EXIT(6, 'C'), ENTRY1(7, 'C'), EXIT(8, 'C'), EXIT(9, 'B'), END_OF_TRACE},
	 "A*=1(B?=8(LOST6x3=0))",
	 NULL,
	 0},

	{"equal calls in a row",
	 true,
	 0,
	 {ENTRY1(1, 'A'), LEAF(2, 'A', 'B'), LEAF(5, 'A', 'B'), CALL(8, 'A', 'B'), PC(10, 'B'),
	  EXIT(11, 'B'), EXIT(12, 'A'), END_OF_TRACE},
	 "A=2(B=2 B=2 B=3)",
	 "A=2(Bx3=7)",
	 0},
	{"not in a row",
	 true,
	 0,
	 {LEAF(1, 'Z', 'A'), LEAF(4, 'Z', 'B'), LEAF(7, 'Z', 'A'), LEAF(10, 'Z', 'B'),
	  END_OF_TRACE},
	 "A=2 B=2 A=2 B=2",
	 NULL,
	 0},
	{"another call site",
	 true,
	 0,
	 {LEAF(1, 'Z', 'A'), ENTRY(4, 'A', AT('Z', 0x90)), EXIT(6, 'A'), END_OF_TRACE},
	 "A=2 A=2",
	 NULL,
	 0},
	{"other callees",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), LEAF(3, 'A', 'B'), EXIT(6, 'A'), CALL(7, 'Z', 'A'), LEAF(9, 'A', 'C'),
	  EXIT(12, 'A'), LEAF(13, 'Z', 'A'), LEAF(16, 'Z', 'A'), END_OF_TRACE},
	 "A=2(B=2) A=2(C=2) A=2 A=2",
	 "A=2(B=2) A=2(C=2) Ax2=4",
	 0},
	{"another end",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), LEAF(3, 'A', 'B'), CALL(6, 'A', 'B'), EXIT(8, 'A'), END_OF_TRACE},
	 "A=2(B=2 B/=1)",
	 NULL,
	 0},
	{"calls and their callees",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), LEAF(3, 'A', 'B'), LEAF(6, 'A', 'B'), EXIT(9, 'A'), CALL(10, 'Z', 'A'),
	  LEAF(12, 'A', 'B'), LEAF(15, 'A', 'B'), EXIT(18, 'A'), END_OF_TRACE},
	 "A=2(B=2 B=2) A=2(B=2 B=2)",
	 "Ax2=4(Bx4=8)",
	 0},
	{"another number of callees",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), LEAF(3, 'A', 'B'), LEAF(6, 'A', 'B'), EXIT(9, 'A'), CALL(10, 'Z', 'A'),
	  LEAF(12, 'A', 'B'), EXIT(15, 'A'), END_OF_TRACE},
	 "A=2(B=2 B=2) A=2(B=2)",
	 "A=2(Bx2=4) A=2(B=2)",
	 0},
	{"gaps in equal calls",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), LOST(3, 2, KCT_LOST_CUT), EXIT(5, 'A'), CALL(6, 'Z', 'A'),
	  LOST(8, 5, KCT_LOST_CUT), EXIT(13, 'A'), END_OF_TRACE},
	 "A=2(LOST1=2) A=2(LOST1=5)",
	 "Ax2=4(LOST1x2=7)",
	 0},
	{"gaps of other kinds",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), LOST(3, 2, KCT_LOST_CUT), EXIT(5, 'A'), CALL(6, 'Z', 'A'),
	  LOST(8, 5, KCT_LOST_BAD_PC), EXIT(13, 'A'), END_OF_TRACE},
	 "A=2(LOST1=2) A=2(LOST3=5)",
	 NULL,
	 0},
	{"untraced frames of one EESUM are one call until the last returns",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), EESUM(3, 2, 0), EESUM(4, -2, -2), EESUM(5, 2, 0), EESUM(6, -1, -1),
	  PC(7, 'X'), EESUM(8, -1, -1), EXIT(9, 'A'), END_OF_TRACE},
	 "A=4(2_.=1 2_.=3)",
	 "A=4(2_.x2=4)",
	 0},
	{"untraced frames of one EESUM return one by one",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), EESUM(3, 3, 0), LEAF(4, 'X', 'B'), EXIT(7, 'X'), LEAF(8, 'X', 'B'),
	  EESUM(11, 1, 0), EESUM(12, -2, -2), PC(13, 'X'), EXIT(14, 'X'), EXIT(15, 'A'),
	  END_OF_TRACE},
	 "A=3(3_=4(B~=2 B~=2 _.=1))",
	 "A=3(3_=4(B~x2=4 _.=1))",
	 0},
	{"untraced frames",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), EESUM(3, 2, 0), EESUM(4, -2, -2), EESUM(5, 2, 0), EESUM(6, -2, -2),
	  EESUM(7, 1, 0), EESUM(8, -1, -1), EXIT(9, 'A'), END_OF_TRACE},
	 "A=5(2_.=1 2_.=1 _.=1)",
	 "A=5(2_.x2=2 _.=1)",
	 0},
};

static void check_row(const struct row *row, unsigned flags, const char *expected)
{
	struct kct_stack *stack = new_stack(row->symbols, row->max_depth, false);
	struct kct_calltree *tree = new_tree(flags);

	build(stack, tree, NULL, row->records, trace_length(row->records));
	CHECK_EQ(row->name, tree_records(tree), stats_of(stack).records);
	finish(stack, tree);
	check_tree(row->name, tree, expected);
	CHECK_EQ(row->name, tree_records(tree), stats_of(stack).records);
	CHECK_EQ(row->name, kct_calltree_outside(tree), row->outside);
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

static void test_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		check_row(row, 0, row->flat);
		check_row(row, KCT_CALLTREE_FOLD, row->folded ? row->folded : row->flat);
	}
}

static void test_indices(void **state)
{
	static const struct kct_record records[] = {
		EXIT(4, 'X'),	    CALL(10, 'Z', 'A'), CALL(12, 'A', 'B'), EXIT(14, 'B'),
		CALL(20, 'A', 'B'), EXIT(22, 'B'),	CALL(30, 'A', 'C'),
	};
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_calltree *tree = new_tree(KCT_CALLTREE_FOLD);
	const struct kct_call *calls;
	size_t n;

	(void)state;
	build(stack, tree, NULL, records, ARRAY_SIZE(records));
	check_tree("before the end", tree, "<X>=1 A+=1(Bx2=4 C+=1)");
	calls = kct_calltree_nodes(tree, &n);
	assert_int_equal(n, 4);
	assert_true(calls[0].index == KCT_NOWHERE && calls[0].end_index == 4);
	assert_true(calls[1].index == 10 && calls[1].end_index == KCT_NOWHERE);
	assert_true(calls[2].index == 12 && calls[2].end_index == 22);
	assert_true(calls[2].pc == AT('B', 0x10) && calls[2].caller == AT('A', 0x80));
	finish(stack, tree);
	calls = kct_calltree_nodes(tree, &n);
	assert_true(calls[3].index == 30 && calls[3].end_index == KCT_NOWHERE);
	assert_int_equal(calls[3].end, KCT_END_UNFINISHED);
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

static void test_sections_follow_each_other(void **state)
{
	static const struct kct_record section[] = {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B')};
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_calltree *tree = new_tree(KCT_CALLTREE_FOLD);

	(void)state;
	for (int i = 0; i < 3; i++) {
		build(stack, tree, NULL, section, 2);
		finish(stack, tree);
	}
	check_tree("three", tree, "A*x3=3(B*x3=3)");
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

/* E6: the nodes of a repeated call are used again: memory does not grow. */
static void test_loop_is_one_call(void **state)
{
	static const struct kct_record enter = CALL(1, 'Z', 'A'),
				       body[] = {CALL(3, 'A', 'B'), LEAF(5, 'B', 'C'),
						 EXIT(8, 'B')};
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_calltree *tree = new_tree(KCT_CALLTREE_FOLD);

	(void)state;
	build(stack, tree, NULL, &enter, 1);
	for (int i = 0; i < 1000; i++)
		build(stack, tree, NULL, body, ARRAY_SIZE(body));
	check_tree("loop", tree, "A+=1(Bx1000=2000(Cx1000=2000))");
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

static void test_exits_without_end(void **state)
{
	enum { EXITS = 200000 };
	const struct kct_record out = EXIT(1, 'A'), calls[] = {LEAF(2, 'B', 'C')};
	struct kct_stack *stack = new_stack(true, 0, true);
	struct kct_calltree *tree = new_tree(KCT_CALLTREE_FOLD);
	const struct kct_call *nodes;
	uint64_t depth = 0;
	size_t n;

	(void)state;
	for (int i = 0; i < EXITS; i++)
		build(stack, tree, NULL, &out, 1);
	nodes = kct_calltree_nodes(tree, &n);
	assert_int_equal(n, EXITS);
	for (uint64_t at = kct_calltree_root(tree); at != KCT_NO_CALL; at = nodes[at].first_child)
		depth++;
	assert_int_equal(depth, EXITS);
	/* Roots that fit no exit are looked at again by each exit, but only the last one. */
	for (int i = 0; i < EXITS; i++) {
		build(stack, tree, NULL, calls, 2);
		build(stack, tree, NULL, &out, 1);
	}
	assert_int_equal(tree_records(tree), stats_of(stack).records);
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

/* A word can open 32767 frames, and the next close them: it must not cost as many nodes. */
static void test_eesum_flood(void **state)
{
	const struct kct_record flood[] = {EESUM(1, INT16_MAX, 0), EESUM(2, INT16_MIN, INT16_MIN)};
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_calltree *tree = new_tree(0);
	struct kct_profile *profile = new_profile();
	const struct kct_call *calls;
	size_t n;

	(void)state;
	for (int i = 0; i < 500; i++)
		build(stack, tree, profile, flood, 2);
	calls = kct_calltree_nodes(tree, &n);
	assert_int_equal(n, 500);
	assert_int_equal(calls[499].frames, INT16_MAX);
	assert_int_equal(calls[499].end, KCT_END_UNTRACED);
	kct_profile_nodes(profile, &n);
	assert_int_equal(n, 4); /* the root, the frames, a place in each */
	kct_profile_free(profile);
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

static void test_errors(void **state)
{
	const struct kct_record call = CALL(1, 'Z', 'A'), out = EXIT(3, 'A');
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_calltree *tree = NULL;
	struct kct_step step;

	(void)state;
	assert_int_equal(kct_calltree_new(0x80, &tree), KCT_ERR_ARGUMENT);
	assert_null(tree);
	kct_calltree_free(NULL);
	tree = new_tree(0);
	assert_true(kct_calltree_root(tree) == KCT_NO_CALL);
	/* The tree was not told of the call. */
	assert_int_equal(kct_stack_step(stack, &call, &step), 0);
	assert_int_equal(kct_stack_step(stack, &out, &step), 0);
	assert_int_equal(kct_calltree_add(tree, stack, &out, &step), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_stack_step(stack, &call, &step), 0);
	assert_int_equal(kct_stack_finish(stack, &step), 0);
	assert_int_equal(kct_calltree_finish(tree, stack, &step), KCT_ERR_ARGUMENT);
	kct_calltree_free(tree);
	kct_stack_free(stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_indices),
		cmocka_unit_test(test_sections_follow_each_other),
		cmocka_unit_test(test_loop_is_one_call),
		cmocka_unit_test(test_exits_without_end),
		cmocka_unit_test(test_eesum_flood),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
