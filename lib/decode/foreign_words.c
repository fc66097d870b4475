/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "decode/foreign.h"

/* Records that are looked at, and how many there must be. */
#define MOST_RECORDS 256u
#define FEW_RECORDS  3u
/* Where the next header is looked for when a record does not say its length. */
#define LONGEST_RECORD 64u

/** A dump on a machine of this byte order: both producers write their own order. */
struct words {
	const uint8_t *at; /* word 0 */
	uint64_t n;	   /* behind word 0 */
	bool swap;
};

static uint64_t word_at(const struct words *words, uint64_t index)
{
	uint64_t value;

	memcpy(&value, words->at + index * sizeof(value), sizeof(value));
	return words->swap ? __builtin_bswap64(value) : value;
}

/** The used words as the count claims. False if the count cannot be one. */
static bool words_open(struct words *words, const void *data, size_t bytes, bool swap)
{
	uint64_t there = bytes / sizeof(uint64_t), count;

	if (there < 2)
		return false;
	*words = (struct words){.at = data, .swap = swap};
	count = word_at(words, 0);
	words->n = kct_min_u64(count, there - 1);
	/* Of a cut file at least a part is there. */
	return count > 0 && count < (uint64_t)1 << 40;
}

static bool is_kernel_address(uint64_t word)
{
	return word >> 48 == 0xffff;
}

static uint32_t sequence_of(uint64_t header)
{
	return (uint32_t)(header & 0xffffff);
}

/** Bits 31 to 28: an entry, a return or a comparison. */
static bool is_header(const struct words *words, uint64_t index)
{
	uint64_t header = word_at(words, index);
	unsigned type = header >> 28 & 0xf;

	if (index + 3 > words->n || (type != 0xe && type != 0xf && type != 0xc))
		return false;
	/* The upper half is 0, or it has a number of values and a size. */
	return header >> 32 != 0xffffffff && is_kernel_address(word_at(words, index + 1));
}

/** Index of the record behind one: where the next number of the row stands. 0 = none. */
static uint64_t next_record(const struct words *words, uint64_t index)
{
	uint32_t wanted = (sequence_of(word_at(words, index)) + 1) & 0xffffff;
	uint64_t last = kct_min_u64(words->n, index + LONGEST_RECORD);

	for (uint64_t i = index + 3; i <= last; i++) {
		if (is_header(words, i) && sequence_of(word_at(words, i)) == wanted)
			return i;
	}
	return 0;
}

static bool is_dataflow(const void *data, size_t bytes, bool swap)
{
	struct words words;
	uint64_t index = 1;
	unsigned records = 1;

	if (!words_open(&words, data, bytes, swap) || !is_header(&words, 1))
		return false;
	while (records < MOST_RECORDS) {
		uint64_t next = next_record(&words, index);

		if (!next)
			break;
		index = next;
		records++;
	}
	return records >= FEW_RECORDS &&
	       (records == MOST_RECORDS || words.n - index < LONGEST_RECORD);
}

bool kct_is_dataflow(const void *data, size_t bytes)
{
	return is_dataflow(data, bytes, false) || is_dataflow(data, bytes, true);
}

static bool is_made_up(const void *data, size_t bytes, bool swap)
{
	unsigned pairs, falling = 0, next_block = 0;
	struct words words;

	if (!words_open(&words, data, bytes, swap) || words.n <= FEW_RECORDS)
		return false;
	pairs = (unsigned)kct_min_u64(words.n - 1, MOST_RECORDS);
	for (uint64_t i = 1; i <= pairs; i++) {
		uint64_t now = word_at(&words, i), next = word_at(&words, i + 1);

		/* The complement of a small number. */
		if (now >> 32 != 0xffffffff || next >> 32 != 0xffffffff)
			return false;
		falling += next < now;
		next_block += now - next == 1;
	}
	return falling * 10 >= pairs * 9 && next_block * 10 >= pairs;
}

bool kct_is_made_up(const void *data, size_t bytes)
{
	return is_made_up(data, bytes, false) || is_made_up(data, bytes, true);
}
