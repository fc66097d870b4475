/* SPDX-License-Identifier: BSD-2-Clause */
#include "counter.h"

static struct counter_slot *slot_of(const struct counter *counter, uint64_t key)
{
	size_t mask = counter->n_slots - 1;
	uint64_t hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash ^ hash >> 29) & mask;

	while (counter->slots[at].count && counter->slots[at].key != key)
		at = (at + 1) & mask;
	return &counter->slots[at];
}

static void enlarge(struct counter *counter)
{
	struct counter old = *counter;
	size_t i;

	counter->n_slots = old.n_slots ? old.n_slots * 2 : 1024;
	counter->slots = zeroed(struct counter_slot, counter->n_slots);
	for (i = 0; i < old.n_slots; i++) {
		if (old.slots[i].count)
			*slot_of(counter, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void counter_add(struct counter *counter, uint64_t key, uint64_t n)
{
	struct counter_slot *slot;

	if (counter->used * 2 >= counter->n_slots)
		enlarge(counter);
	slot = slot_of(counter, key);
	if (!slot->count) {
		slot->key = key;
		counter->used++;
	}
	slot->count += n;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

uint64_t *counter_keys(const struct counter *counter, size_t *ret_n)
{
	uint64_t *keys = zeroed(uint64_t, counter->used);
	size_t n = 0, i;

	for (i = 0; i < counter->n_slots; i++) {
		if (counter->slots[i].count)
			keys[n++] = counter->slots[i].key;
	}
	qsort(keys, n, sizeof(*keys), by_number);
	*ret_n = n;
	return keys;
}

static int by_count(const void *a, const void *b)
{
	const struct counter_slot *left = a, *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->key < right->key ? -1 : left->key > right->key;
}

struct counter_slot *counter_ranking(const struct counter *counter, size_t *ret_n)
{
	struct counter_slot *slots = zeroed(struct counter_slot, counter->used);
	size_t n = 0, i;

	for (i = 0; i < counter->n_slots; i++) {
		if (counter->slots[i].count)
			slots[n++] = counter->slots[i];
	}
	qsort(slots, n, sizeof(*slots), by_count);
	*ret_n = n;
	return slots;
}

void counter_clear(struct counter *counter)
{
	free(counter->slots);
	*counter = (struct counter){0};
}
