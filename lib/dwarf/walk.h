/* SPDX-License-Identifier: BSD-2-Clause */
/** @file walk.h Memory that a walk over a unit's tree uses. */
#ifndef KCT_DWARF_WALK_H
#define KCT_DWARF_WALK_H

#include "dwarf/spans.h"

/** What an entry's children belong to. */
struct kct_level {
	uint32_t function;  /* KCT_NO_INDEX: none */
	uint32_t inlined;   /* KCT_NO_INLINE: directly in the function */
	size_t first_piece; /* in pieces, where those of the function begin */
	size_t first_range; /* of the function, in the build */
	size_t n_ranges;
	uint64_t sibling;    /* where the entry says that its children end; 0: it does not */
	bool opens_function; /* the children of a function, not of a block in it */
};

/** All zero is empty; kept from unit to unit. */
struct kct_walk {
	struct kct_level *levels;
	size_t n_levels, max_levels;
	struct kct_spans pieces; /* ranges of the inlines of open functions; id = inline */
	struct kct_spans flat;	 /* those of one function */
	struct kct_spans ranges; /* of one entry */
};

/** Free the memory. */
void kct_walk_clear(struct kct_walk *walk);

#endif
