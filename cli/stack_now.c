/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>

#include "message.h"
#include "out_stacks.h"
#include "stack_now.h"
#include "stack_weights.h"
#include "text.h"
#include "trace.h"

/** What the filters say of the stack up to one frame. */
struct level {
	size_t n_shown; /* frames that are not hidden */
	bool kept;	/* one of them is to be kept */
	bool pruned;	/* or left out with its callees */
};

/** A stack at a record: open frames, and perhaps one that just ended. */
struct moment {
	const struct kct_frame *open;
	size_t n_open;
	const struct kct_frame *ended; /* NULL: none */
	uint64_t location;	       /* in the last of them; 0 unknown */
	bool leaf;		       /* it is the PC of the record */
};

/** The state of a walk over one input. */
struct now_walk {
	const struct input *input;
	struct stack_now *now;
	bool found; /* --at: the record */
	/* Kept while frames come and go: looking at a deep stack anew for each record would not
	 * end. */
	struct level *levels; /* by position in the stack */
	size_t max_levels;
	size_t *shown_at; /* positions of the frames that are not hidden */
	size_t max_shown;
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

/** Judge a frame that was opened at position `at`. */
static void open_frame(struct now_walk *walk, size_t at, const struct kct_frame *frame)
{
	const struct painter *painter = walk->now->painter;
	struct level level = {.kept = !painter->filter->keeps};
	unsigned verdict = level.kept ? VERDICT_KEPT : 0;

	if (at)
		level = walk->levels[at - 1];
	if (frame->pc)
		verdict = filter_judge(painter->filter, frame->pc,
				       session_lookup(painter->session, frame->pc));
	level.kept |= (verdict & VERDICT_KEPT) != 0;
	level.pruned |= (verdict & VERDICT_PRUNED) != 0;
	if (!(verdict & VERDICT_HIDDEN)) {
		grow(&walk->shown_at, level.n_shown, &walk->max_shown);
		walk->shown_at[level.n_shown++] = at;
	}
	grow(&walk->levels, at, &walk->max_levels);
	walk->levels[at] = level;
}

/** The frames to paint, down to the depth limit. */
static size_t plain_frames(struct now_walk *walk, const struct moment *moment, size_t n_shown)
{
	uint64_t depth = walk->now->painter->options->depth;
	size_t all = moment->n_open + (moment->ended != NULL), n = 0;

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
			 const struct moment *moment)
{
	const struct painter *painter = walk->now->painter;
	size_t all = moment->n_open + (moment->ended != NULL), n;
	struct level level = {.kept = !painter->filter->keeps};
	bool leaf;

	if (all)
		level = walk->levels[all - 1];
	if (level.pruned || !level.kept)
		return;
	n = plain_frames(walk, moment, level.n_shown);
	leaf = moment->leaf && n && walk->shown_at[n - 1] + 1 == all;
	if (n)
		paint_stack(painter, walk->plain, n, leaf, &walk->shown);
	else
		paint_outside(painter, &walk->shown);
	stacks_write_one(walk->now->out, painter->options, walk->input, record, &walk->shown);
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

/** Whether the options ask for the stack at a record. */
static bool is_wanted(struct now_walk *walk, const struct kct_record *record)
{
	const struct options *options = walk->now->painter->options;

	if (options->has_at)
		return options->at >= record->index && options->at - record->index < record->words;
	if (options->at_function)
		return is_at_function(walk->now, record);
	return record->kind != KCT_RECORD_LOST;
}

static int take(void *context, const struct kct_stack *stack, const struct kct_record *record,
		const struct kct_step *step)
{
	struct now_walk *walk = context;
	bool at = walk->now->painter->options->has_at;
	const struct kct_frame *frames;
	struct moment moment;
	size_t depth, i;

	if (!record)
		return 0;
	frames = kct_stack_frames(stack, &depth);
	for (i = depth - step->pushed; i < depth; i++)
		open_frame(walk, i, &frames[i]);
	if (output_dead(walk->now->out) || !is_wanted(walk, record))
		return 0;
	walk->found = true;
	walk->now->matches++;
	moment = at ? moment_after(stack, record, step) : moment_of(stack, record, step);
	write_moment(walk, record, &moment);
	return 0;
}

int stack_now_write(struct stack_now *now, const struct input *input)
{
	struct now_walk walk = {.now = now, .input = input};
	const struct painter *painter = now->painter;
	int status =
		trace_walk(input, painter->options, painter->session, TRACE_NAMES, take, &walk);

	if (painter->options->has_at && !walk.found)
		status = failure("%s: no record holds word %llu", input->name,
				 (unsigned long long)painter->options->at);
	shown_stack_clear(&walk.shown);
	free(walk.plain);
	free(walk.levels);
	free(walk.shown_at);
	return status;
}

int stack_now_report(const struct stack_now *now)
{
	const char *glob = now->painter->options->at_function;

	if (!glob || now->matches)
		return STATUS_FINE;
	return failure("--at-function '%s' matches nothing", glob);
}
