/* SPDX-License-Identifier: BSD-2-Clause */
/** @file embedded.h Symbols that a `.kct` file carries. */
#ifndef CLI_EMBEDDED_H
#define CLI_EMBEDDED_H

#include "session.h"

/** What the name of such an item of metadata begins with; the name of the image follows. */
#define EMBEDDED_PREFIX "symbols/"

/** The name of the image of an item of metadata; NULL if the item is no symbols. */
const char *embedded_name(const struct kct_meta *meta);

/** Whether an item of metadata is symbols, the last ones of their image for its capture. */
bool embedded_counts(const struct kct_tracefile *file, const struct kct_meta *meta);

/** Whether a capture carries symbols that the options do not name better ones for. */
bool embedded_any(const struct options *options, const struct capture_facts *facts);

/** Add the symbols that a capture carries, but for images that the options name. Returns a status. */
int embedded_add(struct session *session, const struct capture_facts *facts);

/** Add all symbols of a `.kct` file that was given as an image. Returns a status. */
int embedded_add_file(struct session *session, const char *path);

#endif
