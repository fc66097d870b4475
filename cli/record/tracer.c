/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/proc.h"
#include "record/tracer.h"
#include "util.h"

/* <linux/ptrace.h> has this and fights with <sys/ptrace.h>. */
#define GET_SYSCALL_INFO 0x420e

enum { CALL_NONE, CALL_ENTRY, CALL_EXIT };

struct call_info {
	uint8_t op;
	uint8_t padding[3];
	uint32_t architecture;
	uint64_t instruction_pointer;
	uint64_t stack_pointer;
	union {
		struct {
			uint64_t number;
			uint64_t arguments[6];
		} entry;
		struct {
			int64_t result;
			uint8_t is_error;
		} exit;
	};
};

int tracer_begin(struct tracer *tracer, bool follow)
{
	uintptr_t options = TRACER_OPTIONS | (follow ? TRACER_FOLLOW : 0);

	if (ptrace(PTRACE_SEIZE, tracer->program, NULL, (void *)options) < 0)
		return -errno;
	return 0;
}

static struct traced *find(const struct tracer *tracer, pid_t thread)
{
	size_t i;

	for (i = 0; i < tracer->n; i++) {
		if (tracer->threads[i]->thread == thread)
			return tracer->threads[i];
	}
	return NULL;
}

static struct traced *add(struct tracer *tracer, pid_t thread)
{
	struct traced *traced = zeroed(struct traced, 1);

	traced->thread = thread;
	traced->process = (pid_t)proc_status_number(thread, "Tgid:");
	grow(&tracer->threads, tracer->n, &tracer->max);
	tracer->threads[tracer->n++] = traced;
	return traced;
}

static void end(struct tracer *tracer, struct traced *traced)
{
	if (traced->began && !traced->ended)
		tracer->events->ended(tracer->context, traced);
	traced->ended = true;
}

static void drop(struct tracer *tracer, struct traced *traced)
{
	size_t i;

	end(tracer, traced);
	for (i = 0; tracer->threads[i] != traced; i++)
		;
	tracer->threads[i] = tracer->threads[--tracer->n];
	free(traced);
}

/** Let a thread run on, with a signal or 0. That it was killed meanwhile is reported later. */
static void go_on(const struct tracer *tracer, const struct traced *traced, int signal)
{
	ptrace(tracer->calls && traced->began ? PTRACE_SYSCALL : PTRACE_CONT, traced->thread, NULL,
	       (void *)(intptr_t)signal);
}

static void begin(struct tracer *tracer, struct traced *traced)
{
	traced->began = true;
	tracer->events->began(tracer->context, traced);
}

static void at_call(struct tracer *tracer, struct traced *traced)
{
	struct call_info info = {0};
	struct traced_call call;
	size_t i;

	if (ptrace(GET_SYSCALL_INFO, traced->thread, (void *)sizeof(info), &info) < 0)
		return;
	if (info.op == CALL_ENTRY) {
		call = (struct traced_call){.architecture = info.architecture,
					    .number = info.entry.number};
		for (i = 0; i < ARRAY_SIZE(call.arguments); i++)
			call.arguments[i] = info.entry.arguments[i];
		traced->in_call = true;
		tracer->events->entered(tracer->context, traced, &call);
	} else if (info.op == CALL_EXIT && traced->in_call) {
		traced->in_call = false;
		tracer->events->left(tracer->context, traced, info.exit.result);
	}
}

/** After execve of a thread that is not the first of its process: it has the number of that one,
 *  which is gone without a word. */
static struct traced *at_exec(struct tracer *tracer, pid_t thread)
{
	struct traced *traced = find(tracer, thread), *former;
	unsigned long number = 0;

	if (ptrace(PTRACE_GETEVENTMSG, thread, NULL, &number) < 0 || (pid_t)number == thread)
		return traced;
	former = find(tracer, (pid_t)number);
	if (!former)
		return traced;
	if (traced)
		drop(tracer, traced);
	former->thread = thread;
	return former;
}

static bool stops_a_group(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/** A stop that ptrace makes up: a new thread, or the stop of a whole process. */
static void at_event_stop(struct tracer *tracer, struct traced *traced, int signal)
{
	if (stops_a_group(signal)) {
		ptrace(PTRACE_LISTEN, traced->thread, NULL, NULL);
		return;
	}
	if (!traced->began && traced->thread != tracer->program)
		begin(tracer, traced);
	go_on(tracer, traced, 0);
}

static void at_stop(struct tracer *tracer, struct traced *traced, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	switch (event) {
	case PTRACE_EVENT_STOP:
		at_event_stop(tracer, traced, signal);
		return;
	case PTRACE_EVENT_EXIT:
		end(tracer, traced);
		break;
	case 0:
		if (signal == (SIGTRAP | 0x80)) {
			at_call(tracer, traced);
			break;
		}
		if (!traced->began && signal == SIGSTOP) {
			begin(tracer, traced); /* the program says that it is ready */
			break;
		}
		go_on(tracer, traced, signal);
		return;
	default:
		break;
	}
	go_on(tracer, traced, 0);
}

static void handle(struct tracer *tracer, pid_t thread, int status)
{
	bool stopped = WIFSTOPPED(status);
	struct traced *traced;

	if (stopped && status >> 16 == PTRACE_EVENT_EXEC)
		traced = at_exec(tracer, thread);
	else
		traced = find(tracer, thread);
	if (stopped) {
		at_stop(tracer, traced ? traced : add(tracer, thread), status);
		return;
	}
	if (thread == tracer->program) {
		tracer->has_ended = true;
		tracer->status = status;
	}
	if (traced)
		drop(tracer, traced);
}

static void kill_all(const struct tracer *tracer)
{
	size_t i;

	for (i = 0; i < tracer->n; i++)
		kill(tracer->threads[i]->process, SIGKILL);
}

void tracer_run(struct tracer *tracer)
{
	enum watched watched;
	pid_t thread = 0;
	int status = 0;

	while ((watched = watch_next(tracer->watch, &thread, &status)) != WATCH_ALONE) {
		if (watched == WATCH_GIVE_UP)
			kill_all(tracer);
		else
			handle(tracer, thread, status);
	}
}

void tracer_end(struct tracer *tracer)
{
	while (tracer->n)
		drop(tracer, tracer->threads[0]);
	free(tracer->threads);
	tracer->threads = NULL;
}
