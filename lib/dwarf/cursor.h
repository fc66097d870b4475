/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cursor.h
 * Reading numbers and strings from untrusted bytes. Past the end everything
 * reads as 0 and `bad` is set for good, so a reader checks once, at the end of
 * what belongs together.
 */
#ifndef KCT_DWARF_CURSOR_H
#define KCT_DWARF_CURSOR_H

#include <string.h>

#include "base/macros.h"

struct kct_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool big; /* byte order of the data */
	bool bad; /* something was read past the end */
};

static inline size_t kct_cursor_left(const struct kct_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/** Step over `bytes` bytes; the place where they start, or NULL if there are fewer. */
static inline const uint8_t *kct_cursor_skip(struct kct_cursor *c, uint64_t bytes)
{
	const uint8_t *start = c->at;

	/* A section that is not there has no place either. */
	if (unlikely(bytes > kct_cursor_left(c) || !start)) {
		c->bad = true;
		c->at = c->end;
		return NULL;
	}
	c->at += bytes;
	return start;
}

/** An unsigned number of 1 to 8 bytes. */
static inline uint64_t kct_cursor_uint(struct kct_cursor *c, unsigned bytes)
{
	const uint8_t *from = kct_cursor_skip(c, bytes);
	uint64_t value = 0;

	if (unlikely(!from))
		return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (likely(!c->big && bytes <= 8)) {
		switch (bytes) {
		case 1:
			return *from;
		case 4:
			memcpy(&value, from, 4);
			return value;
		case 8:
			memcpy(&value, from, 8);
			return value;
		default:
			memcpy(&value, from, bytes);
			return value;
		}
	}
#endif
	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | from[c->big ? i : bytes - 1 - i];
	return value;
}

static inline uint8_t kct_cursor_u8(struct kct_cursor *c)
{
	if (unlikely(c->at == c->end)) {
		c->bad = true;
		return 0;
	}
	return *c->at++;
}

/** The groups of a LEB128 number, `*ret_shift` bits, bits above 63 dropped; returns its last byte. */
static inline uint8_t kct_cursor_leb(struct kct_cursor *c, uint64_t *ret_value, unsigned *ret_shift)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = kct_cursor_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*ret_value = value;
	*ret_shift = shift;
	return byte;
}

/** ULEB128; bits above 63 are dropped. */
static inline uint64_t kct_cursor_uleb(struct kct_cursor *c)
{
	uint64_t value;
	unsigned shift;

	if (likely(c->at < c->end && *c->at < 0x80))
		return *c->at++;
	kct_cursor_leb(c, &value, &shift);
	return value;
}

/** SLEB128; bits above 63 are dropped. */
static inline int64_t kct_cursor_sleb(struct kct_cursor *c)
{
	uint64_t value;
	unsigned shift;

	if (kct_cursor_leb(c, &value, &shift) & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/** A string with its NUL, in place; "" when there is no NUL before the end. */
static inline const char *kct_cursor_string(struct kct_cursor *c)
{
	const uint8_t *start = c->at;
	const uint8_t *nul = memchr(start, 0, kct_cursor_left(c));

	if (!nul) {
		c->bad = true;
		c->at = c->end;
		return "";
	}
	c->at = nul + 1;
	return (const char *)start;
}

#endif
