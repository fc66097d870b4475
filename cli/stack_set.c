/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "stack_set.h"

#define MERGE_FIRST_AT 65536

void stack_set_add(struct stack_set *set, const struct shown_stack *stack, uint64_t weight)
{
	struct stack_entry *entry;
	size_t i;

	if (!set->merge_at)
		set->merge_at = MERGE_FIRST_AT;
	if (set->n >= set->merge_at) {
		stack_set_sort(set);
		set->merge_at = set->n * 2 > MERGE_FIRST_AT ? set->n * 2 : MERGE_FIRST_AT;
	}
	grow(&set->entries, set->n, &set->max);
	entry = &set->entries[set->n++];
	*entry = (struct stack_entry){
		.names = zeroed(char, stack->text_length),
		.names_length = stack->text_length,
		.places = zeroed(struct stack_place, stack->n),
		.n_frames = stack->n,
		.weight = weight,
	};
	memcpy(entry->names, stack->text, stack->text_length);
	for (i = 0; i < stack->n; i++)
		entry->places[i] =
			(struct stack_place){stack->frames[i].file, stack->frames[i].line};
}

static int by_names(const void *a, const void *b)
{
	const struct stack_entry *left = a, *right = b;
	size_t common =
		left->names_length < right->names_length ? left->names_length : right->names_length;
	int order = memcmp(left->names, right->names, common);

	if (order)
		return order;
	return left->names_length < right->names_length ? -1
							: left->names_length > right->names_length;
}

static void free_entry(struct stack_entry *entry)
{
	free(entry->names);
	free(entry->places);
}

/** Merge an equal stack; where their places differ, none is shown. */
static void merge(struct stack_entry *into, struct stack_entry *from)
{
	size_t i;

	into->weight += from->weight;
	for (i = 0; i < into->n_frames; i++) {
		struct stack_place *place = &into->places[i];
		const struct stack_place *other = &from->places[i];

		if (!place->file || !other->file || strcmp(place->file, other->file) != 0)
			place->file = NULL;
		else if (place->line != other->line)
			place->line = LINE_DIFFERS;
	}
	free_entry(from);
}

void stack_set_sort(struct stack_set *set)
{
	size_t i, n = 0;

	if (!set->n)
		return;
	qsort(set->entries, set->n, sizeof(*set->entries), by_names);
	for (i = 1; i < set->n; i++) {
		if (by_names(&set->entries[n], &set->entries[i]) == 0)
			merge(&set->entries[n], &set->entries[i]);
		else
			set->entries[++n] = set->entries[i];
	}
	set->n = n + 1;
}

static int by_weight(const void *a, const void *b)
{
	const struct stack_entry *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return by_names(a, b);
}

void stack_set_rank(struct stack_set *set)
{
	if (set->n)
		qsort(set->entries, set->n, sizeof(*set->entries), by_weight);
}

void stack_set_clear(struct stack_set *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		free_entry(&set->entries[i]);
	free(set->entries);
	*set = (struct stack_set){0};
}
