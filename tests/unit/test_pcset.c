/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of PCs: counting, the operations, the file. Expected numbers are written by hand. */
#include <kcovtrace/pcset.h>

#include "check.h"

#define MAX_ROWS 8

static const uint8_t id_a[] = {0xaa, 0x01}, id_b[] = {0xbb, 0x02, 0x03};

static const struct kct_pc_origin recorded = {.image = "", .section = ""};
static const struct kct_pc_origin kernel = {
	.image = "vmlinux", .section = "", .build_id = id_a, .build_id_bytes = sizeof(id_a)};
static const struct kct_pc_origin module = {
	.image = "loop", .section = ".text", .build_id = id_b, .build_id_bytes = sizeof(id_b)};

/** A set of one part from rows that end with a count of 0. */
static struct kct_pc_set *set_of(const struct kct_pc_origin *origin,
				 const struct kct_pc_count *rows)
{
	struct kct_pc_set *set;
	size_t part;

	assert_int_equal(kct_pc_set_new(KCT_PC_RETURN, &set), 0);
	assert_int_equal(kct_pc_set_part(set, origin, &part), 0);
	for (; rows->count; rows++)
		assert_int_equal(kct_pc_set_add(set, part, rows->pc, rows->count), 0);
	return set;
}

static void check_rows(const char *name, struct kct_pc_set *set, size_t part,
		       const struct kct_pc_count *rows)
{
	const struct kct_pc_count *got;
	size_t n, i;

	CHECK_EQ(name, kct_pc_set_counts(set, part, &got, &n), 0);
	for (i = 0; i < n; i++) {
		CHECK_EQ(name, got[i].pc, rows[i].pc);
		CHECK_EQ(name, got[i].count, rows[i].count);
	}
	CHECK_EQ(name, rows[n].count, 0);
}

static void test_operations(void **state)
{
	static const struct row {
		const char *name;
		int (*operation)(struct kct_pc_set *set, struct kct_pc_set *other);
		struct kct_pc_count a[MAX_ROWS], b[MAX_ROWS], expected[MAX_ROWS];
	} rows[] = {
		{"union adds counts, sorts",
		 kct_pc_set_unite,
		 {{5, 1}, {1, 2}},
		 {{3, 4}, {5, 7}, {9, 1}},
		 {{1, 2}, {3, 4}, {5, 8}, {9, 1}}},
		{"union with nothing", kct_pc_set_unite, {{5, 1}}, {{0, 0}}, {{5, 1}}},
		{"union of nothing", kct_pc_set_unite, {{0, 0}}, {{7, 3}}, {{7, 3}}},
		{"counts stay at the top",
		 kct_pc_set_unite,
		 {{5, UINT64_MAX - 1}},
		 {{5, 7}},
		 {{5, UINT64_MAX}}},
		{"PC 0 and the highest",
		 kct_pc_set_unite,
		 {{0, 1}},
		 {{UINT64_MAX, 2}, {0, 1}},
		 {{0, 2}, {UINT64_MAX, 2}}},
		{"difference ignores counts",
		 kct_pc_set_subtract,
		 {{1, 2}, {3, 4}, {5, 1}},
		 {{3, 1}, {4, 1}},
		 {{1, 2}, {5, 1}}},
		{"difference with nothing", kct_pc_set_subtract, {{1, 2}}, {{0, 0}}, {{1, 2}}},
		{"intersection has the lower count",
		 kct_pc_set_intersect,
		 {{1, 2}, {3, 4}, {5, 1}},
		 {{3, 9}, {5, 1}, {6, 6}},
		 {{3, 4}, {5, 1}}},
		{"intersection with nothing", kct_pc_set_intersect, {{1, 2}}, {{0, 0}}, {{0, 0}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kct_pc_set *a = set_of(&kernel, rows[i].a), *b = set_of(&kernel, rows[i].b);

		CHECK_EQ(rows[i].name, rows[i].operation(a, b), 0);
		check_rows(rows[i].name, a, 0, rows[i].expected);
		kct_pc_set_free(a);
		kct_pc_set_free(b);
	}
}

static void test_parts_are_apart(void **state)
{
	struct kct_pc_set *a = set_of(&kernel, (struct kct_pc_count[]){{16, 1}, {0, 0}});
	struct kct_pc_set *b = set_of(&module, (struct kct_pc_count[]){{16, 2}, {0, 0}});
	struct kct_pc_origin origin;
	uint64_t n;

	(void)state;
	assert_int_equal(kct_pc_set_unite(a, b), 0);
	assert_int_equal(kct_pc_set_parts(a), 2);
	assert_int_equal(kct_pc_set_size(a, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(kct_pc_set_origin(a, 1, &origin), 0);
	assert_string_equal(origin.image, "loop");
	assert_string_equal(origin.section, ".text");
	assert_int_equal(origin.build_id_bytes, sizeof(id_b));
	assert_memory_equal(origin.build_id, id_b, sizeof(id_b));
	check_rows("kernel", a, 0, (struct kct_pc_count[]){{16, 1}, {0, 0}});
	check_rows("module", a, 1, (struct kct_pc_count[]){{16, 2}, {0, 0}});
	assert_int_equal(kct_pc_set_intersect(a, b), 0);
	check_rows("kernel is not in b", a, 0, (struct kct_pc_count[]){{0, 0}});
	kct_pc_set_free(a);
	kct_pc_set_free(b);
}

static void test_records(void **state)
{
	static const struct kct_record records[] = {
		{.kind = KCT_RECORD_PC, .pc = 1, .count = 1},
		{.kind = KCT_RECORD_ENTRY, .pc = 2, .count = 1},
		{.kind = KCT_RECORD_EXIT, .pc = 3, .count = 1},
		{.kind = KCT_RECORD_CMP, .pc = 4, .count = 1},
		{.kind = KCT_RECORD_MEMORY, .pc = 5, .count = 1},
		{.kind = KCT_RECORD_LOST, .pc = 6, .count = 1},
		{.kind = KCT_RECORD_UNKNOWN, .pc = 7, .count = 1},
		{.kind = KCT_RECORD_PC, .pc = 1, .count = 1},
	};
	static const struct kct_record run = {.kind = KCT_RECORD_PC, .pc = 1, .count = 2};
	struct kct_pc_set *set = set_of(&recorded, (struct kct_pc_count[]){{0, 0}});

	(void)state;
	assert_int_equal(kct_pc_set_add_records(set, 0, records, 8), 0);
	check_rows("pc and entry", set, 0, (struct kct_pc_count[]){{1, 2}, {2, 1}, {0, 0}});
	assert_int_equal(kct_pc_set_add_records(set, 0, &run, 1), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_pc_set_add_records(set, 1, records, 1), KCT_ERR_ARGUMENT);
	kct_pc_set_free(set);
}

static void test_builds(void **state)
{
	static const struct kct_pc_count one[] = {{1, 1}, {0, 0}};
	static const struct row {
		const char *name;
		struct kct_pc_origin a, b;
		int expected;
	} rows[] = {
		{"the same", {"vmlinux", "", id_a, 2}, {"vmlinux", "", id_a, 2}, 0},
		{"another", {"vmlinux", "", id_a, 2}, {"vmlinux", "", id_b, 3}, KCT_ERR_BUILD},
		{"a prefix", {"vmlinux", "", id_b, 2}, {"vmlinux", "", id_b, 3}, KCT_ERR_BUILD},
		{"of another image", {"vmlinux", "", id_a, 2}, {"loop", "", id_b, 3}, 0},
		{"one is not known", {"vmlinux", "", NULL, 0}, {"vmlinux", "", id_b, 3}, 0},
		{"other section",
		 {"loop", ".text", id_a, 2},
		 {"loop", ".init.text", id_b, 3},
		 KCT_ERR_BUILD},
		{"recorded is the kernel",
		 {"", "", id_a, 2},
		 {"vmlinux", "", id_b, 3},
		 KCT_ERR_BUILD},
		{"recorded is no module", {"", "", id_a, 2}, {"loop", "", id_b, 3}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kct_pc_set *a = set_of(&rows[i].a, one), *b = set_of(&rows[i].b, one);
		struct kct_error error;

		CHECK_EQ(rows[i].name, kct_pc_set_check(a, b, &error), rows[i].expected);
		CHECK_EQ(rows[i].name, kct_pc_set_check(b, a, NULL), rows[i].expected);
		kct_pc_set_free(a);
		kct_pc_set_free(b);
	}
}

static void test_kinds_differ(void **state)
{
	struct kct_pc_set *a, *b;

	(void)state;
	assert_int_equal(kct_pc_set_new(KCT_PC_RETURN, &a), 0);
	assert_int_equal(kct_pc_set_new(KCT_PC_CALL, &b), 0);
	assert_int_equal(kct_pc_set_kind(b), KCT_PC_CALL);
	assert_int_equal(kct_pc_set_unite(a, b), KCT_ERR_MODE);
	assert_int_equal(kct_pc_set_unite(a, a), KCT_ERR_ARGUMENT);
	kct_pc_set_free(a);
	kct_pc_set_free(b);
}

/** More PCs than are kept beside the array, in an order that jumps. */
static void test_many(void **state)
{
	const uint64_t n = 200000;
	struct kct_pc_set *set = set_of(&kernel, (struct kct_pc_count[]){{0, 0}});
	const struct kct_pc_count *rows;
	size_t got;

	(void)state;
	for (uint64_t i = 0; i < 2 * n; i++) /* 7919 is prime: each number twice */
		assert_int_equal(kct_pc_set_add(set, 0, i * 7919 % n, 3), 0);
	assert_int_equal(kct_pc_set_counts(set, 0, &rows, &got), 0);
	assert_int_equal(got, n);
	for (uint64_t i = 0; i < n; i++) {
		if (rows[i].pc != i || rows[i].count != 6)
			fail_msg("row %llu", (unsigned long long)i);
	}
	kct_pc_set_free(set);
}

static void test_bad_arguments(void **state)
{
	const struct kct_pc_origin odd = {.image = "a\nb", .section = ""};
	const struct kct_pc_origin long_id = {
		.image = "a", .section = "", .build_id = id_a, .build_id_bytes = 65};
	struct kct_pc_set *set = set_of(&kernel, (struct kct_pc_count[]){{0, 0}});
	size_t part = 77;

	(void)state;
	assert_int_equal(kct_pc_set_part(set, &odd, &part), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_pc_set_part(set, &long_id, &part), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_pc_set_add(set, 1, 1, 1), KCT_ERR_ARGUMENT);
	assert_int_equal(part, 77);
	kct_pc_set_free(set);
	kct_pc_set_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),    cmocka_unit_test(test_parts_are_apart),
		cmocka_unit_test(test_records),	      cmocka_unit_test(test_builds),
		cmocka_unit_test(test_kinds_differ),  cmocka_unit_test(test_many),
		cmocka_unit_test(test_bad_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
