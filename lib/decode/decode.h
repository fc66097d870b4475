/* SPDX-License-Identifier: BSD-2-Clause */
/** @file decode.h From words to records: what the record grammars share with the decoder. */
#ifndef KCT_DECODE_DECODE_H
#define KCT_DECODE_DECODE_H

#include <string.h>

#include <kcovtrace/decoder.h>

#include "decode/area.h"

/**
 * Decode up to `max` (> 0) records from `decoder->at` (below the end) on, and advance it. Returns
 * how many there were, at least one. The result does not depend on `max`, only its end does.
 */
typedef size_t kct_decode_fn(struct kct_decoder *decoder, size_t max, struct kct_record *records);

struct kct_decoder {
	struct kct_layout layout;
	struct kct_area area;
	unsigned flags;	    /* enum kct_decode_flag */
	uint64_t at;	    /* index of the next word, at most area.end */
	bool missing_given; /* the element for the words that are not in the data */
	kct_decode_fn *decode;
};

/** The functions for a layout's mode and an area's words. Never NULL for a checked layout. */
kct_decode_fn *kct_decode_pc_function(enum kct_access access);
kct_decode_fn *kct_decode_cmp_function(enum kct_access access);
kct_decode_fn *kct_decode_ext_function(enum kct_access access);

/** Start a record of one event: all other bytes are zero, also those between the fields, so that
 *  equal records have equal bytes. */
KCT_INLINE void kct_record_set(struct kct_record *record, uint64_t index, uint64_t pc,
			       uint64_t words, enum kct_record_kind kind)
{
	memset(record, 0, sizeof(*record));
	record->index = index;
	record->pc = pc;
	record->words = words;
	record->kind = (uint8_t)kind;
	record->count = 1;
}

/** Store a LOST element. `word` is the raw first word. */
static inline void kct_record_set_lost(struct kct_record *record, uint64_t index, uint64_t word,
				       uint64_t words, enum kct_lost_reason reason)
{
	kct_record_set(record, index, word, words, KCT_RECORD_LOST);
	record->lost.reason = (uint8_t)reason;
}

#endif
