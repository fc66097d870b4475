/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file area.h
 * From bytes to words: the only code that touches the raw memory of an area and
 * knows byte order and word size.
 */
#ifndef KCT_DECODE_AREA_H
#define KCT_DECODE_AREA_H

#include <string.h>

#include <kcovtrace/decoder.h>

#include "base/macros.h"

#define KCT_INLINE static inline __attribute__((always_inline))

/** How words are loaded. Passed as a constant to code that is inlined, so that one text becomes a
 *  fast loop for each. */
enum kct_access {
	KCT_ACCESS_NATIVE_8,
	KCT_ACCESS_SWAPPED_8,
	KCT_ACCESS_NATIVE_4,
	KCT_ACCESS_SWAPPED_4,
};

/** An area: its count word and what follows, as far as it is in the data. */
struct kct_area {
	const unsigned char *base; /* the count word, any alignment */
	uint64_t end;		   /* index past the last word that is claimed and in the data */
	enum kct_access access;
	struct kct_geometry geometry;
};

/** Find the area in the data. KCT_ERR_NO_COUNT; the layout must have been checked. */
int kct_area_init(const struct kct_layout *layout, const void *data, size_t bytes,
		  struct kct_area *ret_area, struct kct_error *error);

/** Bytes of a word as the layout's kernel wrote it: CMP records on Linux have 8 always. */
uint32_t kct_layout_record_word_bytes(const struct kct_layout *layout);

/** Whether the layout's byte order is not this machine's. */
bool kct_layout_is_swapped(const struct kct_layout *layout);

KCT_INLINE uint64_t kct_word_at(const unsigned char *base, uint64_t index, enum kct_access access)
{
	uint64_t word;
	uint32_t half;

	if (access == KCT_ACCESS_NATIVE_8 || access == KCT_ACCESS_SWAPPED_8) {
		memcpy(&word, base + index * sizeof(word), sizeof(word));
		return access == KCT_ACCESS_SWAPPED_8 ? __builtin_bswap64(word) : word;
	}
	memcpy(&half, base + index * sizeof(half), sizeof(half));
	return access == KCT_ACCESS_SWAPPED_4 ? __builtin_bswap32(half) : half;
}

/** One of the two 32-bit fields in an 8-byte word, in the order of the bytes. */
KCT_INLINE uint32_t kct_half_at(const unsigned char *base, uint64_t index, unsigned half,
				enum kct_access access)
{
	return (uint32_t)kct_word_at(base + half * sizeof(uint32_t), index * 2,
				     access == KCT_ACCESS_SWAPPED_8 ? KCT_ACCESS_SWAPPED_4
								    : KCT_ACCESS_NATIVE_4);
}

/** The same for code where speed does not matter. */
static inline uint64_t kct_area_word(const struct kct_area *area, uint64_t index)
{
	return kct_word_at(area->base, index, area->access);
}

#endif
