/* SPDX-License-Identifier: BSD-2-Clause */
/** @file block.h Finding the blocks of a file, of whatever type. */
#ifndef KCT_TRACE_BLOCK_H
#define KCT_TRACE_BLOCK_H

#include "trace/form.h"

/** A block that is there from its header to its trailer. Its body is not checked. */
struct kct_block {
	const unsigned char *body;
	size_t body_bytes;
	size_t bytes; /* of all of it */
	uint16_t version;
	uint16_t type;
	uint32_t flags;
	uint64_t capture;
	uint32_t body_sum;
	bool swapped; /* its numbers are not in this machine's order */
};

/** Whether a header is sound, in either byte order: `ret_block` is set but for what the trailer
 *  says. `bytes` is what there is from `data` on. */
bool kct_block_header(const struct kct_crc32c *crc, const unsigned char *data, size_t bytes,
		      struct kct_block *ret_block);

/** Whether a whole block begins at `data`. */
bool kct_block_read(const struct kct_crc32c *crc, const unsigned char *data, size_t bytes,
		    struct kct_block *ret_block);

/** Offset of the first marker at or behind `from`; `bytes` if there is none. */
size_t kct_marker_find(const unsigned char *data, size_t bytes, size_t from);

/** Offset of the first whole block at or behind `from`; `bytes` if there is none. */
size_t kct_block_find(const struct kct_crc32c *crc, const unsigned char *data, size_t bytes,
		      size_t from);

/** Whether this version understands the form of a block (perhaps not its type). */
bool kct_block_is_known(const struct kct_block *block);

/** Whether the body is as it was written. */
bool kct_block_is_sound(const struct kct_crc32c *crc, const struct kct_block *block);

#endif
