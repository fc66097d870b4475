/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sections.h Where --sections lets the stacks of an input start anew. */
#ifndef CLI_SECTIONS_H
#define CLI_SECTIONS_H

#include "input.h"
#include "session.h"

/**
 * Find the sections of an input, if --sections asks for it, and say where they are unless `silent`.
 * The stack's options point into `*ret_sections`, which stays until kct_sections_free() (NULL is fine).
 */
int sections_find(const struct input *input, const struct options *options, struct session *session,
		  bool silent, struct kct_stack_options *stack_options,
		  struct kct_sections **ret_sections);

#endif
