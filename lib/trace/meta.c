/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/options.h"
#include "trace/tracefile.h"

bool kct_meta_parse(const struct kct_block *block, struct kct_meta *ret_meta)
{
	const unsigned char *body = block->body;
	size_t name_bytes, value_at;
	uint64_t value_bytes;

	if (block->body_bytes < KCT_META_HEAD_BYTES)
		return false;
	name_bytes = kct_form_u32(body + KCT_META_AT_NAME_BYTES, block->swapped);
	value_bytes = kct_form_u64(body + KCT_META_AT_VALUE_BYTES, block->swapped);
	/* Both end with a NUL that is not counted, so that they are strings where they lie. */
	if (name_bytes >= block->body_bytes - KCT_META_HEAD_BYTES)
		return false;
	value_at = kct_form_round(KCT_META_HEAD_BYTES + name_bytes + 1);
	if (value_at >= block->body_bytes || value_bytes >= block->body_bytes - value_at ||
	    body[KCT_META_HEAD_BYTES + name_bytes] || body[value_at + value_bytes])
		return false;
	*ret_meta = (struct kct_meta){
		.size = sizeof(*ret_meta),
		.type = (enum kct_meta_type)kct_form_u32(body + KCT_META_AT_TYPE, block->swapped),
		.name = (const char *)body + KCT_META_HEAD_BYTES,
		.data = body + value_at,
		.bytes = (size_t)value_bytes,
		.swapped = block->swapped,
	};
	return true;
}

/** What items of one name and capture have in common, and others by chance only. */
static uint64_t name_hash(const struct kct_tracefile *file, uint32_t capture, const char *name)
{
	uint64_t seed = kct_hash_seed(file) ^ kct_hash_u64(capture + (uint64_t)1);

	return kct_hash_text(seed, name, strlen(name));
}

int kct_meta_index(struct kct_tracefile *file, const struct kct_meta *meta)
{
	struct kct_indexed_capture *capture = &file->captures[meta->capture];
	size_t link = file->n_metas + 1;
	uint64_t *last;

	if (kct_array_reserve(&file->metas, &file->max_metas, link) < 0 ||
	    kct_map_put(&file->named, name_hash(file, meta->capture, meta->name), &last) < 0)
		return KCT_ERR_NO_MEMORY;
	file->metas[file->n_metas++] =
		(struct kct_indexed_meta){.meta = *meta, .hashed = (size_t)*last};
	*last = link;
	if (capture->last)
		file->metas[capture->last - 1].next = link;
	else
		capture->first = link;
	capture->last = link;
	return 0;
}

size_t kct_tracefile_metas(const struct kct_tracefile *file)
{
	return file->n_metas;
}

int kct_tracefile_meta(const struct kct_tracefile *file, size_t index, struct kct_meta *ret_meta)
{
	if (index >= file->n_metas)
		return KCT_ERR_NOT_FOUND;
	return kct_options_give(ret_meta, &file->metas[index].meta,
				sizeof(file->metas[index].meta));
}

int kct_tracefile_next_meta(const struct kct_tracefile *file, uint32_t capture, size_t *at,
			    struct kct_meta *ret_meta)
{
	size_t link = 0;
	int result;

	if (*at > file->n_metas || (*at && file->metas[*at - 1].meta.capture != capture))
		return KCT_ERR_ARGUMENT;
	if (*at)
		link = file->metas[*at - 1].next;
	else if (capture < file->n_captures)
		link = file->captures[capture].first;
	if (!link)
		return 0;
	result = kct_tracefile_meta(file, link - 1, ret_meta);
	if (result < 0)
		return result;
	*at = link;
	return 1;
}

int kct_tracefile_find_meta(const struct kct_tracefile *file, uint32_t capture, const char *name,
			    enum kct_meta_type type, struct kct_meta *ret_meta)
{
	const uint64_t *last = kct_map_get(&file->named, name_hash(file, capture, name));
	size_t link = last ? (size_t)*last : 0;

	while (link) {
		const struct kct_indexed_meta *item = &file->metas[link - 1];

		if (item->meta.capture == capture && strcmp(item->meta.name, name) == 0)
			return item->meta.type == type
				       ? kct_tracefile_meta(file, link - 1, ret_meta)
				       : KCT_ERR_NOT_FOUND;
		link = item->hashed;
	}
	return KCT_ERR_NOT_FOUND;
}

int kct_meta_number(const struct kct_meta *meta, size_t index, uint64_t *ret_number)
{
	if (meta->type != KCT_META_NUMBERS || index >= meta->bytes / sizeof(uint64_t))
		return KCT_ERR_NOT_FOUND;
	*ret_number = kct_form_u64((const unsigned char *)meta->data + index * sizeof(uint64_t),
				   meta->swapped);
	return 0;
}
