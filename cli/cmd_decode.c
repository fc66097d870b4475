/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "each_input.h"
#include "filter.h"
#include "message.h"
#include "out_decode.h"
#include "progress.h"
#include "sections.h"
#include "trace.h"

/** What the records of one input go through. */
struct decode {
	const struct options *options;
	struct session *session;
	struct filter *filter;
	struct output *out;
	const struct input *input; /* NULL: none yet */
	bool segment_columns;	   /* CSV */
	bool has_stack;		   /* modes with calls */
	struct kct_stack *stack;   /* for depth and pruning */
	uint64_t pruned_above;	   /* frames above this depth lie in a pruned call */
	uint64_t *pcs;		   /* of a batch */
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
	return verdict_keeps(verdict) && !verdict_any(verdict, VERDICT_HIDDEN);
}

/** Whether --prune leaves out a call, by its function or by those inlined where it was called. */
static bool begins_pruned(struct decode *decode, const struct decode_row *row, bool verified)
{
	const struct kct_record *record = row->record;

	if (filter_judge(decode->filter, record->pc, row->symbol) & VERDICT_PRUNED)
		return true;
	return verified && filter_judge(decode->filter, record->entry.caller, row->caller) &
				   VERDICT_PRUNED << VERDICT_INNER_SHIFT;
}

/** The frames of the stack that a record belongs to. */
static uint64_t level_of(const struct kct_record *record, const struct kct_step *step,
			 uint64_t before, uint64_t after)
{
	if (step->outside)
		return 0;
	if (record->kind == KCT_RECORD_EXIT && step->popped)
		return after + 1;
	return record->kind == KCT_RECORD_EESUM ? before : after;
}

/**
 * Follow the calls: sets the depth of an ENTRY. False if the record lies in a call
 * that --prune or --depth leaves out.
 */
static bool follow(struct decode *decode, struct decode_row *row, int *ret_code)
{
	const struct kct_record *record = row->record;
	uint64_t depth = decode->options->depth, level;
	const struct kct_frame *frames;
	size_t before, after;
	struct kct_step step;
	bool pruned;

	kct_stack_frames(decode->stack, &before);
	*ret_code = kct_stack_step(decode->stack, record, &step);
	if (*ret_code < 0)
		return false;
	if (step.flags & KCT_STEP_SECTION)
		decode->pruned_above = UINT64_MAX;
	frames = kct_stack_frames(decode->stack, &after);
	level = level_of(record, &step, before, after);
	if (record->kind == KCT_RECORD_ENTRY && step.pushed) {
		row->has_depth = true;
		row->depth = after - 1;
		if (after - 1 <= decode->pruned_above) /* it may have closed the pruned call */
			decode->pruned_above = UINT64_MAX;
		if (decode->pruned_above == UINT64_MAX &&
		    begins_pruned(decode, row,
				  frames[after - 1].confidence == KCT_EDGE_VERIFIED && after > 1))
			decode->pruned_above = after - 1;
	}
	pruned = level > decode->pruned_above;
	if (after <= decode->pruned_above)
		decode->pruned_above = UINT64_MAX;
	if (pruned)
		return false;
	return !depth || level <= depth || record->kind == KCT_RECORD_LOST;
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
		struct decode_row row = {.record = &records[i],
					 .input = decode->input,
					 .segment_columns = decode->segment_columns};
		size_t found = record_pcs(&records[i], pcs);
		struct kct_variable variable;
		bool kept = true;

		if (found)
			row.symbol = decode->symbols[at];
		if (found > 1)
			row.caller = decode->symbols[at + 1];
		at += found;
		if (records[i].kind == KCT_RECORD_MEMORY &&
		    session_variable(decode->session, records[i].memory.addr, &variable))
			row.variable = &variable;
		if (decode->has_stack)
			kept = follow(decode, &row, &code);
		if (code < 0) {
			failure_code(decode->input->name, code);
			return STATUS_USAGE;
		}
		if (kept && shows(decode, &row))
			decode_write(decode->out, decode->options, &row);
	}
	return output_dead(decode->out) ? STATUS_USAGE : status;
}

static int decode_input(void *context, const struct input *input)
{
	struct decode *decode = context;
	struct kct_stack_options stack_options = {
		.size = sizeof(stack_options),
		.functions = session_functions(decode->session),
	};
	int status = session_use_slide(decode->session, input->layout.slid), r;
	struct kct_sections *sections = NULL;

	if (status != STATUS_FINE)
		return status;
	decode_begin(decode->out, decode->options, input, !decode->input);
	if (!decode->input)
		decode->segment_columns = input->tracefile != NULL;
	decode->input = input;
	decode->pruned_above = UINT64_MAX;
	/* Only the depth of JSON, --prune and --depth need to know the calls. */
	decode->has_stack =
		input_has_calls(input) && (decode->options->format == FORMAT_JSON ||
					   decode->options->depth || decode->filter->prunes.n);
	if (decode->has_stack) {
		status = sections_find(input, decode->options, decode->session, false,
				       &stack_options, &sections);
		r = kct_stack_new(&stack_options, &decode->stack);
		if (r < 0) {
			kct_sections_free(sections);
			return failure_code(input->name, r);
		}
	}
	status = worst(status, trace_read(input, decode->options, 0, take, decode, NULL));
	kct_stack_free(decode->stack);
	kct_sections_free(sections);
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
	int status;

	if (!n)
		return usage_failure("decode", "no file given");
	session_begin(&session, options);
	filter_open(&filter, options, !options->no_inlines);
	status = each_input(options, &session, arguments, n, INPUT_LINES, out, decode_input,
			    &decode);
	if (!decode.input)
		decode_begin(out, options, NULL, true);
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
		"that choose\nfunctions look at each record alone, at the function of its PC and "
		"at those inlined there:\n--function keeps the records of a function without "
		"those of its callers and callees, and\n--hide leaves records out. --prune leaves "
		"out the records of its callees too, --depth\nthose of calls deeper than that.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_CALLS | TAKES_SYMBOLS | TAKES_FILTERS |
		 TAKES_DEPTH | TAKES_INLINES,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON | 1 << FORMAT_CSV,
	.run = run,
};
