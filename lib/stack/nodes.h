/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file nodes.h
 * What a call tree holds, and the merging of equal calls in a row.
 *
 * Nodes are numbered as calls begin. So the nodes below a CALLED or UNTRACED call
 * follow it without a gap, and those of the last call that ended are the end of
 * the array: merging it into the call before cuts them off. Only an INFERRED call
 * is newer than its callees; it is never merged.
 */
#ifndef KCT_STACK_NODES_H
#define KCT_STACK_NODES_H

#include <kcovtrace/calltree.h>

#include "base/macros.h"

/** What a node needs while the tree is built. */
struct kct_call_links {
	uint64_t last_child; /* KCT_NO_CALL none */
	uint64_t previous;   /* sibling before; KCT_NO_CALL none */
	uint64_t shape;	     /* of a call that has ended: hash of all that equal calls share */
};

struct kct_calltree {
	bool fold;
	struct kct_call *calls;
	size_t n_calls;
	size_t max_calls;
	struct kct_call_links *links; /* one for each call */
	size_t max_links;
	uint64_t first_root;
	uint64_t last_root;
	uint64_t floor; /* the last root of earlier sections */
	uint64_t *open; /* the call of each open frame; those that one EESUM pushed share one */
	size_t n_open;
	size_t max_open;
	uint64_t outside;
};

/**
 * The call number `ended`, whose nodes are the last of the array, has ended: if
 * the sibling before it is an equal call, add it to that one and drop it.
 */
void kct_calltree_fold(struct kct_calltree *tree, uint64_t ended);

/** Add a call as the last child of `parent` (KCT_NO_CALL: the last root). There must be room. */
uint64_t kct_calltree_append(struct kct_calltree *tree, uint64_t parent,
			     const struct kct_call *call);

/** Remove the last child of `parent` from its list; its nodes stay where they are. */
void kct_calltree_unlink_last(struct kct_calltree *tree, uint64_t parent);

#endif
