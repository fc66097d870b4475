/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reader.h
 * The structs behind dwarf.h and what its source files share.
 */
#ifndef KCT_DWARF_READER_H
#define KCT_DWARF_READER_H

#include "base/array.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/limits.h"
#include "dwarf/dwarf.h"
#include "dwarf/cursor.h"
#include "tables/tables.h"

/** "No inline", "no file". */
#define KCT_NO_INDEX UINT32_MAX

/**
 * The addresses from start to before end belong to something with the number
 * `id`. Where several spans cover one address the highest rank wins, then the
 * narrowest, then the lowest id.
 */
struct kct_span {
	uint64_t start;
	uint64_t end;
	uint32_t id;
	uint32_t rank;
};

struct kct_spans {
	struct kct_span *at;
	size_t n, max;
};

/** A row of a line table: from `offset` behind the start of its sequence on. */
struct kct_row {
	uint32_t offset;
	uint32_t line;
	uint32_t file;
	uint32_t column;
};

struct kct_sequence {
	uint64_t start;
	size_t first; /* row */
	size_t n;
};

struct kct_line_file {
	const char *directory; /* NULL: the compilation directory */
	const char *name;      /* never NULL */
	const char *path;      /* both joined, made when first asked for */
};

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
	const uint8_t *operands; /* of the standard opcodes, opcode_base - 1 of them */
	struct kct_cursor program;
};

/** One line table; units may share it. */
struct kct_lines {
	struct kct_row *rows;
	size_t n_rows, max_rows;
	struct kct_sequence *sequences;
	size_t n_sequences, max_sequences;
	struct kct_spans spans; /* disjoint and sorted; id = sequence */
	struct kct_line_file *files;
	size_t n_files, max_files;
	const char **directories;
	size_t n_directories, max_directories;
	uint32_t first_file; /* number of files[0]: 0 in DWARF 5, 1 before */
	bool gave_ranges;    /* to a unit that had none */
	struct kct_lines *next;
};

/** A machine function. */
struct kct_function {
	void *die;
	const char *name; /* once is_named */
	uint64_t entry;
	uint64_t identity;
	size_t first_span; /* in inline_spans of its unit */
	size_t n_spans;
	bool is_named;
};

/** A function inlined into another. */
struct kct_inline {
	void *die;
	const char *name; /* once is_named */
	uint32_t parent;  /* the inline around it, KCT_NO_INDEX: the function itself */
	uint32_t depth;	  /* 1 = directly in the function */
	uint32_t call_file;
	uint32_t call_line;
	uint32_t call_column;
	bool is_named;
};

struct kct_dwarf_unit {
	Dwarf_Die die;	/* of the unit, or of the skeleton */
	Dwarf_Die tree; /* where the functions are: the same, or in a .dwo file */
	const char *comp_dir;
	bool is_split;
	bool is_read;
	struct kct_unit tables; /* if is_read */
	void *block;		/* that the tables are in */
	struct kct_function *functions;
	size_t n_functions, max_functions;
	struct kct_inline *inlines;
	size_t n_inlines, max_inlines;
	struct kct_spans parts;	       /* ranges of functions as read; id = function */
	struct kct_spans part_spans;   /* disjoint and sorted; id = part */
	struct kct_spans inline_spans; /* by function disjoint and sorted; id = inline */
	struct kct_lines *lines;       /* NULL: none; belongs to the tables */
};

/** A row while its sequence is being read. */
struct kct_raw_row {
	uint64_t address;
	uint32_t line;
	uint32_t file;
	uint32_t column;
	uint32_t order;
};

struct kct_dwarf {
	Dwarf *dwarf;
	bool linked;
	bool big; /* byte order */
	struct kct_cursor info_section;
	struct kct_cursor types_section;
	struct kct_cursor abbrev_section;
	struct kct_cursor line_section;
	struct kct_cursor line_str_section;
	struct kct_cursor str_section;
	uint64_t range_budget; /* ranges that may still be read from lists */
	uint64_t lines_read;   /* bytes of line tables */
	struct kct_dwarf_unit *units;
	size_t n_units, max_units;
	struct kct_spans unit_ranges; /* as read; id = unit */
	struct kct_index_range *index_ranges;
	size_t n_index_ranges, max_index_ranges;
	struct kct_tables look_up;
	size_t missing_split;
	struct kct_lines *line_tables;
	struct kct_map lines_at; /* offset in .debug_line -> struct kct_lines */
	struct kct_pool strings;
	struct kct_raw_row *sequence; /* scratch of the line reader */
	size_t n_sequence, max_sequence;
	char complaint[200]; /* "" = none */
};

/* dwarf.c */

/** Keep a printf text if it is the first complaint. */
void kct_dwarf_complain(struct kct_dwarf *tables, const char *format, ...) KCT_PRINTF(2, 3);

/* abbrevs.c */

/** Whether libdw can be let loose on the units. 1: yes, 0: no, KCT_ERR_NO_MEMORY. */
int kct_abbrevs_check(struct kct_dwarf *tables);

/* ranges.c */

/** Add a span. KCT_ERR_NO_MEMORY. */
int kct_spans_add(struct kct_spans *spans, uint64_t start, uint64_t end, uint32_t id,
		  uint32_t rank);

/** Free the memory. */
void kct_spans_clear(struct kct_spans *spans);

/**
 * Append to `flat` what wins where, disjoint and sorted; `items` get sorted by start.
 * 1: some overlapped, 0: none did, KCT_ERR_NO_MEMORY.
 */
int kct_spans_flatten(struct kct_span *items, size_t n, struct kct_spans *flat);

/** The span of n disjoint and sorted ones that holds an address, or NULL. */
const struct kct_span *kct_span_find(const struct kct_span *spans, size_t n, uint64_t address);

/** Whether a range is not empty, not turned round, and none of a section that the linker
 *  dropped. */
bool kct_range_is_real(const struct kct_dwarf *tables, uint64_t start, uint64_t end,
		       unsigned address_bytes);

/**
 * Append the real ranges of a DIE: DW_AT_ranges or DW_AT_low_pc and
 * DW_AT_high_pc. Returns 0 (also if there are none), KCT_ERR_NO_MEMORY.
 */
int kct_die_ranges(struct kct_dwarf *tables, Dwarf_Die *die, uint32_t id, uint32_t rank,
		   struct kct_spans *ret_spans);

/* names.c */

/** Name of the function a DIE stands for: DW_AT_linkage_name, else DW_AT_name, of the DIE or of
 *  where its DW_AT_abstract_origin and DW_AT_specification lead. May be NULL. */
const char *kct_die_name(Dwarf_Die *die);

/** The text if it is there and no longer than KCT_MAX_NAME, else NULL. */
const char *kct_dwarf_text(const char *text);

/* unit.c */

/** Read functions, inline trees and the line table of a unit. KCT_ERR_NO_MEMORY. */
int kct_unit_read(struct kct_dwarf *tables, struct kct_dwarf_unit *unit);

/** Free what kct_unit_read() made. */
void kct_unit_clear(struct kct_dwarf_unit *unit);

/* finish.c */

/** Lay what was read of a unit out as flat tables. KCT_ERR_NO_MEMORY. */
int kct_unit_finish(struct kct_dwarf *tables, struct kct_dwarf_unit *unit);

/* index.c */

/** Make the index of the ranges of all units. KCT_ERR_NO_MEMORY. */
int kct_dwarf_index(struct kct_dwarf *tables);

/* files.c */

/** Read the header at the cursor, with its file table into `lines`. 0: fine, 1: unusable,
 *  KCT_ERR_NO_MEMORY. */
int kct_line_header_read(struct kct_dwarf *tables, struct kct_cursor cursor, unsigned address_bytes,
			 const char *comp_dir, struct kct_lines *lines,
			 struct kct_line_header *ret_header);

/** Path of a file by its number in the line table, its directory before it; NULL if there is no
 *  such file or no memory. */
const char *kct_lines_file(struct kct_dwarf *tables, struct kct_lines *lines, uint32_t file);

/* lines.c */

/** The line table at an offset of .debug_line, read when first asked for. `*ret_lines` is NULL if
 *  there is none. KCT_ERR_NO_MEMORY. */
int kct_lines_get(struct kct_dwarf *tables, uint64_t offset, unsigned address_bytes,
		  const char *comp_dir, struct kct_lines **ret_lines);

/** The row that holds for an address, or NULL. */
const struct kct_row *kct_lines_find(const struct kct_lines *lines, uint64_t address);

/** Free a line table. */
void kct_lines_free(struct kct_lines *lines);

#endif
