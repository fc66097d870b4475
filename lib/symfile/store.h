/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file store.h
 * Symbol files in a directory. A file appears whole, by renaming, and is never
 * changed afterwards, so that any number of processes may read and write at once.
 * What belongs together has a name and is in up to KCT_STORE_PARTS files: number 0
 * has all that is not in a unit, the others have more units.
 */
#ifndef KCT_SYMFILE_STORE_H
#define KCT_SYMFILE_STORE_H

#include <kcovtrace/error.h>

#include "base/macros.h"

#define KCT_STORE_SUFFIX ".kctsym"
#define KCT_STORE_PARTS	 8

/** The path of a part, the caller's to free. NULL when out of memory. */
char *kct_store_path(const char *directory, const char *name, unsigned part);

/* A file that is being written. */
struct kct_store_file {
	int fd;
	char *path; /* where it is until it is published */
};

/**
 * Begin a file, in a directory that is made if it is not there. What writers that
 * were killed left there an hour ago is removed. KCT_ERR_IO, KCT_ERR_NO_MEMORY.
 */
int kct_store_create(const char *directory, struct kct_store_file *ret_file,
		     struct kct_error *error);

/** Give a file its name, in the place of what has it, and close it. */
int kct_store_publish(struct kct_store_file *file, const char *path, struct kct_error *error);

/** The same if no file has that name: 1. Otherwise 0, and the file is still there. */
int kct_store_publish_new(struct kct_store_file *file, const char *path, struct kct_error *error);

/** Throw a file away, or do nothing if it was published. */
void kct_store_abandon(struct kct_store_file *file);

#endif
