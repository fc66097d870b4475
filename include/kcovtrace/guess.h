/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file guess.h
 * Guess the layout of a raw file from its words.
 *
 * A guess decodes the front of the data in every candidate layout and scores
 * how well the words agree with it. It never looks at a file name. Show
 * `reason` to the user whenever a guess was used.
 */
#ifndef KCOVTRACE_GUESS_H
#define KCOVTRACE_GUESS_H

#include <kcovtrace/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kct_guess {
	struct kct_layout layout; /**< the best candidate */
	double confidence;	  /**< 0 to 1 */
	char reason[256];	  /**< one line: what was seen */
};

/**
 * The most likely layout of `bytes` bytes at `data`. KCT_ERR_GUESS, with what
 * was seen in the error's text, when nothing fits well enough; KCT_ERR_NO_COUNT
 * when the data is too short for a count word.
 */
KCT_API int kct_guess_layout(const void *data, size_t bytes, struct kct_guess *ret_guess,
			     struct kct_error *error);

/**
 * A layout that fits where `layout` does not: one that differs from it in byte order, word size,
 * the words of a record or the bitmap, and else what kct_guess_layout() says, with its errors.
 * KCT_ERR_LAYOUT if `layout` is impossible.
 */
KCT_API int kct_guess_near(const struct kct_layout *layout, const void *data, size_t bytes,
			   struct kct_guess *ret_guess, struct kct_error *error);

/**
 * How well the data agrees with `layout`, 0 to 1, and why in `*ret_reason` (at
 * most 256 bytes with its NUL; may be NULL). The sanity check of an explicit
 * `--layout`: below 0.5 the layout is probably wrong.
 */
KCT_API int kct_layout_score(const struct kct_layout *layout, const void *data, size_t bytes,
			     double *ret_score, char *ret_reason);

#ifdef __cplusplus
}
#endif
#endif
