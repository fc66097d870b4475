/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stack_text.h What a stack or a tree looks like, as a line of text for tables. */
#ifndef KCT_TESTS_STACK_TEXT_H
#define KCT_TESTS_STACK_TEXT_H

#include <stdarg.h>

#include "check.h"

struct text {
	char bytes[1024];
	size_t used;
	size_t visited; /* nodes that were said */
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->used += (size_t)vsnprintf(text->bytes + text->used, sizeof(text->bytes) - text->used,
					format, args);
	va_end(args);
	assert_true(text->used < sizeof(text->bytes));
}

#endif
