/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <kcovtrace/xen.h>

#include "base/fail.h"
#include "base/options.h"

/* As a producer of this byte order writes them. */
#define MAGIC_DATA   0x67636461u /* "gcda" */
#define TAG_END	     0u
#define TAG_FUNCTION 0x01000000u
#define TAG_COUNTERS 0x01a10000u /* of arcs; other kinds follow at this distance: */
#define TAG_STRIDE   0x00020000u
#define KINDS	     10u	 /* of counters, up to gcc 15 */
#define TAG_OBJECT   0xa1000000u /* summaries */
#define TAG_PROGRAM  0xa3000000u
/* From this version of gcc on lengths are in bytes, and the header has a checksum. */
#define BYTE_LENGTHS 12u

struct reader {
	const uint8_t *at;
	size_t bytes;
	size_t offset;
	bool swap;
	struct kct_gcda *gcda;
};

static uint32_t word_at(const struct reader *reader, size_t offset)
{
	uint32_t word;

	memcpy(&word, reader->at + offset, sizeof(word));
	return reader->swap ? __builtin_bswap32(word) : word;
}

/** gcc's major version from the four characters of a version word; 0 for others, such as clang's, which
 *  has the form of gcc 4. */
static unsigned major_of(const char *version)
{
	unsigned tens = (unsigned)(version[0] - 'A'), ones = (unsigned)(version[1] - '0');

	if (version[0] >= 'A' && version[0] <= 'Z' && version[1] >= '0' && version[1] <= '9')
		return tens * 10 + ones;
	return version[0] >= '1' && version[0] <= '9' ? (unsigned)(version[0] - '0') : 0;
}

static int read_header(struct reader *reader, struct kct_error *error)
{
	struct kct_gcda *gcda = reader->gcda;
	uint32_t magic, version;
	size_t header = 3 * sizeof(uint32_t);

	if (reader->bytes < sizeof(magic))
		return kct_fail_at(error, KCT_ERR_SYNTAX, 0, "too short for a gcda file");
	magic = word_at(reader, 0);
	reader->swap = magic == __builtin_bswap32(MAGIC_DATA);
	if (magic != MAGIC_DATA && !reader->swap)
		return kct_fail_at(error, KCT_ERR_SYNTAX, 0, "no gcda file: it begins otherwise");
	gcda->big_endian = reader->at[0] == 'g';
	if (reader->bytes < header)
		return kct_fail_at(error, KCT_ERR_DAMAGED, 0, "the header is cut");
	version = word_at(reader, 4);
	for (int i = 0; i < 4; i++)
		gcda->version[i] = (char)(version >> (24 - 8 * i));
	gcda->major = major_of(gcda->version);
	kct_clean_text(gcda->version);
	gcda->stamp = word_at(reader, 8);
	if (gcda->major >= BYTE_LENGTHS)
		header += sizeof(uint32_t);
	if (reader->bytes < header)
		return kct_fail_at(error, KCT_ERR_DAMAGED, 0, "the header is cut");
	reader->offset = header;
	return 0;
}

/** Counters of a record: halves of 32 bits, the low one first in any byte order. */
static void add_arcs(struct reader *reader, size_t offset, size_t n)
{
	struct kct_gcda *gcda = reader->gcda;

	for (size_t i = 0; i < n; i++) {
		uint64_t low = word_at(reader, offset + 8 * i);
		uint64_t value = (uint64_t)word_at(reader, offset + 8 * i + 4) << 32 | low;

		gcda->hit += value != 0;
		if (__builtin_add_overflow(gcda->sum, value, &gcda->sum))
			gcda->sum = UINT64_MAX;
	}
}

/** The kind of counters of a tag, KINDS for another tag. */
static uint32_t kind_of(uint32_t tag)
{
	uint32_t distance = tag - TAG_COUNTERS;

	return distance % TAG_STRIDE == 0 && distance / TAG_STRIDE < KINDS ? distance / TAG_STRIDE
									   : KINDS;
}

/** One record with a payload of `length` bytes at the offset; `zeros` bytes are meant and not there. */
static void take_record(struct reader *reader, uint32_t tag, size_t length, uint64_t zeros)
{
	struct kct_gcda *gcda = reader->gcda;
	uint32_t kind = kind_of(tag);

	if (kind == 0) {
		gcda->counters += (length + zeros) / 8;
		add_arcs(reader, reader->offset, length / 8);
	} else if (kind < KINDS) {
		gcda->others += (length + zeros) / 8;
	} else if (tag == TAG_FUNCTION) {
		gcda->functions += length != 0; /* without: of another program */
	} else if (tag != TAG_OBJECT && tag != TAG_PROGRAM) {
		gcda->unknown++;
	}
}

/** 1: there may be more, 0: that was the end. */
static int next_record(struct reader *reader, struct kct_error *error)
{
	size_t unit = reader->gcda->major >= BYTE_LENGTHS ? 1 : sizeof(uint32_t);
	size_t left = reader->bytes - reader->offset;
	uint64_t length, zeros = 0;
	uint32_t tag, word;

	if (left == 0)
		return 0;
	if (left < sizeof(tag) || (word_at(reader, reader->offset) != TAG_END && left < 8))
		return kct_fail_at(error, KCT_ERR_DAMAGED, reader->offset, "cut in a record's tag");
	tag = word_at(reader, reader->offset);
	if (tag == TAG_END)
		return 0;
	word = word_at(reader, reader->offset + 4);
	length = (uint64_t)word * unit;
	/* Nothing but zeros is written as a negative length and nothing behind it. */
	if (kind_of(tag) < KINDS && (int32_t)word < 0) {
		zeros = (uint64_t) - (int64_t)(int32_t)word * unit;
		length = 0;
	}
	if (length > left - 8 || (kind_of(tag) < KINDS && (length % 8 || zeros % 8)))
		return kct_fail_at(error, KCT_ERR_DAMAGED, reader->offset,
				   "a record of %llu bytes, but %zu are left",
				   (unsigned long long)length, left - 8);
	reader->offset += 8;
	take_record(reader, tag, (size_t)length, zeros);
	reader->offset += (size_t)length;
	return 1;
}

int kct_gcda_read(const void *data, size_t bytes, struct kct_gcda *ret_gcda,
		  struct kct_error *error)
{
	struct kct_gcda gcda = {0};
	struct reader reader = {.at = data, .bytes = bytes, .gcda = &gcda};
	int r;

	if (!data || !ret_gcda || kct_options_give(ret_gcda, &gcda, sizeof(gcda)) < 0)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	r = read_header(&reader, error);
	if (r == KCT_ERR_SYNTAX)
		return r;
	for (r = r < 0 ? r : 1; r > 0;)
		r = next_record(&reader, error);
	kct_options_give(ret_gcda, &gcda, sizeof(gcda));
	return r;
}
