/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stack.h
 * Call stacks from the ENTRY, EXIT and EESUM records of EXT and MEMORY traces.
 *
 * A stack is fed records in order. kct_stack_feed() takes many and only keeps
 * the state; kct_stack_step() takes one and says what it did, which is what
 * views such as a call tree are built on. Nothing is allocated per record: the
 * frame array and the sibling table grow to the largest size needed and stay.
 *
 * Traces begin and end in the middle, lose records and run through code that
 * is not traced; no input is an error here. With a kct_function_source the
 * stack heals:
 *
 * - An EXIT closes the nearest open frame of its function; frames above it are `skipped`.
 *   If there is none, it closes an untraced frame on top, which may be of any function.
 *   Else it is counted as underflow, belongs to no frame (`outside`) and changes nothing.
 * - An ENTRY whose caller lies in an open function below the top closes the frames above
 *   that one as `skipped`. If the caller lies in no open function, untraced code was called
 *   and has called: the frames stay and the edge is marked.
 * - PCs that the source does not know count as one more function of their own, except
 *   that nothing is concluded from two of them being equal: such edges stay unchecked.
 *
 * Without a source an EXIT closes the top frame.
 *
 * A record belongs to the frame on top; an ENTRY to the frame it opens, an EXIT to the one
 * it closes, an EESUM to the one on top before it. LOST elements have no weight.
 */
#ifndef KCOVTRACE_STACK_H
#define KCOVTRACE_STACK_H

#include <kcovtrace/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Where the stack learns which function a PC belongs to. `function_of` gets a
 * PC as recorded (a return address) and stores an identity, equal for all parts
 * of one machine function and never 0. Returns 1: known, 0: not known, < 0: an
 * error code, handed through. Called once for each distinct PC. Any symbolizer
 * gives one (kct_symbolizer_functions()).
 */
struct kct_function_source {
	int (*function_of)(void *context, uint64_t pc, uint64_t *ret_function);
	void *context;
};

enum kct_frame_kind {
	KCT_FRAME_CALLED = 0,	/**< has an ENTRY record */
	KCT_FRAME_UNTRACED = 1, /**< pushed by an EESUM: nothing else is known */
};

/** How a frame ended. */
enum kct_frame_end {
	KCT_END_OPEN = 0,	/**< still open */
	KCT_END_CLOSED = 1,	/**< by its own EXIT */
	KCT_END_SKIPPED = 2,	/**< an outer function exited or went on calling */
	KCT_END_UNTRACED = 3,	/**< popped by an EESUM */
	KCT_END_UNFINISHED = 4, /**< open when the trace or its section ended */
};

/** What is known of the edge from the frame below to this one. */
enum kct_confidence {
	KCT_EDGE_VERIFIED = 0,	   /**< the caller PC lies in the function below, or a root */
	KCT_EDGE_UNCHECKED = 1,	   /**< no symbols, or no caller PC */
	KCT_EDGE_VIA_UNTRACED = 2, /**< the caller PC lies elsewhere: untraced code between */
	KCT_EDGE_AFTER_LOSS = 3,   /**< unchecked, and records were lost since the frame below
				    *   was last confirmed */
};

struct kct_frame {
	uint64_t pc;	    /**< PC of the ENTRY record; 0 for untraced */
	uint64_t caller;    /**< call-site return address; 0 unknown */
	uint64_t index;	    /**< word index of the ENTRY (or EESUM) that opened it */
	uint64_t function;  /**< identity from the function source; 0 unknown */
	uint64_t records;   /**< records of this activation so far, without callees */
	uint32_t sibling;   /**< number of earlier entries with this pc in the same parent
			     *   activation (docs/formats.md, stable access names) */
	uint8_t kind;	    /**< enum kct_frame_kind */
	uint8_t end;	    /**< enum kct_frame_end */
	uint8_t confidence; /**< enum kct_confidence */
	uint8_t reserved;
};

/** Bits of kct_step.flags. */
enum kct_step_flag {
	KCT_STEP_UNDERFLOW = 1 << 0,	  /**< an EXIT or EESUM closed more than was open */
	KCT_STEP_VIA_UNTRACED = 1 << 1,	  /**< the pushed frame's edge */
	KCT_STEP_INVALID_EESUM = 1 << 2,  /**< ignored: its lowest point is above 0 or delta */
	KCT_STEP_TOO_DEEP = 1 << 3,	  /**< a frame was not pushed: depth limit */
	KCT_STEP_MEMORY_OUTSIDE = 1 << 4, /**< MEMORY: ip not in the function on top, but in
					   *   untraced code that it called */
	KCT_STEP_HEALED = 1 << 5,	  /**< frames were closed as skipped */
	KCT_STEP_SECTION = 1 << 6, /**< a section began: what was open is closed, unfinished */
};

/** What one record did to the stack. */
struct kct_step {
	uint64_t popped;  /**< frames closed: kct_stack_popped() */
	uint64_t pushed;  /**< frames opened: the last ones of kct_stack_frames() */
	uint32_t flags;	  /**< enum kct_step_flag */
	uint32_t sibling; /**< MEMORY: number of earlier accesses with this pc in the innermost
			   *   activation */
	bool outside;	  /**< the record belongs to no open (or just closed) frame */
};

struct kct_stack_options {
	size_t size;			      /**< sizeof(struct kct_stack_options) of the caller */
	uint64_t max_depth;		      /**< frames; 0 = 16 million, which cost about 0.9 GB
					       *   of memory (56 bytes each), and one EESUM word can
					       *   open up to 65535. Calls past it open no frame; as
					       *   many EXITs then close none */
	struct kct_function_source functions; /**< function_of may be NULL: no symbols */
	const uint64_t *sections; /**< word indexes where the stack starts anew, ascending
				   *   (kct_sections_starts()); the caller's, as long as the stack. Not
				   *   with runs of PCs, in which a section can begin */
	size_t n_sections;
	bool keep_names; /**< number siblings and accesses (`sibling`); costs a look-up an ENTRY
			     *   and a MEMORY record */
};

/** Counts since the last reset. Growable. */
struct kct_stack_stats {
	size_t size;		/**< sizeof of the caller; set before the call */
	uint64_t records;	/**< records fed, LOST elements not counted, runs by their PCs */
	uint64_t outside;	/**< of these, in no frame: none was open, or an unmatched EXIT */
	uint64_t depth;		/**< frames open now */
	uint64_t max_depth;	/**< most frames open at once */
	uint64_t underflows;	/**< EXIT records (and EESUM pops) without a frame */
	uint64_t skipped;	/**< frames closed by another function's EXIT or ENTRY */
	uint64_t unfinished;	/**< frames open at kct_stack_finish() or where a section began */
	uint64_t untraced;	/**< frames pushed by EESUM records */
	uint64_t untraced_pops; /**< frames popped by EESUM records */
	uint64_t via_untraced;	/**< ENTRYs whose caller is not in the frame below; needs symbols */
	uint64_t verified_edges; /**< ENTRYs whose caller is in the frame below; needs symbols */
	uint64_t invalid_eesum;	 /**< EESUM records ignored as invalid */
	uint64_t too_deep;	 /**< frames not pushed for the depth limit */
	uint64_t memory_top;	 /**< MEMORY records in the function on top; needs symbols */
	uint64_t memory_outside; /**< MEMORY records elsewhere or without a frame; needs symbols.
				  *   Where the functions are not known they count as neither */
};

struct kct_stack;

/** A new, empty stack. `options` may be NULL; it is copied. */
KCT_API int kct_stack_new(const struct kct_stack_options *options, struct kct_stack **ret_stack);

/** Free a stack; NULL is fine. */
KCT_API void kct_stack_free(struct kct_stack *stack);

/** Forget frames and counts; keep the memory and the function look-ups. */
KCT_API void kct_stack_reset(struct kct_stack *stack);

/**
 * Feed `n` records, PC runs included. KCT_ERR_MODE for CMP records,
 * KCT_ERR_NO_MEMORY, or an error of the function source; the records before the
 * failing one have been taken.
 */
KCT_API int kct_stack_feed(struct kct_stack *stack, const struct kct_record *records, size_t n);

/** Feed one record and learn what it did. Errors as kct_stack_feed(). */
KCT_API int kct_stack_step(struct kct_stack *stack, const struct kct_record *record,
			   struct kct_step *ret_step);

/**
 * The trace ends: close the open frames as unfinished. They are then the
 * popped frames; `*ret_step` (may be NULL) counts them.
 */
KCT_API int kct_stack_finish(struct kct_stack *stack, struct kct_step *ret_step);

/** The open frames, the root first; owned by the stack, valid until the next change. */
KCT_API const struct kct_frame *kct_stack_frames(const struct kct_stack *stack, size_t *ret_n);

/** The frames closed by the last step, the outermost first; valid until the next change. */
KCT_API const struct kct_frame *kct_stack_popped(const struct kct_stack *stack, size_t *ret_n);

/** The counts. KCT_ERR_ARGUMENT if `ret_stats->size` is unknown. */
KCT_API int kct_stack_stats(const struct kct_stack *stack, struct kct_stack_stats *ret_stats);

/** Name of a frame's end as in the output: `open closed skipped untraced unfinished`. Static. */
KCT_API const char *kct_frame_end_name(unsigned end);

#ifdef __cplusplus
}
#endif
#endif
