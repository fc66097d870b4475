/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "progress.h"

static bool quiet_messages;

void message_quiet(bool quiet)
{
	quiet_messages = quiet;
}

PRINTF_LIKE(2, 0)
static void say(const char *prefix, const char *format, va_list arguments)
{
	char *text = NULL, *at;

	progress_clear();
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	/* Names in it may come from a file: a terminal does what they say, a line they begin is no
	 * message of this program. */
	for (at = text; at && *at; at++) {
		unsigned char byte = (unsigned char)*at;

		if (byte < ' ' || byte == 0x7f)
			*at = '?';
	}
	fprintf(stderr, "kcovtrace: %s%s\n", prefix, text ? text : format);
	free(text);
}

void note(const char *format, ...)
{
	va_list arguments;

	if (quiet_messages)
		return;
	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
}

void warning(const char *format, ...)
{
	va_list arguments;

	if (quiet_messages)
		return;
	va_start(arguments, format);
	say("warning: ", format, arguments);
	va_end(arguments);
}

int failure(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
	return STATUS_PARTLY;
}

int failure_of(const char *name, const struct kct_error *error)
{
	const char *text = error->text;
	size_t length = strlen(name), used = 0;
	char place[96] = "";

	if (error->word_index != KCT_NOWHERE && strncmp(error->text, "word ", 5) != 0)
		used = (size_t)snprintf(place, sizeof(place), "word %llu (0x%016llx): ",
					(unsigned long long)error->word_index,
					(unsigned long long)error->word);
	if (error->offset != KCT_NOWHERE)
		snprintf(place + used, sizeof(place) - used,
			 "offset %llu: ", (unsigned long long)error->offset);
	/* Texts about whole files name them already. */
	if (strncmp(text, name, length) == 0 && strncmp(text + length, ": ", 2) == 0)
		text += length + 2;
	return failure("%s: %s%s", name, place, text);
}

int failure_code(const char *name, int code)
{
	return failure("%s: %s", name, kct_strerror(code));
}

int usage_failure(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
	fprintf(stderr, "Try 'kcovtrace %s%s--help'.\n", command ? command : "",
		command ? " " : "");
	return STATUS_USAGE;
}

static void out_of_memory(void) __attribute__((noreturn));

static void out_of_memory(void)
{
	failure("%s", kct_strerror(KCT_ERR_NO_MEMORY));
	exit(STATUS_PARTLY);
}

void *grow_bytes(void *array, size_t n, size_t element)
{
	void *moved = reallocarray(array, n, element);

	if (!moved)
		out_of_memory();
	return moved;
}

void *zeroed_bytes(size_t n, size_t element)
{
	void *memory = calloc(n ? n : 1, element);

	if (!memory)
		out_of_memory();
	return memory;
}
