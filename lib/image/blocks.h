/* SPDX-License-Identifier: BSD-2-Clause */
/** @file blocks.h The blocks of a symbol file that tell of an image, but for its units. */
#ifndef KCT_IMAGE_BLOCKS_H
#define KCT_IMAGE_BLOCKS_H

#include "image/image.h"
#include "image/key.h"
#include "symfile/symfile.h"

/** Sizes of texts in the blocks, with their NUL. */
#define KCT_FACTS_REASON 192
#define KCT_FACTS_MODULE 64

enum kct_facts_flag {
	KCT_FACTS_RELOCATABLE = 1 << 0,
	KCT_FACTS_64_BIT = 1 << 1,
	KCT_FACTS_BIG_ENDIAN = 1 << 2,
	KCT_FACTS_APPROXIMATE = 1 << 3, /* placed by kct_image_set_base() */
	KCT_FACTS_CUT = 1 << 4,		/* only what is in the block KEPT can be asked for */
};

/** Block IMAGE. */
struct kct_facts {
	uint32_t debug_status;
	uint32_t machine;
	uint32_t flags;
	uint32_t n_build_id;
	uint8_t build_id[KCT_MAX_BUILD_ID];
	char reason[KCT_FACTS_REASON]; /* of the status */
	char module_name[KCT_FACTS_MODULE];
};

/** Add the block KEY. As kct_symfile_add(). */
int kct_blocks_add_key(struct kct_symfile_writer *writer, const struct kct_key *key,
		       const struct kct_stamps *stamps, struct kct_error *error);

/** Whether a file is of an image with this key. 1, 0: of another; KCT_ERR_DAMAGED. */
int kct_blocks_match_key(struct kct_symfile *file, const struct kct_key *key,
			 struct kct_stamps *ret_stamps);

/** Add the block IMAGE. As kct_symfile_add(). */
int kct_blocks_add_facts(struct kct_symfile_writer *writer, struct kct_image *image, uint32_t flags,
			 struct kct_error *error);

/** What the block IMAGE says, its texts ended. 1, 0: there is none; KCT_ERR_DAMAGED. */
int kct_blocks_get_facts(struct kct_symfile *file, struct kct_facts *ret_facts);

/* Tables of symbols in a file. */
enum kct_symbol_kind {
	KCT_SYMBOLS_CODE = 0,
	KCT_SYMBOLS_DATA = 1,
};

/** Add a symbol table, with no more of its text than is needed. As kct_symfile_add(). */
int kct_blocks_add_symbols(struct kct_symfile_writer *writer, enum kct_symbol_kind kind,
			   const struct kct_symtab *table, struct kct_error *error);

/** A symbol table that lies in the file. 1, 0: there is none; KCT_ERR_DAMAGED. */
int kct_blocks_get_symbols(struct kct_symfile *file, enum kct_symbol_kind kind,
			   struct kct_symtab *ret_table);

/** Add where the few symbols are that are asked for by name. As kct_symfile_add(). */
int kct_blocks_add_named(struct kct_symfile_writer *writer, const struct kct_image *image,
			 struct kct_error *error);

/** Where they are. 1, 0: the file does not say; KCT_ERR_DAMAGED. */
int kct_blocks_get_named(struct kct_symfile *file, struct kct_named ret_named[KCT_NAMED]);

#endif
