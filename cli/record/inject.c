/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/inject.h"
#include "record/proc.h"
#include "record/tracer.h"

#if defined(__x86_64__)

/* Both instructions are 2 bytes long. */
#define CALL_BYTES     2
#define CALL_SYSCALL   0x050f
#define CALL_INTERRUPT 0x80cd

/** Numbers in the table of 64-bit calls, and in that of 32-bit calls. */
static const struct {
	int number, old_number;
} numbers[] = {
	[INJECT_PIDFD_OPEN] = {434, 434},
	[INJECT_PIDFD_GETFD] = {438, 438},
	[INJECT_IOCTL] = {16, 54},
	[INJECT_CLOSE] = {3, 6},
};

/** A byte of a thread's memory, -1 if there is none. */
static int peek(pid_t thread, uint64_t address)
{
	unsigned shift = 8 * (address % sizeof(long));
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, thread, (void *)(uintptr_t)(address - shift / 8), NULL);
	return errno ? -1 : (int)((unsigned long)word >> shift & 0xff);
}

/** Let filters of system calls pass, if the kernel lets us. False: there is a filter. */
static bool suspend_filter(pid_t thread)
{
	if (ptrace(PTRACE_SETOPTIONS, thread, NULL,
		   (void *)(uintptr_t)(TRACER_OPTIONS | TRACER_FOLLOW |
				       PTRACE_O_SUSPEND_SECCOMP)) == 0)
		return true;
	return proc_status_number(thread, "Seccomp:") == 0;
}

int inject_begin(struct injection *injection, pid_t thread)
{
	uint64_t all = ~UINT64_C(0), at;
	int instruction;

	*injection = (struct injection){.thread = thread};
	if (ptrace(PTRACE_GETREGS, thread, NULL, &injection->registers) < 0)
		return -errno;
	at = injection->registers.rip - CALL_BYTES;
	instruction = peek(thread, at) | peek(thread, at + 1) << 8;
	if (instruction != CALL_SYSCALL && instruction != CALL_INTERRUPT)
		return -ENOEXEC;
	injection->old_calls = instruction == CALL_INTERRUPT;
	if (!suspend_filter(thread))
		return -EPERM;
	/* No handler may run on our registers. */
	if (ptrace(PTRACE_GETSIGMASK, thread, (void *)sizeof(all), &injection->mask) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, thread, (void *)sizeof(all), &all) < 0)
		return -errno;
	return 0;
}

/**
 * Go on to the next system-call stop. Other stops that are none of our business and the end of
 * the thread are left for whoever waits next.
 */
static bool next_call_stop(struct injection *injection)
{
	siginfo_t info;
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, injection->thread, NULL, NULL) < 0)
			break;
		info = (siginfo_t){0};
		if (waitid(P_PID, (id_t)injection->thread, &info,
			   WEXITED | WSTOPPED | WNOWAIT | __WALL) < 0 ||
		    info.si_code != CLD_TRAPPED || info.si_status >> 8 == PTRACE_EVENT_EXIT)
			break;
		waitpid(injection->thread, &status, __WALL);
		if (info.si_status == (SIGTRAP | 0x80))
			return true;
		if ((info.si_status & 0xff) == SIGSTOP)
			injection->was_stopped = true;
	}
	injection->gone = true;
	return false;
}

static void set_call(const struct injection *injection, struct user_regs_struct *registers,
		     enum injected call, const uint64_t arguments[3])
{
	*registers = injection->registers;
	registers->rip -= CALL_BYTES;
	registers->orig_rax = UINT64_MAX; /* no call is to be restarted */
	if (injection->old_calls) {
		registers->rax = (unsigned)numbers[call].old_number;
		registers->rbx = arguments[0];
		registers->rcx = arguments[1];
		registers->rdx = arguments[2];
	} else {
		registers->rax = (unsigned)numbers[call].number;
		registers->rdi = arguments[0];
		registers->rsi = arguments[1];
		registers->rdx = arguments[2];
	}
}

long inject_call(struct injection *injection, enum injected call, uint64_t a, uint64_t b,
		 uint64_t c)
{
	const uint64_t arguments[3] = {a, b, c};
	struct user_regs_struct registers;

	if (injection->gone)
		return -ESRCH;
	set_call(injection, &registers, call, arguments);
	if (ptrace(PTRACE_SETREGS, injection->thread, NULL, &registers) < 0)
		return -errno;
	if (!next_call_stop(injection) || !next_call_stop(injection))
		return -ESRCH;
	if (ptrace(PTRACE_GETREGS, injection->thread, NULL, &registers) < 0)
		return -errno;
	return injection->old_calls ? (int)registers.rax : (long)registers.rax;
}

void inject_end(struct injection *injection)
{
	pid_t thread = injection->thread;

	if (injection->gone)
		return;
	ptrace(PTRACE_SETREGS, thread, NULL, &injection->registers);
	ptrace(PTRACE_SETSIGMASK, thread, (void *)sizeof(injection->mask), &injection->mask);
	ptrace(PTRACE_SETOPTIONS, thread, NULL,
	       (void *)(uintptr_t)(TRACER_OPTIONS | TRACER_FOLLOW));
	if (injection->was_stopped)
		syscall(SYS_tkill, thread, SIGSTOP);
}

#else

int inject_begin(struct injection *injection, pid_t thread)
{
	*injection = (struct injection){.thread = thread, .gone = true};
	return -ENOSYS;
}

long inject_call(struct injection *injection, enum injected call, uint64_t a, uint64_t b,
		 uint64_t c)
{
	(void)injection, (void)call, (void)a, (void)b, (void)c;
	return -ENOSYS;
}

void inject_end(struct injection *injection)
{
	(void)injection;
}

#endif
