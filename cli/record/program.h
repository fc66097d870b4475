/* SPDX-License-Identifier: BSD-2-Clause */
/** @file program.h Starting the program that is recorded, with its tracing on. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

#include <kcovtrace/capture.h>

#include "record/watch.h"
#include "util.h"

/** How to start it. */
struct program_setup {
	char **argv; /**< NULL at the end */
	const struct watch *watch;
	struct kct_capture *capture; /**< to be enabled by it */
	enum kct_mode mode;
	struct kct_capture *common; /**< to be enabled by it for remote sections; NULL: none */
	uint64_t common_handle;
	bool is_traced; /**< by ptrace: it waits, and stops when it is ready */
	bool to_stderr; /**< its standard output is our standard error */
};

struct program {
	pid_t pid;
	int start;  /**< what it waits for; -1: it does not */
	int report; /**< what it says before execve */
};

/** Start it. STATUS_FINE, or STATUS_PARTLY after a message. */
int program_start(const struct program_setup *setup, struct program *ret_program);

/** Let a program go on that is traced by now. */
void program_release(struct program *program);

/** After it was released: whether it came as far as execve; waits for that. False after a message. */
bool program_runs(struct program *program);

#endif
