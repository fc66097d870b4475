/* SPDX-License-Identifier: BSD-2-Clause */
#include <kcovtrace/profile.h>

#include "base/array.h"
#include "base/map.h"
#include "stack/state.h"

struct kct_profile {
	struct kct_profile_node *nodes;
	size_t n_nodes;
	size_t max_nodes;
	uint64_t *slots; /* hash table of node numbers; 0 is empty, as node 0 is never looked for */
	size_t n_slots;	 /* a power of two, at least twice n_nodes */
	uint64_t seed;	 /* of the hash */
	uint64_t *open;	 /* the node of each open frame */
	size_t max_open;
	size_t n_open;
};

int kct_profile_new(struct kct_profile **ret_profile)
{
	struct kct_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return KCT_ERR_NO_MEMORY;
	if (kct_array_reserve(&profile->nodes, &profile->max_nodes, 1) < 0) {
		kct_profile_free(profile);
		return KCT_ERR_NO_MEMORY;
	}
	profile->nodes[profile->n_nodes++] = (struct kct_profile_node){0};
	*ret_profile = profile;
	return 0;
}

void kct_profile_free(struct kct_profile *profile)
{
	if (!profile)
		return;
	free(profile->nodes);
	free(profile->slots);
	free(profile->open);
	free(profile);
}

static uint64_t hash_node(const struct kct_profile_node *node, uint64_t seed)
{
	uint64_t hash = kct_hash_u64(node->pc ^ kct_hash_u64((node->parent + 1) ^ seed));

	return kct_hash_u64(hash ^ node->site) + node->is_place * 2u + node->untraced;
}

static bool same_node(const struct kct_profile_node *a, const struct kct_profile_node *b)
{
	return a->pc == b->pc && a->parent == b->parent && a->site == b->site &&
	       a->is_place == b->is_place && a->untraced == b->untraced;
}

/** The slot of a node like `node`, or the empty one where it belongs; the table is never full. */
static uint64_t *node_slot(const struct kct_profile_node *nodes, uint64_t *slots, size_t n_slots,
			   uint64_t seed, const struct kct_profile_node *node)
{
	size_t at = hash_node(node, seed) & (n_slots - 1);

	while (slots[at] != 0 && !same_node(&nodes[slots[at]], node))
		at = (at + 1) & (n_slots - 1);
	return &slots[at];
}

static int grow_slots(struct kct_profile *profile, size_t n_nodes)
{
	size_t n_slots = profile->n_slots ? profile->n_slots : 64;
	uint64_t *slots, seed;

	while (n_slots / 2 < n_nodes) {
		if (kct_mul_overflows(n_slots, 2, &n_slots))
			return KCT_ERR_NO_MEMORY;
	}
	slots = calloc(n_slots, sizeof(*slots));
	if (!slots)
		return KCT_ERR_NO_MEMORY;
	seed = kct_hash_seed(slots);
	for (size_t i = 1; i < profile->n_nodes; i++)
		*node_slot(profile->nodes, slots, n_slots, seed, &profile->nodes[i]) = i;
	free(profile->slots);
	profile->slots = slots;
	profile->n_slots = n_slots;
	profile->seed = seed;
	return 0;
}

/** Room for all that one record can add: a frame, a place, and the open frames. */
static int reserve(struct kct_profile *profile, size_t depth)
{
	size_t n_nodes = profile->n_nodes + 2;
	int result = 0;

	if (n_nodes > profile->n_slots / 2)
		result = grow_slots(profile, n_nodes);
	if (result == 0)
		result = kct_array_reserve(&profile->nodes, &profile->max_nodes, n_nodes);
	if (result == 0)
		result = kct_array_reserve(&profile->open, &profile->max_open, depth);
	return result;
}

/** Number of the node like `node`, made if it is new. */
static uint64_t find_node(struct kct_profile *profile, const struct kct_profile_node *node)
{
	uint64_t *slot =
		node_slot(profile->nodes, profile->slots, profile->n_slots, profile->seed, node);

	if (*slot == 0) {
		*slot = profile->n_nodes;
		profile->nodes[profile->n_nodes++] = *node;
	}
	return *slot;
}

static uint64_t node_at(const struct kct_profile *profile, size_t n_open)
{
	return n_open > 0 ? profile->open[n_open - 1] : 0;
}

/** The node of a frame on those that are open; untraced frames on each other share one. */
static uint64_t enter_node(struct kct_profile *profile, const struct kct_frame *frame)
{
	const struct kct_profile_node node = {
		.parent = node_at(profile, profile->n_open),
		.pc = frame->pc,
		.site = frame->caller,
		.untraced = frame->kind == KCT_FRAME_UNTRACED,
	};
	uint64_t number;

	if (node.untraced && profile->nodes[node.parent].untraced)
		return node.parent;
	number = find_node(profile, &node);
	profile->nodes[number].calls++;
	return number;
}

/** The PC that names the place of a record; 0 for records that have none. */
static uint64_t place_pc(const struct kct_record *record)
{
	switch (record->kind) {
	case KCT_RECORD_PC:
	case KCT_RECORD_ENTRY:
	case KCT_RECORD_EXIT:
	case KCT_RECORD_MEMORY:
		return record->pc;
	default:
		return 0;
	}
}

static void add_weight(struct kct_profile *profile, uint64_t frame, const struct kct_record *record)
{
	const struct kct_profile_node place = {
		.parent = frame,
		.pc = place_pc(record),
		.is_place = true,
	};

	profile->nodes[find_node(profile, &place)].records += kct_record_weight(record);
}

/** Leave the frames that a record closed and enter those that it opened. */
static void follow(struct kct_profile *profile, const struct kct_stack *stack,
		   const struct kct_step *step)
{
	size_t depth;
	const struct kct_frame *frames = kct_stack_frames(stack, &depth);

	profile->n_open = depth - step->pushed;
	for (; profile->n_open < depth; profile->n_open++)
		profile->open[profile->n_open] = enter_node(profile, &frames[profile->n_open]);
}

int kct_profile_add(struct kct_profile *profile, const struct kct_stack *stack,
		    const struct kct_record *record, const struct kct_step *step)
{
	bool is_entry = record->kind == KCT_RECORD_ENTRY;
	uint64_t frame = 0;
	size_t depth;
	int result;

	kct_stack_frames(stack, &depth);
	/* More may be known of: the stack has been emptied since. */
	if (profile->n_open < depth - step->pushed + step->popped)
		return KCT_ERR_ARGUMENT;
	result = reserve(profile, depth);
	if (result < 0)
		return result;
	/* An ENTRY belongs to what it opened, all others to what was open before. */
	if (is_entry)
		follow(profile, stack, step);
	if (!step->outside)
		frame = profile->open[kct_step_owner(depth, record, step)];
	if (!is_entry)
		follow(profile, stack, step);
	if (record->kind != KCT_RECORD_LOST)
		add_weight(profile, frame, record);
	return 0;
}

const struct kct_profile_node *kct_profile_nodes(const struct kct_profile *profile, size_t *ret_n)
{
	*ret_n = profile->n_nodes;
	return profile->nodes;
}
