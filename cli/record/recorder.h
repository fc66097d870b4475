/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file recorder.h
 * Coverage of traced threads: gives each one a capture of its own and writes what is in it as a
 * segment as soon as that is finished.
 */
#ifndef CLI_RECORD_RECORDER_H
#define CLI_RECORD_RECORDER_H

#include <kcovtrace/kcovtrace.h>

#include "options.h"
#include "record/attach.h"
#include "record/proc.h"
#include "record/tracer.h"
#include "record/trim.h"

/** A thread that is recorded. */
struct recorded {
	struct kct_capture *capture;
	pid_t thread, process;
	char name[PROC_NAME_BYTES]; /**< the last that was seen */
	uint64_t begin;		    /**< of the segment, CLOCK_MONOTONIC */
	bool is_first;		    /**< the program's first thread */
	int64_t syscall;
	uint64_t arguments[6];
};

struct recorder {
	const struct options *options;
	struct kct_trace_writer *writer; /**< NULL until there is something to write */
	int (*begin)(void *context);	 /**< make the writer; a status, with a message */
	void *context;
	uint32_t native; /**< AUDIT_ARCH_... of the machine; 0: not seen yet */
	struct trim trim;
	bool is_learning;	/**< the program has not come to execve yet */
	struct recorded *first; /**< the program's first thread, until it is traced or written */
	struct kct_capture **spare; /**< of threads that have ended */
	size_t n_spare, max_spare;
	bool write_failed;
	/* What is told at the end. */
	uint64_t segments, bytes, full, threads, untraced;
	uint64_t capacity;			     /**< words of an area */
	char why_untraced[ATTACH_REASON_BYTES + 32]; /**< of the first one */
};

/** A new capture with an area as the options say, read in their mode. STATUS_FINE, or STATUS_PARTLY
 *  after a message. */
int recorder_open_capture(const struct recorder *recorder, struct kct_capture **ret_capture);

/** Begin to record a thread that has enabled `capture`, which is taken over. */
struct recorded *recorder_add(struct recorder *recorder, struct kct_capture *capture, pid_t thread,
			      pid_t process);

/** Learn the name of a thread that is still there. */
void recorder_name(struct recorded *recorded);

/** Write the area of a thread that is not inside of a system call, or of which nobody knows, and
 *  keep its capture for another one. */
void recorder_finish(struct recorder *recorder, struct recorded *recorded);

/** Write an area. `segment` says whose; layout, data, time of the end and overflow are added. */
void recorder_write(struct recorder *recorder, struct kct_trace_segment *segment,
		    struct kct_capture_area *area);

/** Of a tracer whose context is a recorder. The thread that begins first is `first`. */
extern const struct tracer_events recorder_events;

/** CLOCK_MONOTONIC in nanoseconds. */
uint64_t recorder_now(void);

/** Say what was recorded. */
void recorder_summary(const struct recorder *recorder, const char *path);

void recorder_clear(struct recorder *recorder);

#endif
