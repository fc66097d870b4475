/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file profile.h
 * Weights by stack: every distinct stack of a trace with the number of records
 * (and calls) in it, as a tree of functions and call sites. Fed like a call tree.
 */
#ifndef KCOVTRACE_PROFILE_H
#define KCOVTRACE_PROFILE_H

#include <kcovtrace/stack.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A node is one frame in one context. Its children are the frames called from
 * it, told apart by ENTRY pc and call site, and the places in it where records
 * were made. Frames that EESUMs pushed on each other are one node. A run of PCs counts at
 * its first one.
 */
struct kct_profile_node {
	uint64_t parent; /**< node number; node 0 is the root `[outside]` and its own parent */
	uint64_t pc;	 /**< frame: PC of the ENTRY, 0 untraced; place: PC of the record, 0 none */
	uint64_t site;	 /**< frame: call-site return address in the parent, 0 unknown */
	uint64_t records; /**< place: records made here */
	uint64_t calls;	  /**< frame: times it was entered */
	bool is_place;	  /**< a place where records were made, a leaf */
	bool untraced;	  /**< frames that EESUMs pushed */
};

struct kct_profile;

/** A new profile that holds only the root. KCT_ERR_NO_MEMORY. */
KCT_API int kct_profile_new(struct kct_profile **ret_profile);

/** Free a profile; NULL is fine. */
KCT_API void kct_profile_free(struct kct_profile *profile);

/**
 * Take what one record did; call it after each kct_stack_step(), from an empty
 * stack on. After kct_stack_finish() or _reset() another trace may follow and adds up.
 * KCT_ERR_NO_MEMORY; KCT_ERR_ARGUMENT if a step was left out.
 */
KCT_API int kct_profile_add(struct kct_profile *profile, const struct kct_stack *stack,
			    const struct kct_record *record, const struct kct_step *step);

/** The nodes, parents before children; owned by the profile, valid until it changes. */
KCT_API const struct kct_profile_node *kct_profile_nodes(const struct kct_profile *profile,
							 size_t *ret_n);

#ifdef __cplusplus
}
#endif
#endif
