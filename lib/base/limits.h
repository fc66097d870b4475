/* SPDX-License-Identifier: BSD-2-Clause */
/** @file limits.h Bounds on what a file can make the library do. */
#ifndef KCT_BASE_LIMITS_H
#define KCT_BASE_LIMITS_H

/* Longer strings in a file are no names and no paths. All symbols and entries may share the bytes of
 * one long string: to compare or to copy it for each would take time and memory without end. */
#define KCT_MAX_NAME 4096

#endif
