/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "pc_input.h"

static int put(void *context, const void *bytes, size_t n)
{
	struct output *out = context;

	output_bytes(out, bytes, n);
	return output_dead(out) ? KCT_ERR_IO : 0;
}

static int write_set(struct kct_pc_set *set, struct output *out)
{
	int r = kct_pc_set_write(set, put, out);

	/* What failed in the output has been said. */
	return r < 0 && !output_dead(out) ? failure_code(out->path, r) : STATUS_FINE;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct kct_pc_set *set = NULL;
	struct session session;
	bool other_build;
	int status;

	if (!n)
		return usage_failure("merge", "no file given");
	if (isatty(out->fd))
		return usage_failure("merge", "the output is binary: give -o FILE");
	session_begin(&session, options);
	status = pc_input_read(options, &session, arguments, n, out, &set, &other_build);
	/* Which of the builds it would hold depends on the order. */
	if (other_build)
		output_discard(out);
	else if (set)
		status = worst(status, write_set(set, out));
	kct_pc_set_free(set);
	session_close(&session);
	return status;
}

const struct command command_merge = {
	.name = "merge",
	.arguments = "FILE... -o OUT",
	.summary = "put the PCs of many traces into one set",
	.details =
		"A set has each PC once, with the number of its records. Sets can be merged again, "
		"in any\norder, and given to cover. With -k and modules PCs are kept by image, so "
		"that traces of\nkernels at other addresses (KASLR, modules) can be merged: those "
		"of "
		"each boot first, then\nthe sets. PCs of different builds of a kernel are "
		"refused.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_SYMBOLS | TAKES_SETS,
	.formats = 0,
	.run = run,
};
