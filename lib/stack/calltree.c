/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "stack/nodes.h"
#include "stack/state.h"

int kct_calltree_new(unsigned flags, struct kct_calltree **ret_tree)
{
	struct kct_calltree *tree;

	if (flags & ~(unsigned)KCT_CALLTREE_FOLD)
		return KCT_ERR_ARGUMENT;
	tree = calloc(1, sizeof(*tree));
	if (!tree)
		return KCT_ERR_NO_MEMORY;
	tree->fold = flags & KCT_CALLTREE_FOLD;
	tree->first_root = KCT_NO_CALL;
	tree->last_root = KCT_NO_CALL;
	tree->floor = KCT_NO_CALL;
	*ret_tree = tree;
	return 0;
}

void kct_calltree_free(struct kct_calltree *tree)
{
	if (!tree)
		return;
	free(tree->calls);
	free(tree->links);
	free(tree->open);
	free(tree);
}

/** First and last child of a call, or the first and last root. */
static uint64_t *first_of(struct kct_calltree *tree, uint64_t parent)
{
	return parent == KCT_NO_CALL ? &tree->first_root : &tree->calls[parent].first_child;
}

static uint64_t *last_of(struct kct_calltree *tree, uint64_t parent)
{
	return parent == KCT_NO_CALL ? &tree->last_root : &tree->links[parent].last_child;
}

uint64_t kct_calltree_append(struct kct_calltree *tree, uint64_t parent,
			     const struct kct_call *call)
{
	uint64_t number = tree->n_calls++;
	uint64_t *last = last_of(tree, parent);

	tree->calls[number] = *call;
	tree->calls[number].parent = parent;
	tree->calls[number].first_child = KCT_NO_CALL;
	tree->calls[number].next = KCT_NO_CALL;
	tree->links[number] = (struct kct_call_links){
		.last_child = KCT_NO_CALL,
		.previous = *last,
		.shape = call->lost_reason,
	};
	if (*last == KCT_NO_CALL)
		*first_of(tree, parent) = number;
	else
		tree->calls[*last].next = number;
	*last = number;
	return number;
}

void kct_calltree_unlink_last(struct kct_calltree *tree, uint64_t parent)
{
	uint64_t *last = last_of(tree, parent);
	uint64_t before = tree->links[*last].previous;

	if (before == KCT_NO_CALL)
		*first_of(tree, parent) = KCT_NO_CALL;
	else
		tree->calls[before].next = KCT_NO_CALL;
	*last = before;
}

/** Room for what a record can add: a call, a gap, and its open frames. */
static int reserve(struct kct_calltree *tree, uint64_t pushed)
{
	int result;

	result = kct_array_reserve(&tree->calls, &tree->max_calls, tree->n_calls + 2);
	if (result == 0)
		result = kct_array_reserve(&tree->links, &tree->max_links, tree->n_calls + 2);
	if (result == 0)
		result = kct_array_reserve(&tree->open, &tree->max_open, tree->n_open + pushed);
	return result;
}

static uint64_t innermost(const struct kct_calltree *tree)
{
	return tree->n_open > 0 ? tree->open[tree->n_open - 1] : KCT_NO_CALL;
}

/** The innermost frame has been closed, and with it its call, unless that has more frames. */
static void close_frame(struct kct_calltree *tree, const struct kct_frame *frame,
			uint64_t end_index)
{
	uint64_t number = tree->open[--tree->n_open];
	struct kct_call *call = &tree->calls[number];

	if (number == innermost(tree))
		return;
	call->end = frame->end;
	call->end_index = frame->end == KCT_END_CLOSED ? end_index : KCT_NOWHERE;
	if (tree->fold)
		kct_calltree_fold(tree, number);
}

static void close_popped(struct kct_calltree *tree, const struct kct_stack *stack,
			 uint64_t end_index)
{
	size_t n;
	const struct kct_frame *popped = kct_stack_popped(stack, &n);

	while (n-- > 0)
		close_frame(tree, &popped[n], end_index);
}

/** A record opened frames: one call, however many they are. */
static void open_call(struct kct_calltree *tree, const struct kct_frame *frame, uint64_t n_frames)
{
	const struct kct_call call = {
		.pc = frame->pc,
		.caller = frame->caller,
		.index = frame->index,
		.end_index = KCT_NOWHERE,
		.repeats = 1,
		.kind = frame->kind == KCT_FRAME_CALLED ? KCT_CALL_CALLED : KCT_CALL_UNTRACED,
		.end = KCT_END_OPEN,
		.confidence = frame->confidence,
		.frames = (uint32_t)kct_min_u64(n_frames, UINT32_MAX),
	};
	uint64_t number = kct_calltree_append(tree, innermost(tree), &call);

	for (uint64_t i = 0; i < n_frames; i++)
		tree->open[tree->n_open++] = number;
}

/** A gap in the open call, or between the roots. */
static void add_lost(struct kct_calltree *tree, const struct kct_record *record)
{
	const struct kct_call call = {
		.index = record->index,
		.end_index = KCT_NOWHERE,
		.records = record->words,
		.repeats = 1,
		.kind = KCT_CALL_LOST,
		.lost_reason = record->lost.reason,
		.frames = 1,
	};

	kct_calltree_append(tree, innermost(tree), &call);
}

/** Words that cannot be read may be calls: all in a row are one gap. */
static void add_unknown(struct kct_calltree *tree, const struct kct_record *record)
{
	struct kct_record lost = *record;
	uint64_t last = *last_of(tree, innermost(tree));

	if (last != KCT_NO_CALL && tree->calls[last].kind == KCT_CALL_LOST &&
	    tree->calls[last].lost_reason == KCT_LOST_UNKNOWN_KIND &&
	    record->index - tree->calls[last].index == tree->calls[last].records) {
		tree->calls[last].records += record->words;
		return;
	}
	lost.lost.reason = KCT_LOST_UNKNOWN_KIND;
	add_lost(tree, &lost);
}

/** Calls that the depth limit left out, all in a row as one node. */
static void add_too_deep(struct kct_calltree *tree, const struct kct_record *record)
{
	const struct kct_call call = {
		.index = record->index,
		.end_index = KCT_NOWHERE,
		.repeats = 1,
		.kind = KCT_CALL_LOST,
		.lost_reason = KCT_LOST_TOO_DEEP,
		.frames = 1,
	};
	uint64_t last = *last_of(tree, innermost(tree));

	if (last != KCT_NO_CALL && tree->calls[last].kind == KCT_CALL_LOST &&
	    tree->calls[last].lost_reason == KCT_LOST_TOO_DEEP)
		tree->calls[last].repeats++;
	else
		kct_calltree_append(tree, innermost(tree), &call);
}

/**
 * Can the last root have been called by the one whose EXIT at `pc` underflowed, open since
 * before the trace? If it was open too, it ended first; or its caller says so.
 */
static bool was_inside(const struct kct_calltree *tree, const struct kct_stack *stack,
		       uint64_t root, uint64_t pc)
{
	const struct kct_call *call = &tree->calls[root];

	if (call->kind == KCT_CALL_INFERRED)
		return true;
	return kct_stack_same_function(stack, call->caller, pc);
}

/** Take the roots from `first` on out of the list of roots. */
static void cut_roots(struct kct_calltree *tree, uint64_t first)
{
	uint64_t before = tree->links[first].previous;

	if (before == KCT_NO_CALL)
		tree->first_root = KCT_NO_CALL;
	else
		tree->calls[before].next = KCT_NO_CALL;
	tree->last_root = before;
	tree->links[first].previous = KCT_NO_CALL;
}

/** An EXIT on the empty stack: a call that was open before the trace has ended. */
static void add_inferred(struct kct_calltree *tree, const struct kct_stack *stack,
			 const struct kct_record *record)
{
	const struct kct_call call = {
		.pc = record->pc,
		.index = KCT_NOWHERE,
		.end_index = record->index,
		.records = 1,
		.repeats = 1,
		.kind = KCT_CALL_INFERRED,
		.end = KCT_END_CLOSED,
		.confidence = KCT_EDGE_UNCHECKED,
		.frames = 1,
	};
	uint64_t number = tree->n_calls, last = tree->last_root, first = KCT_NO_CALL, root;

	/* Each root is taken at most once: all roots together, not each EXIT, pay for this. */
	for (root = last; root != tree->floor && root != KCT_NO_CALL &&
			  was_inside(tree, stack, root, record->pc);
	     root = tree->links[root].previous) {
		tree->calls[root].parent = number;
		first = root;
	}
	if (first != KCT_NO_CALL)
		cut_roots(tree, first);
	kct_calltree_append(tree, KCT_NO_CALL, &call);
	if (first != KCT_NO_CALL) {
		tree->calls[number].first_child = first;
		tree->links[number].last_child = last;
	}
}

/** What is no call by itself: gaps, and records that belong to no open frame. */
static void add_others(struct kct_calltree *tree, const struct kct_stack *stack, size_t depth,
		       const struct kct_record *record, const struct kct_step *step)
{
	if (record->kind == KCT_RECORD_LOST)
		add_lost(tree, record);
	else if (record->kind == KCT_RECORD_UNKNOWN)
		add_unknown(tree, record);
	else if (step->flags & KCT_STEP_TOO_DEEP)
		add_too_deep(tree, record);
	if (!step->outside)
		return;
	if (record->kind == KCT_RECORD_EXIT && depth == 0)
		add_inferred(tree, stack, record);
	else
		tree->outside += kct_record_weight(record);
}

/** Close the calls that a record ended and open the one that it began. */
static void follow(struct kct_calltree *tree, const struct kct_stack *stack,
		   const struct kct_record *record, const struct kct_step *step)
{
	size_t depth;
	const struct kct_frame *frames = kct_stack_frames(stack, &depth);

	if (step->popped > 0)
		close_popped(tree, stack, record->index);
	if (step->pushed > 0)
		open_call(tree, &frames[depth - step->pushed], step->pushed);
}

int kct_calltree_add(struct kct_calltree *tree, const struct kct_stack *stack,
		     const struct kct_record *record, const struct kct_step *step)
{
	bool is_entry = record->kind == KCT_RECORD_ENTRY;
	size_t depth;
	int result;

	kct_stack_frames(stack, &depth);
	if (tree->n_open + step->pushed != depth + step->popped)
		return KCT_ERR_ARGUMENT;
	result = reserve(tree, step->pushed);
	if (result < 0)
		return result;
	/* An ENTRY belongs to what it opened, all others to what was open before. */
	if (is_entry)
		follow(tree, stack, record, step);
	if (!step->outside)
		tree->calls[tree->open[kct_step_owner(depth, record, step)]].records +=
			kct_record_weight(record);
	if (!is_entry)
		follow(tree, stack, record, step);
	if (step->flags & KCT_STEP_SECTION)
		tree->floor = is_entry && step->pushed ? tree->links[tree->last_root].previous
						       : tree->last_root;
	add_others(tree, stack, depth, record, step);
	return 0;
}

int kct_calltree_finish(struct kct_calltree *tree, const struct kct_stack *stack,
			const struct kct_step *step)
{
	if (tree->n_open != step->popped)
		return KCT_ERR_ARGUMENT;
	if (step->popped > 0)
		close_popped(tree, stack, KCT_NOWHERE);
	return 0;
}

uint64_t kct_calltree_root(const struct kct_calltree *tree)
{
	return tree->first_root;
}

const struct kct_call *kct_calltree_nodes(const struct kct_calltree *tree, size_t *ret_n)
{
	*ret_n = tree->n_calls;
	return tree->calls;
}

uint64_t kct_calltree_outside(const struct kct_calltree *tree)
{
	return tree->outside;
}
