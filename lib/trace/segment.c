/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/fail.h"
#include "trace/tracefile.h"

/** The preset that a layout is a variant of: its name is for people and is not stored. */
static const char *preset_of(const struct kct_layout *layout)
{
	const char *name, *found = NULL;

	for (size_t i = 0; (name = kct_layout_preset_name(i)); i++) {
		struct kct_layout preset;

		if (kct_layout_preset(name, &preset) < 0 || preset.mode != layout->mode ||
		    preset.os != layout->os)
			continue;
		if (preset.entry_words == layout->entry_words)
			return name;
		found = found ? found : name;
	}
	return found;
}

static int parse_layout(const struct kct_block *block, struct kct_layout *ret_layout,
			struct kct_error *error)
{
	const unsigned char *body = block->body;
	bool swapped = block->swapped;
	unsigned flags = body[KCT_SEGMENT_AT_LAYOUT_FLAGS];
	uint32_t mode = kct_form_u32(body + KCT_SEGMENT_AT_MODE, swapped);
	uint32_t os = kct_form_u32(body + KCT_SEGMENT_AT_OS, swapped);
	struct kct_layout layout = {
		.size = sizeof(layout),
		.mode = (enum kct_mode)mode,
		.os = (enum kct_os)os,
		.endian = (enum kct_endian)body[KCT_SEGMENT_AT_ENDIAN],
		.word_bytes = body[KCT_SEGMENT_AT_WORD_BYTES],
		.entry_words = kct_form_u32(body + KCT_SEGMENT_AT_ENTRY_WORDS, swapped),
		.memory_words = kct_form_u32(body + KCT_SEGMENT_AT_MEMORY_WORDS, swapped),
		.bitmap_words = kct_form_u64(body + KCT_SEGMENT_AT_BITMAP_WORDS, swapped),
		.capacity_words = kct_form_u64(body + KCT_SEGMENT_AT_CAPACITY_WORDS, swapped),
		.slid = flags & KCT_LAYOUT_SLID,
		.eesum_quirk = (enum kct_eesum_quirk)body[KCT_SEGMENT_AT_EESUM_QUIRK],
	};
	int result;

	if (mode > KCT_MODE_UNIQUE || os > KCT_OS_OPENBSD || flags & ~KCT_LAYOUT_KNOWN_FLAGS ||
	    body[KCT_SEGMENT_AT_ENDIAN] > KCT_ENDIAN_BIG ||
	    body[KCT_SEGMENT_AT_EESUM_QUIRK] > KCT_EESUM_SIGN_EXTENDED)
		return kct_fail(error, KCT_ERR_UNSUPPORTED,
				"a layout that this version does not know (mode %u, os %u)",
				(unsigned)mode, (unsigned)os);
	layout.preset = preset_of(&layout);
	result = kct_layout_check(&layout, error);
	if (result >= 0)
		*ret_layout = layout;
	return result;
}

static void parse_fields(const struct kct_block *block, struct kct_trace_segment *segment)
{
	const unsigned char *body = block->body;
	bool swapped = block->swapped;

	if (segment->fields & KCT_SEGMENT_PROCESS)
		segment->process = kct_form_u32(body + KCT_SEGMENT_AT_PROCESS, swapped);
	if (segment->fields & KCT_SEGMENT_THREAD)
		segment->thread = kct_form_u32(body + KCT_SEGMENT_AT_THREAD, swapped);
	if (segment->fields & KCT_SEGMENT_SYSCALL) {
		segment->syscall = (int64_t)kct_form_u64(body + KCT_SEGMENT_AT_SYSCALL, swapped);
		for (size_t i = 0; i < KCT_SEGMENT_ARGUMENTS; i++)
			segment->arguments[i] =
				kct_form_u64(body + KCT_SEGMENT_AT_ARGUMENTS + 8 * i, swapped);
	}
	if (segment->fields & KCT_SEGMENT_RESULT)
		segment->result = (int64_t)kct_form_u64(body + KCT_SEGMENT_AT_RESULT, swapped);
	if (segment->fields & KCT_SEGMENT_REMOTE)
		segment->remote_handle = kct_form_u64(body + KCT_SEGMENT_AT_REMOTE, swapped);
	if (segment->fields & KCT_SEGMENT_TIME) {
		segment->begin = kct_form_u64(body + KCT_SEGMENT_AT_BEGIN, swapped);
		segment->end = kct_form_u64(body + KCT_SEGMENT_AT_END, swapped);
	}
}

/** False if the name does not lie in the head, with its NUL. */
static bool parse_name(const struct kct_block *block, size_t head_bytes, const char **ret_name)
{
	size_t offset = kct_form_u32(block->body + KCT_SEGMENT_AT_NAME_OFFSET, block->swapped);
	size_t bytes = kct_form_u32(block->body + KCT_SEGMENT_AT_NAME_BYTES, block->swapped);

	if (!offset)
		return true;
	if (offset < KCT_SEGMENT_HEAD_BYTES || offset >= head_bytes ||
	    bytes >= head_bytes - offset || block->body[offset + bytes])
		return false;
	*ret_name = (const char *)block->body + offset;
	return true;
}

int kct_segment_parse(const struct kct_block *block, struct kct_trace_segment *ret_segment,
		      struct kct_error *error)
{
	const unsigned char *body = block->body;
	struct kct_trace_segment segment = {.size = sizeof(segment)};
	uint32_t overflow;
	uint64_t bytes;
	size_t head;
	int result;

	if (block->body_bytes < KCT_SEGMENT_HEAD_BYTES)
		return kct_fail(error, KCT_ERR_DAMAGED, "a segment without its head");
	head = kct_form_u32(body + KCT_SEGMENT_AT_HEAD_BYTES, block->swapped);
	bytes = kct_form_u64(body + KCT_SEGMENT_AT_DATA_BYTES, block->swapped);
	if (head < KCT_SEGMENT_HEAD_BYTES || head % 8 || head > block->body_bytes ||
	    bytes > block->body_bytes - head || !parse_name(block, head, &segment.name))
		return kct_fail(error, KCT_ERR_DAMAGED, "a segment whose parts do not fit into it");
	segment.fields = kct_form_u32(body + KCT_SEGMENT_AT_FIELDS, block->swapped);
	overflow = kct_form_u32(body + KCT_SEGMENT_AT_OVERFLOW, block->swapped);
	segment.overflow = segment.fields & KCT_SEGMENT_OVERFLOW && overflow < KCT_OVERFLOW_UNKNOWN
				   ? (enum kct_overflow)overflow
				   : KCT_OVERFLOW_UNKNOWN;
	result = parse_layout(block, &segment.layout, error);
	if (result < 0)
		return result;
	parse_fields(block, &segment);
	segment.data = body + head;
	segment.bytes = (size_t)bytes;
	*ret_segment = segment;
	return 0;
}
