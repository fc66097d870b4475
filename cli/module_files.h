/* SPDX-License-Identifier: BSD-2-Clause */
/** @file module_files.h The object files of modules in a directory and below it. */
#ifndef CLI_MODULE_FILES_H
#define CLI_MODULE_FILES_H

#include "util.h"

struct module_file {
	char *path;
	char *name;	 /**< of the module: `_` for `-`, without the suffix */
	unsigned suffix; /**< how it is packed; what costs less to read has a lower one */
	unsigned level;	 /**< below the directory */
};

struct module_files {
	struct module_file *files; /**< by name, the best one of a name first */
	size_t n, max;
};

/**
 * Find all NAME.ko, packed or not. Symbolic links to directories are not
 * followed, as `build` in /lib/modules leads to a whole source tree. STATUS_FINE,
 * or STATUS_PARTLY after a message.
 */
int module_files_find(struct module_files *files, const char *directory);

/** The file of a module; `-` and `_` are the same in its name. NULL: none. */
const char *module_files_path(const struct module_files *files, const char *module);

/** Order a module and the name of `length` characters at `name`: < 0, 0 or > 0. */
int module_compare(const char *module, const char *name, size_t length);

/** Whether the `length` characters at `name` name this module. */
bool module_is(const char *module, const char *name, size_t length);

void module_files_clear(struct module_files *files);

#endif
