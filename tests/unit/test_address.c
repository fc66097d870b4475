/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "symbol/address.h"

static void test_lookup_address(void **state)
{
	(void)state;
	assert_int_equal(kct_lookup_address(0xffffffff81000010, KCT_PC_RETURN, false),
			 0xffffffff8100000f);
	assert_int_equal(kct_lookup_address(0xffffffff81000010, KCT_PC_CALL, false),
			 0xffffffff81000010);
	assert_true(kct_lookup_address(0, KCT_PC_RETURN, false) == UINT64_MAX);
	/* The lowest bit of a return address says Thumb. */
	assert_int_equal(kct_lookup_address(0xc0100011, KCT_PC_RETURN, true), 0xc010000f);
	assert_int_equal(kct_lookup_address(0xc0100010, KCT_PC_RETURN, true), 0xc010000f);
	assert_int_equal(kct_lookup_address(0xc0100011, KCT_PC_CALL, true), 0xc0100010);
}

static void test_shift(void **state)
{
	static const struct {
		const char *name;
		bool slid, at_runtime;
		uint64_t shift;
	} rows[] = {
		{"driver subtracted: vmlinux as linked", false, false, 0},
		{"driver subtracted: module gets it back", false, true, 0x1c000000},
		{"still in: vmlinux less the offset", true, false, -UINT64_C(0x1c000000)},
		{"still in: module as it is", true, true, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_slide slide = {0x1c000000, rows[i].slid};

		CHECK_EQ(rows[i].name, kct_slide_shift(&slide, rows[i].at_runtime), rows[i].shift);
	}
}

static void test_reason(void **state)
{
	static const struct {
		const char *name;
		uint64_t pc;
		bool kernel_is_low;
		enum kct_symbol_reason reason;
	} rows[] = {
		{"zero", 0, false, KCT_SYMBOL_TINY},
		{"garbage count", 0xf, false, KCT_SYMBOL_TINY},
		{"last of the first page", 4095, false, KCT_SYMBOL_TINY},
		{"second page", 4096, false, KCT_SYMBOL_USER},
		{"odd word of a broken area", 0x80007000c0008, false, KCT_SYMBOL_USER},
		{"last user address", 0x7fffffffffffffff, false, KCT_SYMBOL_USER},
		{"32-bit kernel", 0xc0100000, true, KCT_SYMBOL_NO_IMAGE},
		{"first kernel address", 0x8000000000000000, false, KCT_SYMBOL_NO_IMAGE},
		{"module without image", 0xffffffffc0000000, false, KCT_SYMBOL_NO_IMAGE},
		{"last plausible", 0xfffffffffeffffff, false, KCT_SYMBOL_NO_IMAGE},
		{"edge sum", 0xffffffffff000000, false, KCT_SYMBOL_SUSPECT},
		{"last address", UINT64_MAX, false, KCT_SYMBOL_SUSPECT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].name, kct_address_reason(rows[i].pc, rows[i].kernel_is_low),
			 rows[i].reason);
}

static void test_reason_text(void **state)
{
	(void)state;
	for (unsigned i = 1; i < KCT_SYMBOL_REASONS; i++)
		assert_true(strlen(kct_symbol_reason_text(i)) > 5);
	assert_string_equal(kct_symbol_reason_text(KCT_SYMBOL_NONE), "");
	assert_string_equal(kct_symbol_reason_text(KCT_SYMBOL_USER), "a user-space address");
	assert_string_equal(kct_symbol_reason_text(99), "unknown reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookup_address),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_reason),
		cmocka_unit_test(test_reason_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
