/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file form.h
 * Where things are in a `.kct` file: the only code that knows it. For readers
 * and writers; docs/trace-file.md is the description for others.
 */
#ifndef KCT_TRACE_FORM_H
#define KCT_TRACE_FORM_H

#include <string.h>

#include "base/crc32c.h"
#include "base/macros.h"

/* Looks the same in both byte orders, is no text and does not survive a change of line ends. */
#define KCT_MARKER	 "\x89KCT\r\n\x1a\n"
#define KCT_MARKER_BYTES ((size_t)8)

#define KCT_BYTE_ORDER_MARK 0x0102030405060708u
#define KCT_FORM_VERSION    1

enum kct_block_type {
	KCT_BLOCK_META = 1,
	KCT_BLOCK_SEGMENT = 2,
};

/* Flags of a block. A reader that does not know one of the upper half cannot read the block. */
#define KCT_BLOCK_KNOWN_FLAGS 0u
#define KCT_BLOCK_MUST_KNOW   0xffff0000u

/* A block: header, body, trailer. Offsets in the header: */
enum kct_header_at {
	KCT_HEADER_MARKER = 0,	    /* 8 bytes */
	KCT_HEADER_ORDER = 8,	    /* u64 */
	KCT_HEADER_VERSION = 16,    /* u16 */
	KCT_HEADER_TYPE = 18,	    /* u16 */
	KCT_HEADER_FLAGS = 20,	    /* u32 */
	KCT_HEADER_CAPTURE = 24,    /* u64 */
	KCT_HEADER_BODY_BYTES = 32, /* u64, a multiple of 8 */
	KCT_HEADER_RESERVED = 40,   /* u32, 0 */
	KCT_HEADER_SUM = 44,	    /* u32, CRC-32C of the 44 bytes before */
	KCT_HEADER_BYTES = 48
};

/* Offsets in the trailer: */
enum kct_trailer_at {
	KCT_TRAILER_BODY_SUM = 0,   /* u32, CRC-32C of the body */
	KCT_TRAILER_HEADER_SUM = 4, /* u32, as in the header */
	KCT_TRAILER_BYTES = 8
};

/* Offsets in the body of a segment: */
enum kct_segment_at {
	KCT_SEGMENT_AT_HEAD_BYTES = 0,	    /* u32: where the data begins; a multiple of 8 */
	KCT_SEGMENT_AT_FIELDS = 4,	    /* u32 */
	KCT_SEGMENT_AT_DATA_BYTES = 8,	    /* u64 */
	KCT_SEGMENT_AT_MODE = 16,	    /* u32 */
	KCT_SEGMENT_AT_OS = 20,		    /* u32 */
	KCT_SEGMENT_AT_ENDIAN = 24,	    /* u8 */
	KCT_SEGMENT_AT_WORD_BYTES = 25,	    /* u8 */
	KCT_SEGMENT_AT_EESUM_QUIRK = 26,    /* u8 */
	KCT_SEGMENT_AT_LAYOUT_FLAGS = 27,   /* u8 */
	KCT_SEGMENT_AT_ENTRY_WORDS = 28,    /* u32 */
	KCT_SEGMENT_AT_MEMORY_WORDS = 32,   /* u32 */
	KCT_SEGMENT_AT_OVERFLOW = 36,	    /* u32 */
	KCT_SEGMENT_AT_BITMAP_WORDS = 40,   /* u64 */
	KCT_SEGMENT_AT_CAPACITY_WORDS = 48, /* u64 */
	KCT_SEGMENT_AT_PROCESS = 56,	    /* u32 */
	KCT_SEGMENT_AT_THREAD = 60,	    /* u32 */
	KCT_SEGMENT_AT_SYSCALL = 64,	    /* i64 */
	KCT_SEGMENT_AT_RESULT = 72,	    /* i64 */
	KCT_SEGMENT_AT_ARGUMENTS = 80,	    /* 6 x u64 */
	KCT_SEGMENT_AT_REMOTE = 128,	    /* u64 */
	KCT_SEGMENT_AT_BEGIN = 136,	    /* u64 */
	KCT_SEGMENT_AT_END = 144,	    /* u64 */
	KCT_SEGMENT_AT_NAME_OFFSET = 152,   /* u32, 0: none */
	KCT_SEGMENT_AT_NAME_BYTES = 156,    /* u32, without the NUL that must follow */
	KCT_SEGMENT_HEAD_BYTES = 160
};

#define KCT_LAYOUT_SLID	       1u /* the only bit of LAYOUT_FLAGS */
#define KCT_SEGMENT_ARGUMENTS  6
#define KCT_LAYOUT_KNOWN_FLAGS KCT_LAYOUT_SLID

/* Offsets in the body of an item of metadata: */
enum kct_meta_at {
	KCT_META_AT_TYPE = 0,	     /* u32 */
	KCT_META_AT_NAME_BYTES = 4,  /* u32, without the NUL */
	KCT_META_AT_VALUE_BYTES = 8, /* u64, without the NUL */
	KCT_META_HEAD_BYTES = 16 /* the name with its NUL, filled up to 8 bytes; the value too */
};

/** Up to the next multiple of 8. The caller has checked that it fits. */
static inline size_t kct_form_round(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static inline uint64_t kct_form_u64(const unsigned char *at, bool swapped)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return swapped ? __builtin_bswap64(number) : number;
}

static inline uint32_t kct_form_u32(const unsigned char *at, bool swapped)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return swapped ? __builtin_bswap32(number) : number;
}

static inline uint16_t kct_form_u16(const unsigned char *at, bool swapped)
{
	uint16_t number;

	memcpy(&number, at, sizeof(number));
	return swapped ? __builtin_bswap16(number) : number;
}

/* Writers use the byte order of their machine. */
static inline void kct_form_put_u64(unsigned char *at, uint64_t number)
{
	memcpy(at, &number, sizeof(number));
}

static inline void kct_form_put_u32(unsigned char *at, uint32_t number)
{
	memcpy(at, &number, sizeof(number));
}

static inline void kct_form_put_u16(unsigned char *at, uint16_t number)
{
	memcpy(at, &number, sizeof(number));
}

#endif
