/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file foreign.h
 * Naming files that are no KCOV area, by their first bytes.
 */
#ifndef KCOVTRACE_FOREIGN_H
#define KCOVTRACE_FOREIGN_H

#include <stddef.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A format of somebody else. Strings are static. */
struct kct_foreign {
	const char *name;   /**< one word, such as `gcda` */
	const char *what;   /**< such as `gcov counters` */
	const char *reader; /**< what to do with it, such as `gcov or lcov read it` */
};

/**
 * The foreign format that `bytes` bytes at `data` begin like. 1: `*ret_foreign`
 * was set, 0: none that is known; the data can still be a raw area only if it
 * decodes well (guess.h), for a raw area may begin with any bytes.
 */
KCT_API int kct_foreign_identify(const void *data, size_t bytes,
				 const struct kct_foreign **ret_foreign);

#ifdef __cplusplus
}
#endif
#endif
