/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file trace_blocks.h
 * Blocks of `.kct` files written by the numbers of docs/trace-file.md, without the
 * library: in either byte order, and wrong where a test wants it.
 */
#ifndef KCT_TESTS_TRACE_BLOCKS_H
#define KCT_TESTS_TRACE_BLOCKS_H

#include <kcovtrace/tracefile.h>

#include "area.h"

#define TYPE_META    1
#define TYPE_SEGMENT 2

/** A file that grows. */
struct bytes {
	unsigned char *data;
	size_t n;
};

static inline void bytes_add(struct bytes *bytes, const void *data, size_t n)
{
	bytes->data = realloc(bytes->data, bytes->n + n + 1);
	assert_non_null(bytes->data);
	if (n)
		memcpy(bytes->data + bytes->n, data, n);
	bytes->n += n;
}

static inline void bytes_number(struct bytes *bytes, uint64_t number, size_t width,
				enum kct_endian endian)
{
	unsigned char field[8];

	area_put(field, number, width, endian);
	bytes_add(bytes, field, width);
}

static inline void bytes_fill(struct bytes *bytes)
{
	while (bytes->n % 8)
		bytes_add(bytes, "", 1);
}

/** CRC-32C bit by bit, as RFC 3720 says it. */
static inline uint32_t plain_crc32c(const unsigned char *data, size_t n)
{
	uint32_t sum = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		sum ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum & 1 ? sum >> 1 ^ 0x82f63b78 : sum >> 1;
	}
	return ~sum;
}

/** What the header of a block says. */
struct block_plan {
	enum kct_endian endian;
	uint16_t version; /* 0: 1 */
	uint16_t type;
	uint32_t flags;
	uint64_t capture;
};

/** Append a block with this body, which is freed. */
static inline void block_add(struct bytes *file, const struct block_plan *plan, struct bytes *body)
{
	enum kct_endian endian = plan->endian;
	struct bytes header = {0};
	uint32_t sum;

	bytes_add(&header, "\x89KCT\r\n\x1a\n", 8);
	bytes_number(&header, 0x0102030405060708, 8, endian);
	bytes_number(&header, plan->version ? plan->version : 1, 2, endian);
	bytes_number(&header, plan->type, 2, endian);
	bytes_number(&header, plan->flags, 4, endian);
	bytes_number(&header, plan->capture, 8, endian);
	bytes_number(&header, body->n, 8, endian);
	bytes_number(&header, 0, 4, endian);
	assert_int_equal(header.n, 44);
	sum = plain_crc32c(header.data, header.n);
	bytes_number(&header, sum, 4, endian);
	bytes_add(file, header.data, header.n);
	bytes_add(file, body->data, body->n);
	bytes_number(file, plain_crc32c(body->data, body->n), 4, endian);
	bytes_number(file, sum, 4, endian);
	free(header.data);
	free(body->data);
}

/** The body of an item of metadata. */
static inline struct bytes meta_body(enum kct_endian endian, uint32_t type, const char *name,
				     const void *value, size_t n)
{
	struct bytes body = {0};

	bytes_number(&body, type, 4, endian);
	bytes_number(&body, strlen(name), 4, endian);
	bytes_number(&body, n, 8, endian);
	bytes_add(&body, name, strlen(name) + 1);
	bytes_fill(&body);
	bytes_add(&body, value, n);
	bytes_add(&body, "", 1);
	bytes_fill(&body);
	return body;
}

/** All fields of a segment, in the order of the file. */
struct segment_plan {
	uint32_t fields;
	uint32_t mode, os;
	unsigned area_endian, word_bytes, eesum_quirk, layout_flags;
	uint32_t entry_words, memory_words, overflow;
	uint64_t bitmap_words, capacity_words;
	uint32_t process, thread;
	uint64_t syscall, result, arguments[6], remote, begin, end;
	const char *name; /* NULL: none */
	const void *data;
	size_t bytes;
};

static inline struct bytes segment_body(enum kct_endian endian, const struct segment_plan *plan)
{
	size_t name_bytes = plan->name ? strlen(plan->name) : 0;
	size_t head = 160 + (plan->name ? (name_bytes + 8) / 8 * 8 : 0);
	struct bytes body = {0};

	bytes_number(&body, head, 4, endian);
	bytes_number(&body, plan->fields, 4, endian);
	bytes_number(&body, plan->bytes, 8, endian);
	bytes_number(&body, plan->mode, 4, endian);
	bytes_number(&body, plan->os, 4, endian);
	bytes_number(&body, plan->area_endian, 1, endian);
	bytes_number(&body, plan->word_bytes, 1, endian);
	bytes_number(&body, plan->eesum_quirk, 1, endian);
	bytes_number(&body, plan->layout_flags, 1, endian);
	bytes_number(&body, plan->entry_words, 4, endian);
	bytes_number(&body, plan->memory_words, 4, endian);
	bytes_number(&body, plan->overflow, 4, endian);
	bytes_number(&body, plan->bitmap_words, 8, endian);
	bytes_number(&body, plan->capacity_words, 8, endian);
	bytes_number(&body, plan->process, 4, endian);
	bytes_number(&body, plan->thread, 4, endian);
	bytes_number(&body, plan->syscall, 8, endian);
	bytes_number(&body, plan->result, 8, endian);
	for (size_t i = 0; i < 6; i++)
		bytes_number(&body, plan->arguments[i], 8, endian);
	bytes_number(&body, plan->remote, 8, endian);
	bytes_number(&body, plan->begin, 8, endian);
	bytes_number(&body, plan->end, 8, endian);
	bytes_number(&body, plan->name ? 160 : 0, 4, endian);
	bytes_number(&body, name_bytes, 4, endian);
	assert_int_equal(body.n, 160);
	if (plan->name)
		bytes_add(&body, plan->name, name_bytes + 1);
	bytes_fill(&body);
	bytes_add(&body, plan->data, plan->bytes);
	bytes_fill(&body);
	return body;
}

/** A small segment of mode PC: `n` PCs from TEXT(first) on; native words of 8 bytes. */
static inline void add_pcs(struct bytes *file, uint64_t capture, uint32_t thread, uint64_t first,
			   uint64_t n)
{
	struct block_plan plan = {.type = TYPE_SEGMENT, .capture = capture};
	struct segment_plan segment = {
		.fields = KCT_SEGMENT_THREAD, .thread = thread, .word_bytes = 8};
	struct bytes words = {0}, body;

	bytes_number(&words, n, 8, KCT_ENDIAN_LITTLE);
	for (uint64_t i = 0; i < n; i++)
		bytes_number(&words, TEXT(first + i), 8, KCT_ENDIAN_LITTLE);
	segment.data = words.data;
	segment.bytes = words.n;
	body = segment_body(plan.endian, &segment);
	block_add(file, &plan, &body);
	free(words.data);
}

static inline void add_text(struct bytes *file, uint64_t capture, const char *name,
			    const char *text)
{
	struct block_plan plan = {.type = TYPE_META, .capture = capture};
	struct bytes body = meta_body(plan.endian, KCT_META_TEXT, name, text, strlen(text));

	block_add(file, &plan, &body);
}

static inline struct kct_tracefile *open_bytes(const struct bytes *bytes)
{
	struct kct_tracefile *file;
	struct kct_error error;

	if (kct_tracefile_new(bytes->data, bytes->n, &file, &error) < 0)
		fail_msg("%s", error.text);
	return file;
}

static inline struct kct_tracefile_stats stats_of(const struct kct_tracefile *file)
{
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};

	assert_int_equal(kct_tracefile_stats(file, &stats), 0);
	return stats;
}

#endif
