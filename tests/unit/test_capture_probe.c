/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel offers is told from another that uses the same numbers, and nothing stays on. */
#include <errno.h>

#include "capture_kernels.h"

struct probe_row {
	const char *name;
	struct double_kernel kernel;
	struct kct_capture_features expected;
};

static void check_features(const char *row, const struct kct_capture_features *features,
			   const struct kct_capture_features *expected)
{
	CHECK_EQ(row, features->pc, expected->pc);
	CHECK_EQ(row, features->cmp, expected->cmp);
	CHECK_EQ(row, features->ext, expected->ext);
	CHECK_EQ(row, features->memory, expected->memory);
	CHECK_EQ(row, features->unique, expected->unique);
	CHECK_EQ(row, features->remote, expected->remote);
	CHECK_EQ(row, features->reset_trace, expected->reset_trace);
	CHECK_EQ(row, features->word_bytes, expected->word_bytes);
	CHECK_EQ(row, features->memory_words, expected->memory_words);
}

static const struct probe_row rows[] = {
	{"first ABI", {.busy_first = true}, {.pc = true, .word_bytes = 8}},
	{"mainline",
	 {.cmp = DOUBLE_BUILT, .remote = DOUBLE_BUILT},
	 {.pc = true, .cmp = true, .remote = true, .word_bytes = 8}},
	{"no comparisons",
	 {.cmp = DOUBLE_NOT_BUILT, .remote = DOUBLE_BUILT},
	 {.pc = true, .remote = true, .word_bytes = 8}},
	{"ext",
	 {.ext = DOUBLE_BUILT, .memory = DOUBLE_NOT_BUILT},
	 {.pc = true, .ext = true, .word_bytes = 8}},
	{"memory, 5 words",
	 {.ext = DOUBLE_BUILT, .memory = DOUBLE_BUILT, .memory_record_bytes = 40},
	 {.pc = true, .ext = true, .memory = true, .word_bytes = 8, .memory_words = 5}},
	{"memory, 4 words",
	 {.ext = DOUBLE_BUILT, .memory = DOUBLE_BUILT, .memory_record_bytes = 32},
	 {.pc = true, .ext = true, .memory = true, .word_bytes = 8, .memory_words = 4}},
	{"memory without a size",
	 {.ext = DOUBLE_BUILT, .memory = DOUBLE_BUILT},
	 {.pc = true, .ext = true, .word_bytes = 8}},
	{"memory, request 103 is no size",
	 {.ext = DOUBLE_BUILT, .memory = DOUBLE_BUILT, .memory_record_bytes = 35},
	 {.pc = true, .ext = true, .word_bytes = 8}},
	{"a size without memory",
	 {.ext = DOUBLE_BUILT, .memory_record_bytes = 40},
	 {.pc = true, .ext = true, .word_bytes = 8}},
	{"unique",
	 {.unique = DOUBLE_BUILT},
	 {.pc = true, .unique = true, .reset_trace = true, .word_bytes = 8}},
	{"unique, not built",
	 {.unique = DOUBLE_NOT_BUILT},
	 {.pc = true, .reset_trace = true, .word_bytes = 8}},
	{"unique, first posting",
	 {.unique = DOUBLE_BUILT, .unique_first = true},
	 {.pc = true, .unique = true, .word_bytes = 8}},
	{"modes are bits", {.mode_bits = true}, {.pc = true, .word_bytes = 8}},
	{"32-bit kernel, whose words are too short for ext",
	 {.word_bytes = 4, .ext = DOUBLE_BUILT, .memory = DOUBLE_BUILT, .memory_record_bytes = 40},
	 {.pc = true, .word_bytes = 4}},
	{"32-bit kernel",
	 {.word_bytes = 4, .cmp = DOUBLE_BUILT, .unique = DOUBLE_BUILT},
	 {.pc = true, .cmp = true, .unique = true, .reset_trace = true, .word_bytes = 4}},
};

static void test_features(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_capture_features features = {.size = sizeof(features)};
		struct capture_double driver;
		struct kct_system system = double_system(&driver);
		struct kct_capture *capture;

		double_init(&driver, &rows[i].kernel);
		driver.kernel.kcov = true;
		CHECK_EQ(rows[i].name, kct_capture_probe_on(&system, NULL, &features, NULL), 0);
		check_features(rows[i].name, &features, &rows[i].expected);
		CHECK_EQ(rows[i].name, double_leaks(&driver), 0);
		/* The thread is free. */
		capture = open_capture(&driver, 2, 0);
		enable_capture(capture, KCT_MODE_PC);
		kct_capture_free(capture);
	}
}

static void test_probe_fails(void **state)
{
	struct kct_capture_features features = {.size = sizeof(features), .word_bytes = 77};
	struct capture_double driver;
	struct kct_system system = double_system(&driver);
	struct kct_capture *capture;
	struct kct_error error;

	(void)state;
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 2, 0);
	enable_capture(capture, KCT_MODE_PC);
	assert_int_equal(kct_capture_probe_on(&system, NULL, &features, &error),
			 KCT_ERR_BUSY_THREAD);
	assert_int_equal(error.sys_errno, EBUSY);
	assert_int_equal(features.word_bytes, 77);
	kct_capture_free(capture);
	assert_int_equal(double_leaks(&driver), 0);
	driver.kernel.kcov = false;
	assert_int_equal(kct_capture_probe_on(&system, NULL, &features, &error), KCT_ERR_NO_KCOV);
	features.size = 3;
	assert_int_equal(kct_capture_probe_on(&system, NULL, &features, &error), KCT_ERR_ARGUMENT);
}

/** What was learnt of a kernel holds when it is used. */
static void test_first_posting_of_unique(void **state)
{
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;

	(void)state;
	double_init(&driver, &unique_kernel);
	driver.kernel.unique_first = true;
	capture = open_capture(&driver, 512, 4);
	enable_capture(capture, KCT_MODE_UNIQUE);
	kct_capture_reset(capture, NULL);
	double_hit_guard(&driver, 9, 0xffffffff81000010u);
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 1);
	assert_int_equal(area.layout->bitmap_words, 4);
	assert_int_equal(driver.descriptors[0].bitmap_words, 4);
	kct_capture_free(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_probe_fails),
		cmocka_unit_test(test_first_posting_of_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
