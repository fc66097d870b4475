/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file decoder.h
 * From the bytes of a raw area to records.
 *
 *     struct kct_layout layout;
 *     struct kct_decoder *decoder;
 *     struct kct_record record;
 *
 *     kct_layout_preset("linux-ext", &layout);
 *     kct_decoder_new(&layout, data, bytes, 0, &decoder, NULL);
 *     while (kct_decoder_next(decoder, &record, NULL) > 0)
 *             use(&record);
 *     kct_decoder_free(decoder);
 *
 * Whatever the bytes are, decoding ends and reads nothing outside them. What
 * cannot be a record is a record too, of kind LOST or UNKNOWN: the words of
 * all records of an area follow each other without a gap up to the end.
 */
#ifndef KCOVTRACE_DECODER_H
#define KCOVTRACE_DECODER_H

#include <kcovtrace/layout.h>
#include <kcovtrace/record.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kct_overflow {
	KCT_OVERFLOW_NO = 0,
	KCT_OVERFLOW_YES = 1,	  /**< some may have been dropped: no further record fits (PC, CMP),
				   *   or not the longest one of the mode (EXT, MEMORY) */
	KCT_OVERFLOW_UNKNOWN = 2, /**< the capacity is not known */
};

/** What the count word says and what is there. All numbers are in words of the layout
 *  (CMP on a 32-bit Linux kernel: 8-byte words). */
struct kct_geometry {
	uint64_t count;		 /**< the count word as it stands */
	uint64_t claimed_words;	 /**< words after the count word that it claims, saturated */
	uint64_t used_words;	 /**< of these, the words that are in the data */
	uint64_t missing_words;	 /**< of these, the words that are not */
	uint64_t unused_words;	 /**< words in the data that the count does not claim */
	uint64_t tail_bytes;	 /**< bytes at the end that fill no word */
	uint64_t capacity_words; /**< from the layout; 0 unknown */
	enum kct_overflow overflow;
};

enum kct_decode_flag {
	KCT_DECODE_STRICT = 1 << 0,   /**< a LOST or UNKNOWN element is KCT_ERR_RECORD instead */
	KCT_DECODE_PC_RUNS = 1 << 1,  /**< EXT, MEMORY: PCs in a row come as one PC record whose
				      *   `words` and `count` are the length of the run and whose
				      *   `pc` is the first; several times faster for stacks */
	KCT_DECODE_SECTIONS = 1 << 2, /**< EXT, MEMORY: the area is a row of sections, and the last
				       *   record of each may be cut: one whose later words begin
				       *   another record is LOST "cut", and decoding goes on there */
};

struct kct_decoder;

/**
 * A decoder over one area: `bytes` bytes at `data` (any alignment) in `layout`
 * (copied). The data stays the caller's and must outlive the decoder. `flags`
 * is a set of enum kct_decode_flag. KCT_ERR_LAYOUT for an impossible layout,
 * KCT_ERR_NO_COUNT if the data is too short to hold the count word.
 */
KCT_API int kct_decoder_new(const struct kct_layout *layout, const void *data, size_t bytes,
			    unsigned flags, struct kct_decoder **ret_decoder,
			    struct kct_error *error);

/** Free a decoder; NULL is fine. */
KCT_API void kct_decoder_free(struct kct_decoder *decoder);

/** What the count word says and what is there. */
KCT_API void kct_decoder_geometry(const struct kct_decoder *decoder,
				  struct kct_geometry *ret_geometry);

/**
 * The next record. 1: one was stored, 0: end of the area, KCT_ERR_RECORD: an
 * odd place in strict mode; the cursor has not moved, `error` has index, word
 * and cause, and kct_decoder_resync() steps over it.
 */
KCT_API int kct_decoder_next(struct kct_decoder *decoder, struct kct_record *ret_record,
			     struct kct_error *error);

/**
 * Up to `max` records at once, the fast form. 1: `*ret_n` > 0 were stored, 0:
 * end of the area and `*ret_n` is 0. In strict mode records before an odd place
 * are returned first, then the error.
 */
KCT_API int kct_decoder_batch(struct kct_decoder *decoder, size_t max,
			      struct kct_record *ret_records, size_t *ret_n,
			      struct kct_error *error);

/** Word index of the next record. */
KCT_API uint64_t kct_decoder_position(const struct kct_decoder *decoder);

/** Go on at a word index (1 is the first word after the count). KCT_ERR_ARGUMENT past the end. */
KCT_API int kct_decoder_seek(struct kct_decoder *decoder, uint64_t index);

/**
 * After KCT_ERR_RECORD: step over all odd elements in a row to the next word that
 * is a record. Returns 0; `*ret_lost` (may be NULL) is the first of them with the
 * words of all; 0 words when there was nothing to step over.
 */
KCT_API int kct_decoder_resync(struct kct_decoder *decoder, struct kct_record *ret_lost);

/**
 * The PCs of an area in PC mode without a copy: `*ret_pcs` points into `data`
 * and has `*ret_n` elements as the kernel wrote them. Only for 8-byte words of
 * this machine's byte order at an aligned address; else KCT_ERR_UNSUPPORTED,
 * and a decoder does it. KCT_ERR_MODE for other modes.
 */
KCT_API int kct_pc_view(const struct kct_layout *layout, const void *data, size_t bytes,
			const uint64_t **ret_pcs, size_t *ret_n, struct kct_error *error);

#ifdef __cplusplus
}
#endif
#endif
