/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_view.h"

/** Marks while placing. */
enum mark {
	IN_MATCH = 1 << 0,  /* it or a call above is to be kept */
	HAS_MATCH = 1 << 1, /* it or a call below is to be kept */
	IN_PRUNED = 1 << 2,
	HIDDEN = 1 << 3,
};

bool same_function(const struct kct_symbol *a, const struct kct_symbol *b)
{
	return a && b && a->identity && a->identity == b->identity;
}

unsigned inner_verdict(struct filter *filter, struct session *session, uint64_t call_pc,
		       uint64_t location, bool leaf)
{
	const struct kct_symbol *entry, *here;
	unsigned verdict;

	if (!location || !call_pc)
		return 0;
	entry = session_lookup(session, call_pc);
	here = session_lookup(session, location);
	if (same_function(entry, here))
		return filter_judge(filter, location, here) >> VERDICT_INNER_SHIFT;
	if (!leaf || !entry || !entry->identity || !here || !here->identity)
		return 0;
	verdict = filter_judge(filter, location, here);
	verdict |= verdict >> VERDICT_INNER_SHIFT;
	return filter->keeps ? verdict : verdict & ~(unsigned)VERDICT_KEPT;
}

/** What a call inherits from above and from the functions inlined where it was called. */
static unsigned char inherit(const struct view_call *calls, size_t i, struct filter *filter,
			     struct session *session, unsigned char *marks)
{
	uint64_t parent = calls[i].parent;
	unsigned char mark;
	unsigned verdict;

	if (parent == NO_CALL)
		return 0;
	mark = marks[parent] & (IN_MATCH | IN_PRUNED);
	if (mark & IN_PRUNED || !filter->inlines || calls[i].is_gap)
		return mark;
	verdict = inner_verdict(filter, session, calls[parent].pc, calls[i].site, false);
	if (verdict & VERDICT_KEPT) {
		mark |= IN_MATCH;
		marks[parent] |= HAS_MATCH;
	}
	if (verdict & VERDICT_PRUNED)
		mark |= IN_PRUNED;
	return mark;
}

/** Mark each call, with what it inherits from above. */
static void mark_down(const struct view_call *calls, size_t n, struct filter *filter,
		      struct session *session, unsigned char *marks)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct view_call *call = &calls[i];
		unsigned verdict;

		marks[i] = inherit(calls, i, filter, session, marks);
		if (call->is_gap || (!call->pc && filter->keeps))
			continue;
		verdict =
			call->pc ? filter_judge(filter, call->pc, session_lookup(session, call->pc))
				 : VERDICT_KEPT;
		if (verdict & VERDICT_PRUNED)
			marks[i] |= IN_PRUNED;
		if (verdict & VERDICT_HIDDEN)
			marks[i] |= HIDDEN;
		/* What a pruned call would keep keeps nothing alive. */
		if (verdict & VERDICT_KEPT && !(marks[i] & IN_PRUNED))
			marks[i] |= IN_MATCH | HAS_MATCH;
		if (call->has_match && !(marks[i] & IN_PRUNED))
			marks[i] |= HAS_MATCH;
	}
}

static void mark_up(const struct view_call *calls, size_t n, unsigned char *marks)
{
	while (n--) {
		if (marks[n] & HAS_MATCH && calls[n].parent != NO_CALL)
			marks[calls[n].parent] |= HAS_MATCH;
	}
}

static bool is_kept(const struct view_call *call, const struct view_place *places,
		    unsigned char mark)
{
	if (call->is_gap) /* a gap belongs to what is around it */
		return call->parent == NO_CALL || places[call->parent].kept;
	return !(mark & IN_PRUNED) && mark & (IN_MATCH | HAS_MATCH);
}

struct view_place *view_calls(const struct view_call *calls, size_t n, struct filter *filter,
			      struct session *session, uint64_t depth)
{
	struct view_place *places = zeroed(struct view_place, n);
	unsigned char *marks = zeroed(unsigned char, n);
	size_t i;

	mark_down(calls, n, filter, session, marks);
	mark_up(calls, n, marks);
	for (i = 0; i < n; i++) {
		struct view_place *place = &places[i];
		uint64_t parent = calls[i].parent;

		place->up = NO_CALL;
		if (parent != NO_CALL)
			place->up = places[parent].shown ? parent : places[parent].up;
		if (place->up != NO_CALL) {
			place->level = places[place->up].level + 1;
			place->depth = places[place->up].depth + calls[place->up].frames;
		}
		place->kept = is_kept(&calls[i], places, marks[i]);
		/* A gap is shown even where the calls around it are cut off. */
		place->shown = place->kept && !(marks[i] & HIDDEN) &&
			       (!depth || place->level < depth || calls[i].is_gap);
		place->owner = place->shown ? i : place->kept ? place->up : NO_CALL;
	}
	free(marks);
	return places;
}
