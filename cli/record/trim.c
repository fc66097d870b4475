/* SPDX-License-Identifier: BSD-2-Clause */
#include <kcovtrace/decoder.h>

#include "record/trim.h"
#include "util.h"

#define BATCH 256

/** Takes one record after the other. */
typedef void (*take_record)(void *context, const struct kct_record *record);

static bool each_record(const struct kct_capture_area *area, take_record take, void *context)
{
	struct kct_record records[BATCH];
	struct kct_decoder *decoder;
	size_t n, i;

	if (kct_decoder_new(area->layout, area->data, area->bytes, 0, &decoder, NULL) < 0)
		return false;
	while (kct_decoder_batch(decoder, BATCH, records, &n, NULL) > 0) {
		for (i = 0; i < n; i++)
			take(context, &records[i]);
	}
	kct_decoder_free(decoder);
	return true;
}

/** Depth relative to the beginning of the area. */
struct sample {
	int64_t depth, lowest;
	uint64_t head_exit; /* 0: none yet */
	uint64_t tail_entry,
		tail_caller; /* of the call on the lowest level that is open; 0: none */
};

static void sample_record(void *context, const struct kct_record *record)
{
	struct sample *sample = context;

	switch (record->kind) {
	case KCT_RECORD_ENTRY:
		if (sample->depth++ == sample->lowest) {
			sample->tail_entry = record->pc;
			sample->tail_caller = record->entry.caller;
		}
		break;
	case KCT_RECORD_EXIT:
		sample->depth--;
		if (sample->depth <= sample->lowest)
			sample->tail_entry = 0;
		if (sample->depth < sample->lowest) {
			sample->lowest = sample->depth;
			sample->head_exit = record->pc;
		}
		break;
	case KCT_RECORD_EESUM:
		/* Switching away and back: the stop at the entry has one. */
		if (sample->depth + record->eesum.min < sample->lowest)
			sample->lowest = sample->depth + record->eesum.min;
		sample->depth += record->eesum.delta;
		break;
	default:
		break;
	}
}

void trim_learn(struct trim *trim, const struct kct_capture_area *area)
{
	struct sample sample = {0};
	bool found;

	if (area->layout->mode != KCT_MODE_EXT && area->layout->mode != KCT_MODE_MEMORY)
		return;
	found = each_record(area, sample_record, &sample) && sample.head_exit && sample.tail_entry;
	if (trim->samples++ == 0) {
		trim->usable = found;
		trim->head_exit = sample.head_exit;
		trim->tail_entry = sample.tail_entry;
		trim->tail_caller = sample.tail_caller;
	} else if (!found || trim->head_exit != sample.head_exit ||
		   trim->tail_entry != sample.tail_entry ||
		   trim->tail_caller != sample.tail_caller) {
		trim->usable = false;
	}
}

/** Word indices of what stays. */
struct cut {
	const struct trim *trim;
	uint64_t begin; /* 0: the head was not found yet */
	uint64_t end;	/* 0: nor the tail */
};

static void cut_record(void *context, const struct kct_record *record)
{
	struct cut *cut = context;

	if (record->kind == KCT_RECORD_EXIT && !cut->begin && record->pc == cut->trim->head_exit)
		cut->begin = record->index + record->words;
	if (record->kind == KCT_RECORD_ENTRY && record->pc == cut->trim->tail_entry &&
	    record->entry.caller == cut->trim->tail_caller)
		cut->end = record->index;
}

void trim_apply(const struct trim *trim, struct kct_capture_area *area)
{
	struct cut cut = {.trim = trim};
	uint64_t *words;

	if (!trim->usable || !each_record(area, cut_record, &cut) || !cut.begin)
		return;
	/* A call that did not return has no tail, nor has an area that was full. */
	if (cut.end < cut.begin)
		cut.end = area->count + 1;
	words = (uint64_t *)(uintptr_t)area->data + cut.begin - 1;
	words[0] = cut.end - cut.begin;
	area->data = words;
	area->records = words + 1;
	area->count = words[0];
	area->bytes = (size_t)(area->count + 1) * sizeof(*words);
}
