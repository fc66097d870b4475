/* SPDX-License-Identifier: BSD-2-Clause */
/** @file xen.h Coverage of a Xen hypervisor: taking its files out, listing them. */
#ifndef CLI_XEN_H
#define CLI_XEN_H

#include "input.h"

/**
 * `convert --from xen`: write the gcda files of the blobs `paths` below the folder `directory`, which is
 * made. Nothing is written outside of it: names are checked, and symbolic links below it are not
 * followed. Each file appears when it is complete. Returns an enum status after messages.
 */
int xen_split(const char *directory, char **paths, size_t n);

/** List the objects of a blob with their counters. STATUS_PARTLY after a message about damage. */
int xen_write_text(struct output *out, const struct input *input);

/** The same as the array `objects` in an object that is open. */
int xen_write_json(struct json *json, const struct input *input);

#endif
