/* SPDX-License-Identifier: BSD-2-Clause */
/** @file progress.h A line on a terminal while something takes long. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/** Allow progress lines; they still need a terminal at standard error and half a second. */
void progress_enable(bool enable);

/** A piece of work begins; `what` is shown, and must stay until progress_clear(). */
void progress_start(const char *what);

/** `done` of `total`; cheap. Has the form of the library's callback and returns 0. */
int progress_report(void *context, size_t done, size_t total);

/** The work is done, or something else is printed: take the line away. */
void progress_clear(void);

#endif
