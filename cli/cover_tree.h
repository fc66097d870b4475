/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cover_tree.h The files of a coverage as a tree of directories, with sums. */
#ifndef CLI_COVER_TREE_H
#define CLI_COVER_TREE_H

#include "out_cover.h"

/** A directory or a file. Directories without a choice are one: `a/b/c`. */
struct cover_node {
	const char *name; /**< part of a path, `length` bytes */
	size_t length;
	const struct kct_coverage_file *file; /**< NULL: a directory */
	uint64_t points, hit;
	uint64_t lines, covered;     /**< lines of which it is known, and covered ones */
	struct cover_node *children; /**< sorted */
	size_t n, max;
};

/** Build the tree of all files. */
void cover_tree_build(struct cover_node *root, const struct kct_coverage_file *files, size_t n,
		      enum cover_order order);

void cover_tree_free(struct cover_node *root);

#endif
