/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fit.h
 * Whether the images of a symbolizer are those that PCs were recorded in.
 *
 * A raw trace does not name its kernel, and nearly any PC lies in some function of nearly any kernel. But
 * recorded PCs follow calls, and the first one of a function that ran lies near its start, which PCs
 * of another kernel, or moved ones, do by chance only.
 */
#ifndef KCOVTRACE_FIT_H
#define KCOVTRACE_FIT_H

#include <kcovtrace/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kct_fit_verdict {
	KCT_FIT_UNKNOWN = 0, /**< too little to go by */
	KCT_FIT_GOOD = 1,
	KCT_FIT_DOUBTFUL = 2,
	KCT_FIT_BAD = 3,
};

/** What speaks most against the images, or why they do not fit: X(NAME, "text"). */
#define KCT_FIT_CAUSE_LIST(X)                                                                   \
	X(NONE, "")                                                                             \
	X(SLIDE, "they fit once another offset of the kernel is subtracted")                    \
	X(CALLS, "these are addresses of calls, not return addresses")                          \
	X(RETURNS, "these are return addresses, not addresses of calls")                        \
	X(OUTSIDE, "they lie in no function: another kernel or offset, or a module is missing") \
	X(NO_CALLS, "they follow no calls: another kernel or offset")                           \
	X(NO_STARTS, "functions would begin in their middle: another kernel or offset")

enum kct_fit_cause {
#define KCT_FIT_CAUSE_ENUM(name, text) KCT_FIT_##name,
	KCT_FIT_CAUSE_LIST(KCT_FIT_CAUSE_ENUM)
#undef KCT_FIT_CAUSE_ENUM
		KCT_FIT_CAUSES
};

/** PCs to look at, any order, repeats are fine. */
struct kct_fit_pcs {
	const uint64_t *points; /**< of coverage points, all that ran for a while: among those of a
				 *   function that was entered is its first */
	size_t n_points;
	const uint64_t
		*others; /**< of exits, accesses, comparisons, or of points that were chosen */
	size_t n_others;
};

/** What was found. Growable. */
struct kct_fit {
	size_t size;	  /**< sizeof of the caller; set before the call */
	uint64_t pcs;	  /**< distinct PCs of which something could be told */
	uint64_t named;	  /**< of these, in a function */
	uint64_t modules; /**< of the others, where modules of x86-64 lie */
	uint64_t
		with_code; /**< PCs in code whose bytes are at hand, on machines that can be read */
	uint64_t calls;	   /**< of these, at the end of a call, or at one for KCT_PC_CALL */
	uint64_t wrong_end; /**< of these, at the other end of a call */
	uint64_t functions; /**< larger functions with points */
	uint64_t begun;	    /**< of these, with a point near their start */
	double chance;	    /**< so many of these would have one if points lay anywhere */
	uint32_t verdict;   /**< enum kct_fit_verdict */
	uint32_t against;   /**< enum kct_fit_cause: what was seen first; not SLIDE */
	uint32_t cause;	    /**< enum kct_fit_cause */
	uint64_t slide;	    /**< cause SLIDE: subtract this from the PCs; x86-64 only */
};

/** Judge PCs. Settings of the symbolizer are final from here on. KCT_ERR_ARGUMENT, KCT_ERR_NO_MEMORY, or
 *  an error of reading symbols. */
KCT_API int kct_symbolizer_fit(struct kct_symbolizer *symbolizer, const struct kct_fit_pcs *pcs,
			       enum kct_pc_kind kind, struct kct_fit *ret_fit,
			       struct kct_error *error);

/** Text of a cause; never NULL. Static. */
KCT_API const char *kct_fit_cause_text(unsigned cause);

#ifdef __cplusplus
}
#endif
#endif
