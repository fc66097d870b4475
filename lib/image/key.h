/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file key.h
 * What the symbols of an image are made from, so that a symbol file can tell whether it is of the
 * same image: build ID, kind of file, the headers of its sections and, in a module, their addresses.
 */
#ifndef KCT_IMAGE_KEY_H
#define KCT_IMAGE_KEY_H

#include <kcovtrace/image.h>

#include "base/macros.h"

/**
 * The bytes that symbols come from. Tools that change a linked file leave its build ID, so this says whether
 * they are still the same: they are if the file has the same size and date; else they are summed.
 */
struct kct_stamp {
	uint64_t bytes;
	int64_t seconds; /* when the file was changed; 0: it is no file */
	uint32_t nanoseconds;
	uint32_t content; /* CRC-32C of the sections that symbols come from */
};

struct kct_stamps {
	struct kct_stamp image;
	struct kct_stamp separate; /* the debug file; all zero: none */
};

struct kct_key {
	char name[2 * 64 +
		  16];	/* of files in a directory, without what may change from boot to boot */
	char text[512]; /* all of it */
};

/** Make the key of an image, whose section addresses must be final. */
void kct_key_make(const struct kct_image *image, struct kct_key *ret_key);

/** Stamp the files as they are now. Reads all that symbols come from. */
void kct_stamps_make(const struct kct_image *image, struct kct_stamps *ret_stamps);

/** Whether the files of an image are those that a symbol file was made of, which says `then`. */
bool kct_stamps_hold(const struct kct_image *image, const struct kct_stamps *then);

#endif
