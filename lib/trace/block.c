/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/block.h"

bool kct_block_header(const struct kct_crc32c *crc, const unsigned char *data, size_t bytes,
		      struct kct_block *ret_block)
{
	uint64_t order, body_bytes;
	bool swapped;

	if (bytes < KCT_HEADER_BYTES || memcmp(data, KCT_MARKER, KCT_MARKER_BYTES) != 0)
		return false;
	order = kct_form_u64(data + KCT_HEADER_ORDER, false);
	swapped = order != KCT_BYTE_ORDER_MARK;
	if (swapped && __builtin_bswap64(order) != KCT_BYTE_ORDER_MARK)
		return false;
	if (kct_crc32c(crc, 0, data, KCT_HEADER_SUM) !=
	    kct_form_u32(data + KCT_HEADER_SUM, swapped))
		return false;
	body_bytes = kct_form_u64(data + KCT_HEADER_BODY_BYTES, swapped);
	if (body_bytes % 8 || body_bytes > SIZE_MAX - KCT_HEADER_BYTES - KCT_TRAILER_BYTES)
		return false;
	*ret_block = (struct kct_block){
		.body = data + KCT_HEADER_BYTES,
		.body_bytes = (size_t)body_bytes,
		.bytes = KCT_HEADER_BYTES + (size_t)body_bytes + KCT_TRAILER_BYTES,
		.version = kct_form_u16(data + KCT_HEADER_VERSION, swapped),
		.type = kct_form_u16(data + KCT_HEADER_TYPE, swapped),
		.flags = kct_form_u32(data + KCT_HEADER_FLAGS, swapped),
		.capture = kct_form_u64(data + KCT_HEADER_CAPTURE, swapped),
		.swapped = swapped,
	};
	return true;
}

bool kct_block_read(const struct kct_crc32c *crc, const unsigned char *data, size_t bytes,
		    struct kct_block *ret_block)
{
	const unsigned char *trailer;
	struct kct_block block;

	if (!kct_block_header(crc, data, bytes, &block) || block.bytes > bytes)
		return false;
	/* A writer that died left a header, and what another one appended lies in its place. */
	trailer = block.body + block.body_bytes;
	if (memcmp(trailer + KCT_TRAILER_HEADER_SUM, data + KCT_HEADER_SUM, sizeof(uint32_t)) != 0)
		return false;
	block.body_sum = kct_form_u32(trailer + KCT_TRAILER_BODY_SUM, block.swapped);
	*ret_block = block;
	return true;
}

size_t kct_marker_find(const unsigned char *data, size_t bytes, size_t from)
{
	while (from < bytes) {
		const unsigned char *first =
			memchr(data + from, KCT_MARKER[0] & 0xff, bytes - from);

		if (!first)
			break;
		from = (size_t)(first - data);
		if (bytes - from >= KCT_MARKER_BYTES &&
		    memcmp(first, KCT_MARKER, KCT_MARKER_BYTES) == 0)
			return from;
		from++;
	}
	return bytes;
}

size_t kct_block_find(const struct kct_crc32c *crc, const unsigned char *data, size_t bytes,
		      size_t from)
{
	struct kct_block block;

	for (from = kct_marker_find(data, bytes, from); from < bytes;
	     from = kct_marker_find(data, bytes, from + 1)) {
		if (kct_block_read(crc, data + from, bytes - from, &block))
			break;
	}
	return from;
}

bool kct_block_is_known(const struct kct_block *block)
{
	return block->version == KCT_FORM_VERSION &&
	       !(block->flags & KCT_BLOCK_MUST_KNOW & ~KCT_BLOCK_KNOWN_FLAGS);
}

bool kct_block_is_sound(const struct kct_crc32c *crc, const struct kct_block *block)
{
	return kct_crc32c(crc, 0, block->body, block->body_bytes) == block->body_sum;
}
