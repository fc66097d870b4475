/* SPDX-License-Identifier: BSD-2-Clause */
#include "pc_input.h"
#include "each_input.h"
#include "message.h"
#include "trace.h"

/** What all inputs go into. */
struct gather {
	const struct options *options;
	struct session *session;
	struct kct_pc_set *all;
	struct kct_pc_set *one; /* of the input at hand */
	size_t part;		/* of it, for addresses as recorded */
	bool other_build;
	bool known, unknown; /* files whose build is known, and not known */
};

static int add_records(void *context, const struct kct_record *records, size_t n)
{
	struct gather *gather = context;
	int r = kct_pc_set_add_records(gather->one, gather->part, records, n);

	if (r < 0)
		failure_code("PCs", r);
	return r < 0 ? STATUS_USAGE : STATUS_FINE;
}

/** The PCs of a trace or of a list. */
static int read_trace(struct gather *gather, const struct input *input)
{
	struct kct_pc_origin origin = {.image = "", .section = ""};
	struct capture_facts facts = {0};
	int status, r;

	if (input->layout.mode == KCT_MODE_CMP)
		return failure("%s: comparisons are no coverage points", input->name);
	if (input->layout.slid && !session_has_symbols(gather->session))
		return failure("%s: the addresses hold the KASLR offset, which only an image (-k) "
			       "can take off",
			       input->name);
	if (input->tracefile)
		capture_facts(input->tracefile, input->segment.capture, &facts);
	origin.build_id = facts.build_id;
	origin.build_id_bytes = facts.build_id_bytes;
	status = session_use_slide(gather->session, input->layout.slid);
	r = kct_pc_set_new(gather->options->pc_kind, &gather->one);
	if (r >= 0)
		r = kct_pc_set_part(gather->one, &origin, &gather->part);
	if (r < 0 || status != STATUS_FINE)
		return r < 0 ? failure_code(input->name, r) : status;
	kct_pc_set_add_traces(gather->one, 1);
	return trace_read(input, gather->options, 0, add_records, gather, NULL);
}

static int read_set(struct gather *gather, const struct input *input)
{
	struct kct_error error;

	if (kct_pc_set_read(input->data, input->bytes, &gather->one, &error) < 0)
		return failure_of(input->name, &error);
	/* No trace has said so before the first look-up. */
	return gather->session->slide_set ? STATUS_FINE : session_use_slide(gather->session, false);
}

/** Note whether the builds of the PCs of an input are known. */
static void note_build(struct gather *gather)
{
	struct kct_pc_origin origin;
	size_t i;

	for (i = 0; i < kct_pc_set_parts(gather->one); i++) {
		const struct kct_pc_count *counts;
		size_t n;

		if (kct_pc_set_origin(gather->one, i, &origin) < 0 ||
		    kct_pc_set_counts(gather->one, i, &counts, &n) < 0 || n == 0)
			continue;
		/* What lies in no image here is explained elsewhere. */
		if (gather->session->symbolizer && !*origin.image)
			continue;
		if (origin.build_id_bytes)
			gather->known = true;
		else
			gather->unknown = true;
	}
}

/** Add the PCs of an input to those of all. */
static int unite(struct gather *gather, const struct input *input)
{
	struct kct_error error;
	int r = 0;

	if (gather->session->symbolizer)
		r = kct_pc_set_locate(gather->one, gather->session->symbolizer, &error);
	if (r < 0)
		return failure_of(input->name, &error);
	note_build(gather);
	r = kct_pc_set_check(gather->all, gather->one, &error);
	if (r < 0 && gather->options->force) {
		warning("%s: %s", input->name, error.text);
	} else if (r < 0) {
		gather->other_build = true;
		return failure("%s: %s; --force goes on all the same", input->name, error.text);
	}
	r = kct_pc_set_unite(gather->all, gather->one);
	if (r == KCT_ERR_MODE)
		return failure("%s: PCs of the other kind (--pc-kind) than those before",
			       input->name);
	return r < 0 ? failure_code(input->name, r) : STATUS_FINE;
}

static int take(void *context, const struct input *input)
{
	struct gather *gather = context;
	int status = input->is_set ? read_set(gather, input) : read_trace(gather, input);

	if (gather->one)
		status = worst(status, unite(gather, input));
	kct_pc_set_free(gather->one);
	gather->one = NULL;
	return status;
}

int pc_input_read(const struct options *options, struct session *session, char **arguments,
		  size_t n, struct output *out, struct kct_pc_set **ret_set, bool *ret_other_build)
{
	struct gather gather = {.options = options, .session = session};
	int r = kct_pc_set_new(options->pc_kind, &gather.all), status;

	*ret_set = NULL;
	*ret_other_build = false;
	if (r < 0)
		return failure_code("PCs", r);
	status = each_input(options, session, arguments, n, INPUT_SANE, out, take, &gather);
	if (gather.unknown && (n > 1 || gather.known))
		note("the build ID of the kernel of some PCs is not known: whether they are of one "
		     "build cannot be told");
	if (status == STATUS_USAGE)
		kct_pc_set_free(gather.all);
	else
		*ret_set = gather.all;
	*ret_other_build = gather.other_build;
	return status;
}
