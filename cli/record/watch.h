/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file watch.h
 * Waiting for what children do and for the user who wants to end. All signals of interest are
 * blocked and fetched in one place, so that none comes at a bad moment.
 */
#ifndef CLI_RECORD_WATCH_H
#define CLI_RECORD_WATCH_H

#include <signal.h>
#include <sys/types.h>

struct watch {
	pid_t program; /**< gets signals that were sent to the recorder alone; 0: none */
	sigset_t mask; /**< as it was, for the program */
	struct sigaction child, stop; /**< as they were */
	unsigned asked;		      /**< how often the user asked to end */
};

enum watched {
	WATCH_STATUS,  /**< a child stopped or ended */
	WATCH_ALONE,   /**< there is no child any more */
	WATCH_GIVE_UP, /**< the user asked again: end at once */
};

void watch_begin(struct watch *watch);

/** Give signals back their meaning: in the child that becomes the program, or at the end. */
void watch_end(const struct watch *watch);

/** Wait for the next thing. */
enum watched watch_next(struct watch *watch, pid_t *ret_pid, int *ret_status);

#endif
