/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file unit.h
 * What is known of one compilation unit: functions, inlined calls, line rows, as flat arrays of
 * structs that hold numbers only. They can lie in memory or in a file that is mapped; a look-up does
 * not care where they came from, and believes no number in them: each is compared with the size of
 * the array it points into.
 *
 * Strings are offsets into the text of the unit, whose first and last bytes are NUL. Offset 0 is "no
 * string".
 */
#ifndef KCT_TABLES_UNIT_H
#define KCT_TABLES_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KCT_NO_INLINE UINT32_MAX
#define KCT_NO_FILE   UINT16_MAX

/** Deepest nesting of inlined calls. */
#define KCT_MAX_INLINE_DEPTH 1000

/**
 * Addresses that belong to a function. Parts are disjoint and sorted. Where ranges of functions
 * overlap a range is several parts, which name the whole of it.
 */
struct kct_unit_part {
	uint64_t start;
	uint64_t range_start; /* of the whole range; inlined calls count from here */
	uint32_t bytes;
	uint32_t range_bytes;
	uint32_t function;
	uint32_t first_span; /* of the range, in spans */
	uint32_t n_spans;
	uint32_t zero;
};

/** A machine function. */
struct kct_unit_function {
	uint64_t entry; /* lowest address of its first range, where it is entered */
	uint32_t name;	/* string */
	uint32_t zero;
};

/** Code of an inlined call, the innermost one there, from `start` to before `end` behind the start of
 *  its range. Those of a range are disjoint and sorted. */
struct kct_unit_span {
	uint32_t start;
	uint32_t end;
	uint32_t inlined;
};

/** A function inlined into another. */
struct kct_unit_inline {
	uint32_t name;	 /* string */
	uint32_t parent; /* the inlined call around it, of a lower number; KCT_NO_INLINE: none */
	uint32_t call_line;
	uint16_t call_file; /* KCT_NO_FILE: none */
	uint16_t call_column;
	uint16_t depth; /* 1: directly in the function */
	uint16_t zero;
};

/**
 * Addresses whose lines are in one row after the other. Disjoint and sorted; where sequences of the
 * line table overlap, a sequence is several of these, `skip` bytes behind its start.
 */
struct kct_unit_sequence {
	uint64_t start;
	uint32_t bytes;
	uint32_t skip;
	uint32_t first_row;
	uint32_t n_rows; /* at least 1 */
};

/** Columns above are not kept. */
#define KCT_MAX_COLUMN INT16_MAX

/**
 * Holds from `offset` behind the start of the sequence in the line table on. Of several rows with one offset
 * the last one says of what line the code is; those before are statements without code of their own.
 */
struct kct_unit_row {
	uint32_t offset;
	uint32_t line; /* 0: none */
	uint16_t file; /* KCT_NO_FILE: none */
	uint16_t column : 15;
	/* A statement of the line begins here (is_stmt). Else it may be code that was moved, or goes on. */
	uint16_t statement : 1;
};

/** A unit. All arrays may be empty, `text` is not. */
struct kct_unit {
	const struct kct_unit_part *parts;
	const struct kct_unit_function *functions;
	const struct kct_unit_span *spans;
	const struct kct_unit_inline *inlines;
	const struct kct_unit_sequence *sequences;
	const struct kct_unit_row *rows;
	const uint32_t *files; /* strings: paths with their directory, perhaps relative */
	const char *text;
	uint32_t n_parts;
	uint32_t n_functions;
	uint32_t n_spans;
	uint32_t n_inlines;
	uint32_t n_sequences;
	uint32_t n_rows;
	uint32_t n_files;
	uint32_t n_text;   /* bytes */
	uint32_t comp_dir; /* string, to join a relative path with */
};

/** What a unit knows of an address; NULL: nothing of that kind. */
struct kct_unit_place {
	const struct kct_unit_part *part;
	const struct kct_unit_function *function; /* with `part` */
	const struct kct_unit_inline *inlined;	  /* the innermost */
	const struct kct_unit_row *row;
	const struct kct_unit_sequence *sequence; /* with `row` */
};

/** One frame of a chain. The strings are in the unit's text; all may be NULL. */
struct kct_unit_frame {
	const char *name;     /* DW_AT_linkage_name, else DW_AT_name; through origins */
	const char *file;     /* as in the line table, with its directory; may be relative */
	const char *comp_dir; /* to join a relative file with */
	uint32_t line;	      /* 0 = none */
	uint32_t column;
};

/** Find an address. */
void kct_unit_find(const struct kct_unit *unit, uint64_t address, struct kct_unit_place *ret_place);

/** The first address after one for which kct_unit_find() may say anything else; UINT64_MAX: it says the same
 *  for all. */
uint64_t kct_unit_run_end(const struct kct_unit *unit, uint64_t address);

/** Statements that begin at one address and have no code: more are not told. */
#define KCT_MAX_STATEMENTS 64

/** Where the row of a place begins, which must have one. */
static inline uint64_t kct_unit_row_start(const struct kct_unit_place *place)
{
	return place->sequence->start - place->sequence->skip + place->row->offset;
}

/** The statements without code at the start of a place's row, which must have one: file and line of each, into
 *  an array of KCT_MAX_STATEMENTS. Returns their number. */
size_t kct_unit_statements(const struct kct_unit *unit, const struct kct_unit_place *place,
			   struct kct_unit_frame *ret_frames);

/** Number of frames of a place, at least 1. */
size_t kct_unit_count_frames(const struct kct_unit_place *place);

/** The chain of a place, innermost first, into the caller's array of as many as
 *  kct_unit_count_frames() said. Returns their number, which may be smaller. */
size_t kct_unit_frames(const struct kct_unit *unit, const struct kct_unit_place *place,
		       struct kct_unit_frame *ret_frames);

/** A string, or NULL. */
static inline const char *kct_unit_string(const struct kct_unit *unit, uint32_t string)
{
	return string != 0 && string < unit->n_text ? unit->text + string : NULL;
}

#endif
