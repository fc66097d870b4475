/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file area.h
 * Areas for tests, built from words: in either byte order and word size.
 */
#ifndef KCT_TESTS_AREA_H
#define KCT_TESTS_AREA_H

#include <kcovtrace/decoder.h>

#include "check.h"
#include "encoder.h"

/* A place in kernel text, and the words that the kernel writes for it. */
#define TEXT(offset)  (0xffffffff81000000u + (offset))
#define ENTRY(offset) (TEXT(offset) & 0x00ffffffffffffffu)
#define EXIT(offset)  (ENTRY(offset) | 0x1000000000000000u)
#define MEM(offset)   (ENTRY(offset) | 0x3000000000000000u)

/** Store a number of `bytes` bytes in a byte order, without help of the library. */
static inline void area_put(unsigned char *to, uint64_t number, size_t bytes,
			    enum kct_endian endian)
{
	enc_put(to, number, bytes, endian);
}

/** The bytes of `n` words; free() them. */
static inline unsigned char *area_bytes(const uint64_t *words, size_t n, size_t word_bytes,
					enum kct_endian endian)
{
	unsigned char *bytes = malloc(n * word_bytes + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < n; i++)
		area_put(bytes + i * word_bytes, words[i], word_bytes, endian);
	return bytes;
}

static inline struct kct_layout area_layout(const char *spec)
{
	struct kct_layout layout;
	struct kct_error error;

	if (kct_layout_parse(spec, &layout, &error) < 0)
		fail_msg("layout '%s': %s", spec, error.text);
	return layout;
}

/** Decode all records of an area; free() them. Checks that they follow each other. */
static inline struct kct_record *area_decode_flags(const struct kct_layout *layout,
						   const void *data, size_t bytes, unsigned flags,
						   size_t *ret_n)
{
	struct kct_record *records = NULL;
	struct kct_decoder *decoder;
	size_t n = 0, max = 0;
	uint64_t at = 1;
	int result;

	assert_int_equal(kct_decoder_new(layout, data, bytes, flags, &decoder, NULL), 0);
	do {
		if (n == max) {
			max = max ? max * 2 : 64;
			records = realloc(records, max * sizeof(*records));
			assert_non_null(records);
		}
		result = kct_decoder_next(decoder, &records[n], NULL);
		if (result > 0) {
			assert_int_equal(records[n].index, at);
			at += records[n++].words;
		}
	} while (result > 0);
	assert_int_equal(result, 0);
	kct_decoder_free(decoder);
	*ret_n = n;
	return records;
}

static inline struct kct_record *area_decode(const struct kct_layout *layout, const void *data,
					     size_t bytes, size_t *ret_n)
{
	return area_decode_flags(layout, data, bytes, 0, ret_n);
}

/** A whole file named NAME in the directory $KCT_TRACES; NULL, with a message, without it. */
static inline unsigned char *area_read_trace(const char *name, size_t *ret_bytes)
{
	const char *directory = getenv("KCT_TRACES");
	unsigned char *bytes;
	char path[4096];
	FILE *file;
	long size;

	snprintf(path, sizeof(path), "%s/%s", directory ? directory : "", name);
	file = directory ? fopen(path, "rb") : NULL;
	if (!file) {
		printf("SKIP: there is no trace %s in $KCT_TRACES\n", name);
		return NULL;
	}
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_true(size > 0);
	rewind(file);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	*ret_bytes = (size_t)size;
	return bytes;
}

#endif
