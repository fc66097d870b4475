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

static inline void put_memory(struct trace *trace, uint32_t words, uint64_t pc, uint64_t time)
{
	unsigned char *fields;

	put(trace, MEM(pc));
	put(trace, 0xff11000000277fc0u + 8 * (time % 7));
	fields = trace->bytes + 8 * trace->n_words;
	put(trace, 0);
	area_put(fields, 8, 4, trace->endian);
	/* Every fifth access has no valid value; kernels with four words know none. */
	area_put(fields + 4, words == 4 || time % 5 == 0 ? 0x10 : 0x110, 4, trace->endian);
	put(trace, time);
	if (words > 4)
		put(trace, time % 5 == 0 ? 0 : 0xff11000000000000u + time);
	for (uint32_t i = 5; i < words; i++)
		put(trace, time * 3);
}

/** A function with accesses that calls itself `depth` times. */
static inline void put_calls(struct trace *trace, uint32_t entry_words, uint32_t memory_words,
			     int depth)
{
	uint64_t pc = 0x1000u * (unsigned)depth;

	put(trace, ENTRY(pc + 4));
	if (entry_words == 2)
		put(trace, TEXT(pc + 0x1234));
	/* The entry stands for the first point of a function: not all have another one. */
	if (depth % 3 != 0)
		put(trace, TEXT(pc + 8));
	for (unsigned i = 0; memory_words && i < 4; i++)
		put_memory(trace, memory_words, pc + 16 + i, trace->n_words);
	if (depth > 0) {
		put_calls(trace, entry_words, memory_words, depth - 1);
		put_calls(trace, entry_words, memory_words, depth / 2);
	}
	put(trace, EXIT(pc + 0x80));
}

#endif
