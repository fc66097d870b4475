/* SPDX-License-Identifier: BSD-2-Clause */
#include "area.h"

#include <kcovtrace/summary.h>

#include "base/macros.h"

static void test_classes(void **state)
{
	static const struct {
		const char *name;
		uint64_t pc;
		enum kct_pc_class class;
	} rows[] = {
		{"zero", 0, KCT_PC_TINY},
		{"a stray count", 0xf, KCT_PC_TINY},
		{"last of the first page", 0xfff, KCT_PC_TINY},
		{"second page", 0x1000, KCT_PC_USER},
		{"user space", 0x7fffffffffffu, KCT_PC_USER},
		{"user space with 57 bits", 0x00080007000c0008u, KCT_PC_USER},
		{"above user space", 0x0100000000000000u, KCT_PC_WILD},
		{"an entry's tag", 0x10ffffff81000000u, KCT_PC_WILD},
		{"start of the kernel half with 57 bits", 0xff00000000000000u, KCT_PC_KERNEL},
		{"below it", 0xfeffffffffffffffu, KCT_PC_WILD},
		{"x86-64 text", 0xffffffff81000000u, KCT_PC_KERNEL},
		{"ppc64 text", 0xc000000000001234u, KCT_PC_KERNEL},
		{"loongarch text", 0x9000000000201234u, KCT_PC_KERNEL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].name, kct_classify_pc(rows[i].pc), rows[i].class);
}

static void test_classes_of_32_bits(void **state)
{
	static const struct {
		const char *name;
		uint64_t pc;
		enum kct_pc_class class;
	} rows[] = {
		{"a stray count", 0xf, KCT_PC_TINY},
		{"user space", 0x7fffffff, KCT_PC_USER},
		{"the kernel's half of 2 and 2 GiB", 0x80000000, KCT_PC_KERNEL},
		{"arm text", 0xc0101234, KCT_PC_KERNEL},
		{"an error", 0xfffffff2, KCT_PC_WILD},
		{"more than 32 bits", 0xffffffffc0101234, KCT_PC_WILD},
	};
	struct kct_layout small = area_layout("linux-pc,word=4"), wide = area_layout("linux-pc");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_summary_counts counts = {.size = sizeof(counts)};
		struct kct_record record = {.kind = KCT_RECORD_PC, .pc = rows[i].pc, .count = 1};
		struct kct_summary *summary;

		CHECK_EQ(rows[i].name, kct_classify_pc_in(&small, rows[i].pc), rows[i].class);
		CHECK_EQ(rows[i].name, kct_classify_pc_in(&wide, rows[i].pc),
			 kct_classify_pc(rows[i].pc));
		assert_int_equal(kct_summary_new(&summary), 0);
		kct_summary_set_layout(summary, &small);
		assert_int_equal(kct_summary_add(summary, &record, 1), 0);
		assert_int_equal(kct_summary_get(summary, &counts), 0);
		CHECK_EQ(rows[i].name, counts.pc_classes[rows[i].class], 1);
		kct_summary_free(summary);
	}
}

/* One of each kind, with what is counted apart. */
static const struct kct_record mixed[] = {
	{.kind = KCT_RECORD_PC, .pc = TEXT(1), .count = 1},
	{.kind = KCT_RECORD_PC, .pc = TEXT(1), .count = 1},
	{.kind = KCT_RECORD_ENTRY, .pc = TEXT(2), .count = 1},
	{.kind = KCT_RECORD_EXIT, .pc = TEXT(3), .count = 1}, /* not in unique_pcs */
	{.kind = KCT_RECORD_PC, .pc = 0xf, .count = 1},
	{.kind = KCT_RECORD_CMP, .pc = 0x400000, .count = 1, .flags = KCT_RECORD_ODD_BITS},
	{.kind = KCT_RECORD_MEMORY,
	 .pc = TEXT(4),
	 .count = 1,
	 .memory = {.size = 8, .flags = 0x150}},
	{.kind = KCT_RECORD_MEMORY,
	 .pc = TEXT(4),
	 .count = 1,
	 .memory = {.size = 9, .flags = 0x80}},
	{.kind = KCT_RECORD_EESUM, .count = 1, .flags = KCT_RECORD_INVALID},
	{.kind = KCT_RECORD_EESUM, .count = 1, .flags = KCT_RECORD_SATURATED},
	{.kind = KCT_RECORD_EESUM, .count = 1, .flags = KCT_RECORD_SATURATED | KCT_RECORD_INVALID},
	{.kind = KCT_RECORD_UNKNOWN, .count = 1, .flags = KCT_RECORD_SUSPECT},
	{.kind = KCT_RECORD_LOST, .count = 1, .words = 7, .lost = {KCT_LOST_BAD_PC}},
	{.kind = KCT_RECORD_LOST, .count = 1, .words = UINT64_MAX, .lost = {KCT_LOST_MISSING}},
	{.kind = KCT_RECORD_LOST, .count = 1, .words = UINT64_MAX, .lost = {KCT_LOST_MISSING}},
};

static void test_counts(void **state)
{
	struct kct_summary_counts counts = {.size = sizeof(counts)};
	struct kct_summary *summary;

	(void)state;
	assert_int_equal(kct_summary_new(&summary), 0);
	/* In two calls: they add up. */
	assert_int_equal(kct_summary_add(summary, mixed, 4), 0);
	assert_int_equal(kct_summary_add(summary, mixed + 4, ARRAY_SIZE(mixed) - 4), 0);
	assert_int_equal(kct_summary_get(summary, &counts), 0);
	assert_int_equal(counts.records[KCT_RECORD_PC], 3);
	assert_int_equal(counts.records[KCT_RECORD_ENTRY], 1);
	assert_int_equal(counts.records[KCT_RECORD_MEMORY], 2);
	assert_int_equal(counts.records[KCT_RECORD_LOST], 3);
	assert_int_equal(counts.unique_pcs, 3);
	assert_int_equal(counts.pc_classes[KCT_PC_KERNEL], 6);
	assert_int_equal(counts.pc_classes[KCT_PC_USER], 1);
	assert_int_equal(counts.pc_classes[KCT_PC_TINY], 1);
	assert_int_equal(counts.pc_classes[KCT_PC_WILD], 0);
	assert_int_equal(counts.odd_bits, 1);
	assert_int_equal(counts.invalid_eesum, 2);
	assert_int_equal(counts.saturated_eesum, 2);
	assert_int_equal(counts.suspect_eesum, 1);
	assert_int_equal(counts.memory_atomic, 1);
	assert_int_equal(counts.memory_value, 1);
	assert_int_equal(counts.memory_free, 1);
	assert_int_equal(counts.memory_large, 1);
	assert_int_equal(counts.lost_words[KCT_LOST_BAD_PC], 7);
	assert_true(counts.lost_words[KCT_LOST_MISSING] == UINT64_MAX);
	kct_summary_free(summary);
	kct_summary_free(NULL);
}

static void test_bad_arguments(void **state)
{
	struct kct_record record = {.kind = KCT_RECORD_KINDS};
	struct kct_summary_counts counts = {.size = 8};
	struct kct_summary *summary;

	(void)state;
	assert_int_equal(kct_summary_new(&summary), 0);
	assert_int_equal(kct_summary_add(summary, &record, 1), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_summary_get(summary, &counts), KCT_ERR_ARGUMENT);
	kct_summary_free(summary);
}

static void count_trace(const char *name, const char *spec, struct kct_summary_counts *counts)
{
	struct kct_layout layout = area_layout(spec);
	struct kct_summary *summary;
	struct kct_record *records;
	size_t bytes, n;
	unsigned char *data = area_read_trace(name, &bytes);

	if (!data)
		skip();
	records = area_decode(&layout, data, bytes, &n);
	assert_int_equal(kct_summary_new(&summary), 0);
	assert_int_equal(kct_summary_add(summary, records, n), 0);
	counts->size = sizeof(*counts);
	assert_int_equal(kct_summary_get(summary, counts), 0);
	kct_summary_free(summary);
	free(records);
	free(data);
}

/** Numbers that an independent reader found in real traces. */
static void test_real_traces(void **state)
{
	struct kct_summary_counts counts;

	(void)state;
	count_trace("file.ext", "linux-ext", &counts);
	assert_int_equal(counts.unique_pcs, 2159);
	count_trace("file.mem", "linux-mem", &counts);
	assert_int_equal(counts.records[KCT_RECORD_MEMORY], 3166);
	assert_int_equal(counts.memory_atomic, 374);
	assert_int_equal(counts.memory_free, 4);
	assert_int_equal(counts.memory_value, 3081);
	assert_int_equal(counts.memory_large, 83);
	assert_int_equal(counts.records[KCT_RECORD_LOST], 0);
	assert_int_equal(counts.records[KCT_RECORD_UNKNOWN], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),	    cmocka_unit_test(test_classes_of_32_bits),
		cmocka_unit_test(test_counts),	    cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_real_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
