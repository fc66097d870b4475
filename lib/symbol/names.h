/* SPDX-License-Identifier: BSD-2-Clause */
/** @file names.h What the name of a symbol says: clone suffixes, decorations, labels. */
#ifndef KCT_SYMBOL_NAMES_H
#define KCT_SYMBOL_NAMES_H

#include <kcovtrace/symbolizer.h>

#include "base/macros.h"

/* Longer strings in a file are no names and no paths. All symbols and entries may share the bytes of
 * one long string: to compare or to copy it for each would take time and memory without end. */
#define KCT_MAX_NAME 4096

/** A label of the assembler or compiler or a mapping symbol (`.L*`, `$x`), or no name at all:
 *  never a function. */
bool kct_name_is_label(const char *name);

/** Padding that belongs to the function behind it (`__pfx_*`, `__cfi_*`). */
bool kct_name_is_decoration(const char *name);

/** Length of `name` without its last `.cold` or `.cold.N`; 0 if it does not end in one. */
size_t kct_name_cold_stem(const char *name);

#endif
