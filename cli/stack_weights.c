/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_view.h"
#include "message.h"
#include "stack_weights.h"
#include "trace.h"

/** A call, or all calls of one kind in one context. */
struct context {
	uint64_t parent; /* NO_CALL: a root; comes before its children */
	uint64_t pc;	 /* of the ENTRY; 0 untraced */
	uint64_t site;	 /* where the parent called it; 0 unknown */
};

/** Records (or calls) made at one place of a context. */
struct weight {
	uint64_t owner;	   /* context; NO_CALL: none */
	uint64_t location; /* PC in it; 0 unknown */
	uint64_t weight;
	bool leaf; /* the location is that of the records, not a call site */
};

struct weights {
	struct context *contexts;
	size_t n_contexts, max_contexts;
	struct weight *weights;
	size_t n, max;
};

static void add_weight(struct weights *all, uint64_t owner, uint64_t pc, uint64_t weight)
{
	grow(&all->weights, all->n, &all->max);
	all->weights[all->n++] = (struct weight){owner, pc, weight, true};
}

static void add_context(struct weights *all, uint64_t parent, uint64_t pc, uint64_t site)
{
	grow(&all->contexts, all->n_contexts, &all->max_contexts);
	all->contexts[all->n_contexts++] = (struct context){parent, pc, site};
}

static int add_to_profile(void *context, const struct kct_stack *stack,
			  const struct kct_record *record, const struct kct_step *step)
{
	return record ? kct_profile_add(context, stack, record, step) : 0;
}

/** From the nodes of a profile, whose memory does not grow with the trace. */
static void take_profile(const struct kct_profile *profile, bool calls, struct weights *all)
{
	const struct kct_profile_node *nodes;
	uint64_t *number; /* of a node's context */
	size_t n, i;

	nodes = kct_profile_nodes(profile, &n);
	number = zeroed(uint64_t, n);
	number[0] = NO_CALL; /* the root stands for no frame */
	for (i = 1; i < n; i++) {
		uint64_t parent = number[nodes[i].parent];

		number[i] = all->n_contexts;
		if (nodes[i].is_place && !calls)
			add_weight(all, parent, nodes[i].pc, nodes[i].records);
		if (nodes[i].is_place)
			continue;
		add_context(all, parent, nodes[i].pc, nodes[i].site);
		if (calls)
			add_weight(all, number[i], nodes[i].pc, nodes[i].calls);
	}
	free(number);
}

static int from_profile(const struct input *input, const struct painter *painter,
			struct weights *all)
{
	struct kct_profile *profile;
	int r = kct_profile_new(&profile), status;

	if (r < 0)
		return failure_code(input->name, r);
	status = trace_walk(input, painter->options, painter->session, 0, add_to_profile, profile);
	take_profile(profile, painter->options->weigh_calls, all);
	kct_profile_free(profile);
	return status;
}

/**
 * Each call as a context of its own. A profile cannot tell which call of a
 * function led to a function that is to be kept.
 */
struct each_call {
	struct weights *all;
	bool calls;
	uint64_t *open; /* contexts of the open frames */
	size_t max_open;
};

/** The context that a record belongs to, from the frames before (`n_open`) and after it. */
static uint64_t owner_of(const struct each_call *each, const struct kct_record *record,
			 const struct kct_step *step, size_t n_open, size_t depth)
{
	size_t at = depth;

	if (step->outside)
		return NO_CALL;
	if (record->kind == KCT_RECORD_EXIT && step->popped)
		at = depth + 1; /* the outermost closed frame is the one that returned */
	else if (record->kind == KCT_RECORD_EESUM)
		at = n_open;
	return at ? each->open[at - 1] : NO_CALL;
}

/** A frame is opened at position `at`; untraced ones on each other share a context. */
static void open_frame(struct each_call *each, size_t at, const struct kct_frame *frame)
{
	uint64_t parent = at ? each->open[at - 1] : NO_CALL;

	grow(&each->open, at, &each->max_open);
	each->open[at] = parent;
	if (frame->pc || parent == NO_CALL || each->all->contexts[parent].pc) {
		each->open[at] = each->all->n_contexts;
		add_context(each->all, parent, frame->pc, frame->caller);
	}
	if (each->calls)
		add_weight(each->all, each->open[at], frame->pc, 1);
}

static int add_each(void *context, const struct kct_stack *stack, const struct kct_record *record,
		    const struct kct_step *step)
{
	struct each_call *each = context;
	const struct kct_frame *frames;
	bool is_entry = record && record->kind == KCT_RECORD_ENTRY;
	uint64_t owner;
	size_t depth, i;

	if (!record)
		return 0;
	frames = kct_stack_frames(stack, &depth);
	owner = is_entry ? NO_CALL
			 : owner_of(each, record, step, depth - step->pushed + step->popped, depth);
	for (i = depth - step->pushed; i < depth; i++)
		open_frame(each, i, &frames[i]);
	if (is_entry)
		owner = owner_of(each, record, step, depth, depth);
	if (!each->calls && record->kind != KCT_RECORD_LOST)
		add_weight(each->all, owner, record->pc, record->count);
	return 0;
}

static int from_calls(const struct input *input, const struct painter *painter, struct weights *all)
{
	struct each_call each = {.all = all, .calls = painter->options->weigh_calls};
	int status = trace_walk(input, painter->options, painter->session, 0, add_each, &each);

	free(each.open);
	return status;
}

static int by_place(const void *a, const void *b)
{
	const struct weight *left = a, *right = b;

	if (left->owner != right->owner)
		return left->owner < right->owner ? -1 : 1;
	if (left->location != right->location)
		return left->location < right->location ? -1 : 1;
	return (int)left->leaf - (int)right->leaf;
}

/** Make one of equal weights. */
static void merge_weights(struct weights *all)
{
	size_t i, n = 0;

	if (!all->n)
		return;
	qsort(all->weights, all->n, sizeof(*all->weights), by_place);
	for (i = 1; i < all->n; i++) {
		if (by_place(&all->weights[n], &all->weights[i]) == 0)
			all->weights[n].weight += all->weights[i].weight;
		else
			all->weights[++n] = all->weights[i];
	}
	all->n = n + 1;
}

/** What the filters leave, and the way from each context up to the one shown above it. */
struct shown_contexts {
	struct view_place *places;
	uint64_t *via; /* of a context: the one just below `up`, on the way to it */
};

static void place_contexts(const struct weights *all, const struct painter *painter,
			   struct shown_contexts *shown)
{
	uint64_t depth = painter->options->depth;
	struct view_call *calls = zeroed(struct view_call, all->n_contexts);
	bool cut = false;
	size_t i;

	for (i = 0; i < all->n_contexts; i++)
		calls[i] =
			(struct view_call){all->contexts[i].parent, all->contexts[i].pc, 1, false};
	shown->places = view_calls(calls, all->n_contexts, painter->filter, painter->session,
				   depth ? depth : STACK_DEPTH_DEFAULT);
	shown->via = zeroed(uint64_t, all->n_contexts);
	for (i = 0; i < all->n_contexts; i++) {
		uint64_t parent = all->contexts[i].parent;

		shown->via[i] = parent == shown->places[i].up ? i : shown->via[parent];
		cut |= !depth && shown->places[i].level >= STACK_DEPTH_DEFAULT;
	}
	if (cut)
		note("stacks are cut at %d frames; --depth sets another limit",
		     STACK_DEPTH_DEFAULT);
	free(calls);
}

/** Hand the weights of contexts that are not shown to those above; drop what is not kept. */
static void move_weights(struct weights *all, const struct painter *painter,
			 const struct shown_contexts *shown)
{
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		struct weight weight = all->weights[i];
		uint64_t owner = weight.owner;

		/* What belongs to no call matches no function. */
		if (owner == NO_CALL ? painter->filter->keeps : !shown->places[owner].kept)
			continue;
		if (owner != NO_CALL && !shown->places[owner].shown) {
			weight.owner = shown->places[owner].owner;
			weight.location = all->contexts[shown->via[owner]].site;
			weight.leaf = false;
		}
		if (weight.owner == NO_CALL)
			weight.location = 0;
		all->weights[n++] = weight;
	}
	all->n = n;
	merge_weights(all);
}

/** Show the stacks one by one. */
static void paint_weights(const struct weights *all, const struct painter *painter,
			  const struct shown_contexts *shown, struct stack_set *set)
{
	struct shown_stack stack = {0};
	struct plain_frame *frames = NULL;
	size_t i, max = 0;

	for (i = 0; i < all->n; i++) {
		const struct weight *weight = &all->weights[i];
		uint64_t at = weight->owner, location = weight->location;
		size_t n, level;

		if (at == NO_CALL) {
			paint_outside(painter, &stack);
			stack_set_add(set, &stack, weight->weight);
			continue;
		}
		n = (size_t)shown->places[at].level + 1;
		if (n > max) {
			max = n * 2;
			frames = grow_bytes(frames, max, sizeof(*frames));
		}
		for (level = n; level--; at = shown->places[at].up) {
			frames[level] = (struct plain_frame){all->contexts[at].pc, location, 0};
			location = all->contexts[shown->via[at]].site;
		}
		paint_stack(painter, frames, n, weight->leaf, &stack);
		stack_set_add(set, &stack, weight->weight);
	}
	free(frames);
	shown_stack_clear(&stack);
}

/** Without call records each PC stands alone. */
static void paint_flat(const struct weights *all, const struct painter *painter,
		       struct stack_set *set)
{
	struct shown_stack stack = {0};
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct weight *weight = &all->weights[i];
		const struct kct_symbol *symbol =
			session_lookup(painter->session, weight->location);
		unsigned verdict = filter_judge(painter->filter, weight->location, symbol);

		if (verdict & VERDICT_PRUNED || !(verdict & VERDICT_KEPT))
			continue;
		if (verdict & VERDICT_HIDDEN)
			paint_outside(painter, &stack);
		else
			paint_address(painter, weight->location, &stack);
		stack_set_add(set, &stack, weight->weight);
	}
	shown_stack_clear(&stack);
}

int stack_weights(const struct input *input, const struct painter *painter, struct stack_set *set)
{
	struct shown_contexts shown = {0};
	struct weights all = {0};
	int status;

	if (input_has_calls(input) && painter->filter->keeps)
		status = from_calls(input, painter, &all);
	else
		status = from_profile(input, painter, &all);
	merge_weights(&all);
	if (input_has_calls(input)) {
		place_contexts(&all, painter, &shown);
		move_weights(&all, painter, &shown);
		paint_weights(&all, painter, &shown, set);
	} else {
		paint_flat(&all, painter, set);
	}
	free(shown.places);
	free(shown.via);
	free(all.contexts);
	free(all.weights);
	return status;
}
