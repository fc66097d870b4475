/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a file of a set. Only what a writer can have written is taken, so that a set has one form. */
#include <string.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/fail.h"
#include "base/limits.h"
#include "coverage/pcset.h"
#include "coverage/setform.h"

#define MAX_PARTS 1000000

struct reader {
	const uint8_t *data; /* of the file */
	const uint8_t *at;
	const uint8_t *end; /* of the parts */
	const char *wrong;  /* NULL: nothing */
};

static uint64_t get_little(const uint8_t *at, unsigned bytes)
{
	uint64_t number = 0;

	while (bytes--)
		number = number << 8 | at[bytes];
	return number;
}

/** A LEB128 number in its shortest form. */
static uint64_t get_leb(struct reader *r)
{
	uint64_t number = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (r->at == r->end) {
			r->wrong = "the parts are cut";
			return 0;
		}
		byte = *r->at++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if ((byte == 0 && shift) || (shift == 63 && byte > 1))
			break;
		return number;
	}
	r->wrong = "a number that no writer writes";
	return 0;
}

static const uint8_t *get_bytes(struct reader *r, uint64_t max, size_t *ret_n)
{
	uint64_t n = get_leb(r);
	const uint8_t *start = r->at;

	if (!r->wrong && (n > max || n > (uint64_t)(r->end - r->at)))
		r->wrong = "a name or a build ID that is too long";
	if (r->wrong)
		n = 0;
	r->at += n;
	*ret_n = (size_t)n;
	return start;
}

/** Copy a text; the caller has room for KCT_MAX_NAME + 1 bytes. */
static void get_text(struct reader *r, char *text)
{
	size_t n;
	const uint8_t *from = get_bytes(r, KCT_MAX_NAME, &n);

	if (memchr(from, 0, n))
		r->wrong = "a name with a NUL";
	memcpy(text, from, n);
	text[n] = '\0';
}

static int get_rows(struct reader *r, struct kct_counts *counts)
{
	uint64_t n = get_leb(r), pc = 0;
	int result;

	/* Each takes two bytes, so a file cannot ask for more memory than eight times its size. */
	if (!r->wrong && (n == 0 || n > (uint64_t)(r->end - r->at) / 2))
		r->wrong = "a number of PCs that cannot be";
	if (r->wrong)
		return 0;
	result = kct_array_reserve(&counts->rows, &counts->max, (size_t)n);
	if (result < 0)
		return result;
	for (uint64_t i = 0; i < n && !r->wrong; i++) {
		uint64_t step = get_leb(r), count = get_leb(r);

		if (!r->wrong && (count == 0 || (i && step == 0) || step > UINT64_MAX - pc))
			r->wrong = "PCs that are not sorted, or without a record";
		pc += step;
		counts->rows[counts->n++] = (struct kct_pc_count){pc, count};
	}
	return 0;
}

static int get_part(struct reader *r, struct kct_pc_set *set)
{
	char image[KCT_MAX_NAME + 1], section[KCT_MAX_NAME + 1];
	struct kct_pc_origin origin = {.image = image, .section = section};
	const struct kct_pc_part *before = set->n_parts ? &set->parts[set->n_parts - 1] : NULL;
	size_t part;
	int result;

	get_text(r, image);
	get_text(r, section);
	origin.build_id = get_bytes(r, KCT_MAX_BUILD_ID_BYTES, &origin.build_id_bytes);
	if (!r->wrong && !kct_pc_origin_is_sound(&origin))
		r->wrong = "a name with control characters";
	if (!r->wrong && before && kct_pc_origin_compare(&before->origin, &origin) >= 0)
		r->wrong = "parts that are not sorted";
	if (r->wrong)
		return 0;
	result = kct_pc_set_part(set, &origin, &part);
	return result < 0 ? result : get_rows(r, &set->parts[part].counts);
}

static int get_parts(struct reader *r, struct kct_pc_set *set, uint64_t n, uint64_t pcs)
{
	int result = 0;

	for (uint64_t i = 0; i < n && result >= 0 && !r->wrong; i++) {
		result = get_part(r, set);
		if (set->n_parts)
			pcs -= set->parts[set->n_parts - 1].counts.n;
	}
	if (!r->wrong && (r->at != r->end || pcs))
		r->wrong = "not what the header says";
	return result;
}

int kct_pc_set_identify(const void *data, size_t bytes)
{
	return data && bytes >= KCT_SET_MARKER_BYTES &&
	       memcmp(data, KCT_SET_MARKER, KCT_SET_MARKER_BYTES) == 0;
}

/** Look at all but the parts. */
static int check_frame(const uint8_t *data, size_t bytes, struct kct_error *error)
{
	struct kct_crc32c crc;
	size_t parts;

	if (!kct_pc_set_identify(data, bytes))
		return kct_fail(error, KCT_ERR_SYNTAX, "not a set of PCs");
	if (bytes < KCT_SET_HEADER_BYTES + KCT_SET_TRAILER_BYTES)
		return kct_fail_at(error, KCT_ERR_DAMAGED, bytes, "the file is cut");
	kct_crc32c_init(&crc);
	if (get_little(data + KCT_SET_AT_ORDER, 8) != KCT_SET_ORDER_MARK)
		return kct_fail_at(error, KCT_ERR_DAMAGED, KCT_SET_AT_ORDER,
				   "the byte order is not that of sets");
	if (kct_crc32c(&crc, 0, data, KCT_SET_AT_SUM) != get_little(data + KCT_SET_AT_SUM, 4))
		return kct_fail_at(error, KCT_ERR_DAMAGED, KCT_SET_AT_SUM,
				   "the sum of the header is wrong");
	if (get_little(data + KCT_SET_AT_VERSION, 2) != KCT_SET_VERSION ||
	    get_little(data + KCT_SET_AT_KIND, 2) > KCT_PC_CALL ||
	    get_little(data + KCT_SET_AT_RESERVED, 4))
		return kct_fail(error, KCT_ERR_UNSUPPORTED, "a set of a later version");
	parts = bytes - KCT_SET_HEADER_BYTES - KCT_SET_TRAILER_BYTES;
	if (kct_crc32c(&crc, 0, data + KCT_SET_HEADER_BYTES, parts) !=
	    get_little(data + bytes - KCT_SET_TRAILER_BYTES, 4))
		return kct_fail_at(error, KCT_ERR_DAMAGED, bytes - KCT_SET_TRAILER_BYTES,
				   "the sum is wrong: the file is cut or damaged");
	if (get_little(data + KCT_SET_AT_PARTS, 4) > MAX_PARTS)
		return kct_fail_at(error, KCT_ERR_DAMAGED, KCT_SET_AT_PARTS, "too many parts");
	return 0;
}

int kct_pc_set_read(const void *data, size_t bytes, struct kct_pc_set **ret_set,
		    struct kct_error *error)
{
	struct reader r = {.data = data};
	struct kct_pc_set *set;
	int result;

	if (!data || !ret_set)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = check_frame(data, bytes, error);
	if (result < 0)
		return result;
	r.at = r.data + KCT_SET_HEADER_BYTES;
	r.end = r.data + bytes - KCT_SET_TRAILER_BYTES;
	result = kct_pc_set_new((enum kct_pc_kind)get_little(r.data + KCT_SET_AT_KIND, 2), &set);
	if (result < 0)
		return kct_fail_code(error, result);
	set->traces = get_little(r.data + KCT_SET_AT_TRACES, 8);
	result = get_parts(&r, set, get_little(r.data + KCT_SET_AT_PARTS, 4),
			   get_little(r.data + KCT_SET_AT_PCS, 8));
	if (result >= 0 && !r.wrong) {
		*ret_set = set;
		return 0;
	}
	kct_pc_set_free(set);
	if (result < 0)
		return kct_fail_code(error, result);
	return kct_fail_at(error, KCT_ERR_DAMAGED, (uint64_t)(r.at - r.data), "%s", r.wrong);
}
