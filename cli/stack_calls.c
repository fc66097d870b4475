/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_calls.h"
#include "trace.h"

void call_list_add(struct call_list *list, uint64_t parent, uint64_t pc, uint64_t site)
{
	grow(&list->calls, list->n, &list->max);
	list->calls[list->n++] = (struct context){parent, pc, site, false};
}

/** The call that a record belongs to, from the frames before (`n_open`) and after it. */
static uint64_t owner_of(const struct call_list *list, const struct kct_record *record,
			 const struct kct_step *step, size_t n_open, size_t depth)
{
	size_t at = depth;

	if (step->outside)
		return NO_CALL;
	if (record->kind == KCT_RECORD_EXIT && step->popped)
		at = depth + 1; /* the outermost closed frame is the one that returned */
	else if (record->kind == KCT_RECORD_EESUM)
		at = n_open;
	return at ? list->open[at - 1] : NO_CALL;
}

/** A frame is opened at position `at`. */
static void open_frame(struct call_list *list, size_t at, const struct kct_frame *frame)
{
	uint64_t parent = at ? list->open[at - 1] : NO_CALL;

	grow(&list->open, at, &list->max_open);
	list->open[at] = parent;
	if (frame->pc || parent == NO_CALL || list->calls[parent].pc) {
		list->open[at] = list->n;
		call_list_add(list, parent, frame->pc, frame->caller);
	}
}

uint64_t call_list_step(struct call_list *list, const struct kct_stack *stack,
			const struct kct_record *record, const struct kct_step *step)
{
	bool is_entry = record->kind == KCT_RECORD_ENTRY;
	uint64_t owner = NO_CALL;
	size_t depth, i;
	const struct kct_frame *frames = kct_stack_frames(stack, &depth);

	if (!is_entry)
		owner = owner_of(list, record, step, depth - step->pushed + step->popped, depth);
	for (i = depth - step->pushed; i < depth; i++)
		open_frame(list, i, &frames[i]);
	return is_entry ? owner_of(list, record, step, depth, depth) : owner;
}

void call_list_match(struct call_list *list, uint64_t call, const struct kct_record *record,
		     const struct painter *painter)
{
	struct context *context;
	uint64_t pcs[2];

	if (call == NO_CALL || !painter->filter->keeps || !record_pcs(record, pcs))
		return;
	context = &list->calls[call];
	if (!context->has_match)
		context->has_match = inner_verdict(painter->filter, painter->session, context->pc,
						   record->pc, true) &
				     VERDICT_KEPT;
}

struct view_place *call_list_view(const struct call_list *list, const struct painter *painter,
				  uint64_t depth)
{
	struct view_call *calls = zeroed(struct view_call, list->n);
	struct view_place *places;
	size_t i;

	for (i = 0; i < list->n; i++)
		calls[i] = (struct view_call){
			.parent = list->calls[i].parent,
			.pc = list->calls[i].pc,
			.site = list->calls[i].site,
			.frames = 1,
			.has_match = list->calls[i].has_match,
		};
	places = view_calls(calls, list->n, painter->filter, painter->session, depth);
	free(calls);
	return places;
}

bool call_list_keeps(const struct call_list *list, const struct view_place *places, uint64_t call,
		     uint64_t location, bool leaf, const struct painter *painter)
{
	/* What belongs to no call matches no function. */
	if (call == NO_CALL)
		return !painter->filter->keeps;
	if (!places[call].kept)
		return false;
	return !painter->filter->prunes.n || !(inner_verdict(painter->filter, painter->session,
							     list->calls[call].pc, location, leaf) &
					       VERDICT_PRUNED);
}

void call_list_clear(struct call_list *list)
{
	free(list->calls);
	free(list->open);
	*list = (struct call_list){0};
}
