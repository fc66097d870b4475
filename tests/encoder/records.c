/* SPDX-License-Identifier: BSD-2-Clause */
/* The records that decoding must give, and the events that records are of. */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

#define CMP_TYPES    0x7u
#define MEMORY_FLAGS 0x1f0u

/** As the kernel of the form has it in a word. */
static uint64_t place_of(uint64_t pc, const struct enc_form *form)
{
	const struct kct_layout *layout = &form->layout;

	if (layout->slid)
		pc += form->slide;
	return enc_word_bytes(layout) == 4 ? (uint32_t)pc : pc;
}

static void set_cmp(struct kct_record *record, const struct enc_event *event,
		    const struct enc_form *form)
{
	uint64_t mask = enc_word_bytes(&form->layout) == 4 ? UINT32_MAX : UINT64_MAX;

	record->words = 4;
	record->cmp.type = event->type & mask;
	record->cmp.arg1 = event->arg1 & mask;
	record->cmp.arg2 = event->arg2 & mask;
	record->cmp.size = (uint8_t)(1 << (event->type >> 1 & 3));
	record->cmp.is_const = event->type & 1;
	if (event->type & mask & ~(uint64_t)CMP_TYPES)
		record->flags = KCT_RECORD_ODD_BITS;
}

static void set_memory(struct kct_record *record, const struct enc_event *event,
		       const struct enc_form *form)
{
	record->words = form->layout.memory_words;
	record->memory.addr = event->addr;
	record->memory.size = event->size;
	record->memory.flags = event->flags;
	record->memory.time = event->time;
	record->memory.value = event->value;
	if (event->flags & ~MEMORY_FLAGS)
		record->flags = KCT_RECORD_ODD_BITS;
}

static void set_eesum(struct kct_record *record, const struct enc_event *event)
{
	record->pc = 0;
	record->eesum.delta = event->delta;
	record->eesum.min = event->min;
	if (event->min > 0 || event->delta < event->min)
		record->flags |= KCT_RECORD_INVALID;
	if (event->min == INT16_MIN || event->delta == INT16_MIN)
		record->flags |= KCT_RECORD_SATURATED;
}

/** A projected event that is no RAW word. */
static void set_record(struct kct_record *record, const struct enc_event *event,
		       const struct enc_form *form)
{
	static const uint8_t kinds[] = {
		[ENC_PC] = KCT_RECORD_PC,	[ENC_CMP] = KCT_RECORD_CMP,
		[ENC_ENTRY] = KCT_RECORD_ENTRY, [ENC_EXIT] = KCT_RECORD_EXIT,
		[ENC_EESUM] = KCT_RECORD_EESUM, [ENC_MEMORY] = KCT_RECORD_MEMORY,
		[ENC_WAIT] = KCT_RECORD_WAIT,	[ENC_WAKE] = KCT_RECORD_WAKE,
	};

	record->kind = kinds[event->kind];
	record->pc = place_of(event->pc, form);
	record->words = 1;
	record->count = 1;
	if (event->kind == ENC_CMP)
		set_cmp(record, event, form);
	else if (event->kind == ENC_MEMORY)
		set_memory(record, event, form);
	else if (event->kind == ENC_EESUM)
		set_eesum(record, event);
	if (event->kind == ENC_ENTRY) {
		record->words = form->layout.entry_words;
		if (record->words == 2)
			record->entry.caller = place_of(event->caller, form);
	}
	if (event->kind == ENC_WAIT || event->kind == ENC_WAKE) {
		record->pc = 0;
		record->delay.bit = event->bit;
		record->delay.timeout = event->timeout;
	}
}

/** UNIQUE without numbers beyond the bitmap: each PC once. */
static bool was_seen(const struct kct_record *records, size_t n, uint64_t pc)
{
	for (size_t i = 0; i < n; i++) {
		if (records[i].pc == pc)
			return true;
	}
	return false;
}

struct kct_record *enc_records(const struct enc_event *events, size_t n,
			       const struct enc_form *form, size_t *ret_n)
{
	struct kct_record *records = calloc(n + 1, sizeof(*records));
	uint64_t index = 1;
	size_t made = 0;

	if (!records)
		abort();
	for (size_t i = 0; i < n - form->unused_events; i++) {
		struct enc_event event;

		if (!enc_project(&events[i], &form->layout, &event) || event.kind == ENC_RAW)
			continue;
		if (form->layout.mode == KCT_MODE_UNIQUE &&
		    was_seen(records, made, place_of(event.pc, form)))
			continue;
		memset(&records[made], 0, sizeof(records[made]));
		set_record(&records[made], &event, form);
		records[made].index = index;
		index += records[made++].words;
	}
	*ret_n = made;
	return records;
}

static bool delay_of(const struct kct_record *record, struct enc_event *event)
{
	event->bit = record->delay.bit;
	event->timeout = record->delay.timeout;
	return !(record->flags & KCT_RECORD_ODD_BITS);
}

static bool eesum_of(const struct kct_record *record, struct enc_event *event)
{
	event->delta = record->eesum.delta;
	event->min = record->eesum.min;
	return !(record->flags & KCT_RECORD_ODD_BITS);
}

bool enc_event_of(const struct kct_record *record, struct enc_event *ret_event)
{
	struct enc_event event = {.pc = record->pc};
	bool is_event = true;

	switch (record->kind) {
	case KCT_RECORD_PC:
		event.kind = ENC_PC;
		break;
	case KCT_RECORD_CMP:
		event.kind = ENC_CMP;
		event.type = record->cmp.type;
		event.arg1 = record->cmp.arg1;
		event.arg2 = record->cmp.arg2;
		break;
	case KCT_RECORD_ENTRY:
		event.kind = ENC_ENTRY;
		event.caller = record->entry.caller;
		break;
	case KCT_RECORD_EXIT:
		event.kind = ENC_EXIT;
		break;
	case KCT_RECORD_EESUM:
		event.kind = ENC_EESUM;
		is_event = eesum_of(record, &event);
		break;
	case KCT_RECORD_MEMORY:
		event.kind = ENC_MEMORY;
		event.addr = record->memory.addr;
		event.size = record->memory.size;
		event.flags = record->memory.flags;
		event.time = record->memory.time;
		event.value = record->memory.value;
		break;
	case KCT_RECORD_WAIT:
	case KCT_RECORD_WAKE:
		event.kind = record->kind == KCT_RECORD_WAIT ? ENC_WAIT : ENC_WAKE;
		is_event = delay_of(record, &event);
		break;
	default:
		is_event = false;
	}
	if (is_event)
		*ret_event = event;
	return is_event;
}
