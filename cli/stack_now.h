/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stack_now.h Stacks at single records: --at, --at-function, --each. */
#ifndef CLI_STACK_NOW_H
#define CLI_STACK_NOW_H

#include "input.h"
#include "stack_paint.h"

/** What was found over all inputs. */
struct stack_now {
	const struct painter *painter;
	struct output *out;
	uint64_t matches; /**< of --at-function */
};

/** Whether the options ask for stacks at single records. */
bool stack_now_wanted(const struct options *options);

/** Write the stacks of an input that the options ask for. Returns an enum status. */
int stack_now_write(struct stack_now *now, const struct input *input);

/** After all inputs: report a pattern of --at-function that matched nothing. */
int stack_now_report(const struct stack_now *now);

#endif
