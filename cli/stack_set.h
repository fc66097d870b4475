/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stack_set.h Distinct stacks, told apart by the names of their frames, with weights. */
#ifndef CLI_STACK_SET_H
#define CLI_STACK_SET_H

#include "stack_paint.h"

/** A place that differs within one stack of names: the file alone is shown, or nothing. */
#define LINE_DIFFERS UINT32_MAX

struct stack_place {
	const char *file;
	uint32_t line; /**< 0 unknown, LINE_DIFFERS */
};

struct stack_entry {
	char *names; /**< each with its NUL, outermost first */
	size_t names_length;
	struct stack_place *places; /**< one a frame */
	size_t n_frames;
	uint64_t weight;
};

/** All zero is empty. */
struct stack_set {
	struct stack_entry *entries;
	size_t n, max;
	size_t merge_at; /**< entries at which equal ones are merged again */
};

void stack_set_add(struct stack_set *set, const struct shown_stack *stack, uint64_t weight);

/** Merge equal stacks and sort them by their names. */
void stack_set_sort(struct stack_set *set);

/** After stack_set_sort(): heaviest first instead. */
void stack_set_rank(struct stack_set *set);

void stack_set_clear(struct stack_set *set);

#endif
