/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/attach.h"
#include "record/inject.h"

static bool explain(char reason[ATTACH_REASON_BYTES], const char *what, long failure)
{
	snprintf(reason, ATTACH_REASON_BYTES, "%s: %s", what, strerror((int)-failure));
	return false;
}

/** Enable through a descriptor that the thread has. */
static bool enable(struct injection *injection, long fd, const struct kct_capture_call *call,
		   char reason[ATTACH_REASON_BYTES])
{
	long result =
		inject_call(injection, INJECT_IOCTL, (uint64_t)fd, call->request, call->argument);

	return result < 0 ? explain(reason, "it cannot enable KCOV", result) : true;
}

static bool enable_duplicate(struct injection *injection, const struct kct_capture *capture,
			     const struct kct_capture_call *call, char reason[ATTACH_REASON_BYTES])
{
	long us = inject_call(injection, INJECT_PIDFD_OPEN, (uint64_t)getpid(), 0, 0), fd;
	bool enabled = false;

	if (us < 0)
		return explain(reason, "it cannot see the recorder (pidfd_open)", us);
	fd = inject_call(injection, INJECT_PIDFD_GETFD, (uint64_t)us,
			 (uint64_t)kct_capture_fd(capture), 0);
	if (fd < 0) {
		explain(reason, "it may not get the descriptor (pidfd_getfd)", fd);
	} else {
		enabled = enable(injection, fd, call, reason);
		inject_call(injection, INJECT_CLOSE, (uint64_t)fd, 0, 0);
	}
	inject_call(injection, INJECT_CLOSE, (uint64_t)us, 0, 0);
	return enabled;
}

bool attach(pid_t thread, struct kct_capture *capture, enum kct_mode mode,
	    char reason[ATTACH_REASON_BYTES])
{
	struct kct_capture_call call;
	struct injection injection;
	struct kct_error error;
	bool enabled;
	int result;

	if (kct_capture_enable_call(capture, mode, &call, &error) < 0) {
		snprintf(reason, ATTACH_REASON_BYTES, "%s", error.text);
		return false;
	}
	result = inject_begin(&injection, thread);
	if (result < 0)
		return explain(reason, "it cannot be made to call the kernel", result);
	enabled = enable_duplicate(&injection, capture, &call, reason);
	inject_end(&injection);
	return enabled;
}
