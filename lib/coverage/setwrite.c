/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a set as a file. */
#include <string.h>

#include "base/crc32c.h"
#include "coverage/pcset.h"
#include "coverage/setform.h"

#define BUFFER_BYTES 4096

struct writer {
	kct_pc_set_sink sink;
	void *context;
	int result;
	struct kct_crc32c crc;
	uint32_t sum;
	size_t used;
	uint8_t buffer[BUFFER_BYTES];
};

static void flush(struct writer *w)
{
	w->sum = kct_crc32c(&w->crc, w->sum, w->buffer, w->used);
	if (w->result >= 0 && w->used)
		w->result = w->sink(w->context, w->buffer, w->used);
	w->used = 0;
}

static void put_byte(struct writer *w, uint8_t byte)
{
	if (w->used == BUFFER_BYTES)
		flush(w);
	w->buffer[w->used++] = byte;
}

static void put_leb(struct writer *w, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		put_byte(w, (uint8_t)(number | 0x80));
	put_byte(w, (uint8_t)number);
}

static void put_bytes(struct writer *w, const void *bytes, size_t n)
{
	put_leb(w, n);
	for (size_t i = 0; i < n; i++)
		put_byte(w, ((const uint8_t *)bytes)[i]);
}

static void put_little(uint8_t *at, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

static void put_part(struct writer *w, const struct kct_pc_part *part)
{
	const struct kct_pc_origin *origin = &part->origin;
	uint64_t before = 0;

	put_bytes(w, origin->image, strlen(origin->image));
	put_bytes(w, origin->section, strlen(origin->section));
	put_bytes(w, origin->build_id, origin->build_id_bytes);
	put_leb(w, part->counts.n);
	for (size_t i = 0; i < part->counts.n; i++) {
		put_leb(w, part->counts.rows[i].pc - before);
		put_leb(w, part->counts.rows[i].count);
		before = part->counts.rows[i].pc;
	}
}

static void put_header(struct writer *w, const struct kct_pc_set *set, size_t parts, uint64_t pcs)
{
	uint8_t *header = w->buffer;

	memset(header, 0, KCT_SET_HEADER_BYTES);
	memcpy(header, KCT_SET_MARKER, KCT_SET_MARKER_BYTES);
	put_little(header + KCT_SET_AT_ORDER, KCT_SET_ORDER_MARK, 8);
	put_little(header + KCT_SET_AT_VERSION, KCT_SET_VERSION, 2);
	put_little(header + KCT_SET_AT_KIND, set->kind, 2);
	put_little(header + KCT_SET_AT_PARTS, parts, 4);
	put_little(header + KCT_SET_AT_TRACES, set->traces, 8);
	put_little(header + KCT_SET_AT_PCS, pcs, 8);
	put_little(header + KCT_SET_AT_SUM, kct_crc32c(&w->crc, 0, header, KCT_SET_AT_SUM), 4);
	w->used = KCT_SET_HEADER_BYTES;
	flush(w);
	w->sum = 0;
}

static int compare_parts(const void *left, const void *right)
{
	return kct_pc_origin_compare(&(*(const struct kct_pc_part *const *)left)->origin,
				     &(*(const struct kct_pc_part *const *)right)->origin);
}

/** The parts that have PCs, in order. */
static const struct kct_pc_part **sort_parts(const struct kct_pc_set *set, size_t *ret_n,
					     uint64_t *ret_pcs)
{
	const struct kct_pc_part **parts = calloc(set->n_parts + 1, sizeof(*parts));
	uint64_t pcs = 0;
	size_t n = 0;

	for (size_t i = 0; parts && i < set->n_parts; i++) {
		if (set->parts[i].counts.n)
			parts[n++] = &set->parts[i];
		pcs += set->parts[i].counts.n;
	}
	if (n)
		qsort(parts, n, sizeof(*parts), compare_parts);
	*ret_n = n;
	*ret_pcs = pcs;
	return parts;
}

int kct_pc_set_write(struct kct_pc_set *set, kct_pc_set_sink sink, void *context)
{
	KCT_AUTO_FREE const struct kct_pc_part **parts = NULL;
	KCT_AUTO_FREE struct writer *w = NULL;
	uint64_t pcs;
	size_t n;
	int result;

	if (!set || !sink)
		return KCT_ERR_ARGUMENT;
	result = kct_pc_set_seal(set);
	if (result < 0)
		return result;
	parts = sort_parts(set, &n, &pcs);
	w = calloc(1, sizeof(*w));
	if (!parts || !w)
		return KCT_ERR_NO_MEMORY;
	w->sink = sink;
	w->context = context;
	kct_crc32c_init(&w->crc);
	put_header(w, set, n, pcs);
	for (size_t i = 0; i < n && w->result >= 0; i++)
		put_part(w, parts[i]);
	flush(w);
	put_little(w->buffer, w->sum, KCT_SET_TRAILER_BYTES);
	w->used = KCT_SET_TRAILER_BYTES;
	flush(w);
	return w->result < 0 ? w->result : 0;
}
