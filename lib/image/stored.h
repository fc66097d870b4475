/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stored.h
 * The symbols of an image as far as they are in symbol files: those of a cache
 * directory, or the one that the image was opened from. What is not in them is
 * read from the image.
 */
#ifndef KCT_IMAGE_STORED_H
#define KCT_IMAGE_STORED_H

#include "base/map.h"
#include "base/pool.h"
#include "image/key.h"
#include "symfile/store.h"
#include "symfile/symfile.h"
#include "tables/tables.h"

/* Types of blocks that the image only keeps, for those who lie above it. */
#define KCT_STORED_FIRST KCT_SYMFILE_POINTS
#define KCT_STORED_TYPES 1

/* A block that was made since the files were written. NULL: none. */
struct kct_stored_block {
	void *data; /* owned */
	size_t bytes;
};

/* A unit that somebody asked for. */
struct kct_stored_unit {
	struct kct_unit unit;
	bool is_new; /* it was read from the image and is in no file */
};

struct kct_stored {
	char *directory; /* of the cache; NULL: there is none */
	bool opened;	 /* its files were looked for */
	bool stale; /* one is of an earlier state of the image, or of another version of this library */
	struct kct_key key;
	struct kct_file *files[KCT_STORE_PARTS];
	struct kct_symfile *parts[KCT_STORE_PARTS];
	unsigned n_parts;
	char problem[192];	  /* what is wrong with a file that is there; "" */
	char reason[192];	  /* of the debug status when it was opened */
	struct kct_tables tables; /* for look-ups; hands out the units below */
	struct kct_map units;	  /* number -> struct kct_stored_unit in the pool */
	struct kct_pool pool;
	size_t n_new;
	bool has_variables;				  /* some file has them */
	struct kct_stored_block blocks[KCT_STORED_TYPES]; /* by type from KCT_STORED_FIRST on */
};

/** Look for the files of the cache, once. The image must be fixed. To find none is no failure. */
void kct_stored_open(struct kct_image *image);

/** Close the files. */
void kct_stored_close(struct kct_image *image);

/** Take the symbol table out of the files. False: it is not there. */
bool kct_stored_symbols(struct kct_image *image);

/** Take the table of variables out of the files. False: it is not there. */
bool kct_stored_variables(struct kct_image *image);

/** Take status and index of the debug information out of the files. False: they are not there. */
bool kct_stored_debug(struct kct_image *image);

/** Let look-ups go through here: to the files, and else to the reader of the image. The index is that of
 *  `index`, whose ranges must stay. */
void kct_stored_begin(struct kct_image *image, const struct kct_index *index);

/** Read those units of the image that are in no file, in threads; kct_stored_unit() then has them.
 *  KCT_ERR_NO_MEMORY. */
int kct_stored_read_ahead(struct kct_image *image, const uint32_t *numbers, size_t n,
			  unsigned threads);

/** A block of one of the types above, made or in a file; it stays as long as the image. 1, 0: there is none,
 *  or none without damage. */
int kct_stored_block(struct kct_image *image, uint32_t type, const void **ret_data,
		     size_t *ret_bytes);

/** Note that what a block of a file says cannot be: files are then written anew. */
void kct_stored_doubt(struct kct_image *image, const char *what);

/** Keep a block, which is on the heap and the image's from now on, and put it into the cache with the next
 *  kct_image_write_cache(). Only with a cache, and only once for each type. */
void kct_stored_add_block(struct kct_image *image, uint32_t type, void *data, size_t bytes);

/** The tables of a unit, from wherever. As get_unit() of struct kct_unit_source. */
int kct_stored_unit(struct kct_image *image, uint32_t number,
		    const struct kct_stored_unit **ret_unit);

#endif
