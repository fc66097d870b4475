/* SPDX-License-Identifier: BSD-2-Clause */
/** @file source.h Source files that may or may not be there. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "util.h"

/** A source file in memory. */
struct source {
	char *text;
	size_t bytes;
};

/** Read a source; false, without a message, if it is not there or no text of a sensible size. */
bool source_read(const char *path, struct source *ret_source);

void source_free(struct source *source);

/** How many lines it has. */
uint32_t source_count_lines(const struct source *source);

/** How many lines a source has, UINT32_MAX if it cannot be read. */
uint32_t source_lines(const char *path);

#endif
