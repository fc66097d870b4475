/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file input.h
 * One input: the bytes of an area and how they are laid out. A file has one, a
 * `.kct` file has one a segment.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "json.h"
#include "options.h"

/** How much a command minds when the words do not agree with the layout. */
enum input_care {
	INPUT_ANY,   /**< it says itself what is odd: a warning is enough; it also takes files of
		      *   other formats (struct input.format), which are not usable */
	INPUT_LINES, /**< it shows each record: refuse more than a reader can check */
	INPUT_SANE,  /**< it would build nonsense on them: refuse unless --force */
};

struct input {
	const char *name; /**< for messages: the file, of a `.kct` with the number of the segment */
	const char *path; /**< the file alone */
	enum input_care care;
	bool is_doubted;    /* it was said that the words do not fit the layout */
	size_t file_number; /**< among the files of the command line */
	bool one_of_many;   /**< there are more files: views need a heading */
	struct kct_file *file;
	const void *data;
	size_t bytes;
	void *encoded; /**< a list of PCs, put into the form of an area */
	struct kct_layout layout;
	bool is_list; /**< it was a list of PCs */
	bool is_set;  /**< it is a set of PCs, of which a command with TAKES_SETS takes the bytes */
	bool guessed;
	double confidence; /**< of the guess */
	char reason[256];  /**< of the guess */
	/** NULL but for a `.kct` file, of which input_segment() gives one area after the other. */
	struct kct_tracefile *tracefile;
	size_t number;			  /**< of the segment in the file */
	struct kct_trace_segment segment; /**< what the file says of it */
	char *segment_name;
	/** What it is instead of a trace: the name of another format, how it is packed, or "unknown". */
	const char *format;
};

/**
 * Open `path` (`-` is standard input) and find its layout. STATUS_FINE;
 * STATUS_PARTLY: usable, with a message; anything else a status of
 * input_usable(): not usable, with a message.
 */
int input_open(struct input *input, const char *path, const struct options *options,
	       enum input_care care);

/** Whether input_open() got as far as to decode. */
static inline bool input_usable(const struct input *input)
{
	return input->layout.size != 0;
}

/** Whether records of the mode carry calls. */
static inline bool input_has_calls(const struct input *input)
{
	return input->layout.mode == KCT_MODE_EXT || input->layout.mode == KCT_MODE_MEMORY;
}

/** Go to segment `number` of a `.kct` file. STATUS_FINE, or STATUS_PARTLY after a message: see
 *  input_usable(). */
int input_segment(struct input *input, size_t number, const struct options *options);

/** Whether records follow each other as the code ran, for `what` ("a tree needs", "stacks need").
 *  STATUS_FINE, or STATUS_PARTLY after a message. */
int input_check_order(const struct input *input, const char *what);

/** Report what a `.kct` file has lost: STATUS_PARTLY if there is anything. */
int input_report_damage(const struct input *input);

/** A line above a view of an input, if others stand beside it: its system call, or its name. */
void input_heading(struct output *out, const struct input *input);

/** Keys that tell the segments of a file apart, with their system calls; none for other files. */
void json_segment(struct json *json, const struct input *input);

void input_close(struct input *input);

/**
 * Open a file or standard input; the name of the latter in messages is `<stdin>`.
 * After STATUS_PARTLY `*ret_file` is NULL, or a damaged file of which the part
 * before the damage is there. Messages have been printed.
 */
int open_file(const char *path, struct kct_file **ret_file);

/** Report bad lines of a list of addresses, up to a few. STATUS_PARTLY if there are any. */
int report_bad_lines(const char *name, const struct kct_pclist *list);

/** What the count word of an input says and what is there; false if no decoder can be had. */
bool input_geometry(const struct input *input, struct kct_geometry *ret_geometry);

#endif
