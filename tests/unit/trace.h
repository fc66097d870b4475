/* SPDX-License-Identifier: BSD-2-Clause */
/** @file trace.h One logical trace, to be written in any layout with calls. */
#ifndef KCT_TESTS_TRACE_H
#define KCT_TESTS_TRACE_H

#include "area.h"

#define MAX_TRACE 4096

/** A trace that is being written; word 0 is the count. */
struct trace {
	unsigned char bytes[8 * MAX_TRACE];
	size_t n_words, word_bytes;
	enum kct_endian endian;
};

static inline void put(struct trace *trace, uint64_t word)
{
	assert_true(trace->n_words < MAX_TRACE);
	area_put(trace->bytes + trace->n_words++ * trace->word_bytes, word, trace->word_bytes,
		 trace->endian);
}

/** Calls as events. */
struct calls {
	struct enc_event list[MAX_TRACE];
	size_t n;
};

static inline void add_event(struct calls *calls, struct enc_event event)
{
	assert_true(calls->n < MAX_TRACE);
	calls->list[calls->n++] = event;
}

static inline void add_access(struct calls *calls, uint64_t pc)
{
	uint64_t time = calls->n;
	/* Every fifth access has no valid value. */
	bool has_value = time % 5 != 0;

	add_event(calls, (struct enc_event){.kind = ENC_MEMORY,
					    .pc = TEXT(pc),
					    .addr = 0xff11000000277fc0u + 8 * (time % 7),
					    .size = 8,
					    .flags = has_value ? 0x110 : 0x10,
					    .time = time,
					    .value = has_value ? 0xff11000000000000u + time : 0});
}

/** A function with accesses that calls itself `depth` times. */
static inline void add_calls(struct calls *calls, int depth)
{
	uint64_t pc = 0x1000u * (unsigned)depth;

	add_event(calls, (struct enc_event){.kind = ENC_ENTRY,
					    .pc = TEXT(pc + 4),
					    .caller = TEXT(pc + 0x1234)});
	/* The entry stands for the first point of a function: not all have another one. */
	if (depth % 3 != 0)
		add_event(calls, (struct enc_event){.kind = ENC_PC, .pc = TEXT(pc + 8)});
	for (unsigned i = 0; i < 4; i++)
		add_access(calls, pc + 16 + i);
	if (depth > 0) {
		add_calls(calls, depth - 1);
		add_calls(calls, depth / 2);
	}
	add_event(calls, (struct enc_event){.kind = ENC_EXIT, .pc = TEXT(pc + 0x80)});
}

/** The words of such calls; without accesses if they have no words. */
static inline void put_calls(struct trace *trace, uint32_t entry_words, uint32_t memory_words,
			     int depth)
{
	struct calls *calls = calloc(1, sizeof(*calls));
	struct enc_form form = {.layout = area_layout(memory_words ? "linux-mem" : "linux-ext")};
	unsigned char *bytes;
	size_t n_bytes;

	assert_non_null(calls);
	form.layout.entry_words = entry_words;
	form.layout.memory_words = memory_words;
	form.layout.endian = trace->endian;
	add_calls(calls, depth);
	bytes = enc_encode(calls->list, calls->n, &form, &n_bytes);
	assert_true(trace->n_words + n_bytes / 8 <= MAX_TRACE);
	/* Without its count. */
	memcpy(trace->bytes + 8 * trace->n_words, bytes + 8, n_bytes - 8);
	trace->n_words += n_bytes / 8 - 1;
	free(bytes);
	free(calls);
}

#endif
