/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file calltree.h
 * The calls of a trace in order, as a tree, with repeated calls folded.
 *
 * Feed every record to a stack first and then, with what it did, to the tree:
 *
 *     kct_stack_step(stack, &record, &step);
 *     kct_calltree_add(tree, stack, &record, &step);
 *     ...
 *     kct_stack_finish(stack, &step);
 *     kct_calltree_finish(tree, stack, &step);
 */
#ifndef KCOVTRACE_CALLTREE_H
#define KCOVTRACE_CALLTREE_H

#include <kcovtrace/stack.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kct_call_kind {
	KCT_CALL_CALLED = 0,   /**< a call with an ENTRY record */
	KCT_CALL_UNTRACED = 1, /**< the frames that one EESUM pushed, see `frames` */
	KCT_CALL_INFERRED = 2, /**< a call that was open before the trace: only its EXIT was seen */
	KCT_CALL_LOST = 3,     /**< no call: records are missing here */
};

/** No node. */
#define KCT_NO_CALL UINT64_MAX

/**
 * A call, or with folding several equal calls in a row. Below a call with repeats
 * the numbers are totals too: a callee with 6 repeats below one with 3 is called twice each
 * time.
 */
struct kct_call {
	uint64_t parent;      /**< node number, KCT_NO_CALL for a root */
	uint64_t first_child; /**< node number or KCT_NO_CALL */
	uint64_t next;	      /**< next sibling, node number or KCT_NO_CALL */
	uint64_t pc;	      /**< PC of the ENTRY; INFERRED: of the EXIT; 0 none */
	uint64_t caller;      /**< call-site return address; 0 unknown */
	uint64_t index;	      /**< word index of the (first) ENTRY; KCT_NOWHERE for INFERRED */
	uint64_t end_index;   /**< word index of the (last) EXIT; KCT_NOWHERE if it had none */
	uint64_t records;     /**< records of the call itself (of all repeats), without callees;
			       *   INFERRED: 1, its EXIT; LOST: missing words, 0 for TOO_DEEP;
			       *   UNKNOWN_KIND: words of the UNKNOWN records in a row, which count
			       *   as records of the call around them too */
	uint64_t repeats;     /**< how many equal calls in a row this stands for, >= 1 */
	uint8_t kind;	      /**< enum kct_call_kind */
	uint8_t end;	      /**< enum kct_frame_end; of the last repeat */
	uint8_t confidence;   /**< enum kct_confidence */
	uint8_t lost_reason;  /**< LOST: enum kct_lost_reason; TOO_DEEP: `repeats` records in a
			       *   row opened frames past the depth limit */
	uint32_t frames;      /**< UNTRACED: how many frames the EESUM pushed; else 1 */
};

enum kct_calltree_flag {
	/** Fold equal calls in a row: same ENTRY, call site, confidence and end, equal calls below;
	 *  record counts are added up. */
	KCT_CALLTREE_FOLD = 1 << 0,
};

struct kct_calltree;

/** A new, empty tree; `flags` is a set of enum kct_calltree_flag. KCT_ERR_NO_MEMORY. */
KCT_API int kct_calltree_new(unsigned flags, struct kct_calltree **ret_tree);

/** Free a tree; NULL is fine. */
KCT_API void kct_calltree_free(struct kct_calltree *tree);

/**
 * Take what one record did; call it after each kct_stack_step(), from the empty
 * stack on. KCT_ERR_NO_MEMORY; KCT_ERR_ARGUMENT if a step was left out.
 *
 * An EXIT that underflows on the empty stack is an INFERRED root. Roots right before
 * it become its callees: one that is INFERRED itself, and with symbols those with a
 * call site in its function. UNKNOWN records count like any other, and leave a LOST node:
 * they may have been calls.
 */
KCT_API int kct_calltree_add(struct kct_calltree *tree, const struct kct_stack *stack,
			     const struct kct_record *record, const struct kct_step *step);

/** Take the end of the trace, after kct_stack_finish(). Another trace may follow. */
KCT_API int kct_calltree_finish(struct kct_calltree *tree, const struct kct_stack *stack,
				const struct kct_step *step);

/** The first root, KCT_NO_CALL if there is none. */
KCT_API uint64_t kct_calltree_root(const struct kct_calltree *tree);

/** The nodes; owned by the tree, valid until it changes. Follow first_child and next. */
KCT_API const struct kct_call *kct_calltree_nodes(const struct kct_calltree *tree, size_t *ret_n);

/** Records that belong to no call; with those of the calls (not LOST) all that were fed. */
KCT_API uint64_t kct_calltree_outside(const struct kct_calltree *tree);

#ifdef __cplusplus
}
#endif
#endif
