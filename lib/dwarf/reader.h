/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reader.h
 * The structs behind dwarf.h and what its source files share.
 *
 * struct kct_dwarf is what is known of the image and, once it is open, does not change while units are
 * read. All that reading a unit changes is in a struct kct_reader, of which each thread has one.
 */
#ifndef KCT_DWARF_READER_H
#define KCT_DWARF_READER_H

#include "base/limits.h"
#include "base/map.h"
#include "dwarf/build.h"
#include "dwarf/dwarf.h"
#include "dwarf/entry.h"
#include "dwarf/lines.h"
#include "dwarf/spans.h"
#include "dwarf/walk.h"

/** "No function", "no unit". */
#define KCT_NO_INDEX UINT32_MAX

/** Work, see kct_reader_work(): of one declaration of an abbreviation, of one range of a list. */
#define KCT_WORK_ABBREV 16
#define KCT_WORK_RANGE	32

/** Room for a complaint. */
#define KCT_COMPLAINT 200

/** The sections of a file: the image, a .dwo file, or the file that dwz moved entries to. */
struct kct_debug_file {
	struct kct_cursor info;
	struct kct_cursor abbrev;
	struct kct_cursor line;
	struct kct_cursor line_str;
	struct kct_cursor str;
	struct kct_cursor str_offsets;
	struct kct_cursor addr;
	struct kct_cursor rnglists;
	struct kct_cursor ranges;
	Dwarf *dwarf;	    /* that it was opened as */
	bool is_split;	    /* a .dwo file */
	uint8_t number;	    /* 1: the file of dwz */
	struct kct_cu *cus; /* of .debug_info, by offset, those of types too */
	size_t n_cus, max_cus;
	const struct kct_debug_file *alternate; /* NULL: none */
	struct kct_debug_file *next;
};

/** A unit with code. */
struct kct_dwarf_unit {
	uint32_t cu; /* in the image: of the unit or of its skeleton */
	uint32_t split_cu;
	const struct kct_debug_file *split; /* where the functions are, NULL: in the image */
	uint64_t lines;			    /* offset of its line table, UINT64_MAX: none */
	struct kct_built *built;	    /* NULL: not read, or not kept */
};

/** What the values of a unit's entries mean. */
struct kct_scope {
	const struct kct_debug_file *file;
	const struct kct_debug_file *image; /* addresses and old range lists are here */
	const struct kct_cu *cu;
	uint64_t low_pc; /* what range lists begin with */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t ranges_base; /* of old lists in split files */
	uint64_t lines;	      /* offset of the line table, if has_lines */
	bool has_lines;
	bool types_hold_code; /* not in C */
	const char *comp_dir; /* or NULL */
};

/** The mapping of the image's file, and up to where its sections were given back. */
struct kct_mapping {
	uintptr_t start;
	uintptr_t end; /* equal: the image is not mapped, or was changed in memory */
	uintptr_t info_mark;
	uintptr_t line_mark;
};

struct kct_dwarf {
	Dwarf *dwarf;
	bool linked;
	struct kct_debug_file image;
	struct kct_debug_file alternate; /* of dwz */
	struct kct_debug_file *splits;	 /* a list */
	struct kct_dwarf_unit *units;
	size_t n_units, max_units;
	struct kct_mapping mapping;
	uint64_t spare_work;	      /* of a reader, see kct_reader_work() */
	struct kct_map lines_claimed; /* line tables that gave addresses to a unit without ranges */
	struct kct_spans unit_ranges; /* as read; id = unit */
	struct kct_index_range *index_ranges;
	size_t n_index_ranges, max_index_ranges;
	struct kct_tables look_up;
	struct kct_reader *reader; /* for units that are read one at a time */
	size_t missing_split;
	char complaint[KCT_COMPLAINT]; /* "" = none */
};

/** Abbreviation tables that a reader keeps: entries refer to entries of other units. */
#define KCT_KEPT_ABBREVS 64

/** One thread's workplace. */
struct kct_reader {
	struct kct_dwarf *dwarf;
	struct kct_abbrevs own; /* of the unit that is read */
	struct kct_abbrevs others[KCT_KEPT_ABBREVS];
	struct kct_abbrevs root; /* one declaration, of a unit's own entry */
	struct kct_build build;
	struct kct_walk walk;
	struct kct_lines lines;
	struct kct_map names; /* entry -> string of the build */
	uint32_t unit;
	uint64_t fair_work;  /* that the size of the unit explains, and is not done yet */
	uint64_t spare_work; /* more than that */
	uint32_t complaint_unit;
	char complaint[KCT_COMPLAINT];
};

/* reader.c */

/** A reader, or NULL. */
struct kct_reader *kct_reader_new(struct kct_dwarf *dwarf);

/** Free it; NULL is fine. */
void kct_reader_free(struct kct_reader *reader);

/** Keep a printf text if it is the reader's first complaint. */
void kct_reader_complain(struct kct_reader *reader, const char *format, ...) KCT_PRINTF(2, 3);

/** Hand the first complaint of several readers on to the image: that of the lowest unit. */
void kct_readers_settle(struct kct_dwarf *dwarf, struct kct_reader *const *readers, size_t n);

/** Begin to read unit `unit`, or something else that belongs together, of so many bytes. */
void kct_reader_begin(struct kct_reader *reader, uint32_t unit, uint64_t bytes);

/**
 * Take work: about as many bytes of memory, or of reading. A unit explains 64 times its size. What is
 * above that, because many entries may refer to one thing, comes out of what the image has to spare. False:
 * there is no more.
 */
bool kct_reader_work(struct kct_reader *reader, uint64_t amount);

/** Get the abbreviations of the unit that is going to be read. `*ret_abbrevs` is NULL if they cannot be
 *  read, and stays valid until the next call. KCT_ERR_NO_MEMORY. */
int kct_reader_own_abbrevs(struct kct_reader *reader, const struct kct_debug_file *file,
			   const struct kct_cu *cu, const struct kct_abbrevs **ret_abbrevs);

/** Read the entry at an offset of .debug_info. 1: read, 0: cannot be, KCT_ERR_NO_MEMORY. Its abbreviation
 *  is valid until the next entry is read. */
int kct_reader_entry(struct kct_reader *reader, const struct kct_debug_file *file,
		     const struct kct_cu *cu, uint64_t offset, struct kct_entry *entry);

/** Read the entry of a unit and what follows from it. Of a split unit with its skeleton (NULL: it is none).
 *  1: read, 0: cannot be, KCT_ERR_NO_MEMORY. */
int kct_scope_open(struct kct_reader *reader, const struct kct_debug_file *file,
		   const struct kct_cu *cu, const struct kct_scope *skeleton,
		   struct kct_scope *ret_scope, struct kct_entry *ret_root);

/* scope.c */

/** A string, NULL if it is none or longer than KCT_MAX_NAME. */
const char *kct_scope_string(const struct kct_scope *scope, const struct kct_value *value);

/** An address. */
bool kct_scope_address(const struct kct_scope *scope, const struct kct_value *value,
		       uint64_t *ret_address);

/** The entry of an index in .debug_addr. */
bool kct_scope_indexed_address(const struct kct_scope *scope, uint64_t index,
			       uint64_t *ret_address);

/** Where a reference leads: a file, an offset in its .debug_info. */
bool kct_scope_reference(const struct kct_scope *scope, const struct kct_value *value,
			 const struct kct_debug_file **ret_file, uint64_t *ret_offset);

/** A string at an offset of a section; NULL as above. */
const char *kct_section_string(struct kct_cursor section, uint64_t offset);

/** The text if it is no longer than KCT_MAX_NAME, else NULL. */
const char *kct_dwarf_text(const char *text);

/* ranges.c */

/** Whether a range is not empty, not turned round, and none of a section that the linker
 *  dropped. */
bool kct_range_is_real(bool linked, uint64_t start, uint64_t end, unsigned address_bytes);

/** Append the real ranges of an entry: DW_AT_ranges or DW_AT_low_pc and DW_AT_high_pc. Returns 0 (also
 *  if there are none), KCT_ERR_NO_MEMORY. */
int kct_entry_ranges(struct kct_reader *reader, const struct kct_scope *scope,
		     const struct kct_entry *entry, uint32_t id, uint32_t rank,
		     struct kct_spans *ret_spans);

/* names.c */

/** Name of the function an entry stands for: DW_AT_linkage_name, else DW_AT_name, of the entry or of where
 *  its DW_AT_abstract_origin and DW_AT_specification lead. A string of the build, 0: none.
 *  KCT_ERR_NO_MEMORY. */
int kct_entry_name(struct kct_reader *reader, const struct kct_scope *scope,
		   const struct kct_entry *entry, uint32_t *ret_string);

/* walk.c */

/** Read the functions and inlined calls of a unit into the build. KCT_ERR_NO_MEMORY. */
int kct_unit_walk(struct kct_reader *reader, const struct kct_scope *scope,
		  const struct kct_entry *root);

/* unit.c */

/** Read a unit, or with `!with_lines` its functions only. KCT_ERR_NO_MEMORY. */
int kct_unit_read(struct kct_reader *reader, uint32_t number, bool with_lines,
		  struct kct_built **ret_built);

/* files.c */

/** Read the header and the file table of the line table of a unit. 0: fine, 1: there is none that can be
 *  used, KCT_ERR_NO_MEMORY. */
int kct_line_header_read(struct kct_reader *reader, const struct kct_scope *scope,
			 struct kct_line_header *ret_header);

/** The file in the build for a number of the line table, its directory before its name; KCT_NO_FILE if
 *  there is none. KCT_ERR_NO_MEMORY. */
int kct_reader_file(struct kct_reader *reader, uint64_t number, uint16_t *ret_file);

/* lines.c */

/** Run the line number program behind a header. KCT_ERR_NO_MEMORY. */
int kct_lines_run(struct kct_reader *reader, const struct kct_line_header *header);

/* release.c */

/** Unit `unit` and those before it are not needed for now (UINT32_MAX: all). */
void kct_dwarf_release(struct kct_dwarf *dwarf, uint32_t unit);

/* open.c */

/** Find the units of the image and their ranges. KCT_ERR_NO_MEMORY. */
int kct_dwarf_find_units(struct kct_dwarf *dwarf);

/* index.c */

/** Make the index of the ranges of all units. KCT_ERR_NO_MEMORY. */
int kct_dwarf_index(struct kct_dwarf *dwarf);

/* sections.c */

/** Find the sections that a Dwarf has and the units in them. KCT_ERR_ELF, KCT_ERR_NO_MEMORY. */
int kct_debug_file_open(Dwarf *dwarf, struct kct_debug_file *file, struct kct_reader *reader);

/** Free what was found. */
void kct_debug_file_clear(struct kct_debug_file *file);

/* split.c */

/** Find the file that holds the functions of a skeleton unit; counts those that are not there.
 *  KCT_ERR_NO_MEMORY. */
int kct_split_find(struct kct_reader *reader, const struct kct_scope *scope,
		   const struct kct_entry *root, struct kct_dwarf_unit *unit);

#endif
