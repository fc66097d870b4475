/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_view.h"

/** Marks while placing. */
enum mark {
	IN_MATCH = 1 << 0,  /* it or a call above is to be kept */
	HAS_MATCH = 1 << 1, /* it or a call below is to be kept */
	IN_PRUNED = 1 << 2,
	HIDDEN = 1 << 3,
};

/** Mark each call, with what it inherits from above. */
static void mark_down(const struct view_call *calls, size_t n, struct filter *filter,
		      struct session *session, unsigned char *marks)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct view_call *call = &calls[i];
		unsigned verdict;

		if (call->parent != NO_CALL)
			marks[i] = marks[call->parent] & (IN_MATCH | IN_PRUNED);
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
