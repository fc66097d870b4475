/* SPDX-License-Identifier: BSD-2-Clause */
/* From events to words, and from words to bytes. */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

#define LOW_56	     0x00ffffffffffffffu
#define TAG(type)    ((uint64_t)(type) << 60)
#define VALUE_FLAG   0x100u
#define TIMEOUT_BIT  ((uint64_t)1 << 52)
#define FIRST_GUARD  1u /* bit 0 of a bitmap is never used */
#define SCRATCH_MORE 8u

/** An area that is being written: words behind the count, some of which are two numbers. */
struct area {
	const struct enc_form *form;
	uint64_t *words;
	bool *halves; /* the word is two numbers of 32 bits, the first one in the upper half here */
	size_t n_words, max;
	size_t n_records, last; /* words of the last record start here */
	uint64_t *seen;		/* UNIQUE: PCs that have a number */
	size_t n_seen;
};

static void *some(size_t n, size_t size)
{
	void *memory = calloc(n + 1, size);

	if (!memory)
		abort();
	return memory;
}

void enc_put(unsigned char *to, uint64_t number, size_t bytes, enum kct_endian endian)
{
	for (size_t i = 0; i < bytes; i++) {
		size_t place = endian == KCT_ENDIAN_BIG ? bytes - 1 - i : i;

		to[place] = (unsigned char)(number >> 8 * i);
	}
}

uint64_t enc_get(const unsigned char *from, size_t bytes, enum kct_endian endian)
{
	uint64_t number = 0;

	for (size_t i = 0; i < bytes; i++)
		number |= (uint64_t)from[endian == KCT_ENDIAN_BIG ? bytes - 1 - i : i] << 8 * i;
	return number;
}

size_t enc_word_bytes(const struct kct_layout *layout)
{
	if (layout->mode == KCT_MODE_CMP && layout->os == KCT_OS_LINUX)
		return 8;
	return layout->word_bytes;
}

bool enc_project(const struct enc_event *event, const struct kct_layout *layout,
		 struct enc_event *ret_event)
{
	bool is_point = event->kind == ENC_PC || event->kind == ENC_ENTRY;
	enum kct_mode mode = layout->mode;

	*ret_event = *event;
	if (event->kind == ENC_RAW)
		return true;
	/* A kernel with 32 bits has such PCs, also where the words of its records are longer. */
	if (layout->word_bytes == 4)
		ret_event->pc = (uint32_t)event->pc;
	if (mode == KCT_MODE_CMP || event->kind == ENC_CMP)
		return mode == KCT_MODE_CMP && event->kind == ENC_CMP;
	if (mode == KCT_MODE_PC || mode == KCT_MODE_UNIQUE) {
		ret_event->kind = ENC_PC;
		ret_event->caller = 0;
		return is_point;
	}
	if (layout->entry_words == 1)
		ret_event->caller = 0;
	if (event->kind != ENC_MEMORY)
		return true;
	if (layout->memory_words == 4) {
		ret_event->value = 0;
		ret_event->flags &= ~VALUE_FLAG;
	}
	return mode == KCT_MODE_MEMORY;
}

/** Kernels that pack ints let the sign of the lowest point spill over the type. */
static uint64_t eesum_word(const struct enc_event *event, enum kct_eesum_quirk quirk)
{
	uint16_t delta = (uint16_t)event->delta, min = (uint16_t)event->min;
	uint64_t low;

	if (quirk == KCT_EESUM_NONE)
		return TAG(2) | (uint64_t)min << 16 | delta;
	low = (uint64_t)min << 16 | delta;
	return event->min < 0 ? 0xffffffff00000000u | low : TAG(2) | low;
}

static size_t memory_words(const struct enc_event *event, const struct kct_layout *layout,
			   uint64_t pc, uint64_t *words)
{
	words[0] = TAG(3) | (pc & LOW_56);
	words[1] = event->addr;
	words[2] = (uint64_t)event->size << 32 | event->flags;
	words[3] = event->time;
	for (size_t i = 4; i < layout->memory_words; i++)
		words[i] = i == 4 ? event->value : event->time * 3; /* of kernels to come */
	return layout->memory_words;
}

size_t enc_words(const struct enc_event *event, const struct enc_form *form, uint64_t *words)
{
	const struct kct_layout *layout = &form->layout;
	uint64_t slide = layout->slid ? form->slide : 0, pc = event->pc + slide;

	switch (event->kind) {
	case ENC_PC:
		words[0] = pc;
		return 1;
	case ENC_CMP:
		words[0] = event->type;
		words[1] = event->arg1;
		words[2] = event->arg2;
		words[3] = pc;
		return 4;
	case ENC_ENTRY:
		words[0] = TAG(0) | (pc & LOW_56);
		words[1] = event->caller + slide;
		return layout->entry_words;
	case ENC_EXIT:
		words[0] = TAG(1) | (pc & LOW_56);
		return 1;
	case ENC_EESUM:
		words[0] = eesum_word(event, layout->eesum_quirk);
		return 1;
	case ENC_MEMORY:
		return memory_words(event, layout, pc, words);
	case ENC_WAIT:
		words[0] = TAG(4) | (event->timeout ? TIMEOUT_BIT : 0) | event->bit;
		return 1;
	case ENC_WAKE:
		words[0] = TAG(5) | event->bit;
		return 1;
	case ENC_RAW:
	case ENC_KINDS:
		break;
	}
	words[0] = event->pc;
	return 1;
}

/** UNIQUE: whether a PC is recorded; gives it a number and sets its bit. */
static bool is_news(struct area *area, uint64_t pc, uint64_t *bitmap)
{
	const struct kct_layout *layout = &area->form->layout;
	uint64_t bits = 8u * layout->word_bytes, guard;
	size_t i = 0;

	while (i < area->n_seen && area->seen[i] != pc)
		i++;
	if (i == area->n_seen)
		area->seen[area->n_seen++] = pc;
	guard = FIRST_GUARD + i;
	if (guard / bits >= layout->bitmap_words)
		return true;
	if (bitmap[guard / bits] >> guard % bits & 1)
		return false;
	bitmap[guard / bits] |= (uint64_t)1 << guard % bits;
	return true;
}

/** The form for event number `i`: another mode behind a fault. */
static struct enc_form form_at(const struct enc_form *form, size_t i)
{
	struct enc_form changed = *form;

	for (size_t f = 0; f < form->n_faults; f++) {
		if (form->faults[f].kind != ENC_WRONG_MODE || i < form->faults[f].at)
			continue;
		changed.layout.mode = (enum kct_mode)form->faults[f].number;
		if (changed.layout.entry_words == 0)
			changed.layout.entry_words = 2;
		if (changed.layout.memory_words == 0)
			changed.layout.memory_words = 5;
	}
	return changed;
}

static void add_words(struct area *area, const uint64_t *words, size_t n, bool is_memory)
{
	if (area->n_words + n > area->max) {
		area->max = 2 * area->max + n + 64;
		area->words = realloc(area->words, area->max * sizeof(*area->words));
		area->halves = realloc(area->halves, area->max * sizeof(*area->halves));
		if (!area->words || !area->halves)
			abort();
	}
	area->last = area->n_words;
	for (size_t i = 0; i < n; i++) {
		area->words[area->n_words] = words[i];
		area->halves[area->n_words++] = is_memory && i == 2;
	}
	area->n_records++;
}

static void add_events(struct area *area, const struct enc_event *events, size_t n, size_t first,
		       uint64_t *bitmap)
{
	const struct kct_layout *layout = &area->form->layout;
	uint64_t *words = some(layout->memory_words + SCRATCH_MORE, sizeof(*words));

	for (size_t i = first; i < first + n; i++) {
		struct enc_form form = form_at(area->form, i);
		struct enc_event event;

		if (!enc_project(&events[i], &form.layout, &event))
			continue;
		if (form.layout.mode == KCT_MODE_UNIQUE && event.kind == ENC_PC &&
		    !is_news(area, event.pc, bitmap))
			continue;
		add_words(area, words, enc_words(&event, &form, words), event.kind == ENC_MEMORY);
	}
	free(words);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state ^ *state >> 29;
}

/** Faults of words. */
static void spoil(struct area *area)
{
	for (size_t f = 0; f < area->form->n_faults; f++) {
		const struct enc_fault *fault = &area->form->faults[f];
		uint64_t seed = fault->seed;

		if (area->n_words == 0)
			continue;
		for (size_t i = area->last; i < area->n_words; i++) {
			if (fault->kind == ENC_ZERO_LAST)
				area->words[i] = 0;
			else if (fault->kind == ENC_STALE_LAST)
				area->words[i] = area->words[i - area->last];
		}
		for (uint64_t i = 0; fault->kind == ENC_GARBAGE && i < fault->number; i++) {
			/* The first word after the count has index 1. */
			if (fault->at - 1 + i < area->n_words)
				area->words[fault->at - 1 + i] = next_random(&seed);
		}
	}
}

static uint64_t count_of(const struct area *area)
{
	const struct enc_form *form = area->form;
	uint64_t count = area->n_words;

	if (form->layout.mode == KCT_MODE_CMP)
		count /= 4;
	for (size_t f = 0; f < form->n_faults; f++) {
		if (form->faults[f].kind == ENC_BAD_COUNT)
			count = form->faults[f].number;
	}
	return count;
}

static size_t cut_of(const struct enc_form *form, size_t bytes)
{
	for (size_t f = 0; f < form->n_faults; f++) {
		if (form->faults[f].kind == ENC_CUT_TAIL)
			bytes -= form->faults[f].number < bytes ? form->faults[f].number : bytes;
	}
	return bytes;
}

static void put_words(const struct area *area, unsigned char *to)
{
	size_t bytes = enc_word_bytes(&area->form->layout);
	enum kct_endian endian = area->form->layout.endian;

	for (size_t i = 0; i < area->n_words; i++, to += bytes) {
		if (area->halves[i] && bytes == 8) {
			enc_put(to, area->words[i] >> 32, 4, endian);
			enc_put(to + 4, area->words[i], 4, endian);
		} else {
			enc_put(to, area->words[i], bytes, endian);
		}
	}
}

unsigned char *enc_encode(const struct enc_event *events, size_t n, const struct enc_form *form,
			  size_t *ret_bytes)
{
	const struct kct_layout *layout = &form->layout;
	size_t word_bytes = enc_word_bytes(layout), used = n - form->unused_events, all;
	uint64_t *bitmap = some(layout->bitmap_words, sizeof(*bitmap)), count;
	struct area area = {.form = form, .seen = some(n, sizeof(*area.seen))};
	unsigned char *bytes, *at;

	add_events(&area, events, used, 0, bitmap);
	count = count_of(&area);
	spoil(&area);
	add_events(&area, events, form->unused_events, used, bitmap);
	all = layout->bitmap_words + 1 + area.n_words + form->unused_words;
	at = bytes = some(all, word_bytes);
	for (uint64_t i = 0; i < layout->bitmap_words; i++, at += word_bytes)
		enc_put(at, bitmap[i], word_bytes, layout->endian);
	enc_put(at, count, word_bytes, layout->endian);
	put_words(&area, at + word_bytes);
	free(area.words);
	free(area.halves);
	free(area.seen);
	free(bitmap);
	*ret_bytes = cut_of(form, all * word_bytes);
	return bytes;
}
