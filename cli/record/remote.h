/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file remote.h
 * Remote sections: kernel code that runs elsewhere on behalf of a handle, as long as the program
 * runs. KCOV allows one remote capture a thread, so that each handle has a thread of the recorder
 * and gets a segment of its own. A common handle names work that a thread starts itself: the
 * program has to enable that one.
 */
#ifndef CLI_RECORD_REMOTE_H
#define CLI_RECORD_REMOTE_H

#include <pthread.h>

#include "record/recorder.h"

struct remote_handle {
	uint64_t handle;
	bool is_common;
	struct kct_capture *capture;
	uint64_t begin;
	enum kct_mode mode;
	/* Its thread, which owns the tracing until it is told to stop. */
	pthread_t thread;
	bool has_thread;
	int result; /**< of enabling; below 0: `error` */
	struct kct_error error;
	pthread_barrier_t enabled, over;
};

struct remotes {
	struct remote_handle *handles;
	size_t n;
};

/** `usb:BUS`, `common:NUMBER` or a number. NULL, or what is wrong. */
const char *remote_parse(const char *text, uint64_t *ret_handle);

/** Open captures for the handles of the options and enable all but the common one. STATUS_FINE, or
 *  STATUS_PARTLY after a message. */
int remotes_begin(struct remotes *remotes, const struct recorder *recorder);

/** The common handle, NULL if there is none. */
struct remote_handle *remotes_common(const struct remotes *remotes);

/** Stop, write what there is (not if `recorder` is NULL), and free. */
void remotes_end(struct remotes *remotes, struct recorder *recorder);

#endif
