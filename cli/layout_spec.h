/* SPDX-License-Identifier: BSD-2-Clause */
/** @file layout_spec.h Layouts as the argument of --layout has them. */
#ifndef CLI_LAYOUT_SPEC_H
#define CLI_LAYOUT_SPEC_H

#include <kcovtrace/layout.h>

/** Enough for the longest preset and all keys. */
#define LAYOUT_SPEC_BYTES 256

/** The preset and the keys in which a layout differs from it: `linux-pc,word=4`. */
void layout_spec(const struct kct_layout *layout, char spec[LAYOUT_SPEC_BYTES]);

/** Change a layout as keys of --layout say: `,KEY=VALUE...`, or nothing. < 0: an error code. */
int layout_change(struct kct_layout *layout, const char *keys, struct kct_error *error);

#endif
