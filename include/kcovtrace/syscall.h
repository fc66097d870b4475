/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file syscall.h
 * Names of system calls and of their errors, as Linux has them. For the segments of `.kct` files
 * that are of one system call.
 */
#ifndef KCOVTRACE_SYSCALL_H
#define KCOVTRACE_SYSCALL_H

#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Name of a system call and the number of its arguments (may be NULL). `machine` is what
 * KCT_META_ARCHITECTURE says: x86_64, i386 to i686, aarch64, riscv64, loongarch64. `number` is that
 * of struct kct_trace_segment. NULL if the machine or the number is not known. Static.
 */
KCT_API const char *kct_syscall_name(const char *machine, int64_t number, unsigned *ret_arguments);

/** The same without the high half, that is, as the thread gave it. */
KCT_API uint32_t kct_syscall_number(int64_t number);

/**
 * Name of an error such as `ENOENT`, by its positive number; also those that only a tracer sees,
 * such as `ERESTARTSYS`. NULL if there is none. Static.
 */
KCT_API const char *kct_errno_name(int64_t number);

#ifdef __cplusplus
}
#endif
#endif
