/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file relocs.h
 * Where the jumps and calls of a relocatable image go: its code does not say, its relocations do.
 */
#ifndef KCT_POINTS_RELOCS_H
#define KCT_POINTS_RELOCS_H

#include "base/macros.h"
#include "image/image.h"
#include "points/roles.h"

struct kct_reloc {
	uint64_t at;	  /* address of the instruction's field that it fills */
	uint64_t target;  /* where a jump with this field goes; 0: not in this image */
	uint32_t section; /* index of the section that holds it */
	uint32_t type;
	uint8_t role; /* of the symbol; enum kct_role */
};

/** By address. All zero is empty. */
struct kct_relocs {
	struct kct_reloc *items;
	size_t n, max;
};

/** Free the memory; empty afterwards. */
void kct_relocs_clear(struct kct_relocs *relocs);

/** Read those of jumps and calls in the code of a relocatable image. KCT_ERR_NO_MEMORY. */
int kct_relocs_load(struct kct_relocs *relocs, struct kct_image *image);

/** The relocation of a field in [start, end), NULL if there is none. */
const struct kct_reloc *kct_relocs_find(const struct kct_relocs *relocs, uint64_t start,
					uint64_t end);

/** How a relocated instruction uses its target. */
enum kct_reloc_use { KCT_RELOC_OTHER, KCT_RELOC_CALL, KCT_RELOC_JUMP };

/** Look at the instruction that a relocation belongs to: what it does, where it begins and ends. */
enum kct_reloc_use kct_reloc_use(struct kct_image *image, const struct kct_reloc *reloc,
				 uint64_t *ret_start, uint64_t *ret_end);

#endif
