/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file tracer.h
 * Threads under ptrace, as events: a thread begins, enters and leaves system calls, ends. Knows
 * nothing of coverage. While an event is reported its thread is stopped and can be looked at.
 */
#ifndef CLI_RECORD_TRACER_H
#define CLI_RECORD_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>

#include "record/watch.h"

/** One thread. */
struct traced {
	pid_t thread;
	pid_t process;
	bool began;
	bool ended;
	bool in_call; /**< between its entry and its return */
	void *data;   /**< of the events */
};

/** A system call that a thread enters. */
struct traced_call {
	uint32_t architecture; /**< AUDIT_ARCH_... of the call */
	uint64_t number;
	uint64_t arguments[6];
};

struct tracer_events {
	/** Before the first instruction of a thread; of the program: before its execve. */
	void (*began)(void *context, struct traced *thread);
	void (*entered)(void *context, struct traced *thread, const struct traced_call *call);
	void (*left)(void *context, struct traced *thread, int64_t result);
	/** The thread runs no more; or another one of its process did execve, and takes its number:
	 *  then it is told after that. */
	void (*ended)(void *context, struct traced *thread);
};

struct tracer {
	struct watch *watch;
	const struct tracer_events *events;
	void *context;
	bool calls;	/**< stop at system calls */
	pid_t program;	/**< stops itself with SIGSTOP when it is ready for execve */
	bool has_ended; /**< the program, with `status` of waitpid() */
	int status;
	struct traced **threads;
	size_t n, max;
};

/** PTRACE_O_... of all threads that follow no other ones. */
#define TRACER_OPTIONS \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)

/** The same with what follows new threads and processes. */
#define TRACER_FOLLOW (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

/** Trace the program, which waits in its own code. 0 or a negative errno. */
int tracer_begin(struct tracer *tracer, bool follow);

/** Report events until no thread is left; a user in a hurry has all of them killed. */
void tracer_run(struct tracer *tracer);

/** Free the memory. */
void tracer_end(struct tracer *tracer);

#endif
