/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fail.h Filling a caller's struct kct_error. */
#ifndef KCT_BASE_FAIL_H
#define KCT_BASE_FAIL_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/**
 * Fill `error` (may be NULL) with a code and a printf text and return the code:
 *
 *     return kct_fail(error, KCT_ERR_LAYOUT, "unknown key '%s'", key);
 */
int kct_fail(struct kct_error *error, int code, const char *format, ...) KCT_PRINTF(3, 4);

/** As kct_fail(), for a failed system call: keeps errno and adds its text. */
int kct_fail_errno(struct kct_error *error, const char *format, ...) KCT_PRINTF(2, 3);

/** As kct_fail(), at a byte offset of the input. */
int kct_fail_at(struct kct_error *error, int code, uint64_t offset, const char *format, ...)
	KCT_PRINTF(4, 5);

/** A code with its own text; for out of memory and bad arguments. */
int kct_fail_code(struct kct_error *error, int code);

/** Replace control characters: a text that a file or a user gave must stay one line and must not
 *  steer a terminal. */
void kct_clean_text(char *text);

#endif
