/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
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

static int stacks_of(struct stacks *stacks, const struct input *input, struct output *out)
{
	const struct options *options = stacks->painter.options;
	bool calls = input_has_calls(input);
	int status;

	if (input->layout.mode == KCT_MODE_CMP)
		return failure("%s: comparisons are no calls: stacks need a trace of mode ext or "
			       "mem",
			       input->name);
	if (!calls && (stack_now_wanted(options) || options->weigh_calls))
		return failure("%s: no call records in this mode", input->name);
	status = trace_symbolize(input, options, stacks->painter.session);
	if (stack_now_wanted(options))
		return worst(status, stack_now_write(&stacks->now, input));
	if (!calls)
		say_flat(stacks, input, out);
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
	struct stacks stacks = {.painter = {options, &session, &filter}};
	struct input input;
	int status = check_options(options, n);
	size_t i;

	if (status != STATUS_FINE)
		return status;
	status = session_open(&session, options);
	filter_open(&filter, options, false);
	stacks.now = (struct stack_now){.painter = &stacks.painter, .out = out};
	for (i = 0; i < n && status != STATUS_USAGE && !output_dead(out); i++) {
		status = worst(status, input_open(&input, arguments[i], options, INPUT_SANE));
		out->input = n > 1 ? input.name : NULL;
		if (input_usable(&input))
			status = worst(status, stacks_of(&stacks, &input, out));
		input_close(&input);
	}
	stacks_write_set(out, options, &stacks.set);
	if (status != STATUS_USAGE && !output_dead(out)) {
		status = worst(status, filter_report(&filter));
		status = worst(status, stack_now_report(&stacks.now));
	}
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
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_SYMBOLS | TAKES_FILTERS | TAKES_DEPTH |
		 TAKES_INLINES | TAKES_STACKS,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_FOLDED | 1 << FORMAT_JSON,
	.run = run,
};
