/* SPDX-License-Identifier: BSD-2-Clause */
/** @file attach.h Having a new thread enable a capture for itself. */
#ifndef CLI_RECORD_ATTACH_H
#define CLI_RECORD_ATTACH_H

#include <kcovtrace/capture.h>

#include <sys/types.h>

#define ATTACH_REASON_BYTES 256

/**
 * KCOV traces a thread that enables it itself. So the thread, which is stopped under ptrace before
 * its first instruction, gets a duplicate of the capture's descriptor (pidfd_getfd), enables and
 * closes it. False: it cannot; `reason` says why.
 */
bool attach(pid_t thread, struct kct_capture *capture, enum kct_mode mode,
	    char reason[ATTACH_REASON_BYTES]);

#endif
