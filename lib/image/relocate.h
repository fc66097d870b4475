/* SPDX-License-Identifier: BSD-2-Clause */
/** @file relocate.h Relocations of the debug sections of a module, which no linker has applied. */
#ifndef KCT_IMAGE_RELOCATE_H
#define KCT_IMAGE_RELOCATE_H

#include "image/image.h"

/* What could not be applied. */
struct kct_relocation_faults {
	size_t unknown;	  /* of a type that is not known */
	uint32_t type;	  /* of the first of those */
	size_t misplaced; /* with a place outside the section, or a symbol that is none */
	bool no_machine;  /* there is no table for this machine */
};

/**
 * Apply all relocations of section `target` to its bytes, unpacked and writable. The addresses of the
 * sections must be final. What cannot be applied is counted and left out. Symbols that are defined
 * nowhere in the file count as 0.
 */
void kct_relocate(const struct kct_image *image, size_t target, uint8_t *data, size_t bytes,
		  struct kct_relocation_faults *faults);

#endif
