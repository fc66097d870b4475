/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file symfile.h
 * Symbol files: finished tables of an image, as blocks of bytes that are used
 * where they lie. A block has a type and a number and is summed for itself, so that a
 * reader pays only for the blocks it looks at. What is in a block is the matter
 * of whoever writes it; nothing that a file says is believed here but what was checked.
 *
 * A new kind of table is a new type: add it with kct_symfile_add(), find it with
 * kct_symfile_block(). Older files do not have it, older readers do not ask for it.
 */
#ifndef KCT_SYMFILE_SYMFILE_H
#define KCT_SYMFILE_SYMFILE_H

#include <sys/uio.h>

#include <kcovtrace/error.h>

#include "base/macros.h"

/** Types of blocks. A number is never used again. Next to each who writes and reads it. */
enum kct_symfile_type {
	KCT_SYMFILE_KEY = 1,	     /**< what the file was made from: image/key.h */
	KCT_SYMFILE_IMAGE = 2,	     /**< facts of the image: image/blocks.c */
	KCT_SYMFILE_SECTIONS = 3,    /**< rows, 1: names: image/portable.c */
	KCT_SYMFILE_SYMBOLS = 4,     /**< entries, 1: ranges, 2: names: image/blocks.c */
	KCT_SYMFILE_NAMED = 5,	     /**< where _stext is: image/blocks.c */
	KCT_SYMFILE_KEPT = 6,	     /**< addresses that can be asked for: image/portable.c */
	KCT_SYMFILE_UNIT_RANGES = 7, /**< which unit an address belongs to: tables.c */
	KCT_SYMFILE_UNIT = 8,	     /**< number N: the tables of unit N: tables.c */
	KCT_SYMFILE_POINTS = 9,	     /**< coverage points: points/kept.c */
};

struct kct_symfile;

/** Whether bytes begin like a symbol file. */
bool kct_symfile_identify(const void *data, size_t bytes);

/**
 * Read a symbol file from memory aligned to 8 bytes, which stays the caller's and
 * must outlive it. The header and the directory are checked. KCT_ERR_SYNTAX: it is
 * none; KCT_ERR_UNSUPPORTED: of another version or byte order; KCT_ERR_DAMAGED.
 */
int kct_symfile_new(const void *data, size_t bytes, struct kct_symfile **ret_file,
		    struct kct_error *error);

/** Free a file; NULL is fine. */
void kct_symfile_free(struct kct_symfile *file);

/**
 * A block, whose sum is checked when it is first asked for. 1: stored, 0: there is
 * none, KCT_ERR_DAMAGED. The bytes are part of the file and aligned to 8.
 */
int kct_symfile_block(struct kct_symfile *file, uint32_t type, uint32_t id, const void **ret_data,
		      size_t *ret_bytes);

/** Number of blocks. */
size_t kct_symfile_blocks(const struct kct_symfile *file);

/** Type, number and size of block `index`, which must be there; the sum is not checked. */
void kct_symfile_entry(const struct kct_symfile *file, size_t index, uint32_t *ret_type,
		       uint32_t *ret_id, size_t *ret_bytes);

struct kct_symfile_writer;

/** Write to a regular file open at its start, or to memory (fd < 0). KCT_ERR_NO_MEMORY. */
int kct_symfile_writer_new(int fd, struct kct_symfile_writer **ret_writer);

/** Free a writer and the memory that it wrote to; NULL is fine. */
void kct_symfile_writer_free(struct kct_symfile_writer *writer);

/** Add a block. KCT_ERR_IO, KCT_ERR_NO_MEMORY; the file is then of no use. */
int kct_symfile_add(struct kct_symfile_writer *writer, uint32_t type, uint32_t id, const void *data,
		    size_t bytes, struct kct_error *error);

/** Add a block in pieces, which follow each other without a gap. */
int kct_symfile_add_parts(struct kct_symfile_writer *writer, uint32_t type, uint32_t id,
			  const struct iovec *parts, int n_parts, struct kct_error *error);

/** Bytes written up to now. */
uint64_t kct_symfile_written(const struct kct_symfile_writer *writer);

/** Write directory and header; without them it is no symbol file. KCT_ERR_ARGUMENT if two blocks have
 *  the same type and number. */
int kct_symfile_finish(struct kct_symfile_writer *writer, struct kct_error *error);

/** The bytes that were written to memory, the caller's to free; the writer has none afterwards. */
void *kct_symfile_take(struct kct_symfile_writer *writer, size_t *ret_bytes);

#endif
