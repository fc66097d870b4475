/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "decode/decode.h"
#include "decode/words.h"

static kct_decode_fn *decoder_function(enum kct_mode mode, enum kct_access access)
{
	switch (mode) {
	case KCT_MODE_CMP:
		return kct_decode_cmp_function(access);
	case KCT_MODE_EXT:
	case KCT_MODE_MEMORY:
		return kct_decode_ext_function(access);
	case KCT_MODE_PC:
	case KCT_MODE_UNIQUE:
		break;
	}
	return kct_decode_pc_function(access);
}

int kct_decoder_new(const struct kct_layout *layout, const void *data, size_t bytes, unsigned flags,
		    struct kct_decoder **ret_decoder, struct kct_error *error)
{
	struct kct_decoder *decoder;
	struct kct_area area;
	int result;

	if (!layout || !ret_decoder || (!data && bytes) ||
	    flags & ~(unsigned)(KCT_DECODE_STRICT | KCT_DECODE_PC_RUNS | KCT_DECODE_SECTIONS))
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_layout_check(layout, error);
	if (result < 0)
		return result;
	result = kct_area_init(layout, data, bytes, &area, error);
	if (result < 0)
		return result;
	decoder = malloc(sizeof(*decoder));
	if (!decoder)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	*decoder = (struct kct_decoder){
		.layout = *layout,
		.area = area,
		.flags = flags,
		.at = 1,
		.decode = decoder_function(layout->mode, area.access),
	};
	*ret_decoder = decoder;
	return 0;
}

void kct_decoder_free(struct kct_decoder *decoder)
{
	free(decoder);
}

void kct_decoder_geometry(const struct kct_decoder *decoder, struct kct_geometry *ret_geometry)
{
	*ret_geometry = decoder->area.geometry;
}

/** Whether the element for the claimed words that are not in the data is still to come. */
static bool decoder_owes_missing(const struct kct_decoder *decoder)
{
	return decoder->area.geometry.missing_words != 0 && !decoder->missing_given;
}

/** Up to `max` elements, odd ones too. */
static size_t decoder_fill(struct kct_decoder *decoder, size_t max, struct kct_record *records)
{
	size_t n = 0;

	if (decoder->at < decoder->area.end)
		n = decoder->decode(decoder, max, records);
	if (n < max && decoder->at == decoder->area.end && decoder_owes_missing(decoder)) {
		kct_record_set_lost(&records[n++], decoder->at, 0,
				    decoder->area.geometry.missing_words, KCT_LOST_MISSING);
		decoder->missing_given = true;
	}
	return n;
}

/** Go back to an element that was filled in. */
static void decoder_return_to(struct kct_decoder *decoder, const struct kct_record *record)
{
	decoder->at = record->index;
	decoder->missing_given = false;
}

static bool record_is_odd(const struct kct_record *record)
{
	return record->kind == KCT_RECORD_LOST || record->kind == KCT_RECORD_UNKNOWN;
}

static int decoder_fail_odd(const struct kct_record *odd, struct kct_error *error)
{
	int result;

	if (odd->kind == KCT_RECORD_LOST)
		result = kct_fail(error, KCT_ERR_RECORD, "word %llu: %s",
				  (unsigned long long)odd->index,
				  kct_lost_reason_text(odd->lost.reason));
	else
		result = kct_fail(error, KCT_ERR_RECORD, "word %llu: no known record type: %#llx",
				  (unsigned long long)odd->index, (unsigned long long)odd->pc);
	if (error) {
		error->word_index = odd->index;
		error->word = odd->pc;
	}
	return result;
}

/** The strict form of the batch: nothing is stored when the first element is odd. */
static int decoder_fill_strict(struct kct_decoder *decoder, size_t max, struct kct_record *records,
			       size_t *ret_n, struct kct_error *error)
{
	struct kct_record first;
	size_t n;

	if (decoder_fill(decoder, 1, &first) == 0) {
		*ret_n = 0;
		return 0;
	}
	if (record_is_odd(&first)) {
		decoder_return_to(decoder, &first);
		return decoder_fail_odd(&first, error);
	}
	memcpy(records, &first, sizeof(first));
	n = 1 + (max > 1 ? decoder_fill(decoder, max - 1, records + 1) : 0);
	for (size_t i = 1; i < n; i++) {
		if (record_is_odd(&records[i])) {
			decoder_return_to(decoder, &records[i]);
			n = i;
		}
	}
	*ret_n = n;
	return 1;
}

int kct_decoder_batch(struct kct_decoder *decoder, size_t max, struct kct_record *ret_records,
		      size_t *ret_n, struct kct_error *error)
{
	size_t n;

	if (max == 0)
		return kct_fail(error, KCT_ERR_ARGUMENT, "a batch of no records");
	if (decoder->flags & KCT_DECODE_STRICT)
		return decoder_fill_strict(decoder, max, ret_records, ret_n, error);
	n = decoder_fill(decoder, max, ret_records);
	*ret_n = n;
	return n > 0;
}

int kct_decoder_next(struct kct_decoder *decoder, struct kct_record *ret_record,
		     struct kct_error *error)
{
	size_t n;

	return kct_decoder_batch(decoder, 1, ret_record, &n, error);
}

uint64_t kct_decoder_position(const struct kct_decoder *decoder)
{
	uint64_t position;

	if (!decoder->missing_given)
		return decoder->at;
	if (__builtin_add_overflow(decoder->at, decoder->area.geometry.missing_words, &position))
		return UINT64_MAX;
	return position;
}

int kct_decoder_seek(struct kct_decoder *decoder, uint64_t index)
{
	if (index == 0 || index > decoder->area.end)
		return KCT_ERR_ARGUMENT;
	decoder->at = index;
	decoder->missing_given = false;
	return 0;
}

int kct_decoder_resync(struct kct_decoder *decoder, struct kct_record *ret_lost)
{
	struct kct_record stepped, record;

	kct_record_set_lost(&stepped, kct_decoder_position(decoder), 0, 0, KCT_LOST_UNWRITTEN);
	while (decoder_fill(decoder, 1, &record) > 0) {
		if (!record_is_odd(&record)) {
			decoder_return_to(decoder, &record);
			break;
		}
		if (stepped.words == 0)
			stepped = record;
		else if (__builtin_add_overflow(stepped.words, record.words, &stepped.words))
			stepped.words = UINT64_MAX;
	}
	if (ret_lost)
		*ret_lost = stepped;
	return 0;
}

int kct_pc_view(const struct kct_layout *layout, const void *data, size_t bytes,
		const uint64_t **ret_pcs, size_t *ret_n, struct kct_error *error)
{
	struct kct_area area;
	int result = kct_layout_check(layout, error);

	if (result < 0)
		return result;
	if (layout->mode != KCT_MODE_PC)
		return kct_fail(error, KCT_ERR_MODE, "an area in mode %s is no list of PCs",
				kct_mode_name(layout->mode));
	result = kct_area_init(layout, data, bytes, &area, error);
	if (result < 0)
		return result;
	if (area.access != KCT_ACCESS_NATIVE_8 || (uintptr_t)area.base % _Alignof(uint64_t) != 0)
		return kct_fail(error, KCT_ERR_UNSUPPORTED,
				"the words are not aligned words of this machine");
	*ret_pcs = (const uint64_t *)(const void *)area.base + 1;
	*ret_n = (size_t)area.geometry.used_words;
	return 0;
}
