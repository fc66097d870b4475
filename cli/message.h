/* SPDX-License-Identifier: BSD-2-Clause */
/** @file message.h What goes to standard error. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <kcovtrace/error.h>

#include "util.h"

/** Drop notes and warnings; errors are always shown. */
void message_quiet(bool quiet);

/** A fact the user should know, such as a guess: `kcovtrace: ...`. */
void note(const char *format, ...) PRINTF_LIKE(1, 2);

/** Something odd that does not change the exit status: `kcovtrace: warning: ...`. */
void warning(const char *format, ...) PRINTF_LIKE(1, 2);

/** Something that could not be processed: `kcovtrace: ...`. Returns STATUS_PARTLY. */
int failure(const char *format, ...) PRINTF_LIKE(1, 2);

/** An error of the library about `name`, with its offset, word index and word. STATUS_PARTLY. */
int failure_of(const char *name, const struct kct_error *error);

/** A call failed with a bare code. STATUS_PARTLY. */
int failure_code(const char *name, int code);

/** A wrong command line: the text and where the help is. `command` may be NULL. STATUS_USAGE. */
int usage_failure(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
