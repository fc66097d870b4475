/* SPDX-License-Identifier: BSD-2-Clause */
/** @file each_input.h The loop that commands have in common: over files and their segments. */
#ifndef CLI_EACH_INPUT_H
#define CLI_EACH_INPUT_H

#include "input.h"
#include "session.h"

/** Takes an input that can be decoded. An enum status. */
typedef int (*take_input)(void *context, const struct input *input);

/**
 * Open the files `arguments` one by one, each segment of a `.kct` file on its own,
 * see that the session fits, and hand each to `take`. `session` may be NULL for
 * commands without symbols. Returns the worst status; ends early at
 * STATUS_USAGE and when nobody reads any more.
 */
int each_input(const struct options *options, struct session *session, char **arguments, size_t n,
	       enum input_care care, struct output *out, take_input take, void *context);

#endif
