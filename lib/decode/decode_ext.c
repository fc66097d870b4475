/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of EXT and MEMORY areas. Every function of the form ext_*() stores
 * the record that starts at a word and sets its length; a word that starts none
 * is an element of one word, so that the next word gets its chance: records are
 * right again at the latest when the longest record that a damaged word can
 * pretend to be has ended.
 */
#include "decode/decode.h"
#include "decode/words.h"

/** The place that is being decoded. */
struct ext_place {
	const struct kct_decoder *decoder;
	const unsigned char *base;
	uint64_t at;
	uint64_t end;
	uint64_t word; /* the word at `at` */
};

static void ext_lost(const struct ext_place *place, uint64_t words, enum kct_lost_reason reason,
		     struct kct_record *record)
{
	kct_record_set_lost(record, place->at, place->word, words, reason);
}

static bool ext_in_sections(const struct ext_place *place)
{
	return place->decoder->flags & KCT_DECODE_SECTIONS;
}

/** Whether a word begins a record with a PC that is near another one, as all of a kernel are. */
static bool ext_is_head_near(uint64_t word, uint64_t pc)
{
	return kct_word_is_head(word) && (kct_word_address(word) ^ pc) >> 32 == 0;
}

KCT_INLINE void ext_entry(const struct ext_place *place, struct kct_record *record,
			  enum kct_access access)
{
	uint64_t pc = kct_word_address(place->word);
	uint64_t words = place->decoder->layout.entry_words;
	uint64_t caller = 0;

	/*
	 * Only this word. If it is the PC of an entry whose caller has been written, the caller
	 * becomes a PC record: an address that did run. The other reading loses more: a PC that
	 * has not been written looks the same, and taking two words would drop the good record
	 * behind each. Nor do kernels write the caller first.
	 */
	if (kct_word_is_blank(place->word)) {
		ext_lost(place, 1, KCT_LOST_UNWRITTEN, record);
		return;
	}
	if (!kct_is_text(pc)) {
		ext_lost(place, 1, KCT_LOST_BAD_PC, record);
		return;
	}
	if (words == 2) {
		if (place->end - place->at < 2) {
			ext_lost(place, 1, KCT_LOST_CUT, record);
			return;
		}
		caller = kct_word_at(place->base, place->at + 1, access);
		if (caller == 0) {
			ext_lost(place, 2, KCT_LOST_UNWRITTEN, record);
			return;
		}
		if (!kct_is_text(caller)) {
			ext_lost(place, 1,
				 ext_in_sections(place) && kct_word_is_head(caller)
					 ? KCT_LOST_CUT
					 : KCT_LOST_BAD_CALLER,
				 record);
			return;
		}
	}
	kct_record_set(record, place->at, pc, words, KCT_RECORD_ENTRY);
	record->entry.caller = caller;
}

KCT_INLINE void ext_exit(const struct ext_place *place, struct kct_record *record)
{
	uint64_t pc = kct_word_address(place->word);

	if (kct_is_text(pc))
		kct_record_set(record, place->at, pc, 1, KCT_RECORD_EXIT);
	else
		ext_lost(place, 1, KCT_LOST_BAD_PC, record);
}

/** `known` are the bits with a meaning; others are kept by keeping the word. */
static void ext_set_odd(const struct ext_place *place, uint64_t known, struct kct_record *record)
{
	if (place->word & KCT_BODY_MASK & ~known) {
		record->flags |= KCT_RECORD_ODD_BITS;
		record->pc = place->word;
	}
}

static void ext_eesum(const struct ext_place *place, struct kct_record *record)
{
	kct_record_set(record, place->at, 0, 1, KCT_RECORD_EESUM);
	record->eesum.delta = kct_eesum_delta(place->word);
	record->eesum.min = kct_eesum_min(place->word);
	/* The way starts at 0 and ends at the delta: its lowest point is above neither. */
	if (record->eesum.min > 0 || record->eesum.delta < record->eesum.min)
		record->flags |= KCT_RECORD_INVALID;
	if (record->eesum.delta == KCT_EESUM_LIMIT || record->eesum.min == KCT_EESUM_LIMIT)
		record->flags |= KCT_RECORD_SATURATED;
}

/**
 * How many words a memory record has before one that begins another record; all it should have if
 * there is none. Where any address may stand, plain PCs do not count as such.
 */
static uint64_t ext_uncut_words(const struct ext_place *place, uint64_t words,
				enum kct_access access)
{
	uint64_t pc = kct_word_address(place->word), n;
	uint32_t flags = 0;

	for (n = 1; n < words; n++) {
		uint64_t word = kct_word_at(place->base, place->at + n, access);
		bool is_address = n == 1 || (n == 4 && flags & KCT_MEMORY_VALUE);

		if (ext_is_head_near(word, pc) &&
		    !(is_address && kct_word_type(word) == KCT_WORD_NORMAL))
			break;
		if (n == 2)
			flags = kct_half_at(place->base, place->at + n, 1, access);
	}
	return n;
}

KCT_INLINE void ext_memory(const struct ext_place *place, struct kct_record *record,
			   enum kct_access access)
{
	uint64_t words = place->decoder->layout.memory_words;
	uint64_t left = place->end - place->at;
	uint64_t pc = kct_word_address(place->word);
	uint32_t size = 0, flags = 0;

	if (unlikely(ext_in_sections(place)) && kct_is_text(pc)) {
		uint64_t uncut = ext_uncut_words(place, kct_min_u64(words, left), access);

		if (uncut < kct_min_u64(words, left)) {
			ext_lost(place, uncut, KCT_LOST_CUT, record);
			return;
		}
	}
	if (left > 2) {
		size = kct_half_at(place->base, place->at + 2, 0, access);
		flags = kct_half_at(place->base, place->at + 2, 1, access);
	}
	if (!kct_is_text(pc) || size > KCT_MEMORY_MAX_SIZE || flags >= KCT_MEMORY_MAX_FLAGS) {
		ext_lost(place, 1, KCT_LOST_BAD_MEMORY, record);
		return;
	}
	if (left < words) {
		ext_lost(place, left, KCT_LOST_CUT, record);
		return;
	}
	kct_record_set(record, place->at, pc, words, KCT_RECORD_MEMORY);
	record->memory.addr = kct_word_at(place->base, place->at + 1, access);
	record->memory.size = size;
	record->memory.flags = flags;
	record->memory.time = kct_word_at(place->base, place->at + 3, access);
	if (words > KCT_MEMORY_MIN_WORDS)
		record->memory.value = kct_word_at(place->base, place->at + 4, access);
	if (flags & ~(uint32_t)KCT_MEMORY_KNOWN)
		record->flags |= KCT_RECORD_ODD_BITS;
}

static void ext_delay(const struct ext_place *place, enum kct_record_kind kind, uint64_t known,
		      struct kct_record *record)
{
	kct_record_set(record, place->at, 0, 1, kind);
	record->delay.bit = (uint16_t)(place->word & KCT_DELAY_BIT_MASK);
	record->delay.timeout = (place->word & known & KCT_WAIT_TIMEOUT) != 0;
	ext_set_odd(place, known, record);
}

static void ext_unknown(const struct ext_place *place, struct kct_record *record)
{
	kct_record_set(record, place->at, place->word, 1, KCT_RECORD_UNKNOWN);
}

/** A word of type NORMAL that is no PC. */
static void ext_odd_normal(const struct ext_place *place, struct kct_record *record)
{
	if (!kct_word_is_slipped_eesum(place->word)) {
		ext_lost(place, 1, KCT_LOST_BAD_PC, record);
	} else if (place->decoder->layout.eesum_quirk == KCT_EESUM_SIGN_EXTENDED) {
		ext_eesum(place, record);
	} else {
		ext_unknown(place, record);
		record->flags |= KCT_RECORD_SUSPECT;
	}
}

/** Everything but a plain PC. */
KCT_INLINE void ext_tagged(const struct ext_place *place, struct kct_record *record,
			   enum kct_access access)
{
	switch (kct_word_type(place->word)) {
	case KCT_WORD_ENTRY:
		ext_entry(place, record, access);
		break;
	case KCT_WORD_EXIT:
		ext_exit(place, record);
		break;
	case KCT_WORD_EESUM:
		ext_eesum(place, record);
		ext_set_odd(place, KCT_EESUM_KNOWN, record);
		/* No kernel sets them, but damage does, and what follows from such a word, thousands
		 * of frames opened or closed, lasts to the end of the trace. */
		if (record->flags & KCT_RECORD_ODD_BITS)
			record->flags |= KCT_RECORD_INVALID;
		break;
	case KCT_WORD_MEMORY:
		if (place->decoder->layout.mode == KCT_MODE_MEMORY)
			ext_memory(place, record, access);
		else
			ext_unknown(place, record);
		break;
	case KCT_WORD_WAIT:
		ext_delay(place, KCT_RECORD_WAIT, KCT_DELAY_BIT_MASK | KCT_WAIT_TIMEOUT, record);
		break;
	case KCT_WORD_WAKE:
		ext_delay(place, KCT_RECORD_WAKE, KCT_DELAY_BIT_MASK, record);
		break;
	case KCT_WORD_NORMAL:
		ext_odd_normal(place, record);
		break;
	default:
		ext_unknown(place, record);
	}
}

/** Make one element of LOST elements in a row that have the same reason. */
static void ext_merge_lost(const struct ext_place *lost, struct kct_record *record)
{
	struct ext_place place = *lost;
	struct kct_record next;

	for (;;) {
		place.at = record->index + record->words;
		if (place.at >= place.end)
			break;
		place.word = kct_area_word(&place.decoder->area, place.at);
		if (kct_is_text(place.word))
			break;
		if (place.decoder->area.access == KCT_ACCESS_NATIVE_8)
			ext_tagged(&place, &next, KCT_ACCESS_NATIVE_8);
		else
			ext_tagged(&place, &next, KCT_ACCESS_SWAPPED_8);
		if (next.kind != KCT_RECORD_LOST || next.lost.reason != record->lost.reason)
			break;
		record->words += next.words;
	}
}

/** Index past the PCs in a row from `at` on. One comparison a word. */
KCT_INLINE uint64_t ext_run_end(const unsigned char *base, uint64_t at, uint64_t end,
				enum kct_access access)
{
	/* The length, with the word before, must fit kct_record.count. */
	end = kct_min_u64(end, at + UINT32_MAX - 1);
	for (; end - at >= 4; at += 4) {
		/* Without a branch between them. */
		int texts = (int)kct_is_text(kct_word_at(base, at, access)) &
			    (int)kct_is_text(kct_word_at(base, at + 1, access)) &
			    (int)kct_is_text(kct_word_at(base, at + 2, access)) &
			    (int)kct_is_text(kct_word_at(base, at + 3, access));

		if (!texts)
			break;
	}
	while (at < end && kct_is_text(kct_word_at(base, at, access)))
		at++;
	return at;
}

KCT_INLINE size_t ext_decode(struct kct_decoder *decoder, size_t max, struct kct_record *records,
			     enum kct_access access)
{
	/* In variables of which nobody has the address, so that stores to records spare them. */
	const unsigned char *base = decoder->area.base;
	uint64_t at = decoder->at, end = decoder->area.end;
	bool runs = decoder->flags & KCT_DECODE_PC_RUNS;
	size_t n = 0;

	while (n < max && at < end) {
		struct kct_record *record = &records[n++];
		uint64_t word = kct_word_at(base, at, access);

		if (likely(kct_is_text(word))) {
			uint64_t next = runs ? ext_run_end(base, at + 1, end, access) : at + 1;

			kct_record_set(record, at, word, next - at, KCT_RECORD_PC);
			record->count = (uint32_t)(next - at);
			at = next;
		} else {
			struct ext_place place = {decoder, base, at, end, word};

			ext_tagged(&place, record, access);
			if (unlikely(record->kind == KCT_RECORD_LOST))
				ext_merge_lost(&place, record);
			at += record->words;
		}
	}
	decoder->at = at;
	return n;
}

static size_t ext_decode_native(struct kct_decoder *decoder, size_t max, struct kct_record *records)
{
	return ext_decode(decoder, max, records, KCT_ACCESS_NATIVE_8);
}

static size_t ext_decode_swapped(struct kct_decoder *decoder, size_t max,
				 struct kct_record *records)
{
	return ext_decode(decoder, max, records, KCT_ACCESS_SWAPPED_8);
}

kct_decode_fn *kct_decode_ext_function(enum kct_access access)
{
	/* A checked layout has words of 8 bytes here: the type is in their top bits. */
	return access == KCT_ACCESS_NATIVE_8 ? ext_decode_native : ext_decode_swapped;
}
