/* SPDX-License-Identifier: BSD-2-Clause */
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

size_t kct_tracefile_metas(const struct kct_tracefile *file)
{
	return file->n_metas;
}

int kct_tracefile_meta(const struct kct_tracefile *file, size_t index, struct kct_meta *ret_meta)
{
	if (index >= file->n_metas)
		return KCT_ERR_NOT_FOUND;
	return kct_options_give(ret_meta, &file->metas[index], sizeof(file->metas[index]));
}

int kct_tracefile_find_meta(const struct kct_tracefile *file, uint32_t capture, const char *name,
			    enum kct_meta_type type, struct kct_meta *ret_meta)
{
	for (size_t i = file->n_metas; i--;) {
		const struct kct_meta *meta = &file->metas[i];

		if (meta->capture != capture || strcmp(meta->name, name) != 0)
			continue;
		return meta->type == type ? kct_tracefile_meta(file, i, ret_meta)
					  : KCT_ERR_NOT_FOUND;
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
