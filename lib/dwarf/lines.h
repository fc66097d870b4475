/* SPDX-License-Identifier: BSD-2-Clause */
/** @file lines.h A line table while it is read. */
#ifndef KCT_DWARF_LINES_H
#define KCT_DWARF_LINES_H

#include <kcovtrace/error.h>

#include "dwarf/cursor.h"

/** What a line number program's header says. */
struct kct_line_header {
	uint16_t version;
	uint8_t offset_bytes;  /* 4 or 8 */
	uint8_t address_bytes; /* 1 to 8 */
	uint8_t min_length;
	uint8_t max_operations;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	bool is_stmt;		 /* at the start of a sequence */
	const uint8_t *operands; /* of the standard opcodes, opcode_base - 1 of them */
	struct kct_cursor program;
};

struct kct_line_file {
	const char *name; /* never NULL */
	uint64_t directory;
	uint16_t number; /* in the build, or KCT_NO_FILE; if is_used */
	bool is_used;
};

/** A row while its sequence is being read. */
struct kct_raw_row {
	uint64_t address;
	uint32_t line;
	uint32_t order;
	uint16_t file; /* of the build */
	uint16_t column : 15;
	uint16_t is_stmt : 1;
};

/** All zero is no line table. Kept from unit to unit for its memory. */
struct kct_lines {
	struct kct_line_file *files;
	size_t n_files, max_files;
	const char **directories;
	size_t n_directories, max_directories;
	uint32_t first_file;	  /* number of files[0]: 0 in DWARF 5, 1 before */
	struct kct_raw_row *rows; /* of the sequence being read */
	size_t n_rows, max_rows;
};

/** Free the memory. */
void kct_lines_clear(struct kct_lines *lines);

#endif
