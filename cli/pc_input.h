/* SPDX-License-Identifier: BSD-2-Clause */
/** @file pc_input.h Traces, lists and sets of PCs put into one set. */
#ifndef CLI_PC_INPUT_H
#define CLI_PC_INPUT_H

#include "session.h"

/**
 * Put the PCs of all files into a set, those that lie in an image of the session by that image. Files of
 * another build than an earlier one are refused, unless --force is given: `*ret_other_build` says so.
 * Returns the worst status; `*ret_set` is NULL at STATUS_USAGE. The caller frees it.
 */
int pc_input_read(const struct options *options, struct session *session, char **arguments,
		  size_t n, struct output *out, struct kct_pc_set **ret_set, bool *ret_other_build);

#endif
