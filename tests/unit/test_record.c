/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>

#include "check.h"

#include <kcovtrace/record.h>

#include "base/macros.h"

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(kct_record_kind_name(KCT_RECORD_PC), "pc");
	assert_string_equal(kct_record_kind_name(KCT_RECORD_MEMORY), "memory");
	assert_string_equal(kct_record_kind_name(KCT_RECORD_UNKNOWN), "unknown");
	assert_non_null(kct_record_kind_name(KCT_RECORD_KINDS));
	assert_non_null(kct_record_kind_name(UINT_MAX));
	assert_string_equal(kct_lost_reason_text(KCT_LOST_UNWRITTEN), "never written");
	assert_string_equal(kct_lost_reason_text(KCT_LOST_TOO_DEEP), "too deep");
	assert_string_equal(kct_lost_reason_text(KCT_LOST_UNKNOWN_KIND), "no known kind");
	assert_non_null(kct_lost_reason_text(KCT_LOST_REASONS));
	for (unsigned kind = 0; kind < KCT_RECORD_KINDS; kind++)
		assert_true(kct_record_kind_name(kind)[0] != '\0');
}

static void test_memory_flag_names(void **state)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} rows[] = {
		{"write", 0x10}, {"rmw", 0x20}, {"atomic", 0x40}, {"free", 0x80}, {"value", 0x100},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(rows[i].name, kct_memory_flag_name(rows[i].bit), rows[i].name);
	assert_null(kct_memory_flag_name(0));
	assert_null(kct_memory_flag_name(1));
	assert_null(kct_memory_flag_name(0x200));
	assert_null(kct_memory_flag_name(0x30));
}

static void test_operands(void **state)
{
	static const struct {
		const char *name;
		uint8_t size;
		uint64_t raw, cut;
		int64_t number;
	} rows[] = {
		{"1 byte with more above", 1, 0x180, 0x80, -128},
		{"1 byte", 1, 0x7f, 0x7f, 127},
		{"2 bytes", 2, 0xffff, 0xffff, -1},
		{"4 bytes, sign-extended by the kernel", 4, 0xfffffffffffffff4u, 0xfffffff4u, -12},
		{"8 bytes", 8, 0x8000000000000000u, 0x8000000000000000u, INT64_MIN},
		{"8 bytes, positive", 8, 5, 5, 5},
		{"no size: left alone", 0, 0xfffffffffffffff4u, 0xfffffffffffffff4u, -12},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_record record = {.kind = KCT_RECORD_CMP, .cmp = {.size = rows[i].size}};

		CHECK_EQ(rows[i].name, kct_cmp_operand(&record, rows[i].raw), rows[i].cut);
		CHECK_EQ(rows[i].name, kct_cmp_operand_signed(&record, rows[i].raw),
			 rows[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_memory_flag_names),
		cmocka_unit_test(test_operands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
