/* SPDX-License-Identifier: BSD-2-Clause */
/** @file options.h Growable structs of callers that may be older or newer than the library. */
#ifndef KCT_BASE_OPTIONS_H
#define KCT_BASE_OPTIONS_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/**
 * Copy a caller's struct that starts with its size to one of `known` bytes: what an older caller
 * lacks is 0. KCT_ERR_ARGUMENT if a newer caller has set what we do not know.
 */
int kct_options_copy(const void *options, size_t known, void *ret_copy);

/** Copy the fields that a caller's struct has room for. KCT_ERR_ARGUMENT for a caller's size that
 *  cannot be. */
int kct_options_give(void *ret, const void *from, size_t known);

#endif
