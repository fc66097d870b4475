/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "each_input.h"
#include "message.h"
#include "out_stacks.h"
#include "stack_now.h"
#include "stack_weights.h"
#include "trace.h"

/** What all inputs share. */
struct stacks {
	struct painter painter;
	struct stack_set set;
	struct stack_now now;
	struct output *out;
	bool said_flat;
};

/** Say once that the trace has no calls: in the text itself, else beside the output. */
static void say_flat(struct stacks *stacks, const struct input *input, struct output *out)
{
	static const char heading[] = "no call records in this mode";

	if (stacks->painter.options->format != FORMAT_TEXT)
		note("%s: %s", input->name, heading);
	else if (!stacks->said_flat)
		output_printf(out, "%s\n", heading);
	stacks->said_flat = true;
}

/** The stacks of a segment stand for themselves, but in flame graphs. */
static int stacks_of_segment(struct stacks *stacks, const struct input *input)
{
	struct stack_set set = {0};
	int status = stack_weights(input, &stacks->painter, &set);

	stacks_write_set(stacks->out, stacks->painter.options, input, &set);
	stack_set_clear(&set);
	return status;
}

static int stacks_of(void *context, const struct input *input)
{
	struct stacks *stacks = context;
	const struct options *options = stacks->painter.options;
	struct output *out = stacks->out;
	bool calls = input_has_calls(input);
	int status;

	status = input_check_order(input, "stacks need");
	if (status != STATUS_FINE)
		return status;
	if (!calls && (stack_now_wanted(options) || options->weigh_calls))
		return failure("%s: no call records in this mode", input->name);
	if (input->tracefile && options->format == FORMAT_TEXT) {
		input_heading(out, input);
		stacks->said_flat = false;
	}
	/* The stack at a word needs what is before it only. */
	if (options->has_at && !filter_selects(stacks->painter.filter))
		status =
			trace_symbolize_until(input, options, stacks->painter.session, options->at);
	else
		status = trace_symbolize(input, options, stacks->painter.session);
	if (stack_now_wanted(options))
		return worst(status, stack_now_write(&stacks->now, input));
	if (!calls)
		say_flat(stacks, input, out);
	if (input->tracefile && options->format != FORMAT_FOLDED)
		return worst(status, stacks_of_segment(stacks, input));
	return worst(status, stack_weights(input, &stacks->painter, &stacks->set));
}

static int check_options(const struct options *options, size_t n)
{
	if (!n)
		return usage_failure("stacks", "no file given");
	if (options->has_at + (options->at_function != NULL) + options->each > 1)
		return usage_failure("stacks", "--at, --at-function and --each exclude each other");
	if (stack_now_wanted(options) && options->weigh_calls)
		return usage_failure("stacks", "--weight calls needs all stacks, not single ones");
	return STATUS_FINE;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct session session;
	struct filter filter;
	struct stacks stacks = {.painter = {options, &session, &filter}, .out = out};
	int status = check_options(options, n);

	if (status != STATUS_FINE)
		return status;
	session_begin(&session, options);
	filter_open(&filter, options, !options->no_inlines);
	stacks.now = (struct stack_now){.painter = &stacks.painter, .out = out};
	status = each_input(options, &session, arguments, n, INPUT_SANE, out, stacks_of, &stacks);
	stacks_write_set(out, options, NULL, &stacks.set);
	if (status != STATUS_USAGE && !output_dead(out))
		status = worst(status, filter_report(&filter));
	stack_set_clear(&stacks.set);
	filter_close(&filter);
	session_close(&session);
	return status;
}

const struct command command_stacks = {
	.name = "stacks",
	.arguments = "FILE...",
	.summary = "show the stacks of traces with their weights",
	.details = "Every distinct stack of all files is shown once with the number of records "
		   "made in "
		   "it.\nA frame that is not the innermost shows where it called on, the innermost "
		   "where "
		   "the\nrecord was made; in text a file stands without a line where stacks of the "
		   "same "
		   "names\ndiffer. Records of no call are counted under [outside].\n\n"
		   "The folded format is `outermost;...;innermost WEIGHT`, as flame graph programs "
		   "read "
		   "it.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_CALLS | TAKES_SYMBOLS | TAKES_FILTERS |
		 TAKES_DEPTH | TAKES_INLINES | TAKES_STACKS,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_FOLDED | 1 << FORMAT_JSON,
	.run = run,
};
