/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fit.h Whether the images that the user named are those of a trace. */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "input.h"
#include "session.h"

/**
 * Compare the front of an input with the images of -k, --module and --kallsyms. Says what does not fit, why
 * most likely, and what would help. Returns a status; without `*ret_fits` names would be wrong and the
 * input must not be shown. `shows_all`: the command tells so itself and refuses nothing.
 */
int fit_input(const struct input *input, const struct options *options, struct session *session,
	      bool shows_all, bool *ret_fits);

/**
 * Warn if addresses that should be return addresses follow no calls in the images, or those that should be
 * of calls are of none. An address that no image knows says so itself.
 */
void fit_addresses(struct session *session, const struct options *options,
		   const uint64_t *addresses, size_t n);

#endif
