/* SPDX-License-Identifier: BSD-2-Clause */
/** @file separate.h Files that belong to an image: of debug information, common ones of dwz, symbols. */
#ifndef KCT_IMAGE_SEPARATE_H
#define KCT_IMAGE_SEPARATE_H

#include "image/image.h"

/* A search for one file. */
struct kct_search {
	const struct kct_image *image; /* that needs it */
	struct kct_debug_search options;
	char *log; /* lines `PATH: cause`, what was looked at in vain; may be NULL */
	size_t n_log, max_log;
	struct kct_image *found; /* NULL: nothing so far */
	bool no_memory;		 /* the log is not complete; the search goes on */
};

/* What a file must have in common with what is wanted. */
struct kct_match {
	const uint8_t *build_id; /* NULL: unknown */
	size_t n_build_id;
	bool any_type;	   /* relocatable or not */
	bool must_have_id; /* if one is known: its name alone proves nothing */
	bool has_crc;	   /* of the whole file, checked where a build ID is missing */
	uint32_t crc;
};

/** Try one file; it is in search->found afterwards if it fits. */
void kct_search_try(struct kct_search *search, const struct kct_match *match, const char *path);

/** Try DIR/.build-id/xx/rest.debug in all directories. */
void kct_search_by_build_id(struct kct_search *search, const struct kct_match *match);

/** Add a line to the log. */
void kct_search_log(struct kct_search *search, const char *path, const char *cause);

/** The directory of a file, absolute and without links, to be freed; NULL for what is no file. */
char *kct_image_directory(const struct kct_image *image);

/** Find the file that dwz moved entries of an image to, if it did. `search` may have no options. */
void kct_find_common_file(struct kct_image *image, struct kct_search *search);

/** The path in .gnu_debugaltlink, NULL if there is none, and the build ID behind it. */
const char *kct_common_file_link(const struct kct_image *image, struct kct_match *ret_match);

/** Open the file of symbols that is packed in .gnu_debugdata, if there is one. KCT_ERR_NO_MEMORY. */
int kct_image_open_packed(struct kct_image *image);

/** Give the sections of the debug file the addresses that those of the image have. */
void kct_image_place_separate(struct kct_image *image);

#endif
