/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file inject.h
 * System calls made by a thread that is stopped under ptrace right behind a system-call
 * instruction, as a new thread is before it runs. Nothing of it stays: registers and signal mask
 * are put back, memory is not touched.
 */
#ifndef CLI_RECORD_INJECT_H
#define CLI_RECORD_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__x86_64__)
#include <sys/user.h>
#endif

struct injection {
	pid_t thread;
	bool old_calls;	  /**< by int 0x80, with the numbers of 32-bit programs */
	bool gone;	  /**< the thread ended, or was stopped otherwise: leave it alone */
	bool was_stopped; /**< it was told to stop meanwhile, which is to be done again */
	uint64_t mask;	  /**< of its signals */
#if defined(__x86_64__)
	struct user_regs_struct registers;
#endif
};

/** The calls that can be made. */
enum injected { INJECT_PIDFD_OPEN, INJECT_PIDFD_GETFD, INJECT_IOCTL, INJECT_CLOSE };

/**
 * Prepare. 0, or a negative errno: ENOEXEC: the thread does not stand behind a system call,
 * ENOSYS: not on this architecture, EPERM: a seccomp filter might kill it.
 */
int inject_begin(struct injection *injection, pid_t thread);

/** Make a call: its result, or a negative errno; ESRCH when the thread is gone. */
long inject_call(struct injection *injection, enum injected call, uint64_t a, uint64_t b,
		 uint64_t c);

/** Put the thread back as it was. The thread is stopped, unless it is gone. */
void inject_end(struct injection *injection);

#endif
