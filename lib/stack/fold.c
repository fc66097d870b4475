/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"
#include "stack/nodes.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return kct_hash_u64(hash ^ value) + 0x9e3779b97f4a7c15u;
}

/** Hash of what is equal in equal calls: itself and, in order, its children with repeats. */
static uint64_t shape_of(const struct kct_calltree *tree, uint64_t number)
{
	const struct kct_call *call = &tree->calls[number];
	uint64_t hash = mix(call->kind, call->pc);

	hash = mix(hash, call->caller);
	hash = mix(hash,
		   (uint64_t)call->confidence << 16 | (uint64_t)call->lost_reason << 8 | call->end);
	for (uint64_t child = call->first_child; child != KCT_NO_CALL;
	     child = tree->calls[child].next) {
		hash = mix(hash, tree->links[child].shape);
		hash = mix(hash, tree->calls[child].repeats);
	}
	return hash;
}

/** Link between two nodes as a distance, which equal subtrees share. */
static uint64_t distance(uint64_t from, uint64_t to)
{
	return to == KCT_NO_CALL ? KCT_NO_CALL : to - from;
}

/** Are two nodes at the same place in two subtrees equal, the first standing for `times` calls? */
static bool equal_calls(const struct kct_call *all, uint64_t a, uint64_t b, uint64_t times)
{
	const struct kct_call *one = &all[a], *other = &all[b];

	return one->kind == other->kind && one->pc == other->pc && one->caller == other->caller &&
	       one->confidence == other->confidence && one->end == other->end &&
	       one->lost_reason == other->lost_reason && one->frames == other->frames &&
	       one->repeats == other->repeats * times &&
	       distance(a, one->first_child) == distance(b, other->first_child);
}

static bool equal_subtrees(const struct kct_calltree *tree, uint64_t a, uint64_t b)
{
	uint64_t times = tree->calls[a].repeats, size = tree->n_calls - b;

	if (b - a != size || tree->links[a].shape != tree->links[b].shape)
		return false;
	for (uint64_t i = 0; i < size; i++) {
		if (!equal_calls(tree->calls, a + i, b + i, times))
			return false;
		/* The roots of the subtrees are siblings: their own `next` tells nothing. */
		if (i > 0 && distance(a + i, tree->calls[a + i].next) !=
				     distance(b + i, tree->calls[b + i].next))
			return false;
	}
	return true;
}

void kct_calltree_fold(struct kct_calltree *tree, uint64_t ended)
{
	uint64_t before = tree->links[ended].previous;

	tree->links[ended].shape = shape_of(tree, ended);
	if (before == KCT_NO_CALL || !equal_subtrees(tree, before, ended))
		return;
	for (uint64_t i = 0; i < tree->n_calls - ended; i++) {
		struct kct_call *kept = &tree->calls[before + i];
		const struct kct_call *merged = &tree->calls[ended + i];

		kept->records += merged->records;
		kept->repeats += merged->repeats;
		kept->end_index = merged->end_index;
	}
	kct_calltree_unlink_last(tree, tree->calls[ended].parent);
	tree->n_calls = ended;
}
