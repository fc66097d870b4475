/* SPDX-License-Identifier: BSD-2-Clause */
/** @file points.h The inside of a struct kct_points. */
#ifndef KCT_POINTS_POINTS_H
#define KCT_POINTS_POINTS_H

#include <kcovtrace/points.h>

#include "base/macros.h"
#include "image/image.h"
#include "points/code.h"
#include "points/relocs.h"
#include "points/roles.h"

/* Points are numbered with 32 bits. No image has so many; a damaged one may pretend to. */
#define KCT_MAX_POINTS (UINT32_MAX / 4)

/* Control may also go from the instruction at `from` to `to`: a static branch, or a fault that is handled. */
struct kct_site {
	uint64_t from;
	uint64_t to;
};

struct kct_points {
	struct kct_image *image;
	const struct kct_machine *machine;
	struct kct_roles roles;
	struct kct_relocs relocs;		    /* of a relocatable image, else empty */
	const struct kct_image_function *functions; /* the image's */
	size_t n_functions;
	struct kct_ranges code; /* sections by address; value: index of the section */
	struct kct_ranges data;
	struct kct_site *sites; /* by `from` */
	size_t n_sites, max_sites;
	bool big; /* byte order of code where it may be both */
	/* Where the reader of a graph waits for the next one: to open one takes longer than to read most functions.
	 * Exchanged atomically, as graphs may be made in threads. */
	struct kct_reader **spare;
	struct kct_point *items;
	size_t n, max;
	uint64_t *tails;
	size_t n_tails, max_tails;
	bool kept; /* items and tails lie in a block of the image */
	struct kct_points_stats stats;
};

/** Add a call of a callback, in any order. KCT_ERR_NO_MEMORY, KCT_ERR_LIMIT. */
int kct_points_add(struct kct_points *points, const struct kct_point *point);

/** Add a jump to a callback. KCT_ERR_NO_MEMORY. */
int kct_points_add_tail(struct kct_points *points, uint64_t address);

/** Find the points of a linked image by its instructions, in `threads` threads. */
int kct_walk(struct kct_points *points, unsigned threads);

/** Find the points of a relocatable image by its relocations. */
int kct_walk_relocs(struct kct_points *points);

/** The code from `address` to the end of its section. False: no code is there. */
bool kct_points_code(const struct kct_points *points, uint64_t address,
		     struct kct_piece *ret_piece);

/** The data from `address` to the end of its section, NULL if none is there. */
const uint8_t *kct_points_data(const struct kct_points *points, uint64_t address,
			       uint64_t *ret_bytes);

/** Read the tables of a kernel that say where control may go that no instruction says. */
int kct_sites_load(struct kct_points *points);

/** Index of the first point whose call is at or after `address`. */
size_t kct_points_from(const struct kct_points *points, uint64_t address);

#endif
