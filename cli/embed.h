/* SPDX-License-Identifier: BSD-2-Clause */
/** @file embed.h Giving the symbols of its addresses to a trace that is written. */
#ifndef CLI_EMBED_H
#define CLI_EMBED_H

#include "counter.h"
#include "input.h"
#include "session.h"

/** The addresses of one capture. All zero: none. */
struct embed {
	struct counter pcs;
	struct counter data;
	bool has_kaslr; /**< the capture says it */
	bool has_build_id;
};

void embed_clear(struct embed *embed);

/** Note the addresses of an input. Returns a status. */
int embed_note(struct embed *embed, const struct input *input, const struct options *options,
	       struct session *session);

/** Write symbols for what was noted and, if the capture does not say it, where the kernel was and which
 *  it is. < 0: an error code. */
int embed_write(struct embed *embed, struct session *session, struct kct_trace_writer *writer,
		struct kct_error *error);

#endif
