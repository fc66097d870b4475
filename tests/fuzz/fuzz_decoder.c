/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding any bytes in any layout. The first four bytes choose the layout and
 * the sizes of batches, the rest is the area. What must hold:
 * - the words of the records tile the area, from word 1 to the last one claimed
 * - one record at a time, batches of any size and PC runs tell the same
 * - strict decoding with resync visits the records that are not odd
 * - records written again by the encoder, in either byte order, decode to the same records
 * - nothing outside the bytes is read (the copy is as long as the area, for ASan)
 */
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "base/macros.h"
#include "encoder.h"
#include "fuzz.h"

#define HEADER_BYTES 4u
#define MAX_BATCH    32u

/* What the first bytes choose. */
struct choice {
	struct kct_layout layout;
	size_t batch;
	unsigned flags; /* of all decoders */
};

struct records {
	struct kct_record *list;
	size_t n;
};

static struct choice choose(const uint8_t *header)
{
	struct choice choice = {0};
	size_t n_presets = 0;

	while (kct_layout_preset_name(n_presets))
		n_presets++;
	FUZZ_CHECK(kct_layout_preset(kct_layout_preset_name(header[0] % n_presets),
				     &choice.layout) == 0);
	choice.layout.endian = header[1] & 1 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
	choice.layout.eesum_quirk = header[1] & 2 ? KCT_EESUM_SIGN_EXTENDED : KCT_EESUM_NONE;
	if (header[1] & 4)
		choice.layout.word_bytes = 4;
	if (header[1] & 8)
		choice.layout.capacity_words = header[1] >> 4;
	if (choice.layout.mode == KCT_MODE_MEMORY)
		choice.layout.memory_words = header[2];
	if (choice.layout.mode == KCT_MODE_UNIQUE)
		choice.layout.bitmap_words = header[2];
	choice.batch = 1 + header[3] % MAX_BATCH;
	return choice;
}

static struct kct_decoder *decoder_of(const struct choice *choice, const void *data, size_t bytes,
				      unsigned flags)
{
	struct kct_decoder *decoder = NULL;
	struct kct_error error = {0};
	int result = kct_decoder_new(&choice->layout, data, bytes, choice->flags | flags, &decoder,
				     &error);

	FUZZ_CHECK((result == 0) == (decoder != NULL));
	FUZZ_CHECK(error.code == result);
	return decoder;
}

static void append(struct records *records, const struct kct_record *record)
{
	/* Powers of two from 1 on: grow when the number is one. */
	if ((records->n & (records->n - 1)) == 0) {
		records->list =
			realloc(records->list, sizeof(*record) * (records->n ? 2 * records->n : 1));
		FUZZ_CHECK(records->list);
	}
	records->list[records->n++] = *record;
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/** All records, one at a time, with the checks of tiling. */
static struct records decode_all(const struct choice *choice, const void *data, size_t bytes)
{
	struct kct_decoder *decoder = decoder_of(choice, data, bytes, 0);
	struct records records = {0};
	struct kct_geometry geometry;
	struct kct_record record;
	uint64_t at = 1;

	kct_decoder_geometry(decoder, &geometry);
	FUZZ_CHECK(saturating_add(geometry.used_words, geometry.missing_words) ==
		   geometry.claimed_words);
	FUZZ_CHECK(geometry.used_words <= bytes / 4 && geometry.unused_words <= bytes / 4);
	while (kct_decoder_next(decoder, &record, NULL) > 0) {
		FUZZ_CHECK(record.index == at);
		FUZZ_CHECK(record.words > 0 && record.count == 1 && record.reserved == 0);
		FUZZ_CHECK(record.kind < KCT_RECORD_KINDS);
		at = saturating_add(at, record.words);
		FUZZ_CHECK(kct_decoder_position(decoder) == at);
		append(&records, &record);
	}
	FUZZ_CHECK(at == saturating_add(1, geometry.claimed_words));
	kct_decoder_free(decoder);
	return records;
}

static void check_batches(const struct choice *choice, const void *data, size_t bytes,
			  const struct records *records)
{
	struct kct_decoder *decoder = decoder_of(choice, data, bytes, 0);
	struct kct_record batch[MAX_BATCH];
	size_t at = 0, n;

	while (kct_decoder_batch(decoder, choice->batch, batch, &n, NULL) > 0) {
		FUZZ_CHECK(n > 0 && n <= choice->batch && n <= records->n - at);
		FUZZ_CHECK(memcmp(batch, records->list + at, n * sizeof(batch[0])) == 0);
		at += n;
	}
	FUZZ_CHECK(n == 0 && at == records->n);
	kct_decoder_free(decoder);
}

static void check_runs(const struct choice *choice, const void *data, size_t bytes,
		       const struct records *records)
{
	struct kct_decoder *decoder = decoder_of(choice, data, bytes, KCT_DECODE_PC_RUNS);
	struct kct_record run;
	size_t at = 0;

	while (kct_decoder_next(decoder, &run, NULL) > 0) {
		uint32_t count = run.count;

		FUZZ_CHECK(count >= 1 && count <= records->n - at);
		FUZZ_CHECK(count == 1 || (run.kind == KCT_RECORD_PC && run.words == count));
		for (uint32_t i = 1; i < count; i++)
			FUZZ_CHECK(records->list[at + i].kind == KCT_RECORD_PC);
		if (count > 1) {
			run.count = 1;
			run.words = 1;
		}
		FUZZ_CHECK(memcmp(&run, &records->list[at], sizeof(run)) == 0);
		at += count;
	}
	FUZZ_CHECK(at == records->n);
	kct_decoder_free(decoder);
}

static bool is_odd(const struct kct_record *record)
{
	return record->kind == KCT_RECORD_LOST || record->kind == KCT_RECORD_UNKNOWN;
}

/** Step over the odd elements from `*at` on, which the decoder has just refused. */
static void check_resync(struct kct_decoder *decoder, const struct records *records, size_t *at)
{
	struct kct_record lost;
	uint64_t words = 0;

	FUZZ_CHECK(*at < records->n && is_odd(&records->list[*at]));
	FUZZ_CHECK(kct_decoder_position(decoder) == records->list[*at].index);
	FUZZ_CHECK(kct_decoder_resync(decoder, &lost) == 0);
	FUZZ_CHECK(lost.index == records->list[*at].index);
	while (*at < records->n && is_odd(&records->list[*at]))
		words = saturating_add(words, records->list[(*at)++].words);
	FUZZ_CHECK(lost.words == words);
}

static void check_strict(const struct choice *choice, const void *data, size_t bytes,
			 const struct records *records)
{
	struct kct_decoder *decoder = decoder_of(choice, data, bytes, KCT_DECODE_STRICT);
	struct kct_record batch[MAX_BATCH];
	struct kct_error error;
	size_t at = 0, n;
	int result;

	while ((result = kct_decoder_batch(decoder, choice->batch, batch, &n, &error)) != 0) {
		if (result < 0) {
			FUZZ_CHECK(result == KCT_ERR_RECORD && error.text[0] != '\0');
			FUZZ_CHECK(at < records->n && error.word_index == records->list[at].index);
			check_resync(decoder, records, &at);
			continue;
		}
		FUZZ_CHECK(n > 0 && n <= records->n - at);
		FUZZ_CHECK(memcmp(batch, records->list + at, n * sizeof(batch[0])) == 0);
		at += n;
	}
	FUZZ_CHECK(at == records->n);
	kct_decoder_free(decoder);
}

/** What is advised can be, and fits. */
static void near_of(const struct choice *choice, const void *data, size_t bytes)
{
	struct kct_guess near;

	if (kct_guess_near(&choice->layout, data, bytes, &near, NULL) < 0)
		return;
	FUZZ_CHECK(near.confidence >= 0.5 && near.confidence <= 1);
	FUZZ_CHECK(kct_layout_check(&near.layout, NULL) == 0);
}

/** What else takes these bytes: it must end, and its numbers must be in range. */
static void check_guess_and_summary(const struct choice *choice, const void *data, size_t bytes,
				    const struct records *records)
{
	struct kct_summary_counts counts = {.size = sizeof(counts)};
	struct kct_summary *summary;
	struct kct_guess guess;
	char reason[256];
	double score;

	FUZZ_CHECK(kct_layout_score(&choice->layout, data, bytes, &score, reason) == 0);
	FUZZ_CHECK(score >= 0 && score <= 1 && memchr(reason, '\0', sizeof(reason)));
	if (kct_guess_layout(data, bytes, &guess, NULL) == 0) {
		FUZZ_CHECK(guess.confidence >= 0.5 && guess.confidence <= 1);
		FUZZ_CHECK(kct_layout_check(&guess.layout, NULL) == 0);
	}
	near_of(choice, data, bytes);
	FUZZ_CHECK(kct_summary_new(&summary) == 0);
	kct_summary_set_layout(summary, &choice->layout);
	FUZZ_CHECK(kct_summary_add(summary, records->list, records->n) == 0);
	FUZZ_CHECK(kct_summary_get(summary, &counts) == 0);
	FUZZ_CHECK(counts.unique_pcs <= records->n);
	kct_summary_free(summary);
}

/** Whether the encoder's event of a record has all that is in the record. */
static bool is_whole_event(const struct kct_layout *layout, const struct kct_record *record,
			   struct enc_event *ret_event)
{
	if (!enc_event_of(record, ret_event))
		return false;
	/* No kernel with four words sets the flag of a value. */
	if (record->kind == KCT_RECORD_MEMORY && layout->memory_words == 4)
		return !(record->memory.flags & KCT_MEMORY_VALUE);
	/* Low points that such a kernel's words cannot hold. */
	return record->kind != KCT_RECORD_EESUM || layout->eesum_quirk == KCT_EESUM_NONE;
}

/** The events of all records; words that are none as they are. Returns whether there are any. */
static bool events_of(const struct choice *choice, const uint8_t *area,
		      const struct records *records, struct enc_event *events, size_t *ret_n)
{
	const struct kct_layout *layout = &choice->layout;
	size_t bytes = enc_word_bytes(layout), n = 0;
	bool any_raw = false;

	area += layout->bitmap_words * bytes;
	for (size_t i = 0; i < records->n; i++) {
		const struct kct_record *record = &records->list[i];

		if (record->kind == KCT_RECORD_LOST && record->lost.reason == KCT_LOST_MISSING)
			continue;
		if (is_whole_event(layout, record, &events[n])) {
			n++;
			continue;
		}
		any_raw = true;
		for (uint64_t at = record->index; at < record->index + record->words; at++)
			events[n++] = (struct enc_event){
				.kind = ENC_RAW,
				.pc = enc_get(area + at * bytes, bytes, layout->endian)};
	}
	*ret_n = n;
	return any_raw;
}

static void check_encoded(const struct choice *choice, const uint8_t *area, size_t bytes,
			  const struct records *records)
{
	struct enc_event *events = calloc(bytes / 4 + 1, sizeof(*events));
	struct enc_fault count = {.kind = ENC_BAD_COUNT};
	struct enc_form form = {.layout = choice->layout, .faults = &count, .n_faults = 1};
	struct choice again = *choice;
	size_t n, n_bytes;
	bool any_raw;

	FUZZ_CHECK(events);
	any_raw = events_of(choice, area, records, events, &n);
	form.layout.word_bytes = (uint32_t)enc_word_bytes(&choice->layout);
	count.number = enc_get(area + choice->layout.bitmap_words * form.layout.word_bytes,
			       form.layout.word_bytes, choice->layout.endian);
	/* Not the bitmap: what is hit again is not recorded again. */
	if (choice->layout.mode == KCT_MODE_UNIQUE) {
		form.layout.mode = KCT_MODE_PC;
		form.layout.bitmap_words = 0;
	}
	for (int swapped = 0; swapped < 2; swapped++) {
		struct records others;
		unsigned char *encoded;

		/* What was no access was not known to have two numbers in a word. */
		if (swapped && any_raw && choice->layout.mode == KCT_MODE_MEMORY)
			break;
		if (swapped)
			form.layout.endian = form.layout.endian == KCT_ENDIAN_BIG
						     ? KCT_ENDIAN_LITTLE
						     : KCT_ENDIAN_BIG;
		encoded = enc_encode(events, n, &form, &n_bytes);
		again.layout = form.layout;
		others = decode_all(&again, encoded, n_bytes);
		FUZZ_CHECK(others.n == records->n);
		FUZZ_CHECK(others.n == 0 || memcmp(others.list, records->list,
						   others.n * sizeof(*others.list)) == 0);
		free(others.list);
		free(encoded);
	}
	free(events);
}

static void check_all(const struct choice *choice, const void *data, size_t bytes)
{
	struct records records = decode_all(choice, data, bytes);

	check_batches(choice, data, bytes, &records);
	check_runs(choice, data, bytes, &records);
	check_strict(choice, data, bytes, &records);
	/* Whether another section begins in an access depends on words that no record shows. */
	if (choice->layout.mode != KCT_MODE_MEMORY || !(choice->flags & KCT_DECODE_SECTIONS))
		check_encoded(choice, data, bytes, &records);
	check_guess_and_summary(choice, data, bytes, &records);
	free(records.list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_decoder *decoder;
	struct choice choice;
	uint8_t *area;

	if (bytes < HEADER_BYTES)
		return -1;
	choice = choose(data);
	bytes -= HEADER_BYTES;
	area = malloc(bytes ? bytes : 1);
	FUZZ_CHECK(area);
	memcpy(area, data + HEADER_BYTES, bytes);
	decoder = decoder_of(&choice, area, bytes, 0);
	if (decoder) {
		kct_decoder_free(decoder);
		check_all(&choice, area, bytes);
		choice.flags = KCT_DECODE_SECTIONS;
		check_all(&choice, area, bytes);
	}
	free(area);
	return 0;
}
