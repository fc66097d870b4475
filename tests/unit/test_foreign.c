/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <kcovtrace/foreign.h>

#include "base/macros.h"

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
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
