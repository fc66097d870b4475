/* SPDX-License-Identifier: BSD-2-Clause */
/** @file machine_text.h A growing string, and whole files of /proc and /sys in it. */
#ifndef CLI_RECORD_MACHINE_TEXT_H
#define CLI_RECORD_MACHINE_TEXT_H

#include "util.h"

struct text {
	char *bytes; /**< with a NUL behind them; NULL: none yet */
	size_t n, max;
};

void text_add(struct text *text, const char *bytes, size_t n);
void text_printf(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);

/** Add a whole file; `root` (NULL: none) stands before its path. False, and nothing, if it
 *  cannot be read whole or is no regular file. */
bool text_read(struct text *text, const char *root, const char *path);

void text_clear(struct text *text);

#endif
