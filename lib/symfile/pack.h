/* SPDX-License-Identifier: BSD-2-Clause */
/** @file pack.h Symbol files packed with zstd, as kct_file_open() unpacks them. */
#ifndef KCT_SYMFILE_PACK_H
#define KCT_SYMFILE_PACK_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/**
 * Pack bytes on the heap in place, where this build can and it makes them fewer; else
 * they stay as they are. KCT_ERR_NO_MEMORY.
 */
int kct_pack(void **data, size_t *bytes);

#endif
