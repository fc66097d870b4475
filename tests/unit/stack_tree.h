/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stack_tree.h Building call trees and profiles for the tests, and sums over them. */
#ifndef KCT_TESTS_STACK_TREE_H
#define KCT_TESTS_STACK_TREE_H

#include "stack_trace.h"

/** Feed records to a stack and what they did to a tree and a profile, each may be NULL. */
static inline void build(struct kct_stack *stack, struct kct_calltree *tree,
			 struct kct_profile *profile, const struct kct_record *records, size_t n)
{
	struct kct_step step;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(kct_stack_step(stack, &records[i], &step), 0);
		if (tree)
			assert_int_equal(kct_calltree_add(tree, stack, &records[i], &step), 0);
		if (profile)
			assert_int_equal(kct_profile_add(profile, stack, &records[i], &step), 0);
	}
}

static inline void finish(struct kct_stack *stack, struct kct_calltree *tree)
{
	struct kct_step step;

	assert_int_equal(kct_stack_finish(stack, &step), 0);
	if (tree)
		assert_int_equal(kct_calltree_finish(tree, stack, &step), 0);
}

static inline struct kct_calltree *new_tree(unsigned flags)
{
	struct kct_calltree *tree = NULL;

	assert_int_equal(kct_calltree_new(flags, &tree), 0);
	return tree;
}

static inline struct kct_profile *new_profile(void)
{
	struct kct_profile *profile = NULL;

	assert_int_equal(kct_profile_new(&profile), 0);
	return profile;
}

/** Records of all calls and outside: must be those of the stack. */
static inline uint64_t tree_records(const struct kct_calltree *tree)
{
	uint64_t sum = kct_calltree_outside(tree);
	size_t n;
	const struct kct_call *calls = kct_calltree_nodes(tree, &n);

	for (size_t i = 0; i < n; i++)
		sum += calls[i].kind == KCT_CALL_LOST ? 0 : calls[i].records;
	return sum;
}

static inline uint64_t profile_records(const struct kct_profile *profile)
{
	uint64_t sum = 0;
	size_t n;
	const struct kct_profile_node *nodes = kct_profile_nodes(profile, &n);

	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || nodes[i].parent < i);
		assert_true(!nodes[nodes[i].parent].is_place);
		assert_true(nodes[i].is_place || nodes[i].records == 0);
		sum += nodes[i].records;
	}
	return sum;
}

#endif
