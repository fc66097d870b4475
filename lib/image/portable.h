/* SPDX-License-Identifier: BSD-2-Clause */
/** @file portable.h An image as a symbol file: cut down to some addresses, and opened again. */
#ifndef KCT_IMAGE_PORTABLE_H
#define KCT_IMAGE_PORTABLE_H

#include "image/image.h"

/** Add the sections that have an address. As kct_symfile_add(). */
int kct_portable_add_sections(struct kct_symfile_writer *writer, const struct kct_image *image,
			      struct kct_error *error);

/**
 * Make an image of the symbol file in image->data: it is fixed and has its symbols.
 * KCT_ERR_SYNTAX, KCT_ERR_UNSUPPORTED, KCT_ERR_DAMAGED.
 */
int kct_portable_load(struct kct_image *image, struct kct_error *error);

/* Addresses of an image, in any order. */
struct kct_addresses {
	uint64_t *at;
	size_t n, max;
};

/* What is wanted of an image. */
struct kct_wanted {
	struct kct_addresses code; /* that were looked up */
	struct kct_addresses data; /* of variables */
};

/**
 * A symbol file of what an image knows of some addresses: with `whole` of the functions they lie in,
 * else of them alone, and of the bytes behind them. On the heap, the caller's to free.
 */
int kct_portable_cut(struct kct_image *image, const struct kct_wanted *wanted, bool whole,
		     void **ret_data, size_t *ret_bytes, struct kct_error *error);

#endif
