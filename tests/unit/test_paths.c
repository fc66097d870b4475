/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "symbol/paths.h"

static void test_clean(void **state)
{
	static const struct {
		const char *path, *clean;
	} rows[] = {
		{"/src/linux/./include/linux/file.h", "/src/linux/include/linux/file.h"},
		{"/src/linux/fs/../include/a.h", "/src/linux/include/a.h"},
		{"/src//linux///a.c", "/src/linux/a.c"},
		{"/src/linux/", "/src/linux"},
		{"./a.c", "a.c"},
		{"a/./b/../c.c", "a/c.c"},
		{"a/..", "."},
		{"../a.h", "../a.h"},
		{"../../x/../a.h", "../../a.h"},
		{"a/../../b", "../b"},
		{"/..", "/"},
		{"/../../a", "/a"},
		{"/", "/"},
		{"//", "/"},
		{".", "."},
		{"", "."},
		{"a", "a"},
		{"..a/...b", "..a/...b"},
		{"/a/b/../../../c", "/c"},
		{"..", ".."},
		{"<built-in>", "<built-in>"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s", rows[i].path);
		kct_path_clean(path);
		CHECK_STR(rows[i].path, path, rows[i].clean);
	}
}

static void check_path(struct kct_paths *paths, struct kct_pool *pool, const char *name,
		       const char *comp_dir, const char *file, const char *raw,
		       const char *rewritten)
{
	const struct kct_path *path, *again;

	assert_int_equal(kct_paths_get(paths, pool, comp_dir, file, &path), 0);
	CHECK_STR(name, path->raw, raw);
	CHECK_STR(name, path->file, rewritten);
	assert_int_equal(kct_paths_get(paths, pool, comp_dir, file, &again), 0);
	CHECK(name, path == again);
}

static void test_join(void **state)
{
	static const struct {
		const char *name, *comp_dir, *file, *raw, *rewritten;
	} rows[] = {
		{"relative", "/src/linux", "./include/linux/file.h",
		 "/src/linux/./include/linux/file.h", "/src/linux/include/linux/file.h"},
		{"absolute stays", "/src/linux", "/opt/mod/a.c", "/opt/mod/a.c", "/opt/mod/a.c"},
		{"directory with a slash", "/src/", "a.c", "/src/a.c", "/src/a.c"},
		{"no directory", NULL, "lib/a.c", "lib/a.c", "lib/a.c"},
		{"out of the tree", "/src/linux", "../../x/a.c", "/src/linux/../../x/a.c",
		 "/x/a.c"},
	};
	struct kct_paths paths = {0};
	struct kct_pool pool = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_path(&paths, &pool, rows[i].name, rows[i].comp_dir, rows[i].file, rows[i].raw,
			   rows[i].rewritten);
	kct_paths_clear(&paths);
	kct_pool_clear(&pool);
}

/* A header reached in three ways has one path: one key. */
static void test_one_file_one_key(void **state)
{
	static const char *const ways[][2] = {{"/src/fs", "../include/a.h"},
					      {"/src", "./include/a.h"},
					      {"/x", "/src/include/a.h"}};
	struct kct_paths paths = {0};
	struct kct_pool pool = {0};
	const struct kct_path *path;
	const char *first = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		assert_int_equal(kct_paths_get(&paths, &pool, ways[i][0], ways[i][1], &path), 0);
		if (!first)
			first = path->file;
		assert_string_equal(path->file, "/src/include/a.h");
		assert_ptr_equal(path->file, first);
	}
	kct_paths_clear(&paths);
	kct_pool_clear(&pool);
}

static void test_maps_and_strip(void **state)
{
	static const struct {
		const char *name, *comp_dir, *file, *rewritten;
	} rows[] = {
		{"map", "/src/linux", "fs/a.c", "/home/me/linux/fs/a.c"},
		{"longest map", "/src/linux", "drivers/b.c", "/home/me/drv/b.c"},
		{"whole components only", "/src/linux-old", "a.c", "a.c"},
		{"map of the path itself", "/src", "linux", "/home/me/linux"},
		{"map to nothing", "/obj", "gen/x.c", "gen/x.c"},
		{"what was mapped to nothing itself", "/", "obj", "/obj"},
		{"strip without a map", "/build/dir", "a/b.c", "a/b.c"},
		{"strip a clean directory", "/build/./dir/", "a/../b.c", "b.c"},
		{"not below the directory", "/build/dir", "/usr/include/c.h", "/usr/include/c.h"},
		{"sibling directory", "/build/dir", "../dir2/c.h", "/build/dir2/c.h"},
		{"relative directory is kept", "rel/dir", "a.c", "rel/dir/a.c"},
		{"raw path the same, directory not", "/build", "/build/dir/a/b.c", "dir/a/b.c"},
	};
	struct kct_paths paths = {.strip = true};
	struct kct_pool pool = {0};
	const struct kct_path *path;

	(void)state;
	assert_int_equal(kct_paths_add_map(&paths, &pool, "/src/linux/", "/home/me/linux"), 0);
	assert_int_equal(kct_paths_add_map(&paths, &pool, "/src/linux/drivers", "/home/me/drv"), 0);
	assert_int_equal(kct_paths_add_map(&paths, &pool, "/obj", ""), 0);
	assert_int_equal(kct_paths_add_map(&paths, &pool, "", "/x"), KCT_ERR_ARGUMENT);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(
			kct_paths_get(&paths, &pool, rows[i].comp_dir, rows[i].file, &path), 0);
		CHECK_STR(rows[i].name, path->file, rows[i].rewritten);
	}
	kct_paths_clear(&paths);
	kct_pool_clear(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_one_file_one_key),
		cmocka_unit_test(test_maps_and_strip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
