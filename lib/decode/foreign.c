/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "decode/foreign.h"

#define TEXT_LOOKED_AT 512u

enum foreign {
	ELF,
	GCDA,
	GCNO,
	PROFRAW,
	PROFDATA,
	SANCOV,
	DRCOV,
	LCOV,
	XEN,
	PERF,
	GZIP,
	ZSTD,
	DATAFLOW,
	GVISOR,
	CALLGRIND,
	FOLDED,
	CHROME,
	SPEEDSCOPE,
	COBERTURA,
	KCOV,
	TEXT,
};

static const struct kct_foreign formats[] = {
	[ELF] = {"elf", "an ELF file", "-k FILE takes a kernel, --module NAME=FILE a module"},
	[GCDA] = {"gcda", "gcov counters", "gcov or lcov read them"},
	[GCNO] = {"gcno", "gcov notes", "gcov or lcov read them"},
	[PROFRAW] = {"profraw", "a raw LLVM profile", "llvm-profdata reads it"},
	[PROFDATA] = {"profdata", "an indexed LLVM profile", "llvm-cov reads it"},
	[SANCOV] = {"sancov", "SanitizerCoverage PCs", "sancov reads them"},
	[DRCOV] = {"drcov", "DynamoRIO coverage", "drcov2lcov or Lighthouse read it"},
	[LCOV] = {"lcov", "an lcov tracefile", "lcov or genhtml read it"},
	[XEN] = {"xen", "coverage of a Xen hypervisor",
		 "convert --from xen takes its .gcda files out, for gcov and lcov"},
	[PERF] = {"perf", "perf events", "perf reads them"},
	[GZIP] = {"gzip", "gzip data that is damaged", "unpack what is left with gzip -dc"},
	[ZSTD] = {"zstd", "zstd data that is damaged", "unpack what is left with zstd -dc"},
	[DATAFLOW] = {"kcov-dataflow", "records of kcov-dataflow",
		      "they are no KCOV records; the tools of that patch series read them"},
	[GVISOR] = {"gvisor", "PCs that gVisor made up, which are no addresses",
		    "runsc symbolize reads them"},
	[CALLGRIND] = {"callgrind", "a callgrind profile",
		       "callgrind_annotate or KCachegrind read it"},
	[FOLDED] = {"folded", "folded stacks", "flamegraph.pl, inferno or speedscope read them"},
	[CHROME] = {"chrome trace", "trace events in JSON", "Perfetto or speedscope read them"},
	[SPEEDSCOPE] = {"speedscope", "a speedscope profile", "speedscope reads it"},
	[COBERTURA] = {"cobertura", "a Cobertura report, as gcovr and the program kcov write",
		       "pycobertura reads it"},
	[KCOV] = {"kcov report", "a report of the program kcov",
		  "it covers programs and has nothing to do with KCOV of kernels"},
	[TEXT] = {"text", "text without a form that is known",
		  "a list of PCs has one address a line and nothing behind it (-l pcs)"},
};

/* First bytes. Where producers write their own byte order, both are listed. */
#define MAGIC(bytes) (bytes), sizeof(bytes) - 1

static const struct {
	const char *bytes;
	size_t length;
	enum foreign format;
} magics[] = {
	{MAGIC("\177ELF"), ELF},
	{MAGIC("gcda"), GCDA},
	{MAGIC("adcg"), GCDA},
	{MAGIC("gcno"), GCNO},
	{MAGIC("oncg"), GCNO},
	{MAGIC("\x81rforpl\xff"), PROFRAW},
	{MAGIC("\x81Rforpl\xff"), PROFRAW},
	{MAGIC("\xfflprofr\x81"), PROFRAW},
	{MAGIC("\xfflprofR\x81"), PROFRAW},
	{MAGIC("\xfflprofi\x81"), PROFDATA},
	/* 0xC0BFFFFFFFFFFF64, or 32 in the last byte. */
	{MAGIC("\x64\xff\xff\xff\xff\xff\xbf\xc0"), SANCOV},
	{MAGIC("\x32\xff\xff\xff\xff\xff\xbf\xc0"), SANCOV},
	{MAGIC("\xc0\xbf\xff\xff\xff\xff\xff\x64"), SANCOV},
	{MAGIC("\xc0\xbf\xff\xff\xff\xff\xff\x32"), SANCOV},
	{MAGIC("DRCOV VERSION"), DRCOV},
	{MAGIC("TN:"), LCOV},
	{MAGIC("SF:"), LCOV},
	{MAGIC("VOCX"), XEN},
	{MAGIC("XCOV"), XEN},
	{MAGIC("PERFILE2"), PERF},
	{MAGIC("2ELIFREP"), PERF},
	/* What can be unpacked has been unpacked. */
	{MAGIC("\x1f\x8b\x08"), GZIP},
	{MAGIC("\x28\xb5\x2f\xfd"), ZSTD},
};

static bool is_text_byte(unsigned char c)
{
	return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

/** UTF-8 would pass with 90 % of ASCII; a single NUL is enough to be no text. */
static bool is_text(const unsigned char *data, size_t bytes)
{
	size_t look = (size_t)kct_min_u64(bytes, TEXT_LOOKED_AT);
	size_t printable = 0;

	if (look == 0 || memchr(data, '\0', look))
		return false;
	for (size_t i = 0; i < look; i++)
		printable += is_text_byte(data[i]);
	return printable * 10 >= look * 9;
}

/** The magic that data begins with: its index in `magics`, -1 for none. */
static int find_magic(const void *data, size_t bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		if (bytes >= magics[i].length && !memcmp(data, magics[i].bytes, magics[i].length))
			return (int)i;
	}
	return -1;
}

bool kct_is_surely_foreign(const void *data, size_t bytes)
{
	int magic = find_magic(data, bytes);

	return (magic >= 0 && magics[magic].length >= sizeof(uint64_t)) ||
	       kct_is_made_up(data, bytes);
}

/** Index in `formats` of what no magic tells, -1 for none. */
static int identify_content(const void *data, size_t bytes)
{
	static const enum foreign texts[] = {
		[KCT_TEXT_CALLGRIND] = CALLGRIND, [KCT_TEXT_SPEEDSCOPE] = SPEEDSCOPE,
		[KCT_TEXT_CHROME] = CHROME,	  [KCT_TEXT_FOLDED] = FOLDED,
		[KCT_TEXT_COBERTURA] = COBERTURA, [KCT_TEXT_KCOV] = KCOV,
		[KCT_TEXT_OTHER] = TEXT,
	};

	if (is_text(data, bytes))
		return (int)texts[kct_foreign_text(data, bytes)];
	if (kct_is_dataflow(data, bytes))
		return DATAFLOW;
	return kct_is_made_up(data, bytes) ? GVISOR : -1;
}

int kct_foreign_identify(const void *data, size_t bytes, const struct kct_foreign **ret_foreign)
{
	int magic, found;

	if (!data || !ret_foreign)
		return KCT_ERR_ARGUMENT;
	magic = find_magic(data, bytes);
	found = magic >= 0 ? (int)magics[magic].format : identify_content(data, bytes);
	if (found < 0)
		return 0;
	*ret_foreign = &formats[found];
	return 1;
}
