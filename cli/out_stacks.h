/* SPDX-License-Identifier: BSD-2-Clause */
/** @file out_stacks.h Writing stacks. */
#ifndef CLI_OUT_STACKS_H
#define CLI_OUT_STACKS_H

#include "input.h"
#include "stack_set.h"

/** Write all stacks of a set, which is merged and sorted by this. `input`: the one they are all of,
 *  or NULL. */
void stacks_write_set(struct output *out, const struct options *options, const struct input *input,
		      struct stack_set *set);

/** Write the stack at one record. */
void stacks_write_one(struct output *out, const struct options *options, const struct input *input,
		      const struct kct_record *record, const struct shown_stack *stack);

#endif
