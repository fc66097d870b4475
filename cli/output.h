/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file output.h
 * Where results go: a buffer in front of standard output or of a file that
 * appears under its name only when it is complete.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <string.h>

#include <kcovtrace/error.h>

#include "util.h"

#define OUTPUT_BUFFER 65536

/** Takes bytes that are written to an output. */
typedef void (*output_sink)(void *context, const void *bytes, size_t n);

struct output {
	int fd;
	const char *path;  /**< for messages */
	char *target;	   /**< with a temporary file: its final path */
	char *temporary;   /**< NULL when written in place */
	const char *input; /**< set by a command that reads several: the one records come from */
	bool color;	   /**< escape sequences wanted */
	bool broken;	   /**< a write failed: the rest is dropped */
	bool reader_gone;  /**< it failed because nobody reads any more, which is no failure */
	output_sink sink;  /**< NULL: `fd` */
	void *context;	   /**< of the sink */
	uint64_t written;  /**< bytes so far; the difference of two values is a width */
	size_t used;
	char buffer[OUTPUT_BUFFER];
};

/** Open `path`, standard output if it is NULL or `-`. STATUS_FINE, or STATUS_PARTLY after a
 *  message. */
int output_open(struct output *out, const char *path);

/** An output whose bytes go to a function. It is only to be flushed, not to be closed. */
void output_open_sink(struct output *out, output_sink sink, void *context);

/** Write what is left, put a temporary file in its place. Reports what failed. */
int output_close(struct output *out);

/** A library call that writes to `out->fd` failed: the output is broken. STATUS_PARTLY, or
 *  STATUS_FINE if only nobody reads any more. */
int output_failed(struct output *out, const struct kct_error *error);

/** Give up: nothing appears at the path. What is written later is dropped by output_close(). */
void output_discard(struct output *out);

/** Nobody takes more: a writer may stop early. */
static inline bool output_dead(const struct output *out)
{
	return out->broken;
}

void output_flush(struct output *out);
void output_bytes(struct output *out, const void *bytes, size_t n);
void output_printf(struct output *out, const char *format, ...) PRINTF_LIKE(2, 3);

/** `n` times the same byte. */
void output_fill(struct output *out, char byte, size_t n);

/** A number in decimal, padded with blanks at the front up to `width`. */
void output_decimal(struct output *out, uint64_t number, size_t width);

/** `0x` and at least `digits` hexadecimal digits. */
void output_hex(struct output *out, uint64_t number, unsigned digits);

static inline void output_char(struct output *out, char byte)
{
	if (out->used == OUTPUT_BUFFER)
		output_flush(out);
	out->buffer[out->used++] = byte;
	out->written++;
}

static inline void output_string(struct output *out, const char *text)
{
	output_bytes(out, text, strlen(text));
}

#endif
