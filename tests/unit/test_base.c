/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <errno.h>

#include <kcovtrace/kcovtrace.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/pool.h"

static void test_every_code_has_name_and_text(void **state)
{
	static const struct {
		const char *name;
		int code;
		const char *code_name;
	} rows[] = {
		{"first of a group", KCT_ERR_ARGUMENT, "KCT_ERR_ARGUMENT"},
		{"decoding", KCT_ERR_RECORD, "KCT_ERR_RECORD"},
		{"symbols", KCT_ERR_ELF, "KCT_ERR_ELF"},
		{"capture, the first", -60, "KCT_ERR_NO_DEBUGFS"},
		{"capture, the last", -72, "KCT_ERR_MAP"},
		{"a gap", -15, "KCT_ERR_UNKNOWN"},
		{"a count", 3, "KCT_OK"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_STR(rows[i].name, kct_error_name(rows[i].code), rows[i].code_name);
		CHECK(rows[i].name, kct_strerror(rows[i].code)[0] != '\0');
	}
#define HAS_TEXT(name, value, text)                              \
	assert_string_equal(kct_strerror(KCT_ERR_##name), text); \
	assert_int_equal(KCT_ERR_##name, value);
	KCT_ERROR_LIST(HAS_TEXT)
#undef HAS_TEXT
}

static void test_fail_fills_every_field(void **state)
{
	struct kct_error error;

	(void)state;
	memset(&error, 0xa5, sizeof(error));
	assert_int_equal(kct_fail_at(&error, KCT_ERR_SYNTAX, 7, "line %d", 3), KCT_ERR_SYNTAX);
	assert_int_equal(error.code, KCT_ERR_SYNTAX);
	assert_int_equal(error.sys_errno, 0);
	assert_int_equal(error.offset, 7);
	assert_true(error.word_index == KCT_NOWHERE);
	assert_int_equal(error.word, 0);
	assert_string_equal(error.text, "line 3");
	assert_int_equal(kct_fail(NULL, KCT_ERR_ELF, "no place to write"), KCT_ERR_ELF);
	errno = EISDIR;
	assert_int_equal(kct_fail_errno(&error, "%s", "traces"), KCT_ERR_IO);
	assert_int_equal(error.sys_errno, EISDIR);
	assert_string_equal(error.text, "traces: Is a directory");
}

static void test_map_keeps_every_key(void **state)
{
	struct kct_map map = {0};
	uint64_t *value;

	(void)state;
	assert_null(kct_map_find(&map, 0));
	for (uint64_t key = 0; key < 5000; key++) {
		assert_int_equal(kct_map_put(&map, key * 4096, &value), 1);
		*value = key;
	}
	assert_int_equal(kct_map_put(&map, 0, &value), 0);
	assert_int_equal(map.used, 5000);
	for (uint64_t key = 0; key < 5000; key++) {
		value = kct_map_find(&map, key * 4096);
		assert_non_null(value);
		assert_int_equal(*value, key);
	}
	assert_null(kct_map_find(&map, 1));
	kct_map_reset(&map);
	assert_null(kct_map_find(&map, 4096));
	assert_null(kct_map_find(&map, 0));
	kct_map_clear(&map);
}

static void test_pool_interns_equal_strings_once(void **state)
{
	struct kct_pool pool = {0};
	const char *first = kct_pool_intern(&pool, "read_write.c:", 12);
	char name[32];

	(void)state;
	assert_string_equal(first, "read_write.c");
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_non_null(kct_pool_intern(&pool, name, strlen(name)));
	}
	assert_ptr_equal(kct_pool_intern(&pool, "read_write.c", 12), first);
	assert_ptr_not_equal(kct_pool_intern(&pool, "read_write", 10), first);
	assert_int_equal(pool.n_strings, 3002);
	assert_int_equal((uintptr_t)kct_pool_alloc(&pool, 24) % 16, 0);
	assert_non_null(kct_pool_alloc(&pool, 1 << 20));
	kct_pool_clear(&pool);
}

static void test_array_refuses_sizes_that_overflow(void **state)
{
	uint64_t *numbers = NULL;
	size_t max = 0;

	(void)state;
	assert_int_equal(kct_array_reserve(&numbers, &max, 3), 0);
	assert_true(max >= 3);
	numbers[2] = 1;
	assert_int_equal(kct_array_reserve(&numbers, &max, SIZE_MAX / 8), KCT_ERR_NO_MEMORY);
	assert_int_equal(kct_array_reserve(&numbers, &max, SIZE_MAX), KCT_ERR_NO_MEMORY);
	assert_int_equal(numbers[2], 1);
	free(numbers);
}

static void test_version_is_the_headers(void **state)
{
	(void)state;
	assert_string_equal(kct_version(), KCT_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_code_has_name_and_text),
		cmocka_unit_test(test_fail_fills_every_field),
		cmocka_unit_test(test_map_keeps_every_key),
		cmocka_unit_test(test_pool_interns_equal_strings_once),
		cmocka_unit_test(test_array_refuses_sizes_that_overflow),
		cmocka_unit_test(test_version_is_the_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
