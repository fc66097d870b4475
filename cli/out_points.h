/* SPDX-License-Identifier: BSD-2-Clause */
/** @file out_points.h The points of an image in every format. */
#ifndef CLI_OUT_POINTS_H
#define CLI_OUT_POINTS_H

#include "options.h"

/** What stands before the first point. */
void points_begin(struct output *out, const struct options *options);

/** One point; `symbol` is what is known of its place, or NULL. */
void points_write(struct output *out, const struct options *options, const struct kct_point *point,
		  const struct kct_symbol *symbol);

#endif
