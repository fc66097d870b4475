/* SPDX-License-Identifier: BSD-2-Clause */
/** @file debuginfod.h Debug files from servers, through libdebuginfod if it is installed. */
#ifndef KCT_IMAGE_DEBUGINFOD_H
#define KCT_IMAGE_DEBUGINFOD_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/**
 * Ask for the debug file of a build ID. libdebuginfod reads its settings (DEBUGINFOD_URLS, ...) from
 * the environment itself and keeps what it got in its own cache. `*ret_path` is the caller's to
 * free(). KCT_ERR_UNSUPPORTED without the library, KCT_ERR_NOT_FOUND, both with a text.
 */
int kct_debuginfod_find(const uint8_t *build_id, size_t bytes, char **ret_path,
			struct kct_error *error);

#endif
