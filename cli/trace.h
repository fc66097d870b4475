/* SPDX-License-Identifier: BSD-2-Clause */
/** @file trace.h Reading an input from front to end, as records or as steps of a stack. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "input.h"
#include "session.h"

/** Takes some records. An enum status; STATUS_USAGE and a dead output stop the reading. */
typedef int (*take_records)(void *context, const struct kct_record *records, size_t n);

/** Takes a record and what it did to the stack, NULL at the end of the trace. < 0: an error code;
 *  TRACE_STOP: read no further. */
typedef int (*take_step)(void *context, const struct kct_stack *stack,
			 const struct kct_record *record, const struct kct_step *step);

#define TRACE_STOP 1

enum trace_flag {
	TRACE_SILENT = 1 << 0, /**< do not report what is odd: another pass does */
	TRACE_RUNS = 1 << 1,   /**< KCT_DECODE_PC_RUNS */
	TRACE_NAMES = 1 << 2,  /**< number siblings (kct_stack_options.keep_names) */
};

/**
 * Hand all records of an input to `take`. What is lost, unknown or invalid is
 * reported once a kind with its first place, and makes the status
 * STATUS_PARTLY. `*ret_geometry` may be NULL.
 */
int trace_read(const struct input *input, const struct options *options, unsigned flags,
	       take_records take, void *context, struct kct_geometry *ret_geometry);

/** Say that a stack left calls out. STATUS_PARTLY if there are any. */
int report_too_deep(const struct input *input, uint64_t calls);

/** Look up all PCs of an input at once, so that later look-ups cost nothing. */
int trace_symbolize(const struct input *input, const struct options *options,
		    struct session *session);

/** The same for the records up to word `last`. */
int trace_symbolize_until(const struct input *input, const struct options *options,
			  struct session *session, uint64_t last);

/** Feed all records to a stack and hand each step to `take`. */
int trace_walk(const struct input *input, const struct options *options, struct session *session,
	       unsigned flags, take_step take, void *context);

/** The PCs of a record that can be looked up: up to 2 in `pcs`. */
size_t record_pcs(const struct kct_record *record, uint64_t pcs[2]);

#endif
