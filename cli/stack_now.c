/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>

#include "message.h"
#include "out_stacks.h"
#include "stack_now.h"
#include "stack_weights.h"
#include "text.h"
#include "trace.h"

/** A stack at a record, as frames: some of those still open, and perhaps one that just ended. */
struct moment {
	const struct kct_frame *open;
	size_t n_open;
	const struct kct_frame *ended; /* NULL: none */
	uint64_t location;	       /* in the last of them; 0 unknown */
	bool leaf;		       /* it is the PC of the record */
};

/** The state of a walk over one input. */
struct now_walk {
	struct stack_now *now;
	bool found; /* --at: the record */
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
	return i < moment->n_open ? &moment->open[i] : moment->ended;
}

/** Collect the frames that filters leave. False if the whole stack is left out. */
static bool filter_frames(struct now_walk *walk, const struct moment *moment, size_t *ret_n,
			  bool *ret_leaf)
{
	const struct painter *painter = walk->now->painter;
	uint64_t depth = painter->options->depth ? painter->options->depth : STACK_DEPTH_DEFAULT;
	size_t all = moment->n_open + (moment->ended != NULL), n = 0, i;
	bool kept = !painter->filter->keeps;

	*ret_leaf = false;
	for (i = 0; i < all; i++) {
		const struct kct_frame *frame = frame_at(moment, i);
		const struct kct_symbol *symbol = session_lookup(painter->session, frame->pc);
		unsigned verdict = frame->pc ? filter_judge(painter->filter, frame->pc, symbol)
				   : kept    ? VERDICT_KEPT
					     : 0;
		bool last = i + 1 == all;

		if (verdict & VERDICT_PRUNED)
			return false;
		kept |= (verdict & VERDICT_KEPT) != 0;
		if (verdict & VERDICT_HIDDEN || n >= depth)
			continue;
		grow(&walk->plain, n, &walk->max_plain);
		walk->plain[n++] = (struct plain_frame){
			.pc = frame->pc,
			.location = last ? moment->location : frame_at(moment, i + 1)->caller,
			.sibling = frame->sibling,
		};
		*ret_leaf = last && moment->leaf;
	}
	*ret_n = n;
	return kept;
}

static void write_moment(struct now_walk *walk, const struct kct_record *record,
			 const struct moment *moment)
{
	size_t n;
	bool leaf;

	if (!filter_frames(walk, moment, &n, &leaf))
		return;
	if (n)
		paint_stack(walk->now->painter, walk->plain, n, leaf, &walk->shown);
	else
		paint_outside(walk->now->painter, &walk->shown);
	stacks_write_one(walk->now->out, walk->now->painter->options, record, &walk->shown);
}

/** The stack in which a record was made: with the call that an EXIT ended. */
static struct moment moment_of(const struct kct_stack *stack, const struct kct_record *record,
			       const struct kct_step *step)
{
	struct moment moment = {.location = record->pc, .leaf = true};
	size_t n_popped;
	const struct kct_frame *popped = kct_stack_popped(stack, &n_popped);

	moment.open = kct_stack_frames(stack, &moment.n_open);
	if (record->kind == KCT_RECORD_EXIT && step->popped)
		moment.ended = &popped[0];
	if (step->outside)
		moment.n_open = 0;
	if (record->kind == KCT_RECORD_LOST || record->kind == KCT_RECORD_UNKNOWN)
		moment.location = 0;
	return moment;
}

/** The stack after a record: after an EXIT that is the caller, behind its call. */
static struct moment moment_after(const struct kct_stack *stack, const struct kct_record *record,
				  const struct kct_step *step)
{
	struct moment moment = moment_of(stack, record, step);

	if (!moment.ended)
		return moment;
	moment.location = moment.ended->caller;
	moment.leaf = false;
	moment.ended = NULL;
	return moment;
}

static bool is_at_function(const struct stack_now *now, const struct kct_record *record)
{
	const struct painter *painter = now->painter;
	char name[NAME_MAX_BYTES];
	const struct kct_symbol *symbol;

	if (record->kind != KCT_RECORD_ENTRY)
		return false;
	symbol = session_lookup(painter->session, record->pc);
	return fnmatch(painter->options->at_function,
		       symbol && symbol->function ? symbol->function
						  : text_name(name, record->pc, symbol),
		       0) == 0;
}

static int take(void *context, const struct kct_stack *stack, const struct kct_record *record,
		const struct kct_step *step)
{
	struct now_walk *walk = context;
	const struct options *options = walk->now->painter->options;
	struct moment moment;

	if (!record)
		return 0;
	if (options->has_at) {
		if (options->at < record->index || options->at - record->index >= record->words)
			return 0;
		walk->found = true;
		moment = moment_after(stack, record, step);
	} else if (options->at_function) {
		if (!is_at_function(walk->now, record))
			return 0;
		walk->now->matches++;
		moment = moment_of(stack, record, step);
	} else {
		if (record->kind == KCT_RECORD_LOST)
			return 0;
		moment = moment_of(stack, record, step);
	}
	write_moment(walk, record, &moment);
	return 0;
}

int stack_now_write(struct stack_now *now, const struct input *input)
{
	struct now_walk walk = {.now = now};
	const struct painter *painter = now->painter;
	int status =
		trace_walk(input, painter->options, painter->session, TRACE_NAMES, take, &walk);

	if (painter->options->has_at && !walk.found)
		status = failure("%s: no record holds word %llu", input->name,
				 (unsigned long long)painter->options->at);
	shown_stack_clear(&walk.shown);
	free(walk.plain);
	return status;
}

int stack_now_report(const struct stack_now *now)
{
	const char *glob = now->painter->options->at_function;

	if (!glob || now->matches)
		return STATUS_FINE;
	return failure("--at-function '%s' matches nothing", glob);
}
