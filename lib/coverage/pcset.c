/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "coverage/pcset.h"

int kct_pc_set_new(enum kct_pc_kind kind, struct kct_pc_set **ret_set)
{
	struct kct_pc_set *set;

	if (!ret_set || (kind != KCT_PC_RETURN && kind != KCT_PC_CALL))
		return KCT_ERR_ARGUMENT;
	set = calloc(1, sizeof(*set));
	if (!set)
		return KCT_ERR_NO_MEMORY;
	set->kind = kind;
	*ret_set = set;
	return 0;
}

void kct_pc_set_free(struct kct_pc_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n_parts; i++)
		kct_counts_clear(&set->parts[i].counts);
	free(set->parts);
	kct_map_clear(&set->by_hash);
	kct_pool_clear(&set->pool);
	free(set);
}

enum kct_pc_kind kct_pc_set_kind(const struct kct_pc_set *set)
{
	return set->kind;
}

int kct_pc_origin_compare(const struct kct_pc_origin *a, const struct kct_pc_origin *b)
{
	size_t bytes = (size_t)kct_min_u64(a->build_id_bytes, b->build_id_bytes);
	int order = strcmp(a->image, b->image);

	if (order == 0)
		order = strcmp(a->section, b->section);
	if (order == 0 && bytes)
		order = memcmp(a->build_id, b->build_id, bytes);
	if (order == 0)
		order = a->build_id_bytes < b->build_id_bytes
				? -1
				: a->build_id_bytes > b->build_id_bytes;
	return order;
}

static bool is_name(const char *text)
{
	size_t length = text ? strnlen(text, KCT_MAX_NAME + 1) : KCT_MAX_NAME + 1;

	for (size_t i = 0; i < length && length <= KCT_MAX_NAME; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	}
	return length <= KCT_MAX_NAME;
}

bool kct_pc_origin_is_sound(const struct kct_pc_origin *origin)
{
	return is_name(origin->image) && is_name(origin->section) &&
	       origin->build_id_bytes <= KCT_MAX_BUILD_ID_BYTES &&
	       (origin->build_id || !origin->build_id_bytes);
}

/** Copy an origin to the pool. */
static int keep_origin(struct kct_pc_set *set, const struct kct_pc_origin *origin,
		       struct kct_pc_origin *ret_kept)
{
	struct kct_pc_origin kept = {.build_id_bytes = origin->build_id_bytes};
	uint8_t *build_id;

	kept.image = kct_pool_intern(&set->pool, origin->image, strlen(origin->image));
	kept.section = kct_pool_intern(&set->pool, origin->section, strlen(origin->section));
	if (!kept.image || !kept.section)
		return KCT_ERR_NO_MEMORY;
	if (origin->build_id_bytes) {
		build_id = kct_pool_alloc(&set->pool, origin->build_id_bytes);
		if (!build_id)
			return KCT_ERR_NO_MEMORY;
		memcpy(build_id, origin->build_id, origin->build_id_bytes);
		kept.build_id = build_id;
	}
	*ret_kept = kept;
	return 0;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return kct_hash_u64(hash ^ n);
}

static uint64_t hash_origin(const struct kct_pc_set *set, const struct kct_pc_origin *origin)
{
	uint64_t hash = kct_hash_seed(set);

	hash = hash_bytes(hash, origin->image, strlen(origin->image));
	hash = hash_bytes(hash, origin->section, strlen(origin->section));
	return hash_bytes(hash, origin->build_id, origin->build_id_bytes);
}

static struct kct_pc_part *find_part(struct kct_pc_set *set, const struct kct_pc_origin *origin)
{
	const uint64_t *last = kct_map_find(&set->by_hash, hash_origin(set, origin));

	for (size_t at = last ? (size_t)*last : 0; at; at = set->parts[at - 1].next) {
		if (kct_pc_origin_compare(&set->parts[at - 1].origin, origin) == 0)
			return &set->parts[at - 1];
	}
	return NULL;
}

static int make_part(struct kct_pc_set *set, const struct kct_pc_origin *origin)
{
	struct kct_pc_part part = {0};
	uint64_t *last;
	int result;

	if (kct_array_reserve(&set->parts, &set->max_parts, set->n_parts + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	result = keep_origin(set, origin, &part.origin);
	if (result >= 0)
		result = kct_map_put(&set->by_hash, hash_origin(set, origin), &last);
	if (result < 0)
		return result;
	part.next = (size_t)*last;
	set->parts[set->n_parts++] = part;
	*last = set->n_parts;
	return 0;
}

int kct_pc_set_part(struct kct_pc_set *set, const struct kct_pc_origin *origin, size_t *ret_part)
{
	struct kct_pc_part *part;
	int result;

	if (!set || !origin || !ret_part || !kct_pc_origin_is_sound(origin))
		return KCT_ERR_ARGUMENT;
	part = find_part(set, origin);
	if (!part) {
		result = make_part(set, origin);
		if (result < 0)
			return result;
		part = &set->parts[set->n_parts - 1];
	}
	*ret_part = (size_t)(part - set->parts);
	return 0;
}

int kct_pc_set_add(struct kct_pc_set *set, size_t part, uint64_t pc, uint64_t count)
{
	if (!set || part >= set->n_parts)
		return KCT_ERR_ARGUMENT;
	return count ? kct_counts_add(&set->parts[part].counts, pc, count) : 0;
}

int kct_pc_set_add_records(struct kct_pc_set *set, size_t part, const struct kct_record *records,
			   size_t n)
{
	int result = 0;

	if (!set || part >= set->n_parts || (n && !records))
		return KCT_ERR_ARGUMENT;
	for (size_t i = 0; i < n && result >= 0; i++) {
		if (records[i].kind != KCT_RECORD_PC && records[i].kind != KCT_RECORD_ENTRY)
			continue;
		if (records[i].count > 1)
			return KCT_ERR_ARGUMENT;
		result = kct_counts_add(&set->parts[part].counts, records[i].pc, 1);
	}
	return result;
}

void kct_pc_set_add_traces(struct kct_pc_set *set, uint64_t n)
{
	set->traces = kct_count_sum(set->traces, n);
}

uint64_t kct_pc_set_traces(const struct kct_pc_set *set)
{
	return set->traces;
}

int kct_pc_set_seal(struct kct_pc_set *set)
{
	int result = 0;

	for (size_t i = 0; i < set->n_parts && result >= 0; i++)
		result = kct_counts_seal(&set->parts[i].counts);
	return result;
}

/** What the three operations begin with. */
static int begin(struct kct_pc_set *set, struct kct_pc_set *other)
{
	int result;

	if (!set || !other || set == other)
		return KCT_ERR_ARGUMENT;
	if (set->kind != other->kind)
		return KCT_ERR_MODE;
	result = kct_pc_set_seal(set);
	return result < 0 ? result : kct_pc_set_seal(other);
}

int kct_pc_set_unite(struct kct_pc_set *set, struct kct_pc_set *other)
{
	int result = begin(set, other);
	size_t part;

	for (size_t i = 0; result >= 0 && i < other->n_parts; i++) {
		const struct kct_pc_part *from = &other->parts[i];

		result = kct_pc_set_part(set, &from->origin, &part);
		if (result >= 0)
			result = kct_counts_unite(&set->parts[part].counts, from->counts.rows,
						  from->counts.n);
	}
	if (result >= 0)
		kct_pc_set_add_traces(set, other->traces);
	return result < 0 ? result : 0;
}

int kct_pc_set_subtract(struct kct_pc_set *set, struct kct_pc_set *other)
{
	int result = begin(set, other);

	for (size_t i = 0; result >= 0 && i < set->n_parts; i++) {
		struct kct_pc_part *from = find_part(other, &set->parts[i].origin);

		if (from)
			kct_counts_subtract(&set->parts[i].counts, from->counts.rows,
					    from->counts.n);
	}
	return result;
}

int kct_pc_set_intersect(struct kct_pc_set *set, struct kct_pc_set *other)
{
	int result = begin(set, other);

	for (size_t i = 0; result >= 0 && i < set->n_parts; i++) {
		struct kct_pc_part *from = find_part(other, &set->parts[i].origin);

		kct_counts_intersect(&set->parts[i].counts, from ? from->counts.rows : NULL,
				     from ? from->counts.n : 0);
	}
	return result;
}

size_t kct_pc_set_parts(const struct kct_pc_set *set)
{
	return set->n_parts;
}

int kct_pc_set_origin(const struct kct_pc_set *set, size_t part, struct kct_pc_origin *ret_origin)
{
	if (!set || !ret_origin || part >= set->n_parts)
		return KCT_ERR_ARGUMENT;
	*ret_origin = set->parts[part].origin;
	return 0;
}

int kct_pc_set_counts(struct kct_pc_set *set, size_t part, const struct kct_pc_count **ret_counts,
		      size_t *ret_n)
{
	int result;

	if (!set || !ret_counts || !ret_n || part >= set->n_parts)
		return KCT_ERR_ARGUMENT;
	result = kct_counts_seal(&set->parts[part].counts);
	if (result < 0)
		return result;
	*ret_counts = set->parts[part].counts.rows;
	*ret_n = set->parts[part].counts.n;
	return 0;
}

int kct_pc_set_size(struct kct_pc_set *set, uint64_t *ret_n)
{
	uint64_t n = 0;
	int result;

	if (!set || !ret_n)
		return KCT_ERR_ARGUMENT;
	result = kct_pc_set_seal(set);
	if (result < 0)
		return result;
	for (size_t i = 0; i < set->n_parts; i++)
		n += set->parts[i].counts.n;
	*ret_n = n;
	return 0;
}
