/* SPDX-License-Identifier: BSD-2-Clause */
/** @file unpack.h Packed bytes to memory: gzip, zlib, zstd and xz. */
#ifndef KCT_BASE_UNPACK_H
#define KCT_BASE_UNPACK_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/** Bytes on the heap. All zero is empty. */
struct kct_bytes {
	unsigned char *data;
	size_t n, max;
};

/* How data is packed. */
extern const char kct_packing_gzip[];
extern const char kct_packing_zlib[]; /* what gzip and ELF sections have inside; never guessed */
extern const char kct_packing_zstd[];
extern const char kct_packing_xz[];

/** How data starts: `gzip`, `zstd`, `xz`, or NULL. Static. */
const char *kct_packing_of(const void *data, size_t bytes);

/**
 * Whether packed data could as well be a raw area: a count word of 559,903 in little-endian order
 * is also the start of a gzip header. Only if there is room for so many words.
 */
bool kct_packing_is_doubtful(const void *data, size_t bytes);

/**
 * Unpack all members or frames behind what is in `to`. `packing` is one of the four above. 0: whole. 1: `to`
 * got what could be unpacked before the data turned out damaged, and `error` says where and how; the
 * same is KCT_ERR_SYNTAX when that is nothing. KCT_ERR_UNSUPPORTED when the build lacks the library,
 * KCT_ERR_LIMIT for more than `limit` bytes. After a failure `to` holds what it held.
 */
int kct_unpack(const char *packing, const void *data, size_t bytes, uint64_t limit,
	       struct kct_bytes *to, struct kct_error *error);

#endif
