/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file coverage.h
 * The inside of a struct kct_coverage. coverage.c takes points and sets, functions.c finds the functions
 * of points, lines.c the states of lines, results.c sorts and adds up.
 */
#ifndef KCT_COVERAGE_COVERAGE_H
#define KCT_COVERAGE_COVERAGE_H

#include <kcovtrace/coverage.h>

#include "base/array.h"
#include "coverage/pcset.h"
#include "symbol/symbolizer.h"

/* An image with its points and what hit them. */
struct kct_cover_image {
	const struct kct_points *points;
	struct kct_member
		member; /* a copy: images that are added later move those of the symbolizer */
	const struct kct_point *all; /* of all kinds */
	size_t n_all;
	uint64_t *records;		  /* by index in `all` */
	uint32_t *functions;		  /* the same; KCT_COVERAGE_NONE: does not count */
	struct kct_coverage_point *shown; /* the coverage points */
	size_t n_shown;
};

/* A file while lines are added: sorted and made unique now and then. */
struct kct_cover_lines {
	struct kct_coverage_line *lines;
	size_t n, max;
	size_t n_unique; /* as of the last time */
};

struct kct_coverage {
	struct kct_symbolizer *symbolizer;
	struct kct_coverage_options options;
	struct kct_cover_image *images;
	size_t n_images, max_images;
	struct kct_counts pcs; /* as recorded, of the images here and of none */
	bool finished;
	struct kct_map file_numbers; /* path (the pointer) -> number + 1 */
	struct kct_coverage_file *files;
	struct kct_cover_lines *lines; /* by file */
	size_t n_files, max_files, max_lines;
	struct kct_coverage_function *functions;
	size_t n_functions, max_functions;
	struct kct_map inlined_numbers; /* see kct_cover_inlined() */
	struct kct_coverage_inlined *inlined;
	size_t n_inlined, max_inlined;
	struct kct_coverage_module *modules;
	struct kct_coverage_total total;
};

/** The member of the symbolizer with an image or a name; NULL: none. */
const struct kct_member *kct_cover_member(const struct kct_symbolizer *symbolizer,
					  const struct kct_image *image, const char *name);

/** The member that holds the code of a PC as recorded, by the byte that is looked up; NULL: none. */
const struct kct_member *kct_cover_member_at(const struct kct_symbolizer *symbolizer, uint64_t pc,
					     enum kct_pc_kind kind);

/** The number of a file, made if it is new. KCT_ERR_NO_MEMORY, KCT_ERR_LIMIT. */
int kct_cover_file(struct kct_coverage *coverage, const char *path, uint32_t *ret_file);

/** Note a place of a function that was inlined. KCT_ERR_NO_MEMORY. */
int kct_cover_inlined(struct kct_coverage *coverage, const struct kct_symbol_frame *frame);

/** Find the functions of the points of an image. */
int kct_cover_functions(struct kct_coverage *coverage, uint32_t image, struct kct_error *error);

/** Find the lines of the functions of an image. */
int kct_cover_lines(struct kct_coverage *coverage, uint32_t image, struct kct_error *error);

/** State of a line in a function that has statements of it that may have run, and no code of it. In front of the
 *  results only: a line that has no code in any function is none. */
#define KCT_COVER_NO_CODE KCT_STATES

/** Add a line of one function to a file. KCT_ERR_NO_MEMORY. */
int kct_cover_add_line(struct kct_coverage *coverage, uint32_t file,
		       const struct kct_coverage_line *line);

/** Sort all and add up. KCT_ERR_NO_MEMORY. */
int kct_cover_results(struct kct_coverage *coverage);

/** Whether a place counts. */
static inline bool kct_cover_keeps(const struct kct_coverage *coverage,
				   const struct kct_symbol *symbol)
{
	return !coverage->options.keep || coverage->options.keep(coverage->options.context, symbol);
}

#endif
