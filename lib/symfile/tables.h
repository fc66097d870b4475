/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file tables.h
 * Units and their index in a symbol file. What is read lies in the file and is valid as long as it
 * is. The sizes of all arrays are checked; the numbers in them are not, as look-ups do that.
 */
#ifndef KCT_SYMFILE_TABLES_H
#define KCT_SYMFILE_TABLES_H

#include "symfile/symfile.h"
#include "tables/tables.h"

/** Add the tables of a unit. As kct_symfile_add(). */
int kct_symfile_add_unit(struct kct_symfile_writer *writer, uint32_t number,
			 const struct kct_unit *unit, struct kct_error *error);

/** The tables of a unit. 1: stored, 0: it is not in the file, KCT_ERR_DAMAGED. */
int kct_symfile_get_unit(struct kct_symfile *file, uint32_t number, struct kct_unit *ret_unit);

/** Whether a text begins where a string begins, ends with a NUL, and has no string of more than
 *  KCT_MAX_NAME bytes: to copy one for each address would take time without end. */
bool kct_symfile_text_is_sane(const char *text, size_t bytes);

/** Add the index. As kct_symfile_add(). */
int kct_symfile_add_index(struct kct_symfile_writer *writer, const struct kct_index *index,
			  struct kct_error *error);

/** The index. 1: stored, 0: there is none, KCT_ERR_DAMAGED. */
int kct_symfile_get_index(struct kct_symfile *file, struct kct_index *ret_index);

#endif
