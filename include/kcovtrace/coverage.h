/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file coverage.h
 * How much of what could run did: sets of PCs (pcset.h) against the coverage points (points.h) of the
 * images of a symbolizer, by function, source file and module.
 *
 *     kct_coverage_new(symbolizer, NULL, &coverage);
 *     kct_coverage_add_points(coverage, points, &error);
 *     kct_coverage_add_set(coverage, set, &error);
 *     kct_coverage_finish(coverage, &error);
 *     files = kct_coverage_files(coverage, &n);
 *
 * A point belongs to the machine function that holds it and to the file of that function. A line belongs
 * to the innermost place: that of the inlined function. So a header whose functions are all inlined
 * has lines and no points.
 *
 * Threads: as a symbolizer, which it uses until it is finished. Results never change. Images of portable symbols
 * may be added to the symbolizer meanwhile.
 */
#ifndef KCOVTRACE_COVERAGE_H
#define KCOVTRACE_COVERAGE_H

#include <kcovtrace/pcset.h>
#include <kcovtrace/points.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No file, no function. */
#define KCT_COVERAGE_NONE UINT32_MAX

/** What is wanted. All zero is fine but for the size. */
struct kct_coverage_options {
	size_t size;	   /**< sizeof(struct kct_coverage_options) */
	bool no_lines;	   /**< points alone, which is much faster */
	bool inline_calls; /**< lines that call what was inlined take the state of what was */
	/** Whether a place counts; NULL: all do. The symbol is valid during the call only. */
	bool (*keep)(void *context, const struct kct_symbol *symbol);
	/** Called now and then; a non-zero return stops with KCT_ERR_LIMIT. May be NULL. */
	int (*progress)(void *context, size_t done, size_t total);
	void *context; /**< of both */
};

/** A coverage point. */
struct kct_coverage_point {
	uint64_t pc;	   /**< return address in the image */
	uint64_t call;	   /**< address of the call in the image */
	uint64_t records;  /**< that hit it */
	uint32_t function; /**< number; KCT_COVERAGE_NONE: it does not count */
	uint32_t kind;	   /**< enum kct_point_kind */
};

/** A machine function with at least one point that counts. */
struct kct_coverage_function {
	const char *name;   /**< NULL: unknown */
	const char *symbol; /**< with clone suffixes; NULL: unknown */
	uint64_t address;   /**< where it is entered, in the image */
	uint32_t module;    /**< number */
	uint32_t file;	    /**< number; KCT_COVERAGE_NONE: unknown */
	uint32_t line;	    /**< of its first instruction; 0 unknown */
	uint32_t points;
	uint32_t hit;	  /**< points that were hit */
	uint64_t records; /**< of all its points */
	uint64_t entry;	  /**< return address of its first point in the image; 0 none */
	uint64_t entries; /**< records of that: how often it was entered */
};

/** A line that code was made of. */
struct kct_coverage_line {
	uint32_t line;	  /**< never 0 */
	uint32_t points;  /**< that lie on it */
	uint32_t hit;	  /**< of those, were hit */
	uint8_t state;	  /**< enum kct_block_state; only HIT and IMPLIED are covered */
	bool partly;	  /**< covered, but a block of it was not reached */
	uint64_t records; /**< that hit the line: of its points, or without any of the block around;
			   *   0 unless HIT */
};

/** A function of the source that was inlined somewhere, once for all places. */
struct kct_coverage_inlined {
	const char *name;
	uint32_t file; /**< number */
	uint32_t line; /**< the first that code was made of */
};

/** A source file. */
struct kct_coverage_file {
	const char *path;
	uint32_t points; /**< of the functions that begin in it */
	uint32_t hit;
	uint32_t first_function; /**< they are in a row, by line */
	uint32_t n_functions;
	uint32_t first_inlined; /**< functions of it that were inlined are in a row, too */
	uint32_t n_inlined;
	uint32_t hit_functions;	     /**< with a point that was hit */
	uint32_t states[KCT_STATES]; /**< lines in each state */
	uint32_t partly;	     /**< lines partly covered */
	size_t n_lines;
	const struct kct_coverage_line *lines; /**< by number */
};

/** An image with points. */
struct kct_coverage_module {
	const char *name; /**< as it was added to the symbolizer */
	struct kct_image *image;
	uint64_t offset; /**< a PC as recorded plus this is an address of the image */
	uint64_t base;	 /**< lowest address of its code in the image */
	uint64_t end;	 /**< first address after its code */
	uint32_t points;
	uint32_t hit;
	uint32_t functions;
	uint32_t hit_functions;
	size_t n_all;			      /**< coverage points, also those that do not count */
	const struct kct_coverage_point *all; /**< by address */
};

/** All of it. */
struct kct_coverage_total {
	uint64_t traces; /**< that the sets are from */
	uint64_t pcs;	 /**< distinct PCs in the sets */
	uint64_t records;
	uint64_t matched;   /**< of the PCs, are coverage points, also ones that do not count */
	uint64_t elsewhere; /**< of the PCs, in images that are not here, or have no points */
	uint64_t points;    /**< that count */
	uint64_t hit;
	uint64_t functions;
	uint64_t hit_functions;
	uint64_t lines[KCT_STATES];
	uint64_t partly;
	struct kct_match match; /**< why PCs match no point; elsewhere ones are not looked at */
};

struct kct_coverage;

/** An empty coverage over the images of a symbolizer, which must outlive it. `options` may be NULL.
 *  KCT_ERR_NO_MEMORY, KCT_ERR_ARGUMENT. */
KCT_API int kct_coverage_new(struct kct_symbolizer *symbolizer,
			     const struct kct_coverage_options *options,
			     struct kct_coverage **ret_coverage);

/** Free a coverage; NULL is fine. */
KCT_API void kct_coverage_free(struct kct_coverage *coverage);

/** Add the points of an image, one of the symbolizer's; they must outlive the coverage. Before sets.
 *  KCT_ERR_NOT_FOUND if the symbolizer does not have it. */
KCT_API int kct_coverage_add_points(struct kct_coverage *coverage, const struct kct_points *points,
				    struct kct_error *error);

/**
 * Add what a set hit. PCs as recorded are looked for in the images of the symbolizer, others by the name of
 * their image. KCT_ERR_BUILD if an image has another build ID; with `force` it is taken all the same.
 */
KCT_API int kct_coverage_add_set(struct kct_coverage *coverage, struct kct_pc_set *set, bool force,
				 struct kct_error *error);

/** Compute the results, once, after the last set. KCT_ERR_LIMIT if `progress` stopped it; KCT_ERR_ARGUMENT without
 *  the points of any image, and the second time. */
KCT_API int kct_coverage_finish(struct kct_coverage *coverage, struct kct_error *error);

/* Results: after kct_coverage_finish(), owned by the coverage. */

/** The totals. */
KCT_API const struct kct_coverage_total *kct_coverage_total(const struct kct_coverage *coverage);

/** The images with points, in the order they were added. */
KCT_API const struct kct_coverage_module *kct_coverage_modules(const struct kct_coverage *coverage,
							       size_t *ret_n);

/** The files by path. */
KCT_API const struct kct_coverage_file *kct_coverage_files(const struct kct_coverage *coverage,
							   size_t *ret_n);

/** The functions by file and line; those without a file last. */
KCT_API const struct kct_coverage_function *
kct_coverage_functions(const struct kct_coverage *coverage, size_t *ret_n);

/** The functions that were inlined, by file and line. */
KCT_API const struct kct_coverage_inlined *kct_coverage_inlined(const struct kct_coverage *coverage,
								size_t *ret_n);

/** Move PCs as recorded that lie in an image of a symbolizer to the part of that image. What lies in none
 *  stays. KCT_ERR_NO_MEMORY. */
KCT_API int kct_pc_set_locate(struct kct_pc_set *set, struct kct_symbolizer *symbolizer,
			      struct kct_error *error);

#ifdef __cplusplus
}
#endif
#endif
