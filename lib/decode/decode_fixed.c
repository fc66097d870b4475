/* SPDX-License-Identifier: BSD-2-Clause */
/* The areas whose records all have the same length: PC, UNIQUE and CMP. */
#include "decode/decode.h"
#include "decode/words.h"

KCT_INLINE uint64_t pc_blank_end(const struct kct_area *area, uint64_t at, enum kct_access access)
{
	while (at < area->end && kct_word_at(area->base, at, access) == 0)
		at++;
	return at;
}

KCT_INLINE size_t pc_decode(struct kct_decoder *decoder, size_t max, struct kct_record *records,
			    enum kct_access access)
{
	const struct kct_area *area = &decoder->area;
	uint64_t at = decoder->at;
	size_t n = 0;

	for (; n < max && at < area->end; n++) {
		uint64_t word = kct_word_at(area->base, at, access);

		if (unlikely(word == 0)) {
			uint64_t end = pc_blank_end(area, at, access);

			kct_record_set_lost(&records[n], at, 0, end - at, KCT_LOST_UNWRITTEN);
			at = end;
			continue;
		}
		kct_record_set(&records[n], at, word, 1, KCT_RECORD_PC);
		at++;
	}
	decoder->at = at;
	return n;
}

KCT_INLINE bool cmp_is_blank(const struct kct_area *area, uint64_t at, enum kct_access access)
{
	return area->end - at >= KCT_CMP_WORDS &&
	       (kct_word_at(area->base, at, access) | kct_word_at(area->base, at + 1, access) |
		kct_word_at(area->base, at + 2, access) |
		kct_word_at(area->base, at + 3, access)) == 0;
}

KCT_INLINE void cmp_record(const struct kct_area *area, uint64_t at, struct kct_record *record,
			   enum kct_access access)
{
	uint64_t type = kct_word_at(area->base, at, access);

	kct_record_set(record, at, kct_word_at(area->base, at + 3, access), KCT_CMP_WORDS,
		       KCT_RECORD_CMP);
	if (type & ~(uint64_t)KCT_CMP_TYPE_KNOWN)
		record->flags = KCT_RECORD_ODD_BITS;
	record->cmp.type = type;
	record->cmp.arg1 = kct_word_at(area->base, at + 1, access);
	record->cmp.arg2 = kct_word_at(area->base, at + 2, access);
	record->cmp.size = kct_cmp_size(type);
	record->cmp.is_const = type & KCT_CMP_CONST;
}

KCT_INLINE size_t cmp_decode(struct kct_decoder *decoder, size_t max, struct kct_record *records,
			     enum kct_access access)
{
	const struct kct_area *area = &decoder->area;
	uint64_t at = decoder->at;
	size_t n = 0;

	while (n < max && at < area->end) {
		struct kct_record *record = &records[n++];

		if (area->end - at < KCT_CMP_WORDS) {
			kct_record_set_lost(record, at, kct_word_at(area->base, at, access),
					    area->end - at, KCT_LOST_CUT);
		} else if (unlikely(cmp_is_blank(area, at, access))) {
			uint64_t end = at + KCT_CMP_WORDS;

			while (cmp_is_blank(area, end, access))
				end += KCT_CMP_WORDS;
			kct_record_set_lost(record, at, 0, end - at, KCT_LOST_UNWRITTEN);
		} else {
			cmp_record(area, at, record, access);
		}
		at += record->words;
	}
	decoder->at = at;
	return n;
}

/* One function for each way to load a word, and the choice among them. */
#define DECODE_FUNCTION(name, ACCESS)                                          \
	static size_t name##_##ACCESS(struct kct_decoder *decoder, size_t max, \
				      struct kct_record *records)              \
	{                                                                      \
		return name(decoder, max, records, KCT_ACCESS_##ACCESS);       \
	}
#define DECODE_FUNCTIONS(name)                             \
	DECODE_FUNCTION(name, NATIVE_8)                    \
	DECODE_FUNCTION(name, SWAPPED_8)                   \
	DECODE_FUNCTION(name, NATIVE_4)                    \
	DECODE_FUNCTION(name, SWAPPED_4)                   \
	static kct_decode_fn *const name##_functions[] = { \
		[KCT_ACCESS_NATIVE_8] = name##_NATIVE_8,   \
		[KCT_ACCESS_SWAPPED_8] = name##_SWAPPED_8, \
		[KCT_ACCESS_NATIVE_4] = name##_NATIVE_4,   \
		[KCT_ACCESS_SWAPPED_4] = name##_SWAPPED_4, \
	};

DECODE_FUNCTIONS(pc_decode)
DECODE_FUNCTIONS(cmp_decode)

kct_decode_fn *kct_decode_pc_function(enum kct_access access)
{
	return pc_decode_functions[access];
}

kct_decode_fn *kct_decode_cmp_function(enum kct_access access)
{
	return cmp_decode_functions[access];
}
