/* SPDX-License-Identifier: BSD-2-Clause */
/** @file kallsyms.h Functions that only /proc/kallsyms knows. */
#ifndef KCT_IMAGE_KALLSYMS_H
#define KCT_IMAGE_KALLSYMS_H

#include <kcovtrace/image.h>

#include "image/symtab.h"

/** The symbols, all without a size; `module` is NULL for the kernel itself. */
struct kct_symtab *kct_kallsyms_table(struct kct_kallsyms *kallsyms);

/** The same of variables. */
struct kct_symtab *kct_kallsyms_data(struct kct_kallsyms *kallsyms);

#endif
