/* SPDX-License-Identifier: BSD-2-Clause */
/** @file out_info.h Writing what `info` found out. */
#ifndef CLI_OUT_INFO_H
#define CLI_OUT_INFO_H

#include "capture.h"
#include "input.h"

#define TOP_FUNCTIONS 10

/** A function that is often in a trace. */
struct top_function {
	const struct kct_symbol *symbol; /**< of one of its PCs */
	uint64_t records;
};

/** All that is known of one input. */
struct info {
	const struct input *input;
	struct kct_geometry geometry;
	struct kct_summary_counts counts;
	bool has_stack;	    /**< `stack` is set */
	uint64_t end_depth; /**< frames open at the end */
	struct kct_stack_stats stack;
	bool has_symbols;
	enum kct_pc_kind pc_kind; /**< how PCs were looked up */
	uint64_t named_pcs;	  /**< distinct PCs that a function covers */
	uint64_t vmlinux_pcs;	  /**< distinct PCs in the kernel itself */
	uint64_t module_pcs;	  /**< distinct PCs in a module */
	struct top_function top[TOP_FUNCTIONS];
	size_t n_top;	/**< 0: not asked for */
	bool has_match; /**< PCs were compared with points */
	struct kct_match match;
};

void info_write_json(struct output *out, const struct info *info);
void info_write_text(struct output *out, const struct info *info);

#endif
