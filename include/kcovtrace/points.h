/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file points.h
 * What could have been recorded: the coverage points of an image, and what hits say of code without one.
 *
 * The compiler puts calls of callbacks (`__sanitizer_cov_trace_pc` and others) into a kernel that is built
 * for KCOV; each such call is a point. kct_points_new() finds all of them, in a linked image by its
 * instructions, in a module also by its relocations. Only points of the kinds pc, entry and guard are
 * coverage points (kct_point_is_coverage()): exits and comparisons do not count.
 *
 * Not every instruction has a point of its own. A graph (kct_graph_new()) has the basic blocks of a
 * function, and states (kct_states_new()) tell for each block what a set of hit points says of it.
 *
 * Threads: points never change once they are there, and calls that take them as const may overlap in
 * threads, also kct_graph_new(), as long as nothing else uses the image. A graph never changes. States
 * are one handle.
 */
#ifndef KCOVTRACE_POINTS_H
#define KCOVTRACE_POINTS_H

#include <kcovtrace/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a point calls: X(NAME, "name", "name of the callback"). */
#define KCT_POINT_KIND_LIST(X)                                          \
	X(PC, "pc", "__sanitizer_cov_trace_pc")                         \
	X(ENTRY, "entry", "__sanitizer_cov_trace_pc_entry")             \
	X(EXIT, "exit", "__sanitizer_cov_trace_pc_exit")                \
	X(GUARD, "guard", "__sanitizer_cov_trace_pc_guard")             \
	X(CMP1, "cmp1", "__sanitizer_cov_trace_cmp1")                   \
	X(CMP2, "cmp2", "__sanitizer_cov_trace_cmp2")                   \
	X(CMP4, "cmp4", "__sanitizer_cov_trace_cmp4")                   \
	X(CMP8, "cmp8", "__sanitizer_cov_trace_cmp8")                   \
	X(CONST_CMP1, "const_cmp1", "__sanitizer_cov_trace_const_cmp1") \
	X(CONST_CMP2, "const_cmp2", "__sanitizer_cov_trace_const_cmp2") \
	X(CONST_CMP4, "const_cmp4", "__sanitizer_cov_trace_const_cmp4") \
	X(CONST_CMP8, "const_cmp8", "__sanitizer_cov_trace_const_cmp8") \
	X(SWITCH, "switch", "__sanitizer_cov_trace_switch")

enum kct_point_kind {
#define KCT_POINT_KIND_ENUM(name, text, callback) KCT_POINT_##name,
	KCT_POINT_KIND_LIST(KCT_POINT_KIND_ENUM)
#undef KCT_POINT_KIND_ENUM
		KCT_POINT_KINDS
};

/** A call of a callback. Addresses are those of the image; of a module, at its sections' addresses. */
struct kct_point {
	uint64_t pc;   /**< return address of the call: what KCOV records. Without the Thumb bit */
	uint64_t call; /**< address of the call instruction */
	uint32_t kind; /**< enum kct_point_kind */
};

/** How points are looked for. */
struct kct_points_options {
	size_t size;	  /**< sizeof(struct kct_points_options) */
	unsigned threads; /**< 0: one for each CPU */
};

/** What was found on the way. */
struct kct_points_stats {
	size_t kinds[KCT_POINT_KINDS]; /**< points of each kind */
	size_t coverage;	       /**< points that count */
	size_t functions;	       /**< functions of the image, by its symbols */
	size_t with_points;	       /**< of those, with at least one coverage point */
	uint64_t code_bytes;	       /**< code that was looked at */
	uint64_t undecoded_bytes;      /**< of it, in functions with points: bytes that are no
					*   instruction known to the disassembler */
	uint64_t undecoded_at;	       /**< address of the first of them */
	size_t tail_calls; /**< callbacks that are jumped to: what KCOV then records is the
					*   caller of the function, which is no point (gcc bug 90746) */
	bool cached;	   /**< they come from the cache of the image: no code was looked at */
};

struct kct_points;

/**
 * Find all points of an image, which must outlive them and is fixed from now on. `options` may be NULL.
 * With a cache (kct_image_set_cache()) those that it has are taken, once they are seen to be sorted and in the
 * code of the image; those that had to be found go to it with the next kct_image_write_cache().
 * KCT_ERR_NOT_BUILT if nothing in it calls or defines a callback: it was built without KCOV;
 * KCT_ERR_NOT_FOUND if it has no symbols to tell, or if its code was given no addresses;
 * KCT_ERR_UNSUPPORTED for a machine that cannot be read, also because this build has no disassembler (x86
 * needs one).
 */
KCT_API int kct_points_new(struct kct_image *image, const struct kct_points_options *options,
			   struct kct_points **ret_points, struct kct_error *error);

/** Free points; NULL is fine. Graphs and states made of them must be freed before. */
KCT_API void kct_points_free(struct kct_points *points);

/** The image they were found in; the caller's, as before. */
KCT_API struct kct_image *kct_points_image(const struct kct_points *points);

/** All points by address. Owned by the points. */
KCT_API const struct kct_point *kct_points_all(const struct kct_points *points, size_t *ret_n);

/** The point with this return address, NULL if there is none. On 32-bit ARM the lowest bit of `pc`, which
 *  says Thumb, is ignored. */
KCT_API const struct kct_point *kct_points_find(const struct kct_points *points, uint64_t pc);

/** What was found. Owned by the points. */
KCT_API const struct kct_points_stats *kct_points_stats(const struct kct_points *points);

/** Addresses of the jumps to callbacks, sorted: tail_calls of them. Owned by the points. */
KCT_API const uint64_t *kct_points_tail_calls(const struct kct_points *points, size_t *ret_n);

/** Whether points of a kind count as coverage. */
KCT_API bool kct_point_is_coverage(unsigned kind);

/** Name of a kind such as "const_cmp4"; never NULL. Static. */
KCT_API const char *kct_point_kind_name(unsigned kind);

/** The kind of a name. KCT_ERR_NOT_FOUND. */
KCT_API int kct_point_kind_parse(const char *name, unsigned *ret_kind);

/** A basic block: code that runs from its start to its end. A call whose callee may keep the control ends
 *  a block. */
struct kct_block {
	uint64_t start;
	uint64_t end;		  /**< first byte after it */
	uint32_t first_point;	  /**< index in kct_points_all(); of all kinds */
	uint32_t n_points;	  /**< 0: none */
	uint32_t first_successor; /**< index in kct_graph_edges() */
	uint32_t n_successors;
	uint32_t flags; /**< KCT_BLOCK_*: */
};

#define KCT_BLOCK_ENTRY	 0x1u  /**< can be entered from outside, or by unknown ways */
#define KCT_BLOCK_RETURN 0x2u  /**< may leave the function: a return or a jump to another */
#define KCT_BLOCK_CALL	 0x4u  /**< ends with a call, its successor is the next instruction */
#define KCT_BLOCK_STOP	 0x8u  /**< ends with a call that never returns */
#define KCT_BLOCK_DEAD	 0x10u /**< ends with a trap or a call after which all is over (panic) */
#define KCT_BLOCK_INDIRECT \
	0x20u /**< ends with a jump to a table's targets, or to any block if no table is known */
#define KCT_BLOCK_UNDECODED 0x40u /**< holds bytes that are no known instruction */

struct kct_graph;

/**
 * The control-flow graph of the function at `address` (anywhere in it), with its parts that lie
 * elsewhere (`.cold`). The graph may have edges that cannot be taken, but lacks none that can.
 * KCT_ERR_NOT_FOUND if no function of known size is there; KCT_ERR_UNSUPPORTED for machines other than
 * x86-64, i386 and arm64; KCT_ERR_LIMIT for a function that is too large.
 */
KCT_API int kct_graph_new(const struct kct_points *points, uint64_t address,
			  struct kct_graph **ret_graph, struct kct_error *error);

/** Free a graph; NULL is fine. */
KCT_API void kct_graph_free(struct kct_graph *graph);

/** The blocks by address; they do not overlap. Owned by the graph. */
KCT_API const struct kct_block *kct_graph_blocks(const struct kct_graph *graph, size_t *ret_n);

/** The successors of all blocks, as indexes of blocks. Owned by the graph. */
KCT_API const uint32_t *kct_graph_edges(const struct kct_graph *graph, size_t *ret_n);

/** The block that holds an address (as it is, not the byte before). KCT_ERR_NOT_FOUND. */
KCT_API int kct_graph_find(const struct kct_graph *graph, uint64_t address, size_t *ret_block);

/**
 * What is known of a block: X(NAME, "name").
 * HIT: it holds a coverage point that was hit. IMPLIED: no point of it was hit, but what was hit cannot
 * have been without it. NOT_REACHED: its own coverage points were all missed, or it can only be reached
 * through such a block. UNKNOWN: none of these.
 */
#define KCT_BLOCK_STATE_LIST(X)       \
	X(UNKNOWN, "unknown")         \
	X(NOT_REACHED, "not reached") \
	X(IMPLIED, "implied")         \
	X(HIT, "hit")

enum kct_block_state {
#define KCT_BLOCK_STATE_ENUM(name, text) KCT_STATE_##name,
	KCT_BLOCK_STATE_LIST(KCT_BLOCK_STATE_ENUM)
#undef KCT_BLOCK_STATE_ENUM
		KCT_STATES
};

/** Name of a state; never NULL. Static. */
KCT_API const char *kct_block_state_name(unsigned state);

struct kct_states;

/**
 * What a set of hits says of the blocks of an image. `hits` has a bit for each of kct_points_all(), bit
 * i % 64 of word i / 64; it is copied. Whether calls return is concluded from all the hits together: a
 * call whose callee can end in a place that was possibly reached (exit, a trap) proves nothing of
 * what follows it. KCT_ERR_NO_MEMORY.
 */
KCT_API int kct_states_new(const struct kct_points *points, const uint64_t *hits,
			   struct kct_states **ret_states, struct kct_error *error);

/** Free states; NULL is fine. */
KCT_API void kct_states_free(struct kct_states *states);

/** The states of the blocks of a graph of the same points: an array of the caller with room for all of
 *  them, one enum kct_block_state each. KCT_ERR_NO_MEMORY. */
KCT_API int kct_states_blocks(struct kct_states *states, const struct kct_graph *graph,
			      uint8_t *ret_states, struct kct_error *error);

/** Points of one image and the way from PCs to its addresses: pc + offset (the slide for modules). */
struct kct_points_at {
	const struct kct_points *points;
	uint64_t offset;
};

/** Why PCs match no point: X(NAME, "text"). */
#define KCT_MISMATCH_LIST(X)                                                                    \
	X(NONE, "all are points")                                                               \
	X(FEW, "a few are no points of these images: code that was loaded later, or damage")    \
	X(TAIL_CALLS, "callbacks are jumped to (gcc bug 90746): callers were recorded instead") \
	X(CALLS, "these are addresses of calls, not return addresses")                          \
	X(SLIDE, "they match with another offset of the kernel")                                \
	X(IMAGE, "nearly none is a point: another image or offset than that of the trace")      \
	X(SOME_IMAGE, "many are no points of these images: is a module missing?")

enum kct_mismatch {
#define KCT_MISMATCH_ENUM(name, text) KCT_MISMATCH_##name,
	KCT_MISMATCH_LIST(KCT_MISMATCH_ENUM)
#undef KCT_MISMATCH_ENUM
		KCT_MISMATCHES
};

#define KCT_MISMATCH_SAMPLES 4

/** How PCs and points match. */
struct kct_match {
	size_t pcs;	    /**< distinct PCs that were looked at */
	size_t points;	    /**< of those, coverage points and exits */
	size_t calls;	    /**< of the others, addresses of calls of points */
	uint32_t cause;	    /**< enum kct_mismatch */
	uint32_t n_samples; /**< PCs that match nothing, the lowest first */
	uint64_t samples[KCT_MISMATCH_SAMPLES];
	uint64_t slide; /**< cause SLIDE: add this to the PCs */
};

/** Compare PCs (in any order, with repeats) with the points of `n_at` images and find the cause of a
 *  mismatch. KCT_ERR_NO_MEMORY. */
KCT_API int kct_points_match(const struct kct_points_at *at, size_t n_at, const uint64_t *pcs,
			     size_t n, struct kct_match *ret_match);

/** Text of a cause; never NULL. Static. */
KCT_API const char *kct_mismatch_text(unsigned cause);

#ifdef __cplusplus
}
#endif
#endif
