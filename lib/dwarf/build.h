/* SPDX-License-Identifier: BSD-2-Clause */
/** @file build.h The tables of a unit while they grow, and the finished ones in one block. */
#ifndef KCT_DWARF_BUILD_H
#define KCT_DWARF_BUILD_H

#include <kcovtrace/error.h>

#include "base/array.h"
#include "dwarf/spans.h"
#include "tables/unit.h"

/** A range of a function. */
struct kct_build_range {
	uint64_t start;
	uint64_t end;
	uint32_t function;
	uint32_t first_span;
	uint32_t n_spans;
};

/** Rows of a sequence of the line table. */
struct kct_build_sequence {
	uint64_t start;
	uint64_t end;
	uint32_t first_row;
	uint32_t n_rows;
};

/** All zero is empty. Kept from unit to unit for its memory. */
struct kct_build {
	struct kct_build_range *ranges;
	size_t n_ranges, max_ranges;
	struct kct_unit_function *functions;
	size_t n_functions, max_functions;
	struct kct_unit_span *spans;
	size_t n_spans, max_spans;
	struct kct_unit_inline *inlines;
	size_t n_inlines, max_inlines;
	struct kct_build_sequence *lines;
	size_t n_lines, max_lines;
	struct kct_unit_row *rows;
	size_t n_rows, max_rows;
	uint32_t *files;
	size_t n_files, max_files;
	char *text;
	size_t n_text, max_text;
	uint32_t comp_dir;
	struct kct_unit_part *parts; /* made by kct_build_finish() of the ranges */
	size_t n_parts, max_parts;
	struct kct_unit_sequence *sequences; /* and of the lines */
	size_t n_sequences, max_sequences;
	struct kct_spans items, flat;
};

/** A finished unit with the memory of its arrays. */
struct kct_built {
	size_t bytes;
	struct kct_unit unit;
	uint64_t memory[];
};

/** Empty a build; the memory is kept. KCT_ERR_NO_MEMORY. */
int kct_build_reset(struct kct_build *build);

/** Free the memory. */
void kct_build_clear(struct kct_build *build);

/** Append a string of `length` bytes, or two joined by a slash; `*ret_string` is 0 for an empty one or
 *  when there is no room for more. KCT_ERR_NO_MEMORY. */
int kct_build_string(struct kct_build *build, const char *text, size_t length,
		     uint32_t *ret_string);
int kct_build_path(struct kct_build *build, const char *directory, const char *name,
		   uint32_t *ret_string);

/** Lay the tables out in one block, which free() frees. KCT_ERR_NO_MEMORY. */
int kct_build_finish(struct kct_build *build, struct kct_built **ret_built);

#endif
