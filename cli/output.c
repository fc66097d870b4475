/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

/* The temporary file of the one output that is open, for the signal handler. */
static const char *volatile unfinished_file;

static const int deadly_signals[] = {SIGINT, SIGTERM, SIGHUP};

/** Ends as the signal would have, but leaves no half of a file behind. */
static void remove_unfinished(int number)
{
	if (unfinished_file)
		unlink(unfinished_file);
	signal(number, SIG_DFL);
	raise(number); /* delivered when this handler returns */
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_handler = remove_unfinished}, before;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(deadly_signals); i++) {
		/* What was ignored, as under nohup, stays ignored. */
		if (sigaction(deadly_signals[i], NULL, &before) == 0 &&
		    before.sa_handler != SIG_IGN)
			sigaction(deadly_signals[i], &action, NULL);
	}
}

/** mkstemp() whose file is never there unknown to the signal handler. */
static int make_temporary(char *pattern)
{
	sigset_t deadly, before;
	size_t i;
	int fd;

	sigemptyset(&deadly);
	for (i = 0; i < ARRAY_SIZE(deadly_signals); i++)
		sigaddset(&deadly, deadly_signals[i]);
	watch_signals();
	sigprocmask(SIG_BLOCK, &deadly, &before);
	fd = mkostemp(pattern, O_CLOEXEC);
	if (fd >= 0)
		unfinished_file = pattern;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/** Forget the temporary file, which is gone or in its place. */
static void forget_temporary(struct output *out)
{
	unfinished_file = NULL;
	free(out->temporary);
	free(out->target);
	out->temporary = out->target = NULL;
}

/** A temporary file beside the target, so that rename() stays on one file system. */
static int open_temporary(struct output *out, const char *path, mode_t mode)
{
	char *real = realpath(path, NULL); /* a link stays a link */

	out->target = real ? real : strdup(path);
	if (!out->target || asprintf(&out->temporary, "%s.XXXXXX", out->target) < 0)
		return failure("%s: %s", path, strerror(errno));
	out->fd = make_temporary(out->temporary);
	if (out->fd < 0) {
		failure("%s: %s", path, strerror(errno));
		forget_temporary(out);
		return STATUS_PARTLY;
	}
	if (fchmod(out->fd, mode) < 0)
		warning("%s: %s", path, strerror(errno));
	return STATUS_FINE;
}

/** The descriptor that a path such as /dev/stdout means; -1: none. */
static int named_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t number;
	size_t i;
	char *end;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t length = strlen(folders[i]);

		if (strncmp(path, folders[i], length) != 0 || path[length] < '0' ||
		    path[length] > '9')
			continue;
		number = strtoull(path + length, &end, 10);
		if (!*end && number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/** Write to what is there already. */
static int open_in_place(struct output *out, const char *path, int descriptor)
{
	out->fd = descriptor < 0 ? open(path, O_WRONLY | O_CLOEXEC)
				 : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return out->fd < 0 ? failure("%s: %s", path, strerror(errno)) : STATUS_FINE;
}

int output_open(struct output *out, const char *path)
{
	struct stat there;
	int descriptor;
	mode_t mask;

	memset(out, 0, offsetof(struct output, buffer));
	out->fd = STDOUT_FILENO;
	out->path = "standard output";
	if (!path || strcmp(path, "-") == 0)
		return STATUS_FINE;
	out->path = path;
	/* A file behind an open descriptor belongs to whoever opened it, perhaps to append. */
	descriptor = named_descriptor(path);
	if (descriptor >= 0)
		return open_in_place(out, path, descriptor);
	if (stat(path, &there) < 0) {
		mask = umask(0);
		umask(mask);
		return open_temporary(out, path, 0666 & ~mask);
	}
	/* A device or a pipe cannot be replaced: it is written to. */
	if (!S_ISREG(there.st_mode))
		return open_in_place(out, path, -1);
	return open_temporary(out, path, there.st_mode & 0777);
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

void output_open_sink(struct output *out, output_sink sink, void *context)
{
	memset(out, 0, offsetof(struct output, buffer));
	out->fd = -1;
	out->sink = sink;
	out->context = context;
}

void output_flush(struct output *out)
{
	size_t done = 0;

	if (out->sink) {
		out->sink(out->context, out->buffer, out->used);
		done = out->used;
	}
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
	out->used = 0;
	if (out->fd > STDOUT_FILENO)
		close(out->fd);
	if (out->temporary)
		unlink(out->temporary);
	forget_temporary(out);
	out->fd = -1;
}

int output_close(struct output *out)
{
	if (out->fd < 0) /* discarded */
		return STATUS_FINE;
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
	forget_temporary(out);
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
