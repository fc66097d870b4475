/* SPDX-License-Identifier: BSD-2-Clause */
/** @file map.h A hash map from 64-bit keys to 64-bit values; no removal. */
#ifndef KCT_BASE_MAP_H
#define KCT_BASE_MAP_H

#include <kcovtrace/error.h>

#include "base/macros.h"

struct kct_map_slot {
	uint64_t key; /* 0 = empty slot; the key 0 itself lives in kct_map.zero */
	uint64_t value;
};

/** All zero is an empty map. */
struct kct_map {
	struct kct_map_slot *slots;
	size_t n_slots; /* a power of two, or 0 */
	size_t used;	/* keys, with the key 0 */
	uint64_t seed;	/* of the hash */
	bool has_zero;
	uint64_t zero;
};

/** Free the memory; the map is empty afterwards. */
void kct_map_clear(struct kct_map *map);

/** Forget the keys, keep the memory. */
void kct_map_reset(struct kct_map *map);

/** Make room for `more` keys that are not there yet, so that putting them moves nothing. Returns
 *  KCT_ERR_NO_MEMORY, and the map still works. */
int kct_map_reserve(struct kct_map *map, size_t more);

/** The value of a key, or NULL. Valid until the next kct_map_put(). */
uint64_t *kct_map_find(struct kct_map *map, uint64_t key);

/** The same for a map that is only read. */
static inline const uint64_t *kct_map_get(const struct kct_map *map, uint64_t key)
{
	return kct_map_find((struct kct_map *)(uintptr_t)map, key);
}

/**
 * The place of a key's value, made with value 0 if it is new. 1: new, 0: there
 * already, KCT_ERR_NO_MEMORY. `*ret_value` is valid until the next kct_map_put().
 */
int kct_map_put(struct kct_map *map, uint64_t key, uint64_t **ret_value);

/** Mix the bits of a key well enough for a power-of-two table. */
static inline uint64_t kct_hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/** Fetch the place of a key into the cache: many keys in a row wait for memory otherwise. */
static inline void kct_map_prefetch(const struct kct_map *map, uint64_t key)
{
	if (map->n_slots > 0)
		__builtin_prefetch(&map->slots[kct_hash_u64(key ^ map->seed) & (map->n_slots - 1)]);
}

/**
 * A number that the maker of a file cannot know, so that no file can hold keys that all fall into one
 * place of a table: where the system has put some memory. Nothing that anybody sees depends on it.
 */
static inline uint64_t kct_hash_seed(const void *memory)
{
	return kct_hash_u64((uintptr_t)memory);
}

/** A hash of the bytes of a text (FNV-1a); with a seed as of kct_hash_seed(). */
static inline uint64_t kct_hash_text(uint64_t seed, const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u ^ seed;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

#endif
