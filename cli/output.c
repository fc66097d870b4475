/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

/** A temporary file beside the target, so that rename() stays on one file system. */
static int open_temporary(struct output *out, const char *path)
{
	char *real = realpath(path, NULL); /* a link stays a link */
	mode_t mask = umask(0);

	umask(mask);
	out->target = real ? real : strdup(path);
	if (!out->target || asprintf(&out->temporary, "%s.XXXXXX", out->target) < 0)
		return failure("%s: %s", path, strerror(errno));
	out->fd = mkstemp(out->temporary);
	if (out->fd < 0) {
		failure("%s: %s", path, strerror(errno));
		free(out->temporary);
		free(out->target);
		out->temporary = out->target = NULL;
		return STATUS_PARTLY;
	}
	if (fchmod(out->fd, 0666 & ~mask) < 0)
		warning("%s: %s", path, strerror(errno));
	return STATUS_FINE;
}

int output_open(struct output *out, const char *path)
{
	struct stat there;

	memset(out, 0, offsetof(struct output, buffer));
	out->fd = STDOUT_FILENO;
	out->path = "standard output";
	if (!path || strcmp(path, "-") == 0)
		return STATUS_FINE;
	out->path = path;
	/* A device or a pipe cannot be replaced: it is written to. */
	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC);
		return out->fd < 0 ? failure("%s: %s", path, strerror(errno)) : STATUS_FINE;
	}
	return open_temporary(out, path);
}

static void write_failed(struct output *out)
{
	out->broken = true;
	out->reader_gone = errno == EPIPE;
	if (!out->reader_gone)
		failure("%s: %s", out->path, strerror(errno));
}

int output_failed(struct output *out, const struct kct_error *error)
{
	out->broken = true;
	out->reader_gone = error->sys_errno == EPIPE;
	return out->reader_gone ? STATUS_FINE : failure_of(out->path, error);
}

void output_flush(struct output *out)
{
	size_t done = 0;

	while (done < out->used && !out->broken) {
		ssize_t n = write(out->fd, out->buffer + done, out->used - done);

		if (n < 0 && errno != EINTR)
			write_failed(out);
		else if (n > 0)
			done += (size_t)n;
	}
	out->used = 0;
}

void output_discard(struct output *out)
{
	if (out->fd > STDOUT_FILENO)
		close(out->fd);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	free(out->target);
	out->temporary = out->target = NULL;
}

int output_close(struct output *out)
{
	output_flush(out);
	/* Standard output too: a full disk may only show when it is closed. */
	if (close(out->fd) < 0 && !out->broken)
		write_failed(out);
	out->fd = -1;
	if (out->temporary && !out->broken && rename(out->temporary, out->target) < 0)
		write_failed(out);
	else if (out->temporary && !out->broken)
		out->temporary[0] = '\0';
	if (out->temporary && out->temporary[0])
		unlink(out->temporary);
	free(out->temporary);
	free(out->target);
	out->temporary = out->target = NULL;
	return out->broken && !out->reader_gone ? STATUS_PARTLY : STATUS_FINE;
}

void output_bytes(struct output *out, const void *bytes, size_t n)
{
	const char *from = bytes;

	out->written += n;
	while (n) {
		size_t room = OUTPUT_BUFFER - out->used;
		size_t part = n < room ? n : room;

		memcpy(out->buffer + out->used, from, part);
		out->used += part;
		from += part;
		n -= part;
		if (out->used == OUTPUT_BUFFER)
			output_flush(out);
	}
}

void output_printf(struct output *out, const char *format, ...)
{
	va_list arguments;
	char *text;
	int n;

	va_start(arguments, format);
	n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n < 0) {
		errno = ENOMEM;
		write_failed(out);
		return;
	}
	output_bytes(out, text, (size_t)n);
	free(text);
}

void output_fill(struct output *out, char byte, size_t n)
{
	while (n--)
		output_char(out, byte);
}

void output_decimal(struct output *out, uint64_t number, size_t width)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[sizeof(digits) - ++n] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (n < width)
		output_fill(out, ' ', width - n);
	output_bytes(out, digits + sizeof(digits) - n, n);
}

void output_hex(struct output *out, uint64_t number, unsigned digits)
{
	char text[18] = "0x";
	unsigned n = 1, i;

	while (n < 16 && number >> (4 * n))
		n++;
	if (n < digits)
		n = digits;
	for (i = 0; i < n; i++)
		text[2 + i] = "0123456789abcdef"[number >> (4 * (n - 1 - i)) & 15];
	output_bytes(out, text, 2 + n);
}
