/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode/area.h"
#include "base/fail.h"
#include "decode/words.h"

uint32_t kct_layout_record_word_bytes(const struct kct_layout *layout)
{
	if (layout->mode == KCT_MODE_CMP && layout->os == KCT_OS_LINUX)
		return sizeof(uint64_t);
	return layout->word_bytes;
}

bool kct_layout_is_swapped(const struct kct_layout *layout)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return (layout->endian == KCT_ENDIAN_BIG) != big;
}

static enum kct_access area_access(const struct kct_layout *layout, uint32_t word_bytes)
{
	if (word_bytes == sizeof(uint64_t))
		return kct_layout_is_swapped(layout) ? KCT_ACCESS_SWAPPED_8 : KCT_ACCESS_NATIVE_8;
	return kct_layout_is_swapped(layout) ? KCT_ACCESS_SWAPPED_4 : KCT_ACCESS_NATIVE_4;
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/** What the count word counts, in words. */
static uint64_t words_of_count(const struct kct_layout *layout, uint64_t count)
{
	uint64_t words;

	if (layout->mode != KCT_MODE_CMP)
		return count;
	return __builtin_mul_overflow(count, KCT_CMP_WORDS, &words) ? UINT64_MAX : words;
}

/**
 * Words that must still be free for a full area to be ruled out. In EXT and MEMORY that is the
 * longest record that is common: an EXIT may still fit where an ENTRY or an access was dropped.
 */
static uint64_t words_of_next(const struct kct_layout *layout)
{
	switch (layout->mode) {
	case KCT_MODE_CMP:
		return KCT_CMP_WORDS;
	case KCT_MODE_EXT:
		return layout->entry_words;
	case KCT_MODE_MEMORY:
		return kct_max_u64(layout->entry_words, layout->memory_words);
	case KCT_MODE_PC:
	case KCT_MODE_UNIQUE:
		break;
	}
	return 1;
}

static enum kct_overflow area_overflow(const struct kct_layout *layout,
				       const struct kct_geometry *geometry)
{
	uint64_t needed;

	if (geometry->capacity_words == 0)
		return KCT_OVERFLOW_UNKNOWN;
	needed = saturating_add(geometry->claimed_words, 1 + words_of_next(layout));
	return needed > geometry->capacity_words ? KCT_OVERFLOW_YES : KCT_OVERFLOW_NO;
}

int kct_area_init(const struct kct_layout *layout, const void *data, size_t bytes,
		  struct kct_area *ret_area, struct kct_error *error)
{
	uint32_t word_bytes = kct_layout_record_word_bytes(layout);
	uint64_t words = bytes / word_bytes;
	struct kct_geometry geometry = {0};
	enum kct_access access = area_access(layout, word_bytes);
	const unsigned char *base;

	if (words == 0 || words - 1 < layout->bitmap_words)
		return kct_fail(error, KCT_ERR_NO_COUNT,
				"%zu bytes are too short to hold the count word", bytes);
	base = (const unsigned char *)data + layout->bitmap_words * word_bytes;
	words -= layout->bitmap_words + 1;
	geometry.count = kct_word_at(base, 0, access);
	geometry.claimed_words = words_of_count(layout, geometry.count);
	geometry.used_words = kct_min_u64(geometry.claimed_words, words);
	geometry.missing_words = geometry.claimed_words - geometry.used_words;
	geometry.unused_words = words - geometry.used_words;
	geometry.tail_bytes = bytes % word_bytes;
	/* The capacity is in the kernel's own words, also where records have longer ones. */
	geometry.capacity_words = word_bytes == layout->word_bytes ? layout->capacity_words
								   : layout->capacity_words / 2;
	geometry.overflow = area_overflow(layout, &geometry);
	*ret_area = (struct kct_area){
		.base = base,
		.end = 1 + geometry.used_words,
		.access = access,
		.geometry = geometry,
	};
	return 0;
}
