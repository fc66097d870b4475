/* SPDX-License-Identifier: BSD-2-Clause */
/** @file evidence.h What the front of some data looks like in a layout. */
#ifndef KCT_DECODE_EVIDENCE_H
#define KCT_DECODE_EVIDENCE_H

#include <kcovtrace/decoder.h>

#include "base/macros.h"

/** Counts over the first records; "good" and "bad" are in words. */
struct kct_evidence {
	struct kct_layout layout;
	struct kct_geometry geometry;
	bool zero_tail;	    /* the words after the used ones are zero */
	bool is_filled;	    /* the first word after the count repeats it */
	bool is_front;	    /* the words after the first so many were not looked at */
	uint64_t judged;    /* records that say something */
	uint64_t good, bad; /* words that fit the layout, that do not */
	uint64_t weak;	    /* words that fit if the kernel is of a rare kind */
	uint64_t unwritten; /* words that say nothing */
	uint64_t records[KCT_RECORD_KINDS];
	uint64_t bad_callers;	/* entries that no caller follows */
	uint64_t entry_then_pc; /* entries of one word with a PC behind them */
	uint64_t values;	/* memory records with the VALUE flag */
	uint64_t eaten;		/* memory records whose tail looks like the next record */
	uint64_t tagged;	/* PC mode: words that look like entries and exits */
	uint64_t halves;	/* PC mode: words that look like two PCs of 4 bytes */
	uint64_t cmp_types;	/* PC mode: every fourth word that looks like a comparison's type */
	uint64_t cmp_places;	/* of this many */
	uint64_t embedded;	/* PC mode: what looks like a comparison between PCs */
	uint64_t first_embedded; /* the index of the first */
	uint64_t trailed;	 /* memory records with a word behind that is no record */
	bool has_bitmap;	 /* PC, UNIQUE: a count that fits stands elsewhere ... */
	uint64_t bitmap_words;	 /* ... behind so many words */
};

/** Decode the front of the data. Fails as kct_decoder_new() does. */
int kct_evidence_gather(const struct kct_layout *layout, const void *data, size_t bytes,
			struct kct_evidence *ret_evidence, struct kct_error *error);

/** How well it fits, 0 to 1. */
double kct_evidence_score(const struct kct_evidence *evidence);

/** One line that says why, in at most `bytes` with the NUL. */
void kct_evidence_reason(const struct kct_evidence *evidence, char *ret_reason, size_t bytes);

#endif
