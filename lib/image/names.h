/* SPDX-License-Identifier: BSD-2-Clause */
/** @file names.h What the name of a symbol says: clone suffixes, decorations, labels. */
#ifndef KCT_IMAGE_NAMES_H
#define KCT_IMAGE_NAMES_H

#include <kcovtrace/image.h>

#include "base/macros.h"

/** A label of the assembler or compiler or a mapping symbol (`.L*`, `$x`), or no name at all:
 *  never a function. */
bool kct_name_is_label(const char *name);

/** Padding that belongs to the function behind it (`__pfx_*`, `__cfi_*`). */
bool kct_name_is_decoration(const char *name);

/** Length of `name` without its last `.cold` or `.cold.N`; 0 if it does not end in one. */
size_t kct_name_cold_stem(const char *name);

#endif
