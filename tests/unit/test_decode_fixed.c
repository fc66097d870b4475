/* SPDX-License-Identifier: BSD-2-Clause */
/* PC, UNIQUE and CMP areas of all systems, word sizes and byte orders. */
#include "area.h"

#include "base/macros.h"

static void test_pc_areas(void **state)
{
	static const struct {
		const char *name;
		const char *layout;
		uint64_t words[8];
		size_t n_words, word_bytes;
		uint64_t first_pc;
		size_t n_records;
	} rows[] = {
		{"linux", "linux-pc", {2, TEXT(1), TEXT(2)}, 3, 8, TEXT(1), 2},
		{"a small number is a PC like any other", "linux-pc", {2, 0xf, 7}, 3, 8, 0xf, 2},
		{"32-bit kernel",
		 "linux-pc,word=4",
		 {2, 0xc0101234, 0xc0105678},
		 3,
		 4,
		 0xc0101234,
		 2},
		{"32-bit big-endian",
		 "linux-pc,word=4,endian=big",
		 {1, 0xc0101234, 9},
		 3,
		 4,
		 0xc0101234,
		 1},
		{"big-endian", "linux-pc,endian=big", {1, TEXT(5), 9}, 3, 8, TEXT(5), 1},
		{"freebsd", "freebsd-pc", {1, TEXT(5)}, 2, 8, TEXT(5), 1},
		{"netbsd", "netbsd-pc", {1, TEXT(5)}, 2, 8, TEXT(5), 1},
		{"openbsd, 32 bits", "openbsd-pc,word=4", {1, 0xd0000001}, 2, 4, 0xd0000001, 1},
		{"unique: bitmap, count, PCs",
		 "linux-unique,bitmap-words=2",
		 {6, 1, 2, TEXT(1), TEXT(2)},
		 5,
		 8,
		 TEXT(1),
		 2},
		{"unique of a 32-bit kernel",
		 "linux-unique,bitmap-words=1,word=4",
		 {6, 1, 0xc0000004},
		 3,
		 4,
		 0xc0000004,
		 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_layout layout = area_layout(rows[i].layout);
		size_t bytes = rows[i].n_words * rows[i].word_bytes, n;
		unsigned char *data = area_bytes(rows[i].words, rows[i].n_words, rows[i].word_bytes,
						 layout.endian);
		struct kct_record *records = area_decode(&layout, data, bytes, &n);

		CHECK_EQ(rows[i].name, n, rows[i].n_records);
		CHECK_EQ(rows[i].name, records[0].kind, KCT_RECORD_PC);
		CHECK_EQ(rows[i].name, records[0].pc, rows[i].first_pc);
		free(records);
		free(data);
	}
}

static void test_zero_pcs_are_one_loss(void **state)
{
	static const uint64_t words[] = {5, TEXT(1), 0, 0, TEXT(2), 0};
	struct kct_layout layout = area_layout("linux-pc");
	unsigned char *data = area_bytes(words, ARRAY_SIZE(words), 8, KCT_ENDIAN_LITTLE);
	struct kct_record *records;
	size_t n;

	(void)state;
	records = area_decode(&layout, data, sizeof(words), &n);
	assert_int_equal(n, 4);
	assert_int_equal(records[1].kind, KCT_RECORD_LOST);
	assert_int_equal(records[1].lost.reason, KCT_LOST_UNWRITTEN);
	assert_int_equal(records[1].words, 2);
	assert_int_equal(records[3].words, 1);
	free(records);
	free(data);
}

static void test_cmp_areas(void **state)
{
	static const struct {
		const char *name;
		const char *layout;
		size_t word_bytes;
		uint64_t type;
		uint8_t size, flags;
		bool is_const;
	} rows[] = {
		{"1 byte", "linux-cmp", 8, 0, 1, 0, false},
		{"2 bytes, constant", "linux-cmp", 8, 3, 2, 0, true},
		{"4 bytes", "freebsd-cmp", 8, 4, 4, 0, false},
		{"8 bytes, constant", "netbsd-cmp", 8, 7, 8, 0, true},
		{"unknown bit 7", "linux-cmp", 8, 0x80, 1, KCT_RECORD_ODD_BITS, false},
		{"32-bit Linux has words of 8 bytes here", "linux-cmp,word=4", 8, 5, 4, 0, true},
		{"32-bit OpenBSD has not", "openbsd-cmp,word=4", 4, 5, 4, 0, true},
		{"big-endian", "linux-cmp,endian=big", 8, 5, 4, 0, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* Two records of type, arg1, arg2, pc. */
		uint64_t words[] = {2, rows[i].type, 11, 12, 0x81000001, 0, 0, 0, 0x81000002};
		struct kct_layout layout = area_layout(rows[i].layout);
		unsigned char *data =
			area_bytes(words, ARRAY_SIZE(words), rows[i].word_bytes, layout.endian);
		struct kct_record *records;
		size_t n;

		records = area_decode(&layout, data, ARRAY_SIZE(words) * rows[i].word_bytes, &n);
		CHECK_EQ(rows[i].name, n, 2);
		CHECK_EQ(rows[i].name, records[0].kind, KCT_RECORD_CMP);
		CHECK_EQ(rows[i].name, records[0].words, 4);
		CHECK_EQ(rows[i].name, records[0].pc, 0x81000001);
		CHECK_EQ(rows[i].name, records[0].flags, rows[i].flags);
		CHECK_EQ(rows[i].name, records[0].cmp.type, rows[i].type);
		CHECK_EQ(rows[i].name, records[0].cmp.arg1, 11);
		CHECK_EQ(rows[i].name, records[0].cmp.arg2, 12);
		CHECK_EQ(rows[i].name, records[0].cmp.size, rows[i].size);
		CHECK_EQ(rows[i].name, records[0].cmp.is_const, rows[i].is_const);
		CHECK_EQ(rows[i].name, records[1].index, 5);
		CHECK_EQ(rows[i].name, records[1].pc, 0x81000002);
		free(records);
		free(data);
	}
}

static void test_cmp_losses(void **state)
{
	/* A record, two that were never written, and one of which the last word is missing. */
	static const uint64_t words[] = {4, 1, 2, 3, TEXT(1), 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7};
	struct kct_layout layout = area_layout("linux-cmp");
	unsigned char *data = area_bytes(words, ARRAY_SIZE(words), 8, KCT_ENDIAN_LITTLE);
	struct kct_record *records;
	size_t n;

	(void)state;
	records = area_decode(&layout, data, sizeof(words), &n);
	assert_int_equal(n, 4);
	assert_int_equal(records[1].lost.reason, KCT_LOST_UNWRITTEN);
	assert_int_equal(records[1].words, 8);
	assert_int_equal(records[2].kind, KCT_RECORD_LOST);
	assert_int_equal(records[2].lost.reason, KCT_LOST_CUT);
	assert_int_equal(records[2].words, 3);
	assert_true(records[2].pc == 5);
	assert_int_equal(records[3].lost.reason, KCT_LOST_MISSING);
	assert_int_equal(records[3].words, 1);
	free(records);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pc_areas),
		cmocka_unit_test(test_zero_pcs_are_one_loss),
		cmocka_unit_test(test_cmp_areas),
		cmocka_unit_test(test_cmp_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
