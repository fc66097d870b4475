/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file advice.h
 * From the errno of a request to a code, and to a text that says what can be done. All fill `error`
 * (may be NULL) and return the code; `failure` is a positive errno.
 */
#ifndef KCT_CAPTURE_ADVICE_H
#define KCT_CAPTURE_ADVICE_H

#include <kcovtrace/layout.h>

#include "base/fail.h"
#include "capture/system.h"

/** The device cannot be opened. */
int kct_advise_open(struct kct_error *error, const struct kct_system *system, const char *path,
		    int failure);

/** The driver makes no area of `words` words. */
int kct_advise_init(struct kct_error *error, const char *path, uint64_t words, int failure);

/** The area cannot be mapped. */
int kct_advise_map(struct kct_error *error, size_t bytes, int failure);

/** The kernel does not know a mode, or remote tracing, or was built without. */
int kct_advise_mode(struct kct_error *error, enum kct_mode mode, bool remote, int failure);

/** The thread, the descriptor or something of the two (KCT_ERR_BUSY...) is in use. */
int kct_advise_busy(struct kct_error *error, int code, int failure);

/** Enabling failed with EINVAL or EBUSY, and no other descriptor can be asked what that means. */
int kct_advise_unclear(struct kct_error *error, enum kct_mode mode, int failure);

/** The thread is not traced. */
int kct_advise_not_traced(struct kct_error *error, int failure);

/** Any other failure of a request. */
int kct_advise_other(struct kct_error *error, const char *request, int failure);

#endif
