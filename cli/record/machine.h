/* SPDX-License-Identifier: BSD-2-Clause */
/** @file machine.h Facts about the machine that a trace is read with. */
#ifndef CLI_RECORD_MACHINE_H
#define CLI_RECORD_MACHINE_H

#include <kcovtrace/tracefile.h>

/**
 * Write what the running kernel says of itself: release, version, build ID, architecture, modules
 * with their sections, where it was loaded. `root` (NULL: none) stands before /proc and /sys. What
 * cannot be read is left out. KCT_ERR_IO when it cannot be written.
 */
int machine_write(struct kct_trace_writer *writer, const char *root, struct kct_error *error);

#endif
