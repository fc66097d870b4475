/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/map.h"

void kct_map_clear(struct kct_map *map)
{
	free(map->slots);
	*map = (struct kct_map){0};
}

void kct_map_reset(struct kct_map *map)
{
	if (map->slots)
		memset(map->slots, 0, map->n_slots * sizeof(*map->slots));
	map->used = 0;
	map->has_zero = false;
	map->zero = 0;
}

/** The slot that holds `key`, or the empty one where it belongs; the table is never full. */
static struct kct_map_slot *map_slot(struct kct_map_slot *slots, size_t n_slots, uint64_t seed,
				     uint64_t key)
{
	size_t at = kct_hash_u64(key ^ seed) & (n_slots - 1);

	while (slots[at].key != 0 && slots[at].key != key)
		at = (at + 1) & (n_slots - 1);
	return &slots[at];
}

uint64_t *kct_map_find(struct kct_map *map, uint64_t key)
{
	struct kct_map_slot *slot;

	if (key == 0)
		return map->has_zero ? &map->zero : NULL;
	if (map->n_slots == 0)
		return NULL;
	slot = map_slot(map->slots, map->n_slots, map->seed, key);
	return slot->key == key ? &slot->value : NULL;
}

/** Move to a table of `n_slots` places, a power of two. */
static int map_resize(struct kct_map *map, size_t n_slots)
{
	struct kct_map_slot *slots = calloc(n_slots, sizeof(*slots));
	uint64_t seed;

	if (!slots)
		return KCT_ERR_NO_MEMORY;
	seed = kct_hash_seed(slots);
	for (size_t i = 0; i < map->n_slots; i++) {
		if (map->slots[i].key != 0)
			*map_slot(slots, n_slots, seed, map->slots[i].key) = map->slots[i];
	}
	free(map->slots);
	map->slots = slots;
	map->n_slots = n_slots;
	map->seed = seed;
	return 0;
}

int kct_map_reserve(struct kct_map *map, size_t more)
{
	size_t n_slots = map->n_slots ? map->n_slots : 64, want;

	if (kct_add_overflows(map->used, more, &want))
		return KCT_ERR_NO_MEMORY;
	/* At most half of the places are taken. */
	while (n_slots / 2 < want) {
		if (kct_mul_overflows(n_slots, 2, &n_slots))
			return KCT_ERR_NO_MEMORY;
	}
	return n_slots > map->n_slots ? map_resize(map, n_slots) : 0;
}

int kct_map_put(struct kct_map *map, uint64_t key, uint64_t **ret_value)
{
	struct kct_map_slot *slot;
	int result;

	if (key == 0) {
		result = !map->has_zero;
		if (result) {
			map->has_zero = true;
			map->used++;
		}
		*ret_value = &map->zero;
		return result;
	}
	if (map->used >= map->n_slots / 2) {
		result = kct_map_reserve(map, 1);
		if (result < 0)
			return result;
	}
	slot = map_slot(map->slots, map->n_slots, map->seed, key);
	result = slot->key != key;
	if (result) {
		slot->key = key;
		slot->value = 0;
		map->used++;
	}
	*ret_value = &slot->value;
	return result;
}
