/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stack_weights.h The weights of all stacks of a trace. */
#ifndef CLI_STACK_WEIGHTS_H
#define CLI_STACK_WEIGHTS_H

#include "input.h"
#include "stack_set.h"

/**
 * Stacks are shown to this depth unless --depth says otherwise: the names of a
 * million frames, once for each of a million stacks, help nobody.
 */
#define STACK_DEPTH_DEFAULT 1024

/** Add the stacks of an input to the set. Returns an enum status. */
int stack_weights(const struct input *input, const struct painter *painter, struct stack_set *set);

#endif
