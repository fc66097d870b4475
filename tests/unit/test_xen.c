/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <kcovtrace/xen.h>

#include "base/macros.h"

/* A blob: magic, then per object name NUL, size of 4 bytes, data; nothing is aligned. */
#define LE_MAGIC    "VOCX"
#define BE_MAGIC    "XCOV"
#define BYTES(text) (text), sizeof(text) - 1

static const struct {
	const char *row;
	const char *blob;
	size_t bytes;
	const char *names[3]; /* in order; NULL: no more */
	const char *data[3];
	int end;	 /* what comes after the last one */
	uint64_t offset; /* of an error */
} blobs[] = {
	{"no object", BYTES(LE_MAGIC), {NULL}, {NULL}, 0, 0},
	{"two objects",
	 BYTES(LE_MAGIC "/x/a.gcda\0\3\0\0\0abcb.gcda\0\1\0\0\0z"),
	 {"/x/a.gcda", "b.gcda"},
	 {"abc", "z"},
	 0,
	 0},
	{"the other byte order",
	 BYTES(BE_MAGIC "/x/a.gcda\0\0\0\0\3abc"),
	 {"/x/a.gcda"},
	 {"abc"},
	 0,
	 0},
	{"an object of nothing", BYTES(LE_MAGIC "a\0\0\0\0\0"), {"a"}, {""}, 0, 0},
	{"an object without a name", BYTES(LE_MAGIC "\0\1\0\0\0z"), {""}, {"z"}, 0, 0},
	{"no end of a name",
	 BYTES(LE_MAGIC "a\0\1\0\0\0zb.gcda"),
	 {"a"},
	 {"z"},
	 KCT_ERR_DAMAGED,
	 11},
	{"cut in a size", BYTES(LE_MAGIC "a\0\1\0\0"), {NULL}, {NULL}, KCT_ERR_DAMAGED, 4},
	{"a size past the end",
	 BYTES(LE_MAGIC "a\0\4\0\0\0abc"),
	 {NULL},
	 {NULL},
	 KCT_ERR_DAMAGED,
	 4},
	{"the largest size",
	 BYTES(LE_MAGIC "a\0\xff\xff\xff\xff"
			"abc"),
	 {NULL},
	 {NULL},
	 KCT_ERR_DAMAGED,
	 4},
	{"another magic", BYTES("VOCY/a\0\0\0\0\0"), {NULL}, {NULL}, KCT_ERR_SYNTAX, 0},
	{"three bytes", BYTES("VOC"), {NULL}, {NULL}, KCT_ERR_SYNTAX, 0},
};

static void test_blobs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(blobs); i++) {
		const char *row = blobs[i].row;
		struct kct_xen_object object;
		struct kct_error error = {0};
		uint64_t offset = 0, before;

		for (size_t j = 0; j < 3 && blobs[i].names[j]; j++) {
			CHECK_EQ(row,
				 kct_xen_next(blobs[i].blob, blobs[i].bytes, &offset, &object,
					      &error),
				 1);
			CHECK_STR(row, object.name, blobs[i].names[j]);
			CHECK_EQ(row, object.bytes, strlen(blobs[i].data[j]));
			CHECK(row, memcmp(object.data, blobs[i].data[j], object.bytes) == 0);
			CHECK_EQ(row, object.offset, (const char *)object.data - blobs[i].blob);
		}
		before = offset;
		CHECK_EQ(row, kct_xen_next(blobs[i].blob, blobs[i].bytes, &offset, &object, &error),
			 blobs[i].end);
		CHECK_EQ(row, offset, before);
		if (blobs[i].end < 0)
			CHECK_EQ(row, error.offset, blobs[i].offset);
		CHECK_EQ(row, kct_xen_identify(blobs[i].blob, blobs[i].bytes),
			 blobs[i].end != KCT_ERR_SYNTAX);
	}
}

static void test_names_longer_than_paths_are_damage(void **state)
{
	char blob[KCT_XEN_MAX_NAME + 16] = LE_MAGIC;
	struct kct_xen_object object;
	uint64_t offset = 0;

	(void)state;
	memset(blob + 4, 'a', KCT_XEN_MAX_NAME - 1);
	assert_int_equal(kct_xen_next(blob, sizeof(blob), &offset, &object, NULL), 1);
	blob[4 + KCT_XEN_MAX_NAME - 1] = 'a';
	offset = 0;
	assert_int_equal(kct_xen_next(blob, sizeof(blob), &offset, &object, NULL), KCT_ERR_DAMAGED);
}

#define LONG_PART(n) n n n n n n n n n n n n n n n n /* 16 times */

static const struct {
	const char *row;
	const char *name;
	const char *path; /* NULL: refused */
} names[] = {
	{"absolute", "/build/xen/common/a.gcda", "build/xen/common/a.gcda"},
	{"relative", "rel/b.gcda", "rel/b.gcda"},
	{"odd slashes and dots", "//a///./b.gcda", "a/b.gcda"},
	{"a file with dots in its name", "a/..b/...", "a/..b/..."},
	{"spaces", "my build/a.gcda", "my build/a.gcda"},
	{"255 bytes", LONG_PART("0123456789abcde") "0123456789abcde",
	 LONG_PART("0123456789abcde") "0123456789abcde"},
	{"256 bytes", LONG_PART("0123456789abcdef"), NULL},
	{"out of the folder", "../../x", NULL},
	{"out of the folder, absolute", "/../x", NULL},
	{"down and up again", "/a/../b", NULL},
	{"up at the end", "/a/..", NULL},
	{"empty", "", NULL},
	{"nothing but slashes", "///", NULL},
	{"nothing but a dot", ".", NULL},
	{"a folder", "/a/b/", NULL},
	{"a folder, by a dot", "/a/b/.", NULL},
	{"a newline", "/a\nb", NULL},
	{"an escape", "/a\033[2Jb", NULL},
	{"DEL", "/a\x7f", NULL},
};

static void test_paths_stay_in_the_folder(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[KCT_XEN_MAX_NAME] = "untouched";
		struct kct_error error = {0};

		CHECK_EQ(names[i].row, kct_xen_path(names[i].name, path, &error),
			 names[i].path ? 0 : KCT_ERR_ARGUMENT);
		if (names[i].path)
			CHECK_STR(names[i].row, path, names[i].path);
		else
			CHECK(names[i].row, error.text[0] && !strchr(error.text, '\n'));
	}
}

/* Pieces of gcda files, little-endian but for the last ones. */
#define GCC12      \
	"adcg*22B" \
	"\1\2\3\4" \
	"\0\0\0\0" /* gcda, version B22*, stamp, checksum */
#define GCC10      \
	"adcg*20B" \
	"\1\2\3\4"
#define BIG_GCC12  \
	"gcdaB22*" \
	"\4\3\2\1" \
	"\0\0\0\0"
/* Tag, length, ident, checksums of lines and of the graph. */
#define FUNCTION12   \
	"\0\0\0\1"   \
	"\x0c\0\0\0" \
	"iiii"       \
	"llll"       \
	"cccc"
#define FUNCTION10 \
	"\0\0\0\1" \
	"\3\0\0\0" \
	"iiii"     \
	"llll"     \
	"cccc"
#define ARCS "\0\0\xa1\1"

static const struct {
	const char *row;
	const char *data;
	size_t bytes;
	int result;
	unsigned major;
	uint64_t functions, counters, hit, sum, others, unknown;
} files[] = {
	{"gcc 12: lengths in bytes",
	 BYTES(GCC12 FUNCTION12 ARCS "\x18\0\0\0"
				     "\1\0\0\0\0\0\0\0"
				     "\0\0\0\0\0\0\0\0"
				     "\2\0\0\0\1\0\0\0"),
	 0, 12, 1, 3, 2, 0x100000003, 0, 0},
	{"gcc 12: zeros that are not written",
	 BYTES(GCC12 FUNCTION12 ARCS "\xf0\xff\xff\xff" FUNCTION12 ARCS "\x08\0\0\0"
				     "\5\0\0\0\0\0\0\0"),
	 0, 12, 2, 3, 1, 5, 0, 0},
	{"gcc 10: lengths in words",
	 BYTES(GCC10 FUNCTION10 ARCS "\2\0\0\0"
				     "\7\0\0\0\0\0\0\0"),
	 0, 10, 1, 1, 1, 7, 0, 0},
	{"clang: a version of gcc 4",
	 BYTES("adcg*804"
	       "\1\2\3\4" FUNCTION10 ARCS "\2\0\0\0"
	       "\7\0\0\0\0\0\0\0"),
	 0, 4, 1, 1, 1, 7, 0, 0},
	/* The low half comes first there, too. */
	{"big-endian",
	 BYTES(BIG_GCC12 "\1\xa1\0\0"
			 "\0\0\0\x08"
			 "\0\0\0\2\0\0\0\1"),
	 0, 12, 0, 1, 1, 0x100000002, 0, 0},
	{"conditions",
	 BYTES(GCC12 FUNCTION12 "\0\0\xb1\1"
				"\x08\0\0\0"
				"\1\0\0\0\0\0\0\0"),
	 0, 12, 1, 0, 0, 0, 1, 0},
	{"summary and an unknown tag",
	 BYTES(GCC12 "\0\0\0\xa1"
		     "\x08\0\0\0"
		     "\1\0\0\0\2\0\0\0"
		     "\0\0\0\x77"
		     "\4\0\0\0"
		     "zzzz"),
	 0, 12, 0, 0, 0, 0, 0, 1},
	{"a function of another program",
	 BYTES(GCC12 "\0\0\0\1"
		     "\0\0\0\0"),
	 0, 12, 0, 0, 0, 0, 0, 0},
	{"a zero tag ends it",
	 BYTES(GCC12 "\0\0\0\0"
		     "zzzz"),
	 0, 12, 0, 0, 0, 0, 0, 0},
	{"a sum that does not fit",
	 BYTES(GCC12 ARCS "\x10\0\0\0"
			  "\xff\xff\xff\xff\xff\xff\xff\xff"
			  "\1\0\0\0\0\0\0\0"),
	 0, 12, 0, 2, 2, UINT64_MAX, 0, 0},
	{"cut in a record",
	 BYTES(GCC12 FUNCTION12 ARCS "\x18\0\0\0"
				     "\1\0\0\0\0\0\0\0"),
	 KCT_ERR_DAMAGED, 12, 1, 0, 0, 0, 0, 0},
	{"cut in a tag", BYTES(GCC12 FUNCTION12 "\0\0"), KCT_ERR_DAMAGED, 12, 1, 0, 0, 0, 0, 0},
	{"half a counter",
	 BYTES(GCC12 ARCS "\4\0\0\0"
			  "\1\0\0\0"),
	 KCT_ERR_DAMAGED, 12, 0, 0, 0, 0, 0, 0},
	{"cut in the header",
	 BYTES("adcg*22B"
	       "\1\2\3\4"),
	 KCT_ERR_DAMAGED, 12, 0, 0, 0, 0, 0, 0},
	{"no gcda",
	 BYTES("oncg*22B"
	       "\1\2\3\4\0\0\0\0"),
	 KCT_ERR_SYNTAX, 0, 0, 0, 0, 0, 0, 0},
	{"nothing", BYTES(""), KCT_ERR_SYNTAX, 0, 0, 0, 0, 0, 0, 0},
};

static void test_counter_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct kct_gcda gcda = {.size = sizeof(gcda)};
		const char *row = files[i].row;

		CHECK_EQ(row, kct_gcda_read(files[i].data, files[i].bytes, &gcda, NULL),
			 files[i].result);
		CHECK_EQ(row, gcda.major, files[i].major);
		CHECK_EQ(row, gcda.functions, files[i].functions);
		CHECK_EQ(row, gcda.counters, files[i].counters);
		CHECK_EQ(row, gcda.hit, files[i].hit);
		CHECK_EQ(row, gcda.sum, files[i].sum);
		CHECK_EQ(row, gcda.others, files[i].others);
		CHECK_EQ(row, gcda.unknown, files[i].unknown);
	}
}

static void test_what_a_file_says_of_itself(void **state)
{
	struct kct_gcda gcda = {.size = sizeof(gcda)};

	(void)state;
	assert_int_equal(kct_gcda_read(BYTES(GCC12), &gcda, NULL), 0);
	assert_string_equal(gcda.version, "B22*");
	assert_int_equal(gcda.stamp, 0x04030201);
	assert_false(gcda.big_endian);
	assert_int_equal(kct_gcda_read(BYTES(BIG_GCC12), &gcda, NULL), 0);
	assert_string_equal(gcda.version, "B22*");
	assert_int_equal(gcda.stamp, 0x04030201);
	assert_true(gcda.big_endian);
	/* A caller of another version of the struct. */
	gcda.size = 4;
	assert_int_equal(kct_gcda_read(BYTES(GCC12), &gcda, NULL), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_gcda_read(NULL, 0, &gcda, NULL), KCT_ERR_ARGUMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blobs),
		cmocka_unit_test(test_names_longer_than_paths_are_damage),
		cmocka_unit_test(test_paths_stay_in_the_folder),
		cmocka_unit_test(test_counter_files),
		cmocka_unit_test(test_what_a_file_says_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
