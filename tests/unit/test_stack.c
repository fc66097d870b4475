/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_text.h"
#include "stack_trace.h"

#include "base/macros.h"

/*
 * What steps did, as text: `+A` a frame of A was pushed over a verified edge, `+A?`
 * unchecked, `+A~` via untraced code, `+A!` after a loss, `+_?` an untraced one;
 * `-A` closed, `-A/` skipped, `-A.` popped by an EESUM, `-A*` unfinished. Then what else
 * is to be said: `under out deep invalid elsewhere`. A step without an effect is `.`.
 */
static void say_flags(struct text *text, const struct kct_step *step)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} flags[] = {
		{KCT_STEP_UNDERFLOW, " under"},
		{KCT_STEP_TOO_DEEP, " deep"},
		{KCT_STEP_INVALID_EESUM, " invalid"},
		{KCT_STEP_MEMORY_OUTSIDE, " elsewhere"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		say(text, "%s", step->flags & flags[i].flag ? flags[i].name : "");
	say(text, "%s", step->outside ? " out" : "");
}

static void say_step(struct text *text, const struct kct_stack *stack, const struct kct_step *step)
{
	static const char *const ends[] = {"OPEN", "", "/", ".", "*"};
	static const char *const edges[] = {"", "?", "~", "!"};
	size_t n_popped, n_frames, start = text->used;
	const struct kct_frame *popped = kct_stack_popped(stack, &n_popped);
	const struct kct_frame *frames = kct_stack_frames(stack, &n_frames);
	bool healed = false, via_untraced = false;

	assert_int_equal(step->popped, n_popped);
	for (size_t i = n_popped; i-- > 0;) {
		say(text, " -%c%s", letter(popped[i].pc), ends[popped[i].end]);
		healed |= popped[i].end == KCT_END_SKIPPED;
	}
	for (size_t i = n_frames - step->pushed; i < n_frames; i++) {
		say(text, " +%c%s", letter(frames[i].pc), edges[frames[i].confidence]);
		assert_int_equal(frames[i].kind,
				 frames[i].pc ? KCT_FRAME_CALLED : KCT_FRAME_UNTRACED);
		assert_int_equal(frames[i].end, KCT_END_OPEN);
		via_untraced |= frames[i].confidence == KCT_EDGE_VIA_UNTRACED;
	}
	assert_int_equal(healed, !!(step->flags & KCT_STEP_HEALED));
	assert_int_equal(via_untraced, !!(step->flags & KCT_STEP_VIA_UNTRACED));
	say_flags(text, step);
	if (text->used == start)
		say(text, " .");
}

struct row {
	const char *name;
	bool symbols;
	uint64_t max_depth;
	struct kct_record records[12];
	const char *expected; /* each step and, behind a bar, the end of the trace */
};

/* Feeding the records at once leaves the same state as single steps. */
static void check_feed(const struct row *row, const struct kct_stack *stepped)
{
	struct kct_stack *fed = new_stack(row->symbols, row->max_depth, false);
	struct kct_stack_stats one = stats_of(stepped), other;
	size_t n_one, n_other;
	const struct kct_frame *frames = kct_stack_frames(stepped, &n_one), *others;

	assert_int_equal(kct_stack_feed(fed, row->records, trace_length(row->records)), 0);
	other = stats_of(fed);
	CHECK(row->name, memcmp(&one, &other, sizeof(one)) == 0);
	others = kct_stack_frames(fed, &n_other);
	CHECK_EQ(row->name, n_other, n_one);
	CHECK(row->name, n_one == 0 || memcmp(frames, others, n_one * sizeof(*frames)) == 0);
	kct_stack_popped(fed, &n_other);
	CHECK_EQ(row->name, n_other, 0);
	kct_stack_free(fed);
}

static void check_row(const struct row *row)
{
	struct kct_stack *stack = new_stack(row->symbols, row->max_depth, false);
	struct text text = {.used = 0};
	struct kct_step step;

	for (size_t i = 0; i < trace_length(row->records); i++) {
		assert_int_equal(kct_stack_step(stack, &row->records[i], &step), 0);
		say_step(&text, stack, &step);
	}
	check_feed(row, stack);
	kct_stack_finish(stack, &step);
	if (step.popped > 0) {
		say(&text, " |");
		say_step(&text, stack, &step);
	}
	CHECK_STR(row->name, text.bytes, row->expected);
	kct_stack_free(stack);
}

static const struct row rows[] = {
	{"calls and returns",
	 true,
	 0,
	 {ENTRY(1, 'A', AT('Z', 0)), CALL(3, 'A', 'B'), PC(5, 'B'), EXIT(6, 'B'), EXIT(7, 'A'),
	  END_OF_TRACE},
	 " +A +B . -B -A"},
	{"calls and returns without symbols",
	 false,
	 0,
	 {ENTRY(1, 'A', AT('Z', 0)), CALL(3, 'A', 'B'), PC(5, 'B'), EXIT(6, 'B'), EXIT(7, 'A'),
	  END_OF_TRACE},
	 " +A +B? . -B -A"},
	{"entries of one word cannot be checked",
	 true,
	 0,
	 {ENTRY1(1, 'A'), ENTRY1(2, 'B'), EXIT(3, 'B'), EXIT(4, 'A'), END_OF_TRACE},
	 " +A +B? -B -A"},
	{"records outside",
	 true,
	 0,
	 {PC(1, 'A'), WAIT(2), WAKE(3), MEMORY(4, 'A'), EESUM(5, 0, 0), UNKNOWN(6, 7),
	  LOST(7, 2, 0), END_OF_TRACE},
	 " out out out out out out out"},
	{"records inside",
	 true,
	 0,
	 {ENTRY1(1, 'A'), PC(2, 'A'), WAIT(3), WAKE(4), MEMORY(5, 'A'), EESUM(6, 0, 0),
	  UNKNOWN(7, 7), LOST(8, 2, 0), END_OF_TRACE},
	 " +A . . . . . . . | -A*"},

	{"C4: pops limited to the known stack",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 0, -2), END_OF_TRACE},
	 " +A -A. +_? +_? under | -_* -_*"},
	{"C4: three unknown frames",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 3, 0), END_OF_TRACE},
	 " +A +_? +_? +_? | -_* -_* -_* -A*"},
	{"C4: pops only",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), EESUM(4, -1, -1), END_OF_TRACE},
	 " +A +B -B. | -A*"},
	{"C4: lowest point above 0",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 3, 1), END_OF_TRACE},
	 " +A invalid | -A*"},
	{"C4: ends below the lowest point",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, -2, -1), END_OF_TRACE},
	 " +A invalid | -A*"},
	{"C4: pops on the empty stack", true, 0, {EESUM(1, -3, -3), END_OF_TRACE}, " under out"},

	/* Written as 0xffffffffffff0000: pop B, push a frame of X. */
	{"C5: slipped (-1, 0), next an entry",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), UNKNOWN(4, 0xffffffffffff0000), EXIT(5, 'X'),
	  CALL(6, 'A', 'C'), CALL(8, 'C', 'D'), EXIT(10, 'D'), EXIT(11, 'C'), EXIT(12, 'A'),
	  END_OF_TRACE},
	 " +A +B . under out -B/ +C +D -D -C -A"},
	/* Written as 0x2000000000010000, which reads as lowest point +1: push a frame of X. */
	{"C5: slipped (0, +1), next an exit",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), EESUM(4, 0, 1), EXIT(5, 'X'), EXIT(6, 'B'),
	  CALL(7, 'A', 'C'), EXIT(9, 'C'), EXIT(10, 'A'), END_OF_TRACE},
	 " +A +B invalid under out -B +C -C -A"},
	/* Written as 0xffffffffMMMMDDDD by a kernel that fixed the shift: pop B and C. */
	{"C5: slipped (-2, -2), next an exit",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'C'), UNKNOWN(6, 0xfffffffffffefffe),
	  EXIT(7, 'A'), END_OF_TRACE},
	 " +A +B +C . -C/ -B/ -A"},

	{"C6: starts in the middle",
	 true,
	 0,
	 {EXIT(1, 'Y'), EXIT(2, 'X'), ENTRY1(3, 'A'), PC(4, 'A'), EXIT(5, 'A'), END_OF_TRACE},
	 " under out under out +A . -A"},
	{"C6: starts in the middle, no symbols",
	 false,
	 0,
	 {EXIT(1, 'Y'), EXIT(2, 'X'), ENTRY1(3, 'A'), PC(4, 'A'), EXIT(5, 'A'), END_OF_TRACE},
	 " under out under out +A . -A"},
	{"C6: ends in the middle",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), END_OF_TRACE},
	 " +A +B | -B* -A*"},
	{"C7: caller in a function not on the stack",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'X', 'B'), CALL(4, 'B', 'C'), EXIT(6, 'C'), EXIT(7, 'B'),
	  CALL(8, 'A', 'D'), END_OF_TRACE},
	 " +A +B~ +C -C -B +D | -D* -A*"},

	{"E1: exit of an outer function",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'C'), EXIT(6, 'B'), EXIT(7, 'A'),
	  END_OF_TRACE},
	 " +A +B +C -C/ -B -A"},
	{"E1: exit of a function not on the stack",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), EXIT(4, 'X'), EXIT(5, 'B'), EXIT(6, 'A'),
	  END_OF_TRACE},
	 " +A +B under out -B -A"},
	{"E1: without symbols an exit closes the top",
	 false,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'C'), EXIT(6, 'B'), EXIT(7, 'A'),
	  END_OF_TRACE},
	 " +A +B? +C? -C -B | -A*"},
	{"E1: of equal functions the nearest",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'A'), CALL(4, 'A', 'B'), EXIT(6, 'A'), EXIT(7, 'A'),
	  END_OF_TRACE},
	 " +A +A +B -B/ -A -A"},
	{"an entry from an outer function",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'C'), CALL(6, 'A', 'D'), EXIT(8, 'D'),
	  EXIT(9, 'A'), END_OF_TRACE},
	 " +A +B +C -C/ -B/ +D -D -A"},
	{"E4: tail call, the caller is on the stack",
	 true,
	 0,
	 {ENTRY1(1, 'P'), CALL(2, 'P', 'A'), EXIT(4, 'A'), CALL(5, 'P', 'B'), EXIT(7, 'B'),
	  EXIT(8, 'P'), END_OF_TRACE},
	 " +P +A -A +B -B -P"},
	{"E4: tail call, the caller was never entered",
	 true,
	 0,
	 {ENTRY1(1, 'O'), CALL(2, 'P', 'A'), EXIT(4, 'A'), CALL(5, 'P', 'B'), END_OF_TRACE},
	 " +O +A~ -A +B~ | -B* -O*"},
	{"E5: a function that never returns",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), PC(4, 'B'), END_OF_TRACE},
	 " +A +B . | -B* -A*"},

	/* Lower case: functions that the source does not know. */
	{"unknown calls unknown",
	 true,
	 0,
	 {ENTRY1(1, 'a'), CALL(2, 'a', 'b'), EXIT(4, 'b'), EXIT(5, 'a'), END_OF_TRACE},
	 " +a +b? -b -a"},
	{"unknown and known differ",
	 true,
	 0,
	 {ENTRY1(1, 'A'), CALL(2, 'b', 'b'), CALL(4, 'X', 'C'), END_OF_TRACE},
	 " +A +b~ +C~ | -C* -b* -A*"},
	{"exit of an unknown function, none open",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EXIT(2, 'b'), EXIT(3, 'A'), END_OF_TRACE},
	 " +A under out -A"},
	{"exit of an unknown function below",
	 true,
	 0,
	 {ENTRY1(1, 'a'), CALL(2, 'X', 'B'), EXIT(4, 'a'), END_OF_TRACE},
	 " +a +B~ -B/ -a"},
	{"exit of a known function on an unknown one",
	 true,
	 0,
	 {ENTRY1(1, 'a'), EXIT(2, 'B'), EXIT(3, 'a'), END_OF_TRACE},
	 " +a under out -a"},

	{"an exit can be that of an untraced frame",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 2, 0), EXIT(3, 'X'), EXIT(4, 'b'), EXIT(5, 'A'), END_OF_TRACE},
	 " +A +_? +_? -_ -_ -A"},
	{"an exit below untraced frames",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 2, 0), EXIT(3, 'A'), END_OF_TRACE},
	 " +A +_? +_? -_/ -_/ -A"},
	{"calls from untraced frames",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 1, 0), CALL(3, 'X', 'B'), EXIT(5, 'B'), CALL(6, 'b', 'C'),
	  EXIT(8, 'C'), EXIT(9, 'X'), CALL(10, 'A', 'D'), END_OF_TRACE},
	 " +A +_? +B~ -B +C~ -C -_ +D | -D* -A*"},
	{"a call from below untraced frames",
	 true,
	 0,
	 {ENTRY1(1, 'A'), EESUM(2, 2, 0), CALL(3, 'A', 'B'), END_OF_TRACE},
	 " +A +_? +_? -_/ -_/ +B | -B* -A*"},

	{"loss: what was open before is in doubt",
	 false,
	 0,
	 {ENTRY1(1, 'A'), ENTRY1(2, 'B'), LOST(3, 4, 0), ENTRY1(7, 'C'), ENTRY1(8, 'D'),
	  EXIT(9, 'D'), EXIT(10, 'C'), ENTRY1(11, 'E'), END_OF_TRACE},
	 " +A +B? . +C! +D? -D -C +E! | -E* -B* -A*"},
	{"loss: a call since then confirms nothing below it, a checked one does",
	 true,
	 0,
	 {ENTRY1(1, 'A'), LOST(2, 4, 0), ENTRY1(6, 'B'), CALL(7, 'B', 'D'), EXIT(9, 'D'),
	  EXIT(10, 'B'), ENTRY1(11, 'B'), EXIT(12, 'B'), CALL(13, 'A', 'C'), EXIT(15, 'C'),
	  ENTRY1(16, 'D'), END_OF_TRACE},
	 " +A . +B! +D -D -B +B! -B +C -C +D? | -D* -A*"},
	{"loss: an exit of its own function confirms",
	 true,
	 0,
	 {ENTRY1(1, 'A'), ENTRY1(2, 'B'), UNKNOWN(3, 0xffffffffffff0000), EXIT(4, 'B'),
	  ENTRY1(5, 'C'), END_OF_TRACE},
	 " +A +B? . -B +C? | -C* -A*"},
	{"loss: a new root needs no confirmation",
	 true,
	 0,
	 {ENTRY1(1, 'A'), LOST(2, 1, 0), EXIT(3, 'A'), ENTRY1(4, 'B'), ENTRY1(5, 'C'),
	  END_OF_TRACE},
	 " +A . -A +B +C? | -C* -B*"},

	{"limit: calls without a frame return without one",
	 false,
	 2,
	 {ENTRY1(1, 'A'), ENTRY1(2, 'B'), ENTRY1(3, 'C'), ENTRY1(4, 'D'), PC(5, 'D'), EXIT(6, 'D'),
	  EXIT(7, 'C'), EXIT(8, 'B'), EXIT(9, 'A'), END_OF_TRACE},
	 " +A +B? deep deep . . . -B -A"},
	{"limit: with symbols too",
	 true,
	 2,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'A'), EXIT(6, 'A'), EXIT(7, 'B'),
	  EXIT(8, 'A'), END_OF_TRACE},
	 " +A +B deep . -B -A"},
	{"limit: unless the call shows that frames returned",
	 true,
	 2,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'A', 'C'), END_OF_TRACE},
	 " +A +B -B/ +C | -C* -A*"},
	{"limit: but not while such calls are open",
	 true,
	 2,
	 {ENTRY1(1, 'A'), CALL(2, 'A', 'B'), CALL(4, 'B', 'C'), CALL(6, 'A', 'D'), EXIT(8, 'D'),
	  EXIT(9, 'C'), EXIT(10, 'B'), END_OF_TRACE},
	 " +A +B deep deep . . -B | -A*"},
	{"limit: untraced frames",
	 false,
	 3,
	 {ENTRY1(1, 'A'), EESUM(2, 5, 0), EESUM(3, -2, -3), EXIT(4, 'X'), EESUM(5, -3, -3),
	  END_OF_TRACE},
	 " +A +_? +_? deep deep . -_. -_. -A."},

	{"memory",
	 true,
	 0,
	 {ENTRY1(1, 'A'), MEMORY(2, 'A'), MEMORY(7, 'X'), MEMORY(12, 'b'), EESUM(17, 1, 0),
	  MEMORY(18, 'X'), END_OF_TRACE},
	 " +A . elsewhere elsewhere +_? . | -_* -A*"},
	{"memory in a function that is not known",
	 true,
	 0,
	 {ENTRY1(1, 'a'), MEMORY(2, 'b'), MEMORY(7, 'A'), END_OF_TRACE},
	 " +a . elsewhere | -a*"},
	{"memory without symbols",
	 false,
	 0,
	 {ENTRY1(1, 'A'), MEMORY(2, 'A'), MEMORY(7, 'X'), END_OF_TRACE},
	 " +A . . | -A*"},
};

static void test_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}

static void test_counts(void **state)
{
	static const struct kct_record records[] = {
		PC(1, 'Z'),	   EXIT(2, 'Y'),     ENTRY1(3, 'A'),   CALL(4, 'A', 'B'),
		CALL(6, 'X', 'C'), PCS(8, 'C', 5),   MEMORY(13, 'C'),  MEMORY(18, 'X'),
		EXIT(23, 'A'),	   ENTRY1(24, 'A'),  EESUM(25, 2, -1), EESUM(26, 0, -1),
		EESUM(27, 1, 2),   LOST(28, 100, 0), UNKNOWN(128, 1),  MEMORY(129, 'D'),
	};
	struct kct_stack *stack = new_stack(true, 0, false);
	struct kct_stack_stats stats;

	(void)state;
	assert_int_equal(kct_stack_feed(stack, records, ARRAY_SIZE(records)), 0);
	stats = stats_of(stack);
	assert_int_equal(stats.depth, 3);
	assert_int_equal(stats.unfinished, 0);
	kct_stack_finish(stack, NULL);
	stats = stats_of(stack);
	assert_int_equal(stats.records, 19); /* 16, with a run of 5, without LOST */
	assert_int_equal(stats.outside, 2);
	assert_int_equal(stats.depth, 0);
	assert_int_equal(stats.max_depth, 3);
	assert_int_equal(stats.underflows, 1);
	assert_int_equal(stats.skipped, 2);
	assert_int_equal(stats.unfinished, 3);
	assert_int_equal(stats.untraced, 4);
	assert_int_equal(stats.untraced_pops, 2);
	assert_int_equal(stats.via_untraced, 1);
	assert_int_equal(stats.verified_edges, 1);
	assert_int_equal(stats.invalid_eesum, 1);
	assert_int_equal(stats.too_deep, 0);
	assert_int_equal(stats.memory_top, 1);
	assert_int_equal(stats.memory_outside, 1);
	kct_stack_free(stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
