/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file form.h
 * Where things are in a symbol file. Numbers are in the byte order of the machine
 * that wrote it; header, directory and all blocks begin at a multiple of 8.
 *
 *     header      magic, version, where the directory is
 *     blocks      in any order
 *     directory   one entry a block, by type and number
 */
#ifndef KCT_SYMFILE_FORM_H
#define KCT_SYMFILE_FORM_H

#include <stdint.h>

/* Looks the same in both byte orders, is no text and does not survive a change of line ends. */
#define KCT_SYMFILE_MAGIC	"\x89KSY\r\n\x1a\n"
#define KCT_SYMFILE_MAGIC_BYTES ((size_t)8)
#define KCT_SYMFILE_ORDER	0x0102030405060708u

/* Grows with every change of the container or of what a block of any type holds. */
#define KCT_SYMFILE_VERSION 2u

struct kct_symfile_header {
	char magic[8];
	uint64_t order;
	uint32_t version;
	uint32_t n_blocks;
	uint64_t directory;	/* offset */
	uint64_t bytes;		/* of the file */
	uint32_t directory_sum; /* CRC-32C of the directory */
	uint32_t header_sum;	/* and of the header up to here */
};

struct kct_symfile_entry {
	uint32_t type;
	uint32_t id;
	uint64_t offset;
	uint64_t bytes;
	uint32_t sum; /* CRC-32C of the block */
	uint32_t reserved;
};

_Static_assert(sizeof(struct kct_symfile_header) == 48, "the header has no gaps");
_Static_assert(sizeof(struct kct_symfile_entry) == 32, "entries have no gaps");

#endif
