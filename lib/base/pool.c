/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdalign.h>
#include <string.h>

#include "base/map.h"
#include "base/pool.h"

#define POOL_BLOCK_BYTES (64u * 1024)

struct kct_pool_block {
	struct kct_pool_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

void kct_pool_clear(struct kct_pool *pool)
{
	struct kct_pool_block *block = pool->blocks;

	while (block) {
		struct kct_pool_block *next = block->next;

		free(block);
		block = next;
	}
	free(pool->strings);
	*pool = (struct kct_pool){0};
}

static struct kct_pool_block *pool_block_new(size_t bytes)
{
	size_t size = bytes > POOL_BLOCK_BYTES ? bytes : POOL_BLOCK_BYTES;
	struct kct_pool_block *block;
	size_t total;

	if (kct_add_overflows(sizeof(*block), size, &total))
		return NULL;
	block = malloc(total);
	if (!block)
		return NULL;
	block->next = NULL;
	block->used = 0;
	block->size = size;
	return block;
}

/** `bytes` bytes at a multiple of `align` (a power of two), not zeroed. */
static void *pool_take(struct kct_pool *pool, size_t bytes, size_t align)
{
	struct kct_pool_block *block = pool->blocks;
	size_t start;

	start = block ? (block->used + align - 1) & ~(align - 1) : 0;
	if (!block || start > block->size || bytes > block->size - start) {
		block = pool_block_new(bytes);
		if (!block)
			return NULL;
		block->next = pool->blocks;
		pool->blocks = block;
		start = 0;
	}
	block->used = start + bytes;
	return block->bytes + start;
}

void *kct_pool_alloc(struct kct_pool *pool, size_t bytes)
{
	void *memory = pool_take(pool, bytes, alignof(max_align_t));

	return memory ? memset(memory, 0, bytes) : NULL;
}

static struct kct_pool_string *string_slot(struct kct_pool_string *slots, size_t n_slots,
					   uint64_t hash, const char *text, size_t length)
{
	size_t at = hash & (n_slots - 1);

	while (slots[at].text &&
	       (slots[at].hash != hash || strncmp(slots[at].text, text, length) != 0 ||
		slots[at].text[length] != '\0'))
		at = (at + 1) & (n_slots - 1);
	return &slots[at];
}

static int strings_grow(struct kct_pool *pool)
{
	size_t n_slots = pool->n_slots ? pool->n_slots * 2 : 64;
	struct kct_pool_string *slots;

	slots = calloc(n_slots, sizeof(*slots));
	if (!slots)
		return KCT_ERR_NO_MEMORY;
	if (pool->n_slots == 0)
		pool->seed = kct_hash_seed(slots);
	for (size_t i = 0; i < pool->n_slots; i++) {
		const struct kct_pool_string *old = &pool->strings[i];

		if (old->text)
			*string_slot(slots, n_slots, old->hash, old->text, strlen(old->text)) =
				*old;
	}
	free(pool->strings);
	pool->strings = slots;
	pool->n_slots = n_slots;
	return 0;
}

const char *kct_pool_intern(struct kct_pool *pool, const char *text, size_t length)
{
	struct kct_pool_string *slot;
	uint64_t hash;
	char *copy;

	if (pool->n_strings >= pool->n_slots / 2 && strings_grow(pool) < 0)
		return NULL;
	hash = kct_hash_text(pool->seed, text, length);
	slot = string_slot(pool->strings, pool->n_slots, hash, text, length);
	if (slot->text)
		return slot->text;
	copy = pool_take(pool, length + 1, 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	slot->hash = hash;
	slot->text = copy;
	pool->n_strings++;
	return copy;
}
