/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kept.h
 * Points as a block of a symbol file, type KCT_SYMFILE_POINTS: counts, the points by address as struct
 * kct_point has them, the addresses of jumps to callbacks. They are used where they lie.
 */
#ifndef KCT_POINTS_KEPT_H
#define KCT_POINTS_KEPT_H

#include "points/points.h"

/** Make a block of points, on the heap. 1; 0: of a damaged image, whose points unpacking would not take;
 *  KCT_ERR_NO_MEMORY. */
int kct_points_pack(const struct kct_points *points, void **ret_block, size_t *ret_bytes);

/**
 * Take the points out of a block, which must stay. Nothing in it is believed: points must be sorted, in code
 * of the image, of a known kind, and as many as it says. False: they are not, and nothing changed.
 */
bool kct_points_unpack(struct kct_points *points, const void *block, size_t bytes);

#endif
