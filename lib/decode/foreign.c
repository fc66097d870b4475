/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "base/macros.h"
#include "decode/foreign.h"

#define TEXT_LOOKED_AT 512u

struct magic {
	const char *bytes;
	size_t length;
	const char *name;
};

#define MAGIC(bytes, name)                     \
	{                                      \
		bytes, sizeof(bytes) - 1, name \
	}

/* clang-format off */
static const struct magic magics[] = {
	MAGIC("\x7f" "ELF", "an ELF file"),
	/* gcov: the magic in the byte order of the machine that wrote it. */
	MAGIC("adcg", "a gcda file (gcov counters)"),
	MAGIC("gcda", "a gcda file (gcov counters)"),
	MAGIC("oncg", "a gcno file (gcov notes)"),
	MAGIC("gcno", "a gcno file (gcov notes)"),
	MAGIC("\x81rforpl\xff", "an LLVM raw profile"),
	MAGIC("\xfflprofr\x81", "an LLVM raw profile"),
	MAGIC("\x81Rforpl\xff", "an LLVM raw profile"),
	MAGIC("\xfflprofR\x81", "an LLVM raw profile"),
	/* sancov: 0xC0BFFFFFFFFFFF64, or 32 in the last byte. */
	MAGIC("\x64\xff\xff\xff\xff\xff\xbf\xc0", "a sancov file"),
	MAGIC("\x32\xff\xff\xff\xff\xff\xbf\xc0", "a sancov file"),
	MAGIC("\xc0\xbf\xff\xff\xff\xff\xff\x64", "a sancov file"),
	MAGIC("\xc0\xbf\xff\xff\xff\xff\xff\x32", "a sancov file"),
	MAGIC("\x1f\x8b\x08", "gzip data that is damaged"),
	MAGIC("\x28\xb5\x2f\xfd", "zstd data that is damaged"),
	MAGIC("PERFILE2", "perf data"),
	MAGIC("2ELIFREP", "perf data"),
};
/* clang-format on */

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

/** Text of which the first line is a hexadecimal number and nothing else. */
static bool is_address_list(const unsigned char *data, size_t bytes)
{
	size_t length = 0;

	if (bytes >= 2 && data[0] == '0' && (data[1] == 'x' || data[1] == 'X')) {
		data += 2;
		bytes -= 2;
	}
	while (length < bytes && length < 16 && data[length] != '\0' &&
	       strchr("0123456789abcdefABCDEF", data[length]))
		length++;
	return length >= 6 && (length == bytes || data[length] == '\n' || data[length] == '\r');
}

const char *kct_foreign_name(const void *data, size_t bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		if (bytes >= magics[i].length &&
		    memcmp(data, magics[i].bytes, magics[i].length) == 0)
			return magics[i].name;
	}
	if (!is_text(data, bytes))
		return NULL;
	return is_address_list(data, bytes) ? "text: a list of addresses (layout pcs)" : "text";
}
