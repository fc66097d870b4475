/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting ptrace's own calls off areas of EXT. Words of a record: entry 2, exit 1, others 1. */
#include <kcovtrace/kcovtrace.h>

#include "record/trim.h"
#include "unit/check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define LOW(pc)	  ((pc)&UINT64_C(0x00ffffffffffffff))
#define ENTRY(pc) LOW(pc)
#define EXIT(pc)  (LOW(pc) | UINT64_C(1) << 60)
#define POINT(pc) (pc)
/* A context switch: the depth after it, and the lowest in between. */
#define EESUM(delta, min) \
	(UINT64_C(2) << 60 | (uint64_t)(uint16_t)(min) << 16 | (uint64_t)(uint16_t)(delta))

#define STOP	   UINT64_C(0xffffffff81000100) /* ptrace_stop(), */
#define NOTIFY	   UINT64_C(0xffffffff81000200) /* called by ptrace_notify() */
#define GETPID	   UINT64_C(0xffffffff81000300)
#define READ	   UINT64_C(0xffffffff81000400)
#define VFS	   UINT64_C(0xffffffff81000500)
#define ENTRY_CODE UINT64_C(0xffffffff81000f10) /* where the kernel calls system calls */
#define EXIT_CODE  UINT64_C(0xffffffff81000f20) /* and ptrace afterwards */

/* The beginning and the end of each area. */
#define HEAD EESUM(0, 0), POINT(STOP + 1), EXIT(STOP + 2), POINT(NOTIFY + 1), EXIT(NOTIFY + 2)
#define TAIL ENTRY(NOTIFY), EXIT_CODE, POINT(NOTIFY + 3), ENTRY(STOP), NOTIFY + 4, POINT(STOP + 5)

static struct kct_capture_area area_of(struct kct_layout *layout, uint64_t *words, size_t n)
{
	assert_int_equal(kct_layout_preset("linux-ext", layout), 0);
	words[0] = n - 1;
	return (struct kct_capture_area){.layout = layout,
					 .data = words,
					 .bytes = n * 8,
					 .records = words + 1,
					 .count = n - 1};
}

static void learn(struct trim *trim, const uint64_t *records, size_t n)
{
	uint64_t words[64];
	struct kct_layout layout;
	struct kct_capture_area area;

	memcpy(words + 1, records, n * 8);
	area = area_of(&layout, words, n + 1);
	trim_learn(trim, &area);
}

static void learn_two(struct trim *trim)
{
	static const uint64_t getpid_call[] = {HEAD, ENTRY(GETPID), ENTRY_CODE, EXIT(GETPID + 1),
					       TAIL};
	static const uint64_t getppid_call[] = {
		HEAD, ENTRY(GETPID + 64), ENTRY_CODE, POINT(GETPID + 65), EXIT(GETPID + 66), TAIL};

	*trim = (struct trim){0};
	learn(trim, getpid_call, N(getpid_call));
	learn(trim, getppid_call, N(getppid_call));
}

/** Apply and compare with what shall stay. */
static void expect(const char *name, const struct trim *trim, const uint64_t *records, size_t n,
		   const uint64_t *left, size_t n_left)
{
	uint64_t words[64];
	struct kct_layout layout;
	struct kct_capture_area area;

	memcpy(words + 1, records, n * 8);
	area = area_of(&layout, words, n + 1);
	trim_apply(trim, &area);
	CHECK_EQ(name, area.count, n_left);
	CHECK_EQ(name, area.bytes, (n_left + 1) * 8);
	CHECK_EQ(name, *(const uint64_t *)area.data, n_left);
	CHECK(name, area.records == (const uint64_t *)area.data + 1);
	CHECK(name, n_left == 0 || memcmp(area.records, left, n_left * 8) == 0);
}

static void test_learns_both_ends(void **state)
{
	struct trim trim;

	(void)state;
	learn_two(&trim);
	assert_true(trim.usable);
	assert_true(trim.head_exit == NOTIFY + 2);
	assert_true(trim.tail_entry == NOTIFY && trim.tail_caller == EXIT_CODE);
}

static void test_cuts_both_ends(void **state)
{
#define BODY ENTRY(READ), ENTRY_CODE, ENTRY(VFS), READ + 3, EXIT(VFS + 4), EXIT(READ + 5)
	static const uint64_t whole[] = {HEAD, BODY, TAIL}, body[] = {BODY};
	/* The system call sent a signal to its thread under ptrace: the same function inside. */
	static const uint64_t inside[] = {HEAD,	    ENTRY(READ),      ENTRY_CODE,     ENTRY(NOTIFY),
					  READ + 1, EXIT(NOTIFY + 2), EXIT(READ + 5), TAIL};
	static const uint64_t inside_left[] = {ENTRY(READ), ENTRY_CODE,	      ENTRY(NOTIFY),
					       READ + 1,    EXIT(NOTIFY + 2), EXIT(READ + 5)};
	/* Its exit is missing, so that all that follows is deeper. */
	static const uint64_t skipped[] = {HEAD, ENTRY(READ), ENTRY_CODE, TAIL};
	static const uint64_t skipped_left[] = {ENTRY(READ), ENTRY_CODE};
	/* exit_group: no stop after it. */
	static const uint64_t open[] = {HEAD, ENTRY(READ), ENTRY_CODE, POINT(READ + 1)};
	static const uint64_t open_left[] = {ENTRY(READ), ENTRY_CODE, POINT(READ + 1)};
	static const uint64_t nothing[] = {HEAD, TAIL};
	struct trim trim;

	(void)state;
	learn_two(&trim);
	expect("whole", &trim, whole, N(whole), body, N(body));
	expect("ptrace inside", &trim, inside, N(inside), inside_left, N(inside_left));
	expect("no exit", &trim, skipped, N(skipped), skipped_left, N(skipped_left));
	expect("no return", &trim, open, N(open), open_left, N(open_left));
	expect("no system call", &trim, nothing, N(nothing), NULL, 0);
}

static void test_leaves_what_it_does_not_know(void **state)
{
	static const uint64_t no_head[] = {ENTRY(READ), ENTRY_CODE, EXIT(READ + 5), TAIL};
	static const uint64_t whole[] = {HEAD, ENTRY(READ), ENTRY_CODE, EXIT(READ + 5), TAIL};
	struct trim trim = {0};

	(void)state;
	expect("nothing learnt", &trim, whole, N(whole), whole, N(whole));
	learn_two(&trim);
	expect("no head", &trim, no_head, N(no_head), no_head, N(no_head));
}

static void test_samples_must_agree(void **state)
{
	static const uint64_t sample[] = {HEAD, ENTRY(GETPID), ENTRY_CODE, EXIT(GETPID + 1), TAIL};
	static const uint64_t other_end[] = {
		HEAD, ENTRY(GETPID), ENTRY_CODE, EXIT(GETPID + 1), ENTRY(VFS), EXIT_CODE};
	static const uint64_t no_end[] = {HEAD, ENTRY(GETPID), ENTRY_CODE, EXIT(GETPID + 1)};
	static const uint64_t no_head[] = {ENTRY(GETPID), ENTRY_CODE, EXIT(GETPID + 1), TAIL};
	static const struct {
		const char *name;
		const uint64_t *words;
		size_t n;
	} rows[] = {
		{"another end", other_end, N(other_end)},
		{"no end", no_end, N(no_end)},
		{"no head", no_head, N(no_head)},
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct trim trim = {0};

		learn(&trim, sample, N(sample));
		CHECK(rows[i].name, trim.usable);
		learn(&trim, rows[i].words, rows[i].n);
		CHECK(rows[i].name, !trim.usable);
		learn(&trim, sample, N(sample));
		CHECK(rows[i].name, !trim.usable);
	}
}

/** Modes without calls are not touched. */
static void test_other_modes(void **state)
{
	uint64_t words[] = {2, POINT(READ), POINT(READ + 1)};
	struct trim trim = {0};
	struct kct_layout layout;
	struct kct_capture_area area = area_of(&layout, words, N(words));

	(void)state;
	assert_int_equal(kct_layout_preset("linux-pc", &layout), 0);
	trim_learn(&trim, &area);
	assert_false(trim.usable);
	trim_apply(&trim, &area);
	assert_true(area.data == words && area.count == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learns_both_ends),
		cmocka_unit_test(test_cuts_both_ends),
		cmocka_unit_test(test_leaves_what_it_does_not_know),
		cmocka_unit_test(test_samples_must_agree),
		cmocka_unit_test(test_other_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
