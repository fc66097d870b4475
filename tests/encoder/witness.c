/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled by gcc whatever the compiler of the rest: no other has scalar_storage_order. */
#include <string.h>

#include "witness.h"

#define ORDER(name) __attribute__((packed, scalar_storage_order(name)))

/* Bit-fields of a big-endian struct begin at the top bits, those of a little-endian one at the bottom. */
#define STRUCTS(order, name, TAGGED_FIELDS, EESUM_FIELDS) \
	struct ORDER(name) order##_word {                 \
		uint64_t word;                            \
	};                                                \
	struct ORDER(name) order##_small {                \
		uint32_t word;                            \
	};                                                \
	struct ORDER(name) order##_cmp {                  \
		uint64_t type, arg1, arg2, pc;            \
	};                                                \
	struct ORDER(name) order##_small_cmp {            \
		uint32_t type, arg1, arg2, pc;            \
	};                                                \
	struct ORDER(name) order##_tagged {               \
		TAGGED_FIELDS                             \
	};                                                \
	struct ORDER(name) order##_entry {                \
		struct order##_tagged callee;             \
		uint64_t caller;                          \
	};                                                \
	struct ORDER(name) order##_eesum {                \
		EESUM_FIELDS                              \
	};                                                \
	struct ORDER(name) order##_memory {               \
		struct order##_tagged ip;                 \
		uint64_t addr;                            \
		uint32_t size;                            \
		uint32_t flags;                           \
		uint64_t time;                            \
		uint64_t value;                           \
	};

STRUCTS(big, "big-endian", uint64_t type : 4; uint64_t top : 4; uint64_t low : 56;
	, uint64_t type : 4; uint64_t none : 28; uint64_t min : 16; uint64_t delta : 16;)
STRUCTS(little, "little-endian", uint64_t low : 56; uint64_t top : 4; uint64_t type : 4;
	, uint64_t delta : 16; uint64_t min : 16; uint64_t none : 28; uint64_t type : 4;)

#define GIVE(object, bytes) (memcpy(ret_bytes, &(object), (bytes)), (size_t)(bytes))

/* The low 56 bits of a delay: bit 52 and the index of the bit. */
#define DELAY(event) ((uint64_t)(event)->timeout << 52 | (event)->bit)

#define FUNCTIONS(order)                                                                          \
	static size_t order##_count(uint64_t count, size_t word_bytes, unsigned char *ret_bytes)  \
	{                                                                                         \
		struct order##_word word = {count};                                               \
		struct order##_small small = {(uint32_t)count};                                   \
                                                                                                  \
		return word_bytes == 4 ? GIVE(small, 4) : GIVE(word, 8);                          \
	}                                                                                         \
                                                                                                  \
	static size_t order##_comparison(const struct enc_event *event, size_t word_bytes,        \
					 unsigned char *ret_bytes)                                \
	{                                                                                         \
		struct order##_cmp cmp = {event->type, event->arg1, event->arg2, event->pc};      \
		struct order##_small_cmp small = {(uint32_t)event->type, (uint32_t)event->arg1,   \
						  (uint32_t)event->arg2, (uint32_t)event->pc};    \
                                                                                                  \
		return word_bytes == 4 ? GIVE(small, sizeof(small)) : GIVE(cmp, sizeof(cmp));     \
	}                                                                                         \
                                                                                                  \
	static size_t order##_call(const struct enc_event *event, unsigned type, uint64_t low,    \
				   size_t words, unsigned char *ret_bytes)                        \
	{                                                                                         \
		struct order##_entry entry = {{0}, event->caller};                                \
                                                                                                  \
		entry.callee.type = type;                                                         \
		entry.callee.low = low;                                                           \
		return GIVE(entry, words * 8);                                                    \
	}                                                                                         \
                                                                                                  \
	static size_t order##_access(const struct enc_event *event, size_t words,                 \
				     unsigned char *ret_bytes)                                    \
	{                                                                                         \
		struct order##_memory memory = {.addr = event->addr,                              \
						.size = event->size,                              \
						.flags = event->flags,                            \
						.time = event->time,                              \
						.value = event->value};                           \
                                                                                                  \
		memory.ip.type = 3;                                                               \
		memory.ip.low = event->pc;                                                        \
		return GIVE(memory, words * 8);                                                   \
	}                                                                                         \
                                                                                                  \
	static size_t order##_sum(const struct enc_event *event, unsigned char *ret_bytes)        \
	{                                                                                         \
		struct order##_eesum sum = {                                                      \
			.type = 2, .min = (uint16_t)event->min, .delta = (uint16_t)event->delta}; \
                                                                                                  \
		return GIVE(sum, sizeof(sum));                                                    \
	}                                                                                         \
                                                                                                  \
	static size_t order##_event(const struct enc_event *event,                                \
				    const struct kct_layout *layout, unsigned char *ret_bytes)    \
	{                                                                                         \
		switch (event->kind) {                                                            \
		case ENC_CMP:                                                                     \
			return order##_comparison(                                                \
				event, layout->os == KCT_OS_LINUX ? 8 : layout->word_bytes,       \
				ret_bytes);                                                       \
		case ENC_ENTRY:                                                                   \
			return order##_call(event, 0, event->pc, layout->entry_words, ret_bytes); \
		case ENC_EXIT:                                                                    \
			return order##_call(event, 1, event->pc, 1, ret_bytes);                   \
		case ENC_EESUM:                                                                   \
			return order##_sum(event, ret_bytes);                                     \
		case ENC_MEMORY:                                                                  \
			return order##_access(event, layout->memory_words, ret_bytes);            \
		case ENC_WAIT:                                                                    \
			return order##_call(event, 4, DELAY(event), 1, ret_bytes);                \
		case ENC_WAKE:                                                                    \
			return order##_call(event, 5, event->bit, 1, ret_bytes);                  \
		default:                                                                          \
			return order##_count(event->pc, layout->word_bytes, ret_bytes);           \
		}                                                                                 \
	}

FUNCTIONS(big)
FUNCTIONS(little)

size_t witness_count(uint64_t count, size_t word_bytes, enum kct_endian endian,
		     unsigned char *ret_bytes)
{
	return endian == KCT_ENDIAN_BIG ? big_count(count, word_bytes, ret_bytes)
					: little_count(count, word_bytes, ret_bytes);
}

size_t witness_event(const struct enc_event *event, const struct kct_layout *layout,
		     unsigned char *ret_bytes)
{
	return layout->endian == KCT_ENDIAN_BIG ? big_event(event, layout, ret_bytes)
						: little_event(event, layout, ret_bytes);
}
