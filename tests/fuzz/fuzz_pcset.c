/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file of a set of PCs. What must hold:
 * - reading ends, and asks for no more memory than the bytes can fill
 * - what is read is written again to the same bytes
 * - operations with itself come out as they must
 * The sums make it hard to get through: with a first byte other than that of the marker, the bytes
 * get the right ones before.
 */
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "base/crc32c.h"
#include "fuzz.h"

#define HEADER_BYTES 48
#define SUM_BYTES    4

static void put_little(uint8_t *at, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

static void mend(uint8_t *data, size_t bytes)
{
	struct kct_crc32c crc;

	kct_crc32c_init(&crc);
	memcpy(data, "\x89KCS\r\n\x1a\n\x08\x07\x06\x05\x04\x03\x02\x01\x01\x00", 18);
	data[18] &= 1;
	data[19] = 0;
	memset(data + 40, 0, 4);
	put_little(data + 44, kct_crc32c(&crc, 0, data, 44), 4);
	put_little(data + bytes - SUM_BYTES,
		   kct_crc32c(&crc, 0, data + HEADER_BYTES, bytes - HEADER_BYTES - SUM_BYTES), 4);
}

struct buffer {
	const uint8_t *bytes;
	size_t n, max;
};

/** Compares what is written with what was read. */
static int compare(void *context, const void *bytes, size_t n)
{
	struct buffer *buffer = context;

	FUZZ_CHECK(n <= buffer->max - buffer->n);
	FUZZ_CHECK(memcmp(buffer->bytes + buffer->n, bytes, n) == 0);
	buffer->n += n;
	return 0;
}

static uint64_t size_of(struct kct_pc_set *set)
{
	uint64_t n;

	FUZZ_CHECK(kct_pc_set_size(set, &n) == 0);
	return n;
}

static void check_operations(struct kct_pc_set *set, const uint8_t *data, size_t bytes)
{
	uint64_t n = size_of(set), traces = kct_pc_set_traces(set);
	struct kct_pc_set *copy;

	FUZZ_CHECK(kct_pc_set_read(data, bytes, &copy, NULL) == 0);
	FUZZ_CHECK(kct_pc_set_intersect(copy, set) == 0);
	FUZZ_CHECK(size_of(copy) == n);
	FUZZ_CHECK(kct_pc_set_unite(copy, set) == 0);
	FUZZ_CHECK(size_of(copy) == n);
	FUZZ_CHECK(kct_pc_set_traces(copy) >= traces);
	FUZZ_CHECK(kct_pc_set_subtract(copy, set) == 0);
	FUZZ_CHECK(size_of(copy) == 0);
	kct_pc_set_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_pc_set *set;
	struct buffer again;
	uint8_t *copy = malloc(bytes ? bytes : 1);
	struct kct_error error = {0};
	int result;

	FUZZ_CHECK(copy);
	if (bytes)
		memcpy(copy, data, bytes);
	if (bytes >= HEADER_BYTES + SUM_BYTES && data[0] != 0x89)
		mend(copy, bytes);
	result = kct_pc_set_read(copy, bytes, &set, &error);
	FUZZ_CHECK(result == 0 || error.code == result);
	if (result == 0) {
		again = (struct buffer){.bytes = copy, .max = bytes};
		FUZZ_CHECK(size_of(set) <= bytes / 2);
		FUZZ_CHECK(kct_pc_set_write(set, compare, &again) == 0);
		FUZZ_CHECK(again.n == bytes);
		FUZZ_CHECK(kct_pc_set_check(set, set, NULL) <= 0);
		check_operations(set, copy, bytes);
		kct_pc_set_free(set);
	}
	free(copy);
	return 0;
}
