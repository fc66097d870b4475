/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"
#include "out_stacks.h"
#include "stack_calls.h"
#include "stack_now.h"
#include "stack_weights.h"
#include "trace.h"

/** The stack that a record belongs to: frames still open, and perhaps some that it closed. */
struct moment {
	const struct kct_frame *open;
	size_t n_open;
	const struct kct_frame *ended; /* on these */
	size_t n_ended;
	uint64_t location; /* the PC of the record, in the last of them; 0 unknown */
};

/** The state of a walk over one input. */
struct now_walk {
	const struct input *input;
	struct stack_now *now;
	bool found; /* --at: the record */
	/* Kept while frames come and go: looking at a deep stack anew for each record would not
	 * end. */
	size_t *n_shown; /* by position in the stack: frames up to it that are not hidden */
	size_t max_n_shown;
	size_t *shown_at; /* positions of the frames that are not hidden */
	size_t max_shown;
	struct call_list calls;
	struct view_place *places; /* by call; NULL: the filters keep all records */
	struct shown_stack shown;
	struct plain_frame *plain;
	size_t max_plain;
};

bool stack_now_wanted(const struct options *options)
{
	return options->has_at || options->at_function || options->each;
}

static const struct kct_frame *frame_at(const struct moment *moment, size_t i)
{
	return i < moment->n_open ? &moment->open[i] : &moment->ended[i - moment->n_open];
}

/** Judge a frame that was opened at position `at`; those below it lie before it. */
static void open_frame(struct now_walk *walk, size_t at, const struct kct_frame *frame)
{
	const struct painter *painter = walk->now->painter;
	size_t n = at ? walk->n_shown[at - 1] : 0;
	bool shown;

	if (frame->pc)
		shown = !(filter_judge(painter->filter, frame->pc,
				       session_lookup(painter->session, frame->pc)) &
			  VERDICT_HIDDEN);
	else
		shown = !at || frame[-1].pc; /* untraced ones on each other are one */
	if (shown) {
		grow(&walk->shown_at, n, &walk->max_shown);
		walk->shown_at[n++] = at;
	}
	grow(&walk->n_shown, at, &walk->max_n_shown);
	walk->n_shown[at] = n;
}

/** The frames to paint, down to the depth limit. */
static size_t plain_frames(struct now_walk *walk, const struct moment *moment, size_t n_shown)
{
	uint64_t depth = walk->now->painter->options->depth;
	size_t all = moment->n_open + moment->n_ended, n = 0;

	if (!depth)
		depth = STACK_DEPTH_DEFAULT;
	while (n < n_shown && n < depth) {
		size_t at = walk->shown_at[n];
		const struct kct_frame *frame = frame_at(moment, at);

		grow(&walk->plain, n, &walk->max_plain);
		walk->plain[n++] = (struct plain_frame){
			.pc = frame->pc,
			.location =
				at + 1 == all ? moment->location : frame_at(moment, at + 1)->caller,
			.sibling = frame->sibling,
		};
	}
	return n;
}

static void write_moment(struct now_walk *walk, const struct kct_record *record,
			 const struct moment *moment, uint64_t call)
{
	const struct painter *painter = walk->now->painter;
	size_t all = moment->n_open + moment->n_ended, n;
	bool leaf;

	if (walk->places &&
	    !call_list_keeps(&walk->calls, walk->places, call, moment->location, true, painter))
		return;
	n = plain_frames(walk, moment, all ? walk->n_shown[all - 1] : 0);
	leaf = n && walk->shown_at[n - 1] + 1 == all;
	if (n)
		paint_stack(painter, walk->plain, n, leaf, &walk->shown);
	else
		paint_outside(painter, &walk->shown);
	stacks_write_one(walk->now->out, painter->options, walk->input, record, &walk->shown);
}

/**
 * The stack that a record belongs to, as its weight does: with the call that an EXIT ended, and
 * before an EESUM.
 */
static struct moment moment_of(const struct kct_stack *stack, const struct kct_record *record,
			       const struct kct_step *step)
{
	struct moment moment = {0};
	uint64_t pcs[2];
	size_t n_popped;

	moment.ended = kct_stack_popped(stack, &n_popped);
	moment.open = kct_stack_frames(stack, &moment.n_open);
	if (record->kind == KCT_RECORD_EXIT && step->popped)
		moment.n_ended = 1;
	if (record->kind == KCT_RECORD_EESUM) {
		moment.n_open -= (size_t)step->pushed;
		moment.n_ended = n_popped;
	}
	if (step->outside)
		moment.n_open = moment.n_ended = 0;
	if (record_pcs(record, pcs))
		moment.location = record->pc;
	return moment;
}

/** Whether the options ask for the stack at a record. */
static bool is_wanted(struct now_walk *walk, const struct kct_record *record)
{
	const struct painter *painter = walk->now->painter;
	const struct options *options = painter->options;

	if (options->has_at)
		return options->at >= record->index && options->at - record->index < record->words;
	if (options->at_function)
		return record->kind == KCT_RECORD_ENTRY &&
		       filter_is_entry(painter->filter, record->pc,
				       session_lookup(painter->session, record->pc));
	return record->kind != KCT_RECORD_LOST;
}

static void open_frames(struct now_walk *walk, const struct kct_stack *stack,
			const struct kct_step *step)
{
	size_t depth, i;
	const struct kct_frame *frames = kct_stack_frames(stack, &depth);

	for (i = depth - step->pushed; i < depth; i++)
		open_frame(walk, i, &frames[i]);
}

static int take(void *context, const struct kct_stack *stack, const struct kct_record *record,
		const struct kct_step *step)
{
	struct now_walk *walk = context;
	bool wanted = record && is_wanted(walk, record);
	struct moment moment;
	uint64_t call = NO_CALL;

	if (!record)
		return 0;
	if (output_dead(walk->now->out))
		return TRACE_STOP;
	if (walk->places)
		call = call_list_step(&walk->calls, stack, record, step);
	/* An EESUM belongs to the stack before it. */
	if (record->kind != KCT_RECORD_EESUM)
		open_frames(walk, stack, step);
	if (wanted) {
		walk->found = true;
		moment = moment_of(stack, record, step);
		write_moment(walk, record, &moment, call);
	}
	if (record->kind == KCT_RECORD_EESUM)
		open_frames(walk, stack, step);
	return wanted && walk->now->painter->options->has_at ? TRACE_STOP : 0;
}

static int take_call(void *context, const struct kct_stack *stack, const struct kct_record *record,
		     const struct kct_step *step)
{
	struct now_walk *walk = context;

	if (record)
		call_list_match(&walk->calls, call_list_step(&walk->calls, stack, record, step),
				record, walk->now->painter);
	return 0;
}

/** Find out which calls the filters keep. */
static void place_calls(struct now_walk *walk, const struct input *input)
{
	const struct painter *painter = walk->now->painter;

	trace_walk(input, painter->options, painter->session, TRACE_SILENT, take_call, walk);
	walk->places = call_list_view(&walk->calls, painter, 0);
	call_list_clear(&walk->calls);
}

int stack_now_write(struct stack_now *now, const struct input *input)
{
	struct now_walk walk = {.now = now, .input = input};
	const struct painter *painter = now->painter;
	int status;

	if (filter_selects(painter->filter))
		place_calls(&walk, input);
	status = trace_walk(input, painter->options, painter->session, TRACE_NAMES, take, &walk);
	if (painter->options->has_at && !walk.found)
		status = failure("%s: no record holds word %llu", input->name,
				 (unsigned long long)painter->options->at);
	shown_stack_clear(&walk.shown);
	call_list_clear(&walk.calls);
	free(walk.places);
	free(walk.plain);
	free(walk.n_shown);
	free(walk.shown_at);
	return status;
}
