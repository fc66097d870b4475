/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file summary.h
 * Counts over the records of a trace: what `kcovtrace info` shows.
 */
#ifndef KCOVTRACE_SUMMARY_H
#define KCOVTRACE_SUMMARY_H

#include <kcovtrace/layout.h>
#include <kcovtrace/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an address looks like from its value alone. */
enum kct_pc_class {
	KCT_PC_KERNEL = 0, /**< upper half of the address space */
	KCT_PC_USER = 1,   /**< lower half */
	KCT_PC_TINY = 2,   /**< below one page, such as a stray count */
	KCT_PC_WILD = 3,   /**< not canonical in any paging mode */
	KCT_PC_CLASSES
};

/** Growable. */
struct kct_summary_counts {
	size_t size;			       /**< sizeof of the caller; set before the call */
	uint64_t records[KCT_RECORD_KINDS];    /**< by kind; a run counts its PCs */
	uint64_t lost_words[KCT_LOST_REASONS]; /**< words of LOST elements by reason */
	uint64_t unique_pcs;		       /**< distinct PCs of pc and entry records */
	uint64_t pc_classes[KCT_PC_CLASSES];   /**< pc, entry, exit, cmp and memory records */
	uint64_t odd_bits;		       /**< records with unknown bits */
	uint64_t invalid_eesum;		       /**< EESUM with KCT_RECORD_INVALID */
	uint64_t suspect_eesum;		       /**< words that look like a slipped EESUM */
	uint64_t memory_atomic;		       /**< memory records with the ATOMIC flag */
	uint64_t memory_free;		       /**< with the FREE flag */
	uint64_t memory_value;		       /**< with a valid value */
	uint64_t memory_large;		       /**< larger than 8 bytes */
	uint64_t saturated_eesum;	       /**< EESUM with KCT_RECORD_SATURATED */
};

struct kct_summary;

/** A new summary, all counts 0. KCT_ERR_NO_MEMORY. */
KCT_API int kct_summary_new(struct kct_summary **ret_summary);

/** Free a summary; NULL is fine. */
KCT_API void kct_summary_free(struct kct_summary *summary);

/** Take addresses for those of a kernel with this layout (copied): see kct_classify_pc_in(). Without
 *  it, for those of 64 bits. To be called before records are added. */
KCT_API void kct_summary_set_layout(struct kct_summary *summary, const struct kct_layout *layout);

/** Count `n` records; not with KCT_DECODE_PC_RUNS, which hides PCs. KCT_ERR_NO_MEMORY. */
KCT_API int kct_summary_add(struct kct_summary *summary, const struct kct_record *records,
			    size_t n);

/** The counts so far. KCT_ERR_ARGUMENT if `ret_counts->size` is unknown. */
KCT_API int kct_summary_get(const struct kct_summary *summary,
			    struct kct_summary_counts *ret_counts);

/** The class of one address of 64 bits. */
KCT_API enum kct_pc_class kct_classify_pc(uint64_t pc);

/** The class of one address of a kernel with a layout: with words of 4 bytes the upper half begins
 *  at 2 GiB, and its last page (where errors are), and what has more than 32 bits, is wild. */
KCT_API enum kct_pc_class kct_classify_pc_in(const struct kct_layout *layout, uint64_t pc);

#ifdef __cplusplus
}
#endif
#endif
