/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file trim.h
 * What ptrace itself leaves in the area of a system call. A thread that is stopped at the entry of
 * a call returns from the kernel's ptrace code before the call, and is in it again at the stop
 * after the call. These are returns at the beginning and calls at the end of each area, always from
 * the same places, which are learnt from two system calls that do nothing else. Only modes that
 * record calls can be trimmed.
 */
#ifndef CLI_RECORD_TRIM_H
#define CLI_RECORD_TRIM_H

#include <kcovtrace/capture.h>

struct trim {
	unsigned samples;
	bool usable;	      /**< all samples agree */
	uint64_t head_exit;   /**< PC of the last return at the beginning */
	uint64_t tail_entry;  /**< PC of the first call at the end, */
	uint64_t tail_caller; /**< which comes from here */
};

/** Learn from the area of a system call with nothing inside. */
void trim_learn(struct trim *trim, const struct kct_capture_area *area);

/**
 * Leave the ends of an area out, if both were learnt and are there. The word before what stays
 * becomes its count word: `area` is changed and so is what it points to.
 */
void trim_apply(const struct trim *trim, struct kct_capture_area *area);

#endif
