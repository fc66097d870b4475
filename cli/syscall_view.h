/* SPDX-License-Identifier: BSD-2-Clause */
/** @file syscall_view.h How the system call of a segment is shown, in text as strace has it. */
#ifndef CLI_SYSCALL_VIEW_H
#define CLI_SYSCALL_VIEW_H

#include "input.h"

/** `openat(-100, 0x7ffc41, 0) = -2 ENOENT`; `= ?` if it did not return. */
void text_syscall(struct output *out, const struct input *input);

/** Key `syscall`, if the segment has one. */
void json_syscall(struct json *json, const struct input *input);

#endif
