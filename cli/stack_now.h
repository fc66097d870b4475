/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stack_now.h Stacks at single records: --at, --at-function, --each. */
#ifndef CLI_STACK_NOW_H
#define CLI_STACK_NOW_H

#include "input.h"
#include "stack_paint.h"

/** What all inputs share. */
struct stack_now {
	const struct painter *painter;
	struct output *out;
};

/** Whether the options ask for stacks at single records. */
bool stack_now_wanted(const struct options *options);

/** Write the stacks of an input that the options ask for. Returns an enum status. */
int stack_now_write(struct stack_now *now, const struct input *input);

#endif
