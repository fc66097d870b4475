/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/map.h"
#include "stack/siblings.h"

void kct_siblings_clear(struct kct_siblings *siblings)
{
	free(siblings->log);
	free(siblings->heads);
	*siblings = (struct kct_siblings){0};
}

static uint64_t *chain_head(const struct kct_siblings *siblings, uint64_t parent, uint64_t pc,
			    bool memory)
{
	uint64_t hash = kct_hash_u64(pc ^ kct_hash_u64((parent * 2 + memory + 1) ^ siblings->seed));

	return &siblings->heads[hash & (siblings->n_heads - 1)];
}

static uint64_t *entry_head(const struct kct_siblings *siblings, const struct kct_sibling *entry)
{
	return chain_head(siblings, entry->parent, entry->pc, entry->memory);
}

/** Twice the chains; filled in the order of the log, so the newest is the head again. */
static int grow_heads(struct kct_siblings *siblings)
{
	size_t n_heads = siblings->n_heads ? siblings->n_heads : 32;
	uint64_t *heads;

	if (kct_mul_overflows(n_heads, 2, &n_heads))
		return KCT_ERR_NO_MEMORY;
	heads = calloc(n_heads, sizeof(*heads));
	if (!heads)
		return KCT_ERR_NO_MEMORY;
	free(siblings->heads);
	siblings->heads = heads;
	siblings->n_heads = n_heads;
	siblings->seed = kct_hash_seed(heads);
	for (size_t i = 0; i < siblings->n_log; i++) {
		uint64_t *head = entry_head(siblings, &siblings->log[i]);

		siblings->log[i].older = *head;
		*head = i + 1;
	}
	return 0;
}

int kct_siblings_reserve(struct kct_siblings *siblings)
{
	if (siblings->n_log >= siblings->n_heads) {
		int result = grow_heads(siblings);

		if (result < 0)
			return result;
	}
	return kct_array_reserve(&siblings->log, &siblings->max_log, siblings->n_log + 1);
}

uint32_t kct_siblings_next(struct kct_siblings *siblings, uint64_t parent, uint64_t pc, bool memory)
{
	uint64_t *head = chain_head(siblings, parent, pc, memory);

	for (uint64_t at = *head; at != 0; at = siblings->log[at - 1].older) {
		struct kct_sibling *entry = &siblings->log[at - 1];

		if (entry->pc == pc && entry->parent == parent && entry->memory == memory) {
			uint32_t before = entry->count;

			entry->count += before != UINT32_MAX;
			return before;
		}
	}
	siblings->log[siblings->n_log++] = (struct kct_sibling){
		.pc = pc,
		.parent = parent,
		.older = *head,
		.count = 1,
		.memory = memory,
	};
	*head = siblings->n_log;
	return 0;
}

/** Remove the newest counter, which is the head of its chain. */
static void drop_newest(struct kct_siblings *siblings)
{
	const struct kct_sibling *entry = &siblings->log[--siblings->n_log];

	*entry_head(siblings, entry) = entry->older;
}

void kct_siblings_leave(struct kct_siblings *siblings, uint64_t depth)
{
	while (siblings->n_log > 0 && siblings->log[siblings->n_log - 1].parent > depth)
		drop_newest(siblings);
}

void kct_siblings_reset(struct kct_siblings *siblings)
{
	while (siblings->n_log > 0)
		drop_newest(siblings);
}
