/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathering: decode the front of the data and count what agrees with the layout. */
#include <kcovtrace/summary.h>

#include "base/fail.h"
#include "decode/area.h"
#include "decode/evidence.h"
#include "decode/words.h"

/* Enough for the rarest kinds to show up, little enough to try dozens of layouts at once. */
#define FRONT_WORDS ((uint64_t)1 << 16)
#define TAIL_WORDS  ((uint64_t)1 << 13)
#define BATCH	    64u

static bool is_kernel_pc(const struct kct_layout *layout, uint64_t pc)
{
	if (kct_classify_pc_in(layout, pc) != KCT_PC_KERNEL)
		return false;
	return layout->word_bytes == 4 || !kct_word_is_slipped_eesum(pc);
}

/** An address like its neighbour's: text of kernels that run in the lower half, or of none. */
static bool is_near(uint64_t pc, uint64_t neighbour)
{
	return kct_classify_pc(pc) == KCT_PC_USER && pc >> 32 == neighbour >> 32 && pc >> 32 != 0;
}

/**
 * Whether the words before a PC make a comparison with it: a kernel that changes the mode while it
 * records leaves them. Of 0 as a type the operands must not be 0 too: those words were not written.
 */
static bool ends_comparison(const struct kct_layout *layout, const struct kct_area *area,
			    uint64_t index)
{
	uint64_t type, arg1, arg2, size;

	if (layout->word_bytes != 8 || index < KCT_CMP_WORDS)
		return false;
	type = kct_area_word(area, index - 3);
	arg1 = kct_area_word(area, index - 2);
	arg2 = kct_area_word(area, index - 1);
	if (type > KCT_CMP_TYPE_KNOWN || (type | arg1 | arg2) == 0)
		return false;
	if (index > KCT_CMP_WORDS && !is_kernel_pc(layout, kct_area_word(area, index - 4)))
		return false;
	/* Operands of 8 bytes may be anything. */
	size = kct_cmp_size(type);
	return size == 8 || ((arg1 | arg2) >> 8 * size) == 0;
}

static void judge_pc(struct kct_evidence *evidence, const struct kct_area *area,
		     const struct kct_record *record, uint64_t neighbour)
{
	uint64_t low = record->pc & UINT32_MAX, high = record->pc >> 32;

	if (is_kernel_pc(&evidence->layout, record->pc)) {
		evidence->good++;
		if (ends_comparison(&evidence->layout, area, record->index) &&
		    evidence->embedded++ == 0)
			evidence->first_embedded = record->index - 3;
	} else if (evidence->layout.word_bytes == 8 && is_near(record->pc, neighbour)) {
		evidence->weak++;
	} else {
		evidence->bad++;
	}
	if (evidence->layout.word_bytes != 8)
		return;
	evidence->tagged += kct_word_type(record->pc) <= KCT_WORD_EXIT &&
			    kct_word_is_head(record->pc) && high >> 24 <= 0x10;
	evidence->halves += kct_is_text_32(low) && kct_is_text_32(high);
	if (record->index % KCT_CMP_WORDS == 1) {
		evidence->cmp_places++;
		evidence->cmp_types += record->pc <= KCT_CMP_TYPE_KNOWN;
	}
}

static void judge_cmp(struct kct_evidence *evidence, const struct kct_record *record)
{
	bool fits = !(record->flags & KCT_RECORD_ODD_BITS) &&
		    is_kernel_pc(&evidence->layout, record->pc) &&
		    kct_cmp_operand(record, record->cmp.arg1) == record->cmp.arg1 &&
		    kct_cmp_operand(record, record->cmp.arg2) == record->cmp.arg2;

	if (fits)
		evidence->good += record->words;
	else
		evidence->bad += record->words;
}

/** Whether a word behind the known fields is the start of the record that follows in truth. */
static bool memory_eats(const struct kct_area *area, const struct kct_record *record)
{
	/* Word 4 is the value: it may be any address when the record says that it is valid. */
	uint64_t first = record->memory.flags & KCT_MEMORY_VALUE ? 5 : 4;

	for (uint64_t i = first; i < record->words; i++) {
		if (kct_word_is_head(kct_area_word(area, record->index + i)))
			return true;
	}
	return false;
}

static void judge_lost(struct kct_evidence *evidence, const struct kct_record *record)
{
	switch (record->lost.reason) {
	case KCT_LOST_UNWRITTEN:
		evidence->unwritten += record->words;
		break;
	case KCT_LOST_CUT:
	case KCT_LOST_MISSING:
		break;
	case KCT_LOST_BAD_CALLER:
		evidence->bad_callers += record->words;
		/* fallthrough */
	default:
		evidence->bad += record->words;
	}
}

static void judge_tagged(struct kct_evidence *evidence, const struct kct_area *area,
			 const struct kct_record *record, unsigned previous)
{
	if (record->kind == KCT_RECORD_MEMORY) {
		evidence->values += (record->memory.flags & KCT_MEMORY_VALUE) != 0;
		evidence->eaten += memory_eats(area, record);
	}
	evidence->entry_then_pc += record->kind == KCT_RECORD_PC && previous == KCT_RECORD_ENTRY;
	if (record->flags & KCT_RECORD_SUSPECT)
		evidence->weak++;
	else if (record->kind == KCT_RECORD_UNKNOWN ||
		 record->flags & (KCT_RECORD_ODD_BITS | KCT_RECORD_INVALID))
		evidence->bad += record->words;
	else
		evidence->good += record->words;
}

static bool is_no_record(const struct kct_record *record)
{
	return record->kind == KCT_RECORD_UNKNOWN ||
	       (record->kind == KCT_RECORD_LOST && record->lost.reason != KCT_LOST_CUT &&
		record->lost.reason != KCT_LOST_MISSING);
}

static void judge(struct kct_evidence *evidence, const struct kct_area *area,
		  const struct kct_record *record, const struct kct_record *previous)
{
	evidence->records[record->kind]++;
	evidence->trailed += previous->kind == KCT_RECORD_MEMORY && is_no_record(record);
	if (record->kind == KCT_RECORD_LOST) {
		judge_lost(evidence, record);
		return;
	}
	evidence->judged++;
	if (record->kind == KCT_RECORD_CMP)
		judge_cmp(evidence, record);
	else if (evidence->layout.mode == KCT_MODE_PC || evidence->layout.mode == KCT_MODE_UNIQUE)
		judge_pc(evidence, area, record, previous->pc);
	else
		judge_tagged(evidence, area, record, previous->kind);
}

static bool tail_is_zero(const struct kct_area *area)
{
	uint64_t end = area->end + kct_min_u64(area->geometry.unused_words, TAIL_WORDS);

	for (uint64_t i = area->end; i < end; i++) {
		if (kct_area_word(area, i) != 0)
			return false;
	}
	return true;
}

/** Whether a count stands before word `at`, PCs follow up to what it claims, and then the end or zeros.
 *  Words count from the start of the data here. */
static bool begins_area(const struct kct_layout *layout, const struct kct_area *all, uint64_t at,
			uint64_t words)
{
	uint64_t count = kct_area_word(all, at), left = words - at - 1;

	return count != 0 && count <= left && is_kernel_pc(layout, kct_area_word(all, at + 1)) &&
	       is_kernel_pc(layout, kct_area_word(all, at + 1 + count / 2)) &&
	       is_kernel_pc(layout, kct_area_word(all, at + count)) &&
	       (count == left || kct_area_word(all, at + 1 + count) == 0);
}

/** Of a count that claims too much: whether a bitmap was taken for an area, or PCs for a bitmap. */
static void find_bitmap(struct kct_evidence *evidence, const void *data, size_t bytes,
			enum kct_access access)
{
	const struct kct_layout *layout = &evidence->layout;
	struct kct_area all = {.base = data, .access = access};
	uint64_t words = bytes / kct_layout_record_word_bytes(layout);
	uint64_t end = kct_min_u64(words, FRONT_WORDS);

	if (evidence->geometry.missing_words == 0 ||
	    (layout->mode != KCT_MODE_PC && layout->mode != KCT_MODE_UNIQUE))
		return;
	for (uint64_t at = 0; at + 1 < end && !evidence->has_bitmap; at++) {
		if (at == layout->bitmap_words || !begins_area(layout, &all, at, words))
			continue;
		evidence->has_bitmap = true;
		evidence->bitmap_words = at;
	}
}

int kct_evidence_gather(const struct kct_layout *layout, const void *data, size_t bytes,
			struct kct_evidence *ret_evidence, struct kct_error *error)
{
	struct kct_record records[BATCH], previous = {.kind = KCT_RECORD_KINDS};
	struct kct_evidence evidence = {0};
	struct kct_decoder *decoder;
	struct kct_area area;
	uint64_t front;
	size_t n;
	int result = kct_layout_check(layout, error);

	if (result < 0)
		return result;
	result = kct_area_init(layout, data, bytes, &area, error);
	if (result < 0)
		return result;
	evidence.layout = *layout;
	/* The bitmap is in the data, so this is far from overflowing. */
	front = (layout->bitmap_words + FRONT_WORDS) * kct_layout_record_word_bytes(layout);
	result = kct_decoder_new(layout, data, (size_t)kct_min_u64(bytes, front), 0, &decoder,
				 error);
	if (result < 0)
		return result;
	while (kct_decoder_batch(decoder, BATCH, records, &n, NULL) > 0) {
		for (size_t i = 0; i < n; i++) {
			judge(&evidence, &area, &records[i], &previous);
			previous = records[i];
		}
	}
	kct_decoder_free(decoder);
	evidence.geometry = area.geometry;
	evidence.is_front = area.end > FRONT_WORDS;
	evidence.is_filled = area.end > 1 && kct_area_word(&area, 1) == evidence.geometry.count;
	evidence.zero_tail = tail_is_zero(&area);
	find_bitmap(&evidence, data, bytes, area.access);
	*ret_evidence = evidence;
	return 0;
}
