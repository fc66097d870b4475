/* SPDX-License-Identifier: BSD-2-Clause */
#include "area.h"

#include <kcovtrace/layout.h>

#include "base/macros.h"

static void test_presets(void **state)
{
	static const struct kct_layout rows[] = {
		{.preset = "linux-pc", .mode = KCT_MODE_PC, .os = KCT_OS_LINUX},
		{.preset = "linux-cmp", .mode = KCT_MODE_CMP, .os = KCT_OS_LINUX},
		{.preset = "linux-ext", .mode = KCT_MODE_EXT, .entry_words = 2},
		{.preset = "linux-ext-v1", .mode = KCT_MODE_EXT, .entry_words = 1},
		{.preset = "linux-mem",
		 .mode = KCT_MODE_MEMORY,
		 .entry_words = 2,
		 .memory_words = 5},
		{.preset = "linux-unique", .mode = KCT_MODE_UNIQUE},
		{.preset = "freebsd-pc", .mode = KCT_MODE_PC, .os = KCT_OS_FREEBSD, .slid = true},
		{.preset = "freebsd-cmp", .mode = KCT_MODE_CMP, .os = KCT_OS_FREEBSD, .slid = true},
		{.preset = "netbsd-pc", .mode = KCT_MODE_PC, .os = KCT_OS_NETBSD, .slid = true},
		{.preset = "netbsd-cmp", .mode = KCT_MODE_CMP, .os = KCT_OS_NETBSD, .slid = true},
		{.preset = "openbsd-pc", .mode = KCT_MODE_PC, .os = KCT_OS_OPENBSD, .slid = true},
		{.preset = "openbsd-cmp", .mode = KCT_MODE_CMP, .os = KCT_OS_OPENBSD, .slid = true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_layout layout;

		memset(&layout, 0xa5, sizeof(layout));
		CHECK_EQ(rows[i].preset, kct_layout_preset(rows[i].preset, &layout), 0);
		CHECK_STR(rows[i].preset, kct_layout_preset_name(i), rows[i].preset);
		CHECK_STR(rows[i].preset, layout.preset, rows[i].preset);
		CHECK_EQ(rows[i].preset, layout.size, sizeof(layout));
		CHECK_EQ(rows[i].preset, layout.mode, rows[i].mode);
		CHECK_EQ(rows[i].preset, layout.os, rows[i].os);
		CHECK_EQ(rows[i].preset, layout.endian, KCT_ENDIAN_LITTLE);
		CHECK_EQ(rows[i].preset, layout.word_bytes, 8);
		CHECK_EQ(rows[i].preset, layout.entry_words, rows[i].entry_words);
		CHECK_EQ(rows[i].preset, layout.memory_words, rows[i].memory_words);
		CHECK_EQ(rows[i].preset, layout.capacity_words, 0);
		CHECK_EQ(rows[i].preset, layout.slid, rows[i].slid);
		CHECK_EQ(rows[i].preset, layout.eesum_quirk, KCT_EESUM_NONE);
	}
	assert_null(kct_layout_preset_name(ARRAY_SIZE(rows)));
	assert_null(kct_layout_preset_name(SIZE_MAX));
}

static void test_unknown_preset_leaves_output(void **state)
{
	struct kct_layout layout = {.size = 123};

	(void)state;
	assert_int_equal(kct_layout_preset("linux", &layout), KCT_ERR_LAYOUT);
	assert_int_equal(layout.size, 123);
}

static void test_parse_sets_keys(void **state)
{
	struct kct_layout layout;

	(void)state;
	assert_int_equal(kct_layout_parse("linux-mem,memory-words=4,entry-words=1,endian=big,"
					  "capacity=0x1000,slid=yes,word=8",
					  &layout, NULL),
			 0);
	assert_string_equal(layout.preset, "linux-mem");
	assert_int_equal(layout.memory_words, 4);
	assert_int_equal(layout.entry_words, 1);
	assert_int_equal(layout.endian, KCT_ENDIAN_BIG);
	assert_int_equal(layout.capacity_words, 0x1000);
	assert_true(layout.slid);
	assert_int_equal(kct_layout_parse("freebsd-pc,slid=no,endian=little", &layout, NULL), 0);
	assert_false(layout.slid);
	assert_int_equal(kct_layout_parse("linux-unique,bitmap-words=64", &layout, NULL), 0);
	assert_int_equal(layout.bitmap_words, 64);
	assert_int_equal(kct_layout_parse("openbsd-cmp,word=4", &layout, NULL), 0);
	assert_int_equal(layout.word_bytes, 4);
	/* The last one of a key wins. */
	assert_int_equal(kct_layout_parse("linux-pc,word=4,word=8", &layout, NULL), 0);
	assert_int_equal(layout.word_bytes, 8);
}

static void test_parse_names_what_is_wrong(void **state)
{
	static const struct {
		const char *spec;
		const char *named; /* must be in the text */
	} rows[] = {
		{"", "unknown layout ''"},
		{"linux", "unknown layout 'linux'"},
		{"linux-pc2", "'linux-pc2'"},
		{"auto", "'auto'"},
		{"linux-pc,", "'' is not KEY=VALUE"},
		{"linux-pc,word", "'word' is not"},
		{"linux-pc,word=", "bad value in 'word='"},
		{"linux-pc,word=16", "4 or 8 bytes, not 16"},
		{"linux-pc,word=8x", "'word=8x'"},
		{"linux-pc,word=-8", "'word=-8'"},
		{"linux-pc,word=+8", "'word=+8'"},
		{"linux-pc,word= 8", "'word= 8'"},
		{"linux-pc,word=4294967304", "'word=4294967304'"},
		{"linux-pc,capacity=18446744073709551616", "bad value"},
		{"linux-pc,capacity=0x", "bad value"},
		{"linux-pc,endian=middle", "'endian=middle'"},
		{"linux-pc,slid=maybe", "'slid=maybe'"},
		{"linux-pc,colour=red", "unknown key in 'colour=red'"},
		{"linux-pc,=8", "unknown key"},
		{"linux-ext,word=4", "top bits of a 64-bit word"},
		{"linux-mem,word=4", "top bits of a 64-bit word"},
		{"linux-ext,entry-words=3", "1 or 2 words, not 3"},
		{"linux-ext,entry-words=0", "1 or 2 words, not 0"},
		{"linux-mem,memory-words=3", "at least 4 words, not 3"},
		{"linux-unique", "bitmap-words=N"},
		{"linux-pc,bitmap-words=1", "no bitmap"},
		{"freebsd-pc,word=4", "8 bytes"},
		{"netbsd-cmp,word=4", "8 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_layout layout = {.size = 123};
		struct kct_error error;

		CHECK_EQ(rows[i].spec, kct_layout_parse(rows[i].spec, &layout, &error),
			 KCT_ERR_LAYOUT);
		if (!strstr(error.text, rows[i].named))
			fail_msg("'%s' says '%s'", rows[i].spec, error.text);
		CHECK_EQ(rows[i].spec, layout.size, 123);
	}
}

static void test_parse_survives_long_text(void **state)
{
	static char spec[100000];
	struct kct_layout layout;
	struct kct_error error;

	(void)state;
	memset(spec, 'a', sizeof(spec) - 1);
	assert_int_equal(kct_layout_parse(spec, &layout, &error), KCT_ERR_LAYOUT);
	memcpy(spec, "linux-pc,", 9);
	assert_int_equal(kct_layout_parse(spec, &layout, &error), KCT_ERR_LAYOUT);
	spec[12] = '=';
	assert_int_equal(kct_layout_parse(spec, &layout, &error), KCT_ERR_LAYOUT);
}

static void test_check_refuses_what_no_enum_holds(void **state)
{
	struct kct_layout good = area_layout("linux-ext"), layout;

	(void)state;
	assert_int_equal(kct_layout_check(&good, NULL), 0);
	layout = good;
	layout.mode = (enum kct_mode)77;
	assert_int_equal(kct_layout_check(&layout, NULL), KCT_ERR_LAYOUT);
	layout = good;
	layout.os = (enum kct_os)77;
	assert_int_equal(kct_layout_check(&layout, NULL), KCT_ERR_LAYOUT);
	layout = good;
	layout.endian = (enum kct_endian)2;
	assert_int_equal(kct_layout_check(&layout, NULL), KCT_ERR_LAYOUT);
	layout = good;
	layout.eesum_quirk = (enum kct_eesum_quirk)2;
	assert_int_equal(kct_layout_check(&layout, NULL), KCT_ERR_LAYOUT);
	layout = good;
	layout.os = KCT_OS_NETBSD;
	assert_int_equal(kct_layout_check(&layout, NULL), KCT_ERR_LAYOUT);
	assert_int_equal(kct_layout_check(NULL, NULL), KCT_ERR_ARGUMENT);
}

static void test_check_of_newer_callers(void **state)
{
	struct {
		struct kct_layout layout;
		uint64_t more;
	} newer = {.layout = area_layout("linux-pc")};

	(void)state;
	newer.layout.size = sizeof(newer);
	assert_int_equal(kct_layout_check(&newer.layout, NULL), 0);
	newer.more = 1;
	assert_int_equal(kct_layout_check(&newer.layout, NULL), KCT_ERR_ARGUMENT);
	newer.layout.size = 8;
	assert_int_equal(kct_layout_check(&newer.layout, NULL), KCT_ERR_ARGUMENT);
}

static void test_mode_names(void **state)
{
	(void)state;
	assert_string_equal(kct_mode_name(KCT_MODE_PC), "pc");
	assert_string_equal(kct_mode_name(KCT_MODE_CMP), "cmp");
	assert_string_equal(kct_mode_name(KCT_MODE_EXT), "ext");
	assert_string_equal(kct_mode_name(KCT_MODE_MEMORY), "mem");
	assert_string_equal(kct_mode_name(KCT_MODE_UNIQUE), "unique");
	assert_non_null(kct_mode_name((enum kct_mode)99));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_unknown_preset_leaves_output),
		cmocka_unit_test(test_parse_sets_keys),
		cmocka_unit_test(test_parse_names_what_is_wrong),
		cmocka_unit_test(test_parse_survives_long_text),
		cmocka_unit_test(test_check_refuses_what_no_enum_holds),
		cmocka_unit_test(test_check_of_newer_callers),
		cmocka_unit_test(test_mode_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
