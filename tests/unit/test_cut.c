/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit that was cut down says of what is kept what it said before. */
#include "check.h"

#include "symfile/cut.h"

/*
 * 0x1000 to 0x1040 function one, of which 0x1010 to 0x1020 are function two (inner), so that the range
 * of one is two parts; 0x1080 to 0x10a0 the other range of one. In the first range of one
 * mid is inlined at 0x04 to 0x0c and 0x24 to 0x30, and deep into mid at 0x28 to 0x2c.
 */
static const char text[] = "\0one\0two\0mid\0deep\0a.c\0b.h\0/src";
enum { ONE = 1, TWO = 5, MID = 9, DEEP = 13, A_C = 18, B_H = 22, SRC = 26 };

static const struct kct_unit_part parts[] = {
	{0x1000, 0x1000, 0x10, 0x40, 0, 0, 3, 0},
	{0x1010, 0x1010, 0x10, 0x10, 1, 3, 0, 0},
	{0x1020, 0x1000, 0x20, 0x40, 0, 0, 3, 0},
	{0x1080, 0x1080, 0x20, 0x20, 0, 3, 0, 0},
};
static const struct kct_unit_function functions[] = {{0x1000, ONE, 0}, {0x1010, TWO, 0}};
static const struct kct_unit_span spans[] = {{0x04, 0x0c, 0}, {0x24, 0x28, 0}, {0x28, 0x2c, 1}};
static const struct kct_unit_inline inlines[] = {
	{MID, KCT_NO_INLINE, 11, 0, 1, 1, 0},
	{DEEP, 0, 22, 1, 2, 2, 0},
};
/* The second one is a sequence from 0x1070 on of which the first 0x10 bytes belong to another. */
static const struct kct_unit_sequence sequences[] = {{0x1000, 0x40, 0, 0, 4},
						     {0x1080, 0x20, 0x10, 4, 3}};
static const struct kct_unit_row rows[] = {
	{0x00, 10, 0, 1, 1},	       {0x08, 20, 1, 2, 1}, {0x08, 21, 1, 3, 0},
	{0x28, 30, KCT_NO_FILE, 4, 1}, {0x00, 40, 0, 5, 1}, {0x14, 0, 0, 0, 0},
	{0x20, 50, 1, 6, 0},
};
static const uint32_t files[] = {A_C, B_H};

static const struct kct_unit unit = {
	.parts = parts,
	.functions = functions,
	.spans = spans,
	.inlines = inlines,
	.sequences = sequences,
	.rows = rows,
	.files = files,
	.text = text,
	.n_parts = ARRAY_SIZE(parts),
	.n_functions = ARRAY_SIZE(functions),
	.n_spans = ARRAY_SIZE(spans),
	.n_inlines = ARRAY_SIZE(inlines),
	.n_sequences = ARRAY_SIZE(sequences),
	.n_rows = ARRAY_SIZE(rows),
	.n_files = ARRAY_SIZE(files),
	.n_text = sizeof(text),
	.comp_dir = SRC,
};

static bool same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : strcmp(a, b) == 0;
}

/** Whether two units say the same of an address. */
static bool agree(const struct kct_unit *a, const struct kct_unit *b, uint64_t address)
{
	struct kct_unit_frame ours[4], theirs[4];
	struct kct_unit_place one, two;
	size_t n;

	kct_unit_find(a, address, &one);
	kct_unit_find(b, address, &two);
	if (!one.part != !two.part || !one.row != !two.row || !one.inlined != !two.inlined)
		return false;
	if (one.part && (one.part->range_start != two.part->range_start ||
			 one.part->range_bytes != two.part->range_bytes ||
			 one.function->entry != two.function->entry))
		return false;
	n = kct_unit_frames(a, &one, ours);
	if (n != kct_unit_frames(b, &two, theirs))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!same_text(ours[i].name, theirs[i].name) ||
		    !same_text(ours[i].file, theirs[i].file) ||
		    !same_text(ours[i].comp_dir, theirs[i].comp_dir) ||
		    ours[i].line != theirs[i].line || ours[i].column != theirs[i].column)
			return false;
	}
	return true;
}

static void check(const char *name, const struct kct_kept *kept, uint64_t expect_parts)
{
	struct kct_unit small;
	void *block;

	assert_int_equal(kct_unit_cut(&unit, kept, &small, &block), 0);
	if (expect_parts != UINT64_MAX)
		CHECK_EQ(name, small.n_parts, expect_parts);
	for (size_t i = 0; i < kept->n; i++) {
		for (uint64_t at = kept->extents[i].start; at < kept->extents[i].end; at++)
			if (!agree(&unit, &small, at))
				fail_msg("%s: %#llx is not the same", name, (unsigned long long)at);
	}
	assert_true(small.n_parts <= unit.n_parts && small.n_inlines <= unit.n_inlines &&
		    small.n_functions <= unit.n_functions && small.n_text <= unit.n_text);
	free(block);
}

static void test_cases(void **state)
{
	static const struct {
		const char *name;
		uint64_t start, end;
		uint64_t n_parts;
	} cases[] = {
		{"nothing", 0, 0, 0},
		{"all", 0xff0, 0x10c0, 4},
		{"outside", 0x1040, 0x1080, 0},
		{"one byte, an inlined call in one", 0x1029, 0x102a, 1},
		{"inner function", 0x1010, 0x1020, 1},
		{"over a border", 0x100f, 0x1021, 3},
		{"second range", 0x1080, 0x1081, 1},
		{"line 0", 0x1090, 0x1091, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kct_kept kept = {0};

		assert_int_equal(kct_kept_add(&kept, cases[i].start, cases[i].end), 0);
		kct_kept_finish(&kept);
		check(cases[i].name, &kept, cases[i].n_parts);
		kct_kept_clear(&kept);
	}
}

/** Any extents: a generator that gives the same on each run. */
static void test_random(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (size_t turn = 0; turn < 2000; turn++) {
		struct kct_kept kept = {0};

		for (size_t i = 0; i < turn % 7; i++) {
			uint64_t start, bytes;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			start = 0xff0 + (seed >> 33) % 0xd0;
			bytes = 1 + (seed >> 50) % 9;
			assert_int_equal(kct_kept_add(&kept, start, start + bytes), 0);
		}
		kct_kept_finish(&kept);
		check("random", &kept, UINT64_MAX);
		kct_kept_clear(&kept);
	}
}

/** Nothing that was not kept is left. */
static void test_leaves_out(void **state)
{
	struct kct_unit small;
	struct kct_kept kept = {0};
	void *block;

	(void)state;
	assert_int_equal(kct_kept_add(&kept, 0x1010, 0x1011), 0);
	kct_kept_finish(&kept);
	assert_int_equal(kct_unit_cut(&unit, &kept, &small, &block), 0);
	assert_int_equal(small.n_functions, 1);
	assert_int_equal(small.n_inlines, 0);
	assert_int_equal(small.n_rows, 1);
	assert_int_equal(small.n_files, 1);
	assert_null(memmem(small.text, small.n_text, "one", 3));
	assert_null(memmem(small.text, small.n_text, "a.c", 3));
	free(block);
	kct_kept_clear(&kept);
}

static void test_kept(void **state)
{
	struct kct_kept kept = {0};

	(void)state;
	assert_int_equal(kct_kept_add(&kept, 30, 40), 0);
	assert_int_equal(kct_kept_add(&kept, 10, 20), 0);
	assert_int_equal(kct_kept_add(&kept, 20, 25), 0);
	assert_int_equal(kct_kept_add(&kept, 12, 13), 0);
	assert_int_equal(kct_kept_add(&kept, 5, 5), 0);
	assert_int_equal(kct_kept_add(&kept, UINT64_MAX, 1), 0); /* turned round */
	kct_kept_finish(&kept);
	assert_int_equal(kept.n, 2);
	assert_int_equal(kept.extents[0].start, 10);
	assert_int_equal(kept.extents[0].end, 25);
	assert_true(kct_extent_touches(kept.extents, kept.n, 24, 25));
	assert_false(kct_extent_touches(kept.extents, kept.n, 25, 30));
	assert_true(kct_extent_touches(kept.extents, kept.n, 0, 11));
	assert_false(kct_extent_touches(kept.extents, kept.n, 15, 15));
	assert_false(kct_extent_touches(kept.extents, kept.n, 40, UINT64_MAX));
	kct_kept_clear(&kept);
}

/** Tables that no reader makes, where all parts have all spans: an end, not hours. */
static void test_hostile(void **state)
{
	enum { N = 3000 };
	struct kct_unit_part *many = calloc(N, sizeof(*many));
	struct kct_unit_span *all = calloc(N, sizeof(*all));
	struct kct_unit bad = unit, small;
	struct kct_kept kept = {0};
	void *block;

	(void)state;
	assert_non_null(many);
	assert_non_null(all);
	for (uint32_t i = 0; i < N; i++) {
		many[i] = (struct kct_unit_part){0x1000 + i, 0x1000, 1, N, 0, 0, N, 0};
		all[i] = (struct kct_unit_span){i, i + 1, i % 2};
	}
	bad.parts = many;
	bad.spans = all;
	bad.n_parts = bad.n_spans = N;
	assert_int_equal(kct_kept_add(&kept, 0, UINT64_MAX), 0);
	kct_kept_finish(&kept);
	assert_int_equal(kct_unit_cut(&bad, &kept, &small, &block), KCT_ERR_LIMIT);
	kct_kept_clear(&kept);
	free(many);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),	   cmocka_unit_test(test_random),
		cmocka_unit_test(test_leaves_out), cmocka_unit_test(test_kept),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
