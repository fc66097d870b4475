/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stack_trace.h
 * Records by hand for the tests of lib/stack. A function is a capital letter: it
 * has a page of its own, 'A' the one at CODE. PCs of other characters lie in
 * no known function.
 */
#ifndef KCT_TESTS_STACK_TRACE_H
#define KCT_TESTS_STACK_TRACE_H

#include "check.h"

#include <kcovtrace/kcovtrace.h>

#define CODE UINT64_C(0xffffffff81000000)

/** A PC in a function, `offset` bytes behind its start. */
#define AT(function, offset) (CODE + (uint64_t)((function) - 'A') * 0x1000 + (offset))

/* The first argument is the word index. Two-word ENTRY: callee, caller. */
#define ENTRY(i, function, from)                                                \
	{                                                                       \
		.index = (i), .pc = AT(function, 0x10), .words = 2, .count = 1, \
		.kind = KCT_RECORD_ENTRY, .entry.caller = (from),               \
	}
#define CALL(i, from, function) ENTRY(i, function, AT(from, 0x80))
/* The first public format: no caller. */
#define ENTRY1(i, function) ENTRY(i, function, 0)
#define RECORD(i, record_kind, where)                                \
	{                                                            \
		.index = (i), .pc = (where), .words = 1, .count = 1, \
		.kind = KCT_RECORD_##record_kind,                    \
	}
#define EXIT(i, function)   RECORD(i, EXIT, AT(function, 0xf0))
#define PC(i, function)	    RECORD(i, PC, AT(function, 0x40))
#define MEMORY(i, function) RECORD(i, MEMORY, AT(function, 0x50))
#define WAIT(i)		    RECORD(i, WAIT, 0)
#define WAKE(i)		    RECORD(i, WAKE, 0)
#define CMP(i, function)    RECORD(i, CMP, AT(function, 0x60))
#define UNKNOWN(i, word)    RECORD(i, UNKNOWN, word)
#define PCS(i, function, n)                                                         \
	{                                                                           \
		.index = (i), .pc = AT(function, 0x40), .words = (n), .count = (n), \
		.kind = KCT_RECORD_PC,                                              \
	}
#define LOST(i, n, why)                                                          \
	{                                                                        \
		.index = (i), .words = (n), .count = 1, .kind = KCT_RECORD_LOST, \
		.lost.reason = (why),                                            \
	}
#define EESUM(i, change, lowest)                                                \
	{                                                                       \
		.index = (i), .words = 1, .count = 1, .kind = KCT_RECORD_EESUM, \
		.eesum = {.delta = (change), .min = (lowest)},                  \
	}

#define END_OF_TRACE                     \
	{                                \
		.kind = KCT_RECORD_KINDS \
	}

/** Records before END_OF_TRACE. */
static inline size_t trace_length(const struct kct_record *records)
{
	size_t n = 0;

	while (records[n].kind != KCT_RECORD_KINDS)
		n++;
	return n;
}

/** A function source for A to Z; `context`, a size_t, may count the questions. */
static inline int letter_of(void *context, uint64_t pc, uint64_t *ret_function)
{
	if (context)
		++*(size_t *)context;
	if (pc - 1 < CODE || pc - 1 >= CODE + 26 * 0x1000)
		return 0;
	*ret_function = 'A' + (pc - 1 - CODE) / 0x1000;
	return 1;
}

static inline struct kct_stack *new_stack(bool symbols, uint64_t max_depth, bool keep_names)
{
	struct kct_stack_options options = {
		.size = sizeof(options),
		.max_depth = max_depth,
		.functions = {.function_of = symbols ? letter_of : NULL},
		.keep_names = keep_names,
	};
	struct kct_stack *stack = NULL;

	assert_int_equal(kct_stack_new(&options, &stack), 0);
	return stack;
}

static inline struct kct_stack_stats stats_of(const struct kct_stack *stack)
{
	struct kct_stack_stats stats = {.size = sizeof(stats)};

	assert_int_equal(kct_stack_stats(stack, &stats), 0);
	return stats;
}

/** Letter of the function that a PC lies in; '_' for 0. */
static inline char letter(uint64_t pc)
{
	return pc ? (char)('A' + (pc - CODE) / 0x1000) : '_';
}

#endif
