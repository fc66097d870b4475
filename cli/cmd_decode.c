/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "filter.h"
#include "message.h"
#include "out_decode.h"
#include "progress.h"
#include "trace.h"

/** What the records of one input go through. */
struct decode {
	const struct options *options;
	struct session *session;
	struct filter *filter;
	struct output *out;
	const struct input *input;
	bool has_stack;		 /* modes with calls */
	struct kct_stack *stack; /* for depth and pruning */
	uint64_t pruned_above;	 /* frames above this depth lie in a pruned call */
	uint64_t *pcs;		 /* of a batch */
	const struct kct_symbol **symbols;
	size_t n_pcs, max_pcs;
};

static bool shows(struct decode *decode, const struct decode_row *row)
{
	const struct kct_record *record = row->record;
	uint64_t pcs[2];
	unsigned verdict;

	if (!record_pcs(record, pcs)) /* gaps are shown, others only if nothing is chosen */
		return record->kind == KCT_RECORD_LOST || !decode->filter->keeps;
	verdict = filter_judge(decode->filter, record->pc, row->symbol);
	return verdict == VERDICT_KEPT;
}

/**
 * Follow the calls: sets the depth of an ENTRY. True if the record lies in a call
 * that --prune leaves out.
 */
static bool follow(struct decode *decode, struct decode_row *row, int *ret_code)
{
	const struct kct_record *record = row->record;
	uint64_t before, after;
	struct kct_step step;
	size_t depth;
	bool pruned;

	kct_stack_frames(decode->stack, &depth);
	before = depth;
	*ret_code = kct_stack_step(decode->stack, record, &step);
	if (*ret_code < 0)
		return true;
	kct_stack_frames(decode->stack, &depth);
	after = depth;
	if (record->kind == KCT_RECORD_ENTRY && step.pushed) {
		row->has_depth = true;
		row->depth = after - 1;
		before = after - 1;
	}
	pruned = before > decode->pruned_above;
	if (after <= decode->pruned_above)
		decode->pruned_above = UINT64_MAX;
	if (row->has_depth && decode->pruned_above == UINT64_MAX &&
	    filter_judge(decode->filter, record->pc, row->symbol) & VERDICT_PRUNED) {
		decode->pruned_above = after - 1;
		pruned = true;
	}
	return pruned;
}

/** Look up all PCs of a batch at once. */
static int look_up(struct decode *decode, const struct kct_record *records, size_t n)
{
	size_t i, found;

	decode->n_pcs = 0;
	if (decode->max_pcs < 2 * n) {
		decode->max_pcs = 2 * n;
		decode->pcs = grow_bytes(decode->pcs, decode->max_pcs, sizeof(*decode->pcs));
		decode->symbols =
			grow_bytes(decode->symbols, decode->max_pcs, sizeof(*decode->symbols));
	}
	for (i = 0; i < n; i++) {
		found = record_pcs(&records[i], decode->pcs + decode->n_pcs);
		decode->n_pcs += found;
	}
	return session_batch(decode->session, decode->pcs, decode->n_pcs, decode->symbols);
}

static int take(void *context, const struct kct_record *records, size_t n)
{
	struct decode *decode = context;
	int code = 0, status = look_up(decode, records, n);
	size_t i, at = 0;
	uint64_t pcs[2];

	for (i = 0; i < n; i++) {
		struct decode_row row = {.record = &records[i]};
		size_t found = record_pcs(&records[i], pcs);
		bool pruned = false;

		if (found)
			row.symbol = decode->symbols[at];
		if (found > 1)
			row.caller = decode->symbols[at + 1];
		at += found;
		if (decode->has_stack)
			pruned = follow(decode, &row, &code);
		if (code < 0) {
			failure_code(decode->input->name, code);
			return STATUS_USAGE;
		}
		if (!pruned && shows(decode, &row))
			decode_write(decode->out, decode->options, &row);
	}
	return output_dead(decode->out) ? STATUS_USAGE : status;
}

static int decode_input(struct decode *decode, const struct input *input)
{
	struct kct_stack_options stack_options = {
		.size = sizeof(stack_options),
		.functions = session_functions(decode->session),
	};
	int status = session_use_slide(decode->session, input->layout.slid), r;

	if (status != STATUS_FINE)
		return status;
	decode->input = input;
	decode->pruned_above = UINT64_MAX;
	/* Only the depth of JSON and --prune need to know the calls. */
	decode->has_stack = input_has_calls(input) &&
			    (decode->options->format == FORMAT_JSON || decode->filter->prunes.n);
	if (decode->has_stack) {
		r = kct_stack_new(&stack_options, &decode->stack);
		if (r < 0)
			return failure_code(input->name, r);
	}
	status = trace_read(input, decode->options, 0, take, decode, NULL);
	kct_stack_free(decode->stack);
	decode->stack = NULL;
	/* Stopping early because nobody reads any more is fine; other stops were reported. */
	return status == STATUS_USAGE ? (output_dead(decode->out) ? STATUS_FINE : STATUS_PARTLY)
				      : status;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct session session;
	struct filter filter;
	struct decode decode = {
		.options = options, .session = &session, .filter = &filter, .out = out};
	struct input input;
	int status;
	size_t i;

	if (!n)
		return usage_failure("decode", "no file given");
	status = session_open(&session, options);
	filter_open(&filter, options, !options->no_inlines);
	out->input = n > 1 ? arguments[0] : NULL; /* the header of CSV has a column for it */
	decode_begin(out, options);
	for (i = 0; i < n && status != STATUS_USAGE && !output_dead(out); i++) {
		status = worst(status, input_open(&input, arguments[i], options, INPUT_LINES));
		out->input = n > 1 ? input.name : NULL;
		if (input_usable(&input)) {
			if (n > 1 && options->format == FORMAT_TEXT)
				output_printf(out, "==> %s <==\n", input.name);
			status = worst(status, decode_input(&decode, &input));
		}
		input_close(&input);
	}
	if (status != STATUS_USAGE && !output_dead(out))
		status = worst(status, filter_report(&filter));
	free(decode.pcs);
	free(decode.symbols);
	filter_close(&filter);
	session_close(&session);
	return status;
}

const struct command command_decode = {
	.name = "decode",
	.arguments = "FILE...",
	.summary = "show the records of traces, one a line",
	.details =
		"Each line has the word index and the kind of a record, its PC, and what else its "
		"kind\nholds. With -k functions, lines and inline frames are named. The options "
		"that choose\nfunctions look at the function of a record's PC and at those "
		"inlined there; --hide and\n--prune leave records out.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_SYMBOLS | TAKES_FILTERS | TAKES_INLINES,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON | 1 << FORMAT_CSV,
	.run = run,
};
