/* SPDX-License-Identifier: BSD-2-Clause */
/** @file rebuild.h Debug sections as libdw wants them: unpacked, and of a module relocated. */
#ifndef KCT_IMAGE_REBUILD_H
#define KCT_IMAGE_REBUILD_H

#include "image/relocate.h"

/** A section by its name or, compressed the old way, as .zdebug_*. NULL: there is none. */
const struct kct_section *kct_debug_section(const struct kct_image *image, const char *name);

/**
 * How a section is packed: one of kct_packing_*, "" for a method that is not known, NULL if it is not.
 * `*ret_size` is what it unpacks to (as it claims), `*ret_header` where the packed bytes begin.
 */
const char *kct_section_packing(const struct kct_image *image, const struct kct_section *section,
				uint64_t *ret_size, size_t *ret_header);

/** Whether the debug sections cannot be read as they are in the file. */
bool kct_image_needs_rebuild(const struct kct_image *image);

/**
 * Make in memory an ELF file of the debug sections. The sections have their numbers and names, the
 * others have no contents; `.zdebug_x` becomes `.debug_x`. Relocates if the image is relocatable,
 * whose addresses must be final. KCT_ERR_NO_MEMORY; KCT_ERR_DWARF, _UNSUPPORTED or _LIMIT say which
 * section cannot be unpacked.
 */
int kct_image_rebuild(const struct kct_image *image, struct kct_bytes *ret_bytes,
		      struct kct_relocation_faults *faults, struct kct_error *error);

#endif
