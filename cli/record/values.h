/* SPDX-License-Identifier: BSD-2-Clause */
/** @file values.h Values of the options of `record`: each returns NULL, or what is wrong. */
#ifndef CLI_RECORD_VALUES_H
#define CLI_RECORD_VALUES_H

#include "options.h"

/** `pc`, `cmp`, `ext`, `mem` or `unique`. */
const char *record_parse_mode(struct options *options, const char *value);

/** Words of an area, with K or M behind for 1024 or 1024 * 1024 of them. */
const char *record_parse_size(struct options *options, const char *value);

/** A remote handle; repeatable. */
const char *record_parse_remote(struct options *options, const char *value);

#endif
