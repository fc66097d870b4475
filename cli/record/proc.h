/* SPDX-License-Identifier: BSD-2-Clause */
/** @file proc.h What /proc says of a thread. */
#ifndef CLI_RECORD_PROC_H
#define CLI_RECORD_PROC_H

#include <stdint.h>
#include <sys/types.h>

/** Bytes of a thread's name with its NUL, as the kernel keeps it. */
#define PROC_NAME_BYTES 16

/** The name of a thread; empty if it is not known. */
void proc_name(pid_t thread, char ret_name[PROC_NAME_BYTES]);

/** The number behind a `label` in /proc/THREAD/status; 0 if there is none. */
uint64_t proc_status_number(pid_t thread, const char *label);

#endif
