/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "foreign.h"

/* A magic is the file's first bytes. Both byte orders are listed where producers write their own. */
#define MAGIC(bytes) (bytes), sizeof(bytes) - 1

static const struct {
	const char *magic;
	size_t length;
	struct foreign_format format;
} formats[] = {
	{MAGIC("\177ELF"),
	 {"elf", "an ELF file", "give it with -k (a kernel) or --module NAME=FILE"}},
	{MAGIC("gcda"), {"gcda", "gcov counters", "gcov or lcov"}},
	{MAGIC("adcg"), {"gcda", "gcov counters", "gcov or lcov"}},
	{MAGIC("gcno"), {"gcno", "gcov notes", "gcov or lcov"}},
	{MAGIC("oncg"), {"gcno", "gcov notes", "gcov or lcov"}},
	{MAGIC("\x81rforpl\xff"), {"profraw", "a raw LLVM profile", "llvm-profdata"}},
	{MAGIC("\x81Rforpl\xff"), {"profraw", "a raw LLVM profile", "llvm-profdata"}},
	{MAGIC("\xfflprofr\x81"), {"profraw", "a raw LLVM profile", "llvm-profdata"}},
	{MAGIC("\xfflprofR\x81"), {"profraw", "a raw LLVM profile", "llvm-profdata"}},
	{MAGIC("\xfflprofi\x81"), {"profdata", "an indexed LLVM profile", "llvm-cov"}},
	{MAGIC("\x64\xff\xff\xff\xff\xff\xbf\xc0"), {"sancov", "SanitizerCoverage PCs", "sancov"}},
	{MAGIC("\x32\xff\xff\xff\xff\xff\xbf\xc0"), {"sancov", "SanitizerCoverage PCs", "sancov"}},
	{MAGIC("\xc0\xbf\xff\xff\xff\xff\xff\x64"), {"sancov", "SanitizerCoverage PCs", "sancov"}},
	{MAGIC("\xc0\xbf\xff\xff\xff\xff\xff\x32"), {"sancov", "SanitizerCoverage PCs", "sancov"}},
	{MAGIC("DRCOV VERSION"), {"drcov", "DynamoRIO coverage", "drcov2lcov or Lighthouse"}},
	{MAGIC("TN:"), {"lcov", "an lcov tracefile", "lcov or genhtml"}},
	{MAGIC("SF:"), {"lcov", "an lcov tracefile", "lcov or genhtml"}},
	{MAGIC("VOCX"), {"xen", "coverage of a Xen hypervisor", "xencov_split"}},
	{MAGIC("XCOV"), {"xen", "coverage of a Xen hypervisor", "xencov_split"}},
	{MAGIC("PERFILE2"), {"perf", "perf events", "perf"}},
	{MAGIC("2ELIFREP"), {"perf", "perf events", "perf"}},
};

const struct foreign_format *foreign_format(const void *data, size_t bytes)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (bytes >= formats[i].length &&
		    memcmp(data, formats[i].magic, formats[i].length) == 0)
			return &formats[i].format;
	}
	return NULL;
}
