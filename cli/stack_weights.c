/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"
#include "stack_calls.h"
#include "stack_weights.h"
#include "trace.h"

/** Records (or calls) made at one place of a context. */
struct weight {
	uint64_t owner;	   /* context; NO_CALL: none */
	uint64_t location; /* PC in it; 0 unknown */
	uint64_t weight;
	bool leaf; /* the location is that of the records, not a call site */
};

struct weights {
	struct call_list calls;
	struct weight *weights;
	size_t n, max;
};

static void add_weight(struct weights *all, uint64_t owner, uint64_t pc, uint64_t weight)
{
	grow(&all->weights, all->n, &all->max);
	all->weights[all->n++] = (struct weight){owner, pc, weight, true};
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

		number[i] = all->calls.n;
		if (nodes[i].is_place && !calls)
			add_weight(all, parent, nodes[i].pc, nodes[i].records);
		if (nodes[i].is_place)
			continue;
		call_list_add(&all->calls, parent, nodes[i].pc, nodes[i].site);
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

/** What add_each() adds to. */
struct each_call {
	struct weights *all;
	const struct painter *painter;
};

static int add_each(void *context, const struct kct_stack *stack, const struct kct_record *record,
		    const struct kct_step *step)
{
	struct each_call *each = context;
	bool calls = each->painter->options->weigh_calls;
	const struct kct_frame *frames;
	uint64_t owner;
	size_t depth, i;

	if (!record)
		return 0;
	owner = call_list_step(&each->all->calls, stack, record, step);
	call_list_match(&each->all->calls, owner, record, each->painter);
	frames = kct_stack_frames(stack, &depth);
	for (i = depth - step->pushed; calls && i < depth; i++)
		add_weight(each->all, each->all->calls.open[i], frames[i].pc, 1);
	if (!calls && record->kind != KCT_RECORD_LOST)
		add_weight(each->all, owner, record->pc, record->count);
	return 0;
}

static int from_calls(const struct input *input, const struct painter *painter, struct weights *all)
{
	struct each_call each = {.all = all, .painter = painter};

	return trace_walk(input, painter->options, painter->session, 0, add_each, &each);
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
	bool cut = false;
	size_t i;

	shown->places = call_list_view(&all->calls, painter, depth ? depth : STACK_DEPTH_DEFAULT);
	shown->via = zeroed(uint64_t, all->calls.n);
	for (i = 0; i < all->calls.n; i++) {
		uint64_t parent = all->calls.calls[i].parent;

		shown->via[i] = parent == shown->places[i].up ? i : shown->via[parent];
		cut |= !depth && shown->places[i].level >= STACK_DEPTH_DEFAULT;
	}
	if (cut)
		note("stacks are cut at %d frames; --depth sets another limit",
		     STACK_DEPTH_DEFAULT);
}

/** Hand the weights of contexts that are not shown to those above; drop what is not kept. */
static void move_weights(struct weights *all, const struct painter *painter,
			 const struct shown_contexts *shown)
{
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		struct weight weight = all->weights[i];
		uint64_t owner = weight.owner;

		if (!call_list_keeps(&all->calls, shown->places, owner, weight.location,
				     weight.leaf, painter))
			continue;
		if (owner != NO_CALL && !shown->places[owner].shown) {
			weight.owner = shown->places[owner].owner;
			weight.location = all->calls.calls[shown->via[owner]].site;
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
			frames[level] = (struct plain_frame){all->calls.calls[at].pc, location, 0};
			location = all->calls.calls[shown->via[at]].site;
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

		if (!verdict_keeps(verdict))
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
	call_list_clear(&all.calls);
	free(all.weights);
	return status;
}
