/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file words.h
 * What the bits of a word mean. No other file knows a mask or a bit position
 * of the record formats.
 */
#ifndef KCT_DECODE_WORDS_H
#define KCT_DECODE_WORDS_H

#include <kcovtrace/record.h>

#include "base/macros.h"

/** Types of EXT and MEMORY records: the top four bits of their first word. */
enum kct_word_type {
	KCT_WORD_ENTRY = 0x0,
	KCT_WORD_EXIT = 0x1,
	KCT_WORD_EESUM = 0x2,
	KCT_WORD_MEMORY = 0x3,
	KCT_WORD_WAIT = 0x4,
	KCT_WORD_WAKE = 0x5,
	KCT_WORD_NORMAL = 0xf, /* a PC as it is: kernel text starts with 0xf */
};

#define KCT_WORD_TYPE_SHIFT 60
#define KCT_ADDRESS_MASK    0x00ffffffffffffffu
#define KCT_ADDRESS_TOP	    0xff00000000000000u

/* Every architecture that can use EXT has its kernel text in here: 0xfff... up to the last 16 MiB,
 * which hold no text and are where sign-extended EESUM words land. */
#define KCT_TEXT_FIRST 0xfff0000000000000u
#define KCT_TEXT_END   0xffffffffff000000u

/* Text of 32-bit kernels: the upper half, without the last page, where errors are. */
#define KCT_TEXT_FIRST_32 0x80000000u
#define KCT_TEXT_END_32	  0xfffff000u

#define KCT_EESUM_KNOWN	   0x00000000ffffffffu
#define KCT_EESUM_LIMIT	   INT16_MIN /* of the kernel's counters; no stack is that deep */
#define KCT_WAIT_TIMEOUT   0x0010000000000000u
#define KCT_DELAY_BIT_MASK 0x000000000000ffffu
#define KCT_BODY_MASK	   0x0fffffffffffffffu /* all but the type */

#define KCT_CMP_CONST	   0x1u
#define KCT_CMP_TYPE_KNOWN 0x7u
#define KCT_CMP_WORDS	   4u

/* A size or flags field beyond these is no memory access but a misread PC. */
#define KCT_MEMORY_MAX_SIZE  0x80000000u
#define KCT_MEMORY_MAX_FLAGS 0xfff00000u
#define KCT_MEMORY_MIN_WORDS 4u

static inline unsigned kct_word_type(uint64_t word)
{
	return word >> KCT_WORD_TYPE_SHIFT;
}

/** The address in a tagged word: its top byte is the type's. */
static inline uint64_t kct_word_address(uint64_t word)
{
	return word | KCT_ADDRESS_TOP;
}

/** Whether nothing but a type is in the word: 0, or a record that was never filled in. */
static inline bool kct_word_is_blank(uint64_t word)
{
	return (word & KCT_ADDRESS_MASK) == 0;
}

/** Whether a full address can be kernel text; one comparison. */
static inline bool kct_is_text(uint64_t address)
{
	return address - KCT_TEXT_FIRST < KCT_TEXT_END - KCT_TEXT_FIRST;
}

/** The same for a kernel with 32 bits. */
static inline bool kct_is_text_32(uint64_t address)
{
	return address >= KCT_TEXT_FIRST_32 && address < KCT_TEXT_END_32;
}

/** Whether a word can be an EESUM whose negative lowest point spilled over the type bits. */
static inline bool kct_word_is_slipped_eesum(uint64_t word)
{
	return word >= KCT_TEXT_END;
}

static inline int32_t kct_eesum_delta(uint64_t word)
{
	return (int16_t)(uint16_t)word;
}

static inline int32_t kct_eesum_min(uint64_t word)
{
	return (int16_t)(uint16_t)(word >> 16);
}

/** Whether a word can be the first of an EXT or MEMORY record with a PC. */
static inline bool kct_word_is_head(uint64_t word)
{
	switch (kct_word_type(word)) {
	case KCT_WORD_ENTRY:
	case KCT_WORD_EXIT:
	case KCT_WORD_MEMORY:
		return kct_is_text(kct_word_address(word));
	case KCT_WORD_NORMAL:
		return kct_is_text(word);
	default:
		return false;
	}
}

/** Operand bytes of a comparison's type word: 1, 2, 4 or 8. */
static inline uint8_t kct_cmp_size(uint64_t type)
{
	return (uint8_t)(1u << (type >> 1 & 3));
}

#endif
