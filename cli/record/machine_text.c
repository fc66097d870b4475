/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/machine_text.h"

/* No file of /proc or /sys that is read here is larger; kallsyms has some ten. */
#define MOST_BYTES ((size_t)256 << 20)

/** Room for `n` more bytes and a NUL. */
static void reserve(struct text *text, size_t n)
{
	if (text->max - text->n > n)
		return;
	text->max = 2 * text->max + n + 4096;
	text->bytes = grow_bytes(text->bytes, text->max, 1);
}

void text_add(struct text *text, const char *bytes, size_t n)
{
	reserve(text, n);
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
	text->bytes[text->n] = '\0';
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list arguments;
	char *line;
	int n;

	va_start(arguments, format);
	n = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (n < 0)
		return;
	text_add(text, line, (size_t)n);
	free(line);
}

static bool read_all(struct text *text, int fd)
{
	ssize_t n;

	for (;;) {
		reserve(text, 4096);
		n = read(fd, text->bytes + text->n, text->max - text->n - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text->n += (size_t)n;
		if (text->n > MOST_BYTES) {
			n = -1;
			break;
		}
	}
	text->bytes[text->n] = '\0';
	return n == 0;
}

bool text_read(struct text *text, const char *root, const char *path)
{
	size_t before = text->n;
	struct stat there;
	char *whole;
	bool done;
	int fd;

	if (asprintf(&whole, "%s%s", root ? root : "", path) < 0)
		return false;
	fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	free(whole);
	if (fd < 0)
		return false;
	/* Below another root there may be anything. */
	done = fstat(fd, &there) == 0 && S_ISREG(there.st_mode) && read_all(text, fd);
	close(fd);
	/* A part of a file without end says nothing. */
	if (!done && text->bytes) {
		text->n = before;
		text->bytes[before] = '\0';
	}
	return done;
}

void text_clear(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}
