/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file functions.h
 * Which function a PC belongs to, asked of a kct_function_source once a PC, and
 * how many activations of each function are open. A function is known by a
 * dense number; number 0 stands for "not known".
 */
#ifndef KCT_STACK_FUNCTIONS_H
#define KCT_STACK_FUNCTIONS_H

#include <kcovtrace/stack.h>

#include "base/map.h"

struct kct_function_entry {
	uint64_t identity; /* from the source; 0 for number 0 */
	uint64_t open;	   /* frames of the function on the stack */
};

struct kct_functions {
	struct kct_function_source source;
	struct kct_map number_of_pc;
	struct kct_map number_of_identity;
	struct kct_function_entry *entries; /* by number */
	size_t n_entries;
	size_t max_entries;
};

/** A memo over a source. KCT_ERR_NO_MEMORY. */
int kct_functions_new(const struct kct_function_source *source,
		      struct kct_functions **ret_functions);

/** Free it; NULL is fine. */
void kct_functions_free(struct kct_functions *functions);

/** Number of the function that `pc` lies in, 0 unknown. An error of the source or NO_MEMORY. */
int kct_functions_number(struct kct_functions *functions, uint64_t pc, uint64_t *ret_number);

/** As kct_functions_number() without asking the source: 0 as well for a PC never asked for. */
uint64_t kct_functions_recall(struct kct_functions *functions, uint64_t pc);

/** No activation is open any more. */
void kct_functions_close_all(struct kct_functions *functions);

#endif
