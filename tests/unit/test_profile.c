/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_tree.h"

#include "base/macros.h"

/* One line a place, sorted by nothing: `A>B:off=records`; the order is that of first use. */
static void say_stack(char *text, size_t size, const struct kct_profile_node *nodes, uint64_t at)
{
	char above[256] = "";
	const struct kct_profile_node *node = &nodes[at];

	if (at == 0)
		return;
	say_stack(above, sizeof(above), nodes, node->parent);
	if (node->is_place && node->pc)
		snprintf(text, size, "%s:%llx", above, (unsigned long long)(node->pc & 0xfff));
	else if (node->is_place)
		snprintf(text, size, "%s:", above);
	else
		snprintf(text, size, "%s%c", above, node->untraced ? '_' : letter(node->pc));
}

static void check_profile(const char *name, const struct kct_profile *profile, const char *expected)
{
	char text[1024] = "", stack[256];
	size_t n;
	const struct kct_profile_node *nodes = kct_profile_nodes(profile, &n);

	for (size_t i = 1; i < n; i++) {
		size_t used = strlen(text);
		uint64_t number = nodes[i].is_place ? nodes[i].records : nodes[i].calls;

		say_stack(stack, sizeof(stack), nodes, i);
		snprintf(text + used, sizeof(text) - used, "%s%s%c%llu", used ? " " : "", stack,
			 nodes[i].is_place ? '=' : 'x', (unsigned long long)number);
	}
	CHECK_STR(name, text, expected);
}

struct row {
	const char *name;
	bool symbols;
	uint64_t max_depth;
	struct kct_record records[16];
	const char *expected; /* AxN: entered N times; A:off=N: records at a PC in A */
};

static const struct row rows[] = {
	{"empty", true, 0, {END_OF_TRACE}, ""},
	{"places in a function",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), PC(3, 'A'), PC(4, 'A'), MEMORY(5, 'A'), EXIT(10, 'A'), END_OF_TRACE},
	 "Ax1 A:10=1 A:40=2 A:50=1 A:f0=1"},
	{"an access in a function that is not traced",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), MEMORY(3, 'Q'), END_OF_TRACE},
	 "Ax1 A:10=1 A:50=1"},
	{"calls in the same place add up",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B'), EXIT(5, 'B'), CALL(6, 'A', 'B'), EXIT(8, 'B'),
	  EXIT(9, 'A'), CALL(10, 'Z', 'A'), CALL(12, 'A', 'B'), END_OF_TRACE},
	 "Ax2 A:10=2 ABx3 AB:10=3 AB:f0=2 A:f0=1"},
	{"another call site is another node",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), ENTRY(3, 'A', AT('A', 0x90)), EXIT(5, 'A'),
	  ENTRY(6, 'A', AT('A', 0x91)), END_OF_TRACE},
	 "Ax1 A:10=1 AAx1 AA:10=1 AA:f0=1 AAx1 AA:10=1"},
	{"outside",
	 true,
	 0,
	 {PC(1, 'A'), EXIT(2, 'A'), MEMORY(3, 'A'), WAIT(8), LOST(9, 5, 0), END_OF_TRACE},
	 ":40=1 :f0=1 :50=1 :=1"},
	{"an exit without a frame is outside",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), EXIT(3, 'B'), PC(4, 'A'), END_OF_TRACE},
	 "Ax1 A:10=1 :f0=1 A:40=1"},
	{"records without a PC",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), WAIT(3), WAKE(4), UNKNOWN(5, 77), EESUM(6, 0, 0), LOST(7, 9, 0),
	  END_OF_TRACE},
	 "Ax1 A:10=1 A:=4"},
	{"an EESUM belongs to what was on top",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B'), EESUM(5, 0, -1), PC(6, 'X'), EESUM(7, 2, 0),
	  END_OF_TRACE},
	 "Ax1 A:10=1 ABx1 AB:10=1 A_x1 AB:=1 A_:40=1 A_:=1"},
	{"an EESUM that empties the stack",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), EESUM(3, -2, -2), EESUM(4, 1, 0), END_OF_TRACE},
	 "Ax1 A:10=1 A:=1 _x1 :=1"},
	{"an exit that skips frames",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B'), CALL(5, 'B', 'C'), EXIT(7, 'A'), END_OF_TRACE},
	 "Ax1 A:10=1 ABx1 AB:10=1 ABCx1 ABC:10=1 A:f0=1"},
	{"a call that skips frames",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B'), CALL(5, 'A', 'C'), END_OF_TRACE},
	 "Ax1 A:10=1 ABx1 AB:10=1 ACx1 AC:10=1"},
	{"too deep",
	 false,
	 1,
	 {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B'), EXIT(5, 'B'), END_OF_TRACE},
	 "Ax1 A:10=1 A:10=1 A:f0=1" /* the second is the ENTRY of B, in A */},
	{"a run counts at its first PC",
	 true,
	 0,
	 {CALL(1, 'Z', 'A'), PCS(3, 'A', 7), END_OF_TRACE},
	 "Ax1 A:10=1 A:40=7"},
};

static void test_profiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct kct_stack *stack = new_stack(row->symbols, row->max_depth, false);
		struct kct_profile *profile = new_profile();

		build(stack, NULL, profile, row->records, trace_length(row->records));
		check_profile(row->name, profile, row->expected);
		CHECK_EQ(row->name, profile_records(profile), stats_of(stack).records);
		kct_profile_free(profile);
		kct_stack_free(stack);
	}
}

static void test_nodes_know_pc_and_site(void **state)
{
	static const struct kct_record records[] = {CALL(1, 'Z', 'A'), CALL(3, 'A', 'B'),
						    EESUM(5, 1, 0)};
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_profile *profile = new_profile();
	const struct kct_profile_node *nodes;
	size_t n;

	(void)state;
	build(stack, NULL, profile, records, ARRAY_SIZE(records));
	nodes = kct_profile_nodes(profile, &n);
	assert_int_equal(n, 7);
	assert_true(nodes[0].parent == 0 && nodes[0].pc == 0 && !nodes[0].is_place);
	assert_true(nodes[1].pc == AT('A', 0x10) && nodes[1].site == AT('Z', 0x80));
	assert_true(nodes[2].is_place && nodes[2].pc == AT('A', 0x10) && nodes[2].parent == 1);
	assert_true(nodes[3].pc == AT('B', 0x10) && nodes[3].site == AT('A', 0x80));
	assert_true(nodes[3].parent == 1 && nodes[3].calls == 1);
	assert_true(nodes[5].untraced && nodes[5].pc == 0 && nodes[5].parent == 3);
	assert_true(nodes[6].is_place && nodes[6].pc == 0 && nodes[6].parent == 3);
	kct_profile_free(profile);
	kct_stack_free(stack);
}

/* Many traces, many nodes: each call site is found again. */
static void test_traces_add_up(void **state)
{
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_profile *profile = new_profile();
	size_t first, second;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 3000; i++) {
			struct kct_record call = ENTRY(i, 'A', AT('Z', i % 1000));

			build(stack, NULL, profile, &call, 1);
		}
		assert_int_equal(profile_records(profile), (round + 1) * 3000);
		kct_profile_nodes(profile, round ? &second : &first);
		kct_stack_reset(stack);
	}
	assert_int_equal(first, 1 + 2 * 3000);
	assert_int_equal(second, first);
	kct_profile_free(profile);
	kct_stack_free(stack);
}

static void test_errors(void **state)
{
	const struct kct_record call = CALL(1, 'Z', 'A'), out = EXIT(3, 'A');
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_profile *profile = new_profile();
	struct kct_step step;
	size_t n;

	(void)state;
	kct_profile_free(NULL);
	/* The profile was not told of the call. */
	assert_int_equal(kct_stack_step(stack, &call, &step), 0);
	assert_int_equal(kct_stack_step(stack, &out, &step), 0);
	assert_int_equal(kct_profile_add(profile, stack, &out, &step), KCT_ERR_ARGUMENT);
	kct_profile_nodes(profile, &n);
	assert_int_equal(n, 1);
	kct_profile_free(profile);
	kct_stack_free(stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_nodes_know_pc_and_site),
		cmocka_unit_test(test_traces_add_up),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
