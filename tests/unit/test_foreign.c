/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <kcovtrace/foreign.h>

#include "base/macros.h"

#define TEXT(text) (text), sizeof(text) - 1

/* Magics as their formats' own documentation writes them. */
static const struct {
	const char *row;
	const char *data;
	size_t bytes;
	const char *name; /* NULL: none */
} rows[] = {
	{"ELF", "\177ELF\2\1\1", 7, "elf"},
	{"gcda of a little-endian machine", "adcg*22B", 8, "gcda"},
	{"gcda of a big-endian machine", "gcdaB22*", 8, "gcda"},
	{"gcno", "oncg*22B", 8, "gcno"},
	{"profraw, 64 bit", "\x81rforpl\xff\x08", 9, "profraw"},
	{"profraw, 32 bit, big-endian", "\xfflprofR\x81", 8, "profraw"},
	{"profdata", "\xfflprofi\x81\x05", 9, "profdata"},
	{"sancov, 64 bit", "\x64\xff\xff\xff\xff\xff\xbf\xc0", 8, "sancov"},
	{"sancov, 32 bit, big-endian", "\xc0\xbf\xff\xff\xff\xff\xff\x32", 8, "sancov"},
	{"drcov", "DRCOV VERSION: 2\n", 17, "drcov"},
	{"lcov", "TN:\nSF:/a.c\n", 12, "lcov"},
	{"xen", "VOCX/build/a.gcda", 17, "xen"},
	{"perf", "PERFILE2h\0\0\0", 12, "perf"},
	{"a magic that is cut", "adc", 3, "text"},
	{"text", "open(\"/etc/passwd\", O_RDONLY) = 3\n", 34, "text"},
	{"callgrind by its first line", TEXT("# callgrind format\nversion: 1\n"), "callgrind"},
	{"callgrind by its header", TEXT("version: 1\ncreator: x\nevents: Ir\nfn=a\n"),
	 "callgrind"},
	{"a header alone is no callgrind", TEXT("version: 1\ncreator: x\n"), "text"},
	{"folded", TEXT("do_syscall_64;ksys_read;vfs_read 3\nmain 1\n"), "folded"},
	{"folded, with a line that is cut", TEXT("main;read 3\nmain;wri"), "folded"},
	{"counts without frames are not folded", TEXT("main 3\nread 1\n"), "text"},
	{"a frame without a count is not folded", TEXT("main;read\n"), "text"},
	{"chrome trace, an object", TEXT("{\"traceEvents\":[{\"ph\":\"B\"}]}"), "chrome trace"},
	{"chrome trace, an array", TEXT(" [{\"ph\":\"B\",\"name\":\"a\"}]"), "chrome trace"},
	{"speedscope", TEXT("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}"),
	 "speedscope"},
	{"cobertura",
	 TEXT("<?xml version=\"1.0\" ?>\n<!DOCTYPE coverage SYSTEM 'x.dtd'>\n"
	      "<coverage line-rate=\"0.5\" lines-covered=\"1\">\n"),
	 "cobertura"},
	{"XML of another kind", TEXT("<?xml version=\"1.0\" ?>\n<a line-rate=\"1\"/>\n"), "text"},
	{"the program kcov",
	 TEXT("{\n  \"files\": [\n    {\"file\": \"/a.c\", \"percent_covered\": \"50.00\", "
	      "\"covered_lines\": \"1\", \"total_lines\": \"2\"}\n  ],\n"),
	 "kcov report"},
	{"JSON of another kind", TEXT("{\"a\":[1,2,3]}"), "text"},
	{"text with a NUL is none", "open(\"/etc\"\0, O_RDONLY)\n", 24, NULL},
	{"a count and a PC", "\1\0\0\0\0\0\0\0\x31\x4c\x2a\x81\xff\xff\xff\xff", 16, NULL},
	{"nothing", "", 0, NULL},
};

static void test_each_format_has_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kct_foreign *foreign = NULL;

		CHECK_EQ(rows[i].row, kct_foreign_identify(rows[i].data, rows[i].bytes, &foreign),
			 rows[i].name != NULL);
		CHECK(rows[i].row, !foreign == !rows[i].name);
		if (!foreign)
			continue;
		CHECK_STR(rows[i].row, foreign->name, rows[i].name);
		CHECK(rows[i].row, foreign->what[0] && foreign->reader[0]);
	}
}

/* kcov-dataflow: header, PC, meta, values. The header: type in bits 31..28 (0xe entry, 0xf return, 0xc
 * comparison), number of the record in bits 23..0; in the later form the number of values in bits 47..32. */
#define PC(n)		  (0xffffffff81000000 + (n))
#define HEADER(type, seq) ((uint64_t)(type) << 28 | (seq))
#define VALUES(n)	  ((uint64_t)(n) << 32)

static const struct {
	const char *row;
	uint64_t words[16];
	size_t n;
	const char *name; /* NULL: none */
} word_rows[] = {
	{"dataflow whose records say no length",
	 {12, HEADER(0xe, 1), PC(1), 0x8000, 7, HEADER(0xf, 2), PC(2), 0x8000, 8, HEADER(0xc, 3),
	  PC(3), 5, 9},
	 13,
	 "kcov-dataflow"},
	{"dataflow whose records do, and wrap",
	 {13, HEADER(0xe, 0xfffffe) | VALUES(2), PC(1), 0, 7, 8, HEADER(0xf, 0xffffff) | VALUES(1),
	  PC(2), 0, 8, HEADER(0xe, 0) | VALUES(1), PC(3), 0, 9},
	 14,
	 "kcov-dataflow"},
	{"numbers not in a row",
	 {12, HEADER(0xe, 1), PC(1), 0x8000, 7, HEADER(0xf, 3), PC(2), 0x8000, 8, HEADER(0xc, 5),
	  PC(3), 5, 9},
	 13,
	 NULL},
	{"no PC behind a header",
	 {12, HEADER(0xe, 1), PC(1), 0x8000, 7, HEADER(0xf, 2), 2, 0x8000, 8, HEADER(0xc, 3), PC(3),
	  5, 9},
	 13,
	 NULL},
	/* Package 5, function 2, blocks 0 to 4; function 3, block 0; package 6. */
	{"gvisor",
	 {7, ~0x502000ull, ~0x502001ull, ~0x502002ull, ~0x502003ull, ~0x502004ull, ~0x503000ull,
	  ~0x601000ull},
	 8,
	 "gvisor"},
	{"real PCs that fall", {5, PC(0x500), PC(0x4f0), PC(0x4e0), PC(0x4d0), PC(0x4c0)}, 6, NULL},
	{"too few PCs to tell", {2, ~0x502000ull, ~0x502001ull}, 3, NULL},
	{"a count of 0", {0, ~0x502000ull, ~0x502001ull, ~0x502002ull}, 4, NULL},
};

static void check_words(const char *row, const uint64_t *words, size_t n, const char *name)
{
	const struct kct_foreign *foreign = NULL;

	CHECK_EQ(row, kct_foreign_identify(words, n * sizeof(*words), &foreign), name != NULL);
	if (name)
		CHECK_STR(row, foreign->name, name);
}

static void test_words_have_their_name_in_both_orders(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(word_rows); i++) {
		uint64_t swapped[16];

		check_words(word_rows[i].row, word_rows[i].words, word_rows[i].n,
			    word_rows[i].name);
		for (size_t j = 0; j < word_rows[i].n; j++)
			swapped[j] = __builtin_bswap64(word_rows[i].words[j]);
		check_words(word_rows[i].row, swapped, word_rows[i].n, word_rows[i].name);
	}
}

static void test_arguments(void **state)
{
	const struct kct_foreign *foreign = NULL;

	(void)state;
	assert_int_equal(kct_foreign_identify(NULL, 0, &foreign), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_foreign_identify("adcg", 4, NULL), KCT_ERR_ARGUMENT);
	assert_null(foreign);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_format_has_its_name),
		cmocka_unit_test(test_words_have_their_name_in_both_orders),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
