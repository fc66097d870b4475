/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/fail.h"
#include "base/options.h"
#include "trace/tracefile.h"

/* The first block is looked for here when the very first one is damaged. */
#define FRONT_BYTES ((size_t)4096)

int kct_tracefile_identify(const void *data, size_t bytes)
{
	size_t front = bytes < FRONT_BYTES ? bytes : FRONT_BYTES, at;
	const unsigned char *from = data;
	struct kct_crc32c crc;
	struct kct_block block;

	if (!data)
		return KCT_ERR_ARGUMENT;
	at = kct_marker_find(from, front, 0);
	if (at == 0 && front)
		return 1;
	if (at == front)
		return 0;
	kct_crc32c_init(&crc);
	for (; at < front; at = kct_marker_find(from, front, at + 1)) {
		if (kct_block_header(&crc, from + at, bytes - at, &block))
			return 1;
	}
	return 0;
}

/** Number of the capture with an ID, which is given one if it is new. < 0: an error code. */
static int64_t capture_number(struct kct_tracefile *file, uint64_t id)
{
	uint64_t *number;
	int result = kct_map_put(&file->capture_numbers, id, &number);

	if (result < 0)
		return result;
	if (result == 0)
		return (int64_t)*number;
	if (kct_array_reserve(&file->captures, &file->max_captures, file->n_captures + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	*number = file->n_captures;
	file->captures[file->n_captures++] = (struct kct_indexed_capture){.id = id};
	return (int64_t)*number;
}

static void count_damage(struct kct_tracefile *file, size_t offset, size_t bytes)
{
	if (!file->stats.damaged++)
		file->stats.first_damage = offset;
	file->stats.damaged_bytes += bytes;
}

static int index_segment(struct kct_tracefile *file, const struct kct_block *block, size_t offset)
{
	int64_t capture = capture_number(file, block->capture);

	if (capture < 0 ||
	    kct_array_reserve(&file->segments, &file->max_segments, file->n_segments + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	file->segments[file->n_segments++] =
		(struct kct_indexed_segment){.offset = offset, .capture = (uint32_t)capture};
	return 0;
}

static int index_meta(struct kct_tracefile *file, const struct kct_block *block, size_t offset)
{
	struct kct_meta meta;
	int64_t capture;

	if (!kct_block_is_sound(&file->crc, block) || !kct_meta_parse(block, &meta)) {
		count_damage(file, offset, block->bytes);
		return 0;
	}
	capture = capture_number(file, block->capture);
	if (capture < 0)
		return KCT_ERR_NO_MEMORY;
	meta.capture = (uint32_t)capture;
	meta.offset = offset;
	return kct_meta_index(file, &meta);
}

static int index_block(struct kct_tracefile *file, const struct kct_block *block, size_t offset)
{
	if (kct_block_is_known(block) && block->type == KCT_BLOCK_SEGMENT)
		return index_segment(file, block, offset);
	if (kct_block_is_known(block) && block->type == KCT_BLOCK_META)
		return index_meta(file, block, offset);
	file->stats.unknown_blocks++;
	return 0;
}

static int index_file(struct kct_tracefile *file)
{
	size_t at = 0;

	file->stats.first_damage = KCT_NOWHERE;
	while (at < file->bytes) {
		struct kct_block block;
		size_t next;
		int result;

		if (kct_block_read(&file->crc, file->data + at, file->bytes - at, &block)) {
			result = index_block(file, &block, at);
			if (result < 0)
				return result;
			at += block.bytes;
			continue;
		}
		next = kct_block_find(&file->crc, file->data, file->bytes, at + 1);
		if (next == file->bytes)
			file->stats.tail_bytes = next - at;
		else
			count_damage(file, at, next - at);
		at = next;
	}
	file->stats.segments = file->n_segments;
	file->stats.metas = file->n_metas;
	file->stats.captures = file->n_captures;
	return 0;
}

void kct_tracefile_free(struct kct_tracefile *file)
{
	if (!file)
		return;
	kct_map_clear(&file->capture_numbers);
	kct_map_clear(&file->named);
	free(file->captures);
	free(file->metas);
	free(file->segments);
	kct_file_free(file->file);
	free(file);
}

static void tracefile_cleanup(struct kct_tracefile **file)
{
	kct_tracefile_free(*file);
}

int kct_tracefile_new(const void *data, size_t bytes, struct kct_tracefile **ret_file,
		      struct kct_error *error)
{
	struct kct_tracefile *file KCT_CLEANUP(tracefile_cleanup) = NULL;
	int result;

	if (!data || !ret_file)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (!kct_tracefile_identify(data, bytes))
		return kct_fail_at(error, KCT_ERR_SYNTAX, 0, "not a .kct file");
	file = calloc(1, sizeof(*file));
	if (!file)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	file->data = data;
	file->bytes = bytes;
	kct_crc32c_init(&file->crc);
	result = index_file(file);
	if (result < 0)
		return kct_fail_code(error, result);
	*ret_file = TAKE_PTR(file);
	return 0;
}

int kct_tracefile_open(const char *path, struct kct_tracefile **ret_file, struct kct_error *error)
{
	struct kct_file *file;
	const void *data;
	size_t bytes;
	int result;

	if (!path || !ret_file)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_file_open(path, &file, error);
	if (result < 0)
		return result;
	data = kct_file_data(file, &bytes);
	result = kct_tracefile_new(data, bytes, ret_file, error);
	if (result < 0)
		kct_file_free(file);
	else
		(*ret_file)->file = file;
	return result;
}

int kct_tracefile_stats(const struct kct_tracefile *file, struct kct_tracefile_stats *ret_stats)
{
	return kct_options_give(ret_stats, &file->stats, sizeof(file->stats));
}

size_t kct_tracefile_segments(const struct kct_tracefile *file)
{
	return file->n_segments;
}

int kct_tracefile_segment(struct kct_tracefile *file, size_t index,
			  struct kct_trace_segment *ret_segment, struct kct_error *error)
{
	struct kct_indexed_segment *indexed;
	struct kct_trace_segment segment;
	struct kct_block block;
	int result;

	if (index >= file->n_segments)
		return kct_fail(error, KCT_ERR_NOT_FOUND, "there is no segment %zu", index);
	indexed = &file->segments[index];
	/* It was whole when it was indexed; a file that somebody writes over may be so no more. */
	if (!kct_block_read(&file->crc, file->data + indexed->offset,
			    file->bytes - (size_t)indexed->offset, &block))
		indexed->checked = KCT_UNSOUND;
	else if (indexed->checked == KCT_NOT_CHECKED)
		indexed->checked = kct_block_is_sound(&file->crc, &block) ? KCT_SOUND : KCT_UNSOUND;
	if (indexed->checked == KCT_UNSOUND)
		return kct_fail_at(error, KCT_ERR_DAMAGED, indexed->offset,
				   "the checksum is wrong");
	result = kct_segment_parse(&block, &segment, error);
	if (result < 0) {
		if (error)
			error->offset = indexed->offset;
		return result;
	}
	segment.capture = indexed->capture;
	segment.offset = indexed->offset;
	result = kct_options_give(ret_segment, &segment, sizeof(segment));
	return result < 0 ? kct_fail_code(error, result) : 0;
}

uint64_t kct_tracefile_capture_id(const struct kct_tracefile *file, uint32_t capture)
{
	return capture < file->n_captures ? file->captures[capture].id : 0;
}
