/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of line tables: file names of DWARF 2 to 5. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "dwarf/reader.h"

/* One column of a DWARF 5 directory or file table. */
struct column {
	uint64_t content; /* DW_LNCT_* */
	uint64_t form;	  /* DW_FORM_* */
};

#define MAX_COLUMNS 255 /* the count is a byte */

struct entry {
	const char *name;
	uint64_t directory;
};

/* No name is longer than KCT_MAX_NAME: such a one counts as none. */
static const char *string_at(struct kct_cursor section, uint64_t offset)
{
	if (!kct_cursor_skip(&section, offset))
		return "";
	section.end = section.at + kct_min_u64(kct_cursor_left(&section), KCT_MAX_NAME + 1);
	return kct_cursor_string(&section);
}

static const char *short_name(const char *name)
{
	const char *text = kct_dwarf_text(name);

	return text ? text : "";
}

/* A value as a string ("" if it is none), as a number (0 if it is none). */
static void read_value(struct kct_dwarf *tables, struct kct_cursor *c, unsigned offset_bytes,
		       uint64_t form, const char **ret_text, uint64_t *ret_number)
{
	const char *text = "";
	uint64_t number = 0;

	switch (form) {
	case DW_FORM_string:
		text = short_name(kct_cursor_string(c));
		break;
	case DW_FORM_line_strp:
		text = string_at(tables->line_str_section, kct_cursor_uint(c, offset_bytes));
		break;
	case DW_FORM_strp:
		text = string_at(tables->str_section, kct_cursor_uint(c, offset_bytes));
		break;
	case DW_FORM_udata:
	case DW_FORM_strx: /* no base is known here: skipped */
		number = kct_cursor_uleb(c);
		break;
	case DW_FORM_data1:
	case DW_FORM_strx1:
		number = kct_cursor_u8(c);
		break;
	case DW_FORM_data2:
	case DW_FORM_strx2:
		number = kct_cursor_uint(c, 2);
		break;
	case DW_FORM_strx3:
		kct_cursor_skip(c, 3);
		break;
	case DW_FORM_data4:
	case DW_FORM_strx4:
		number = kct_cursor_uint(c, 4);
		break;
	case DW_FORM_data8:
		number = kct_cursor_uint(c, 8);
		break;
	case DW_FORM_data16:
		kct_cursor_skip(c, 16);
		break;
	case DW_FORM_block:
		kct_cursor_skip(c, kct_cursor_uleb(c));
		break;
	default: /* of unknown length: what follows cannot be found */
		kct_cursor_skip(c, UINT64_MAX);
	}
	*ret_text = text;
	*ret_number = number;
}

static unsigned read_columns(struct kct_cursor *c, struct column columns[MAX_COLUMNS])
{
	unsigned n = kct_cursor_u8(c);

	for (unsigned i = 0; i < n; i++) {
		columns[i].content = kct_cursor_uleb(c);
		columns[i].form = kct_cursor_uleb(c);
	}
	return n;
}

static struct entry read_entry(struct kct_dwarf *tables, struct kct_cursor *c,
			       unsigned offset_bytes, const struct column *columns, unsigned n)
{
	struct entry entry = {.name = ""};
	const char *text;
	uint64_t number;

	for (unsigned i = 0; i < n; i++) {
		read_value(tables, c, offset_bytes, columns[i].form, &text, &number);
		if (columns[i].content == DW_LNCT_path)
			entry.name = text;
		else if (columns[i].content == DW_LNCT_directory_index)
			entry.directory = number;
	}
	return entry;
}

static int add_directory(struct kct_lines *lines, const char *name)
{
	if (kct_array_reserve(&lines->directories, &lines->max_directories,
			      lines->n_directories + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	lines->directories[lines->n_directories++] = name;
	return 0;
}

static int add_file(struct kct_lines *lines, const char *name, uint64_t directory)
{
	struct kct_line_file file = {.name = name};

	if (directory < lines->n_directories)
		file.directory = lines->directories[directory];
	if (lines->n_files >= KCT_NO_INDEX)
		return 0;
	if (kct_array_reserve(&lines->files, &lines->max_files, lines->n_files + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	lines->files[lines->n_files++] = file;
	return 0;
}

/* Directories and files are described by tables of columns. */
static int read_files_v5(struct kct_dwarf *tables, struct kct_cursor *c, unsigned offset_bytes,
			 const char *comp_dir, struct kct_lines *lines)
{
	struct column columns[MAX_COLUMNS];
	unsigned n_columns = read_columns(c, columns);
	uint64_t n = kct_cursor_uleb(c);
	struct entry entry;

	for (uint64_t i = 0; i < n && n_columns > 0 && !c->bad; i++) {
		entry = read_entry(tables, c, offset_bytes, columns, n_columns);
		/* Directory 0 is the compilation directory, which is joined later. */
		if (i == 0 && comp_dir && strcmp(entry.name, comp_dir) == 0)
			entry.name = NULL;
		if (add_directory(lines, entry.name) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	n_columns = read_columns(c, columns);
	n = kct_cursor_uleb(c);
	lines->first_file = 0;
	for (uint64_t i = 0; i < n && n_columns > 0 && !c->bad; i++) {
		entry = read_entry(tables, c, offset_bytes, columns, n_columns);
		if (add_file(lines, entry.name, entry.directory) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return 0;
}

/* A file as DWARF 2 to 4 write it, its name read already. */
static int read_file_v2(struct kct_cursor *c, const char *name, struct kct_lines *lines)
{
	uint64_t directory = kct_cursor_uleb(c);

	kct_cursor_uleb(c); /* time */
	kct_cursor_uleb(c); /* length */
	return add_file(lines, name, directory);
}

/* Directory 0 is the compilation directory and not listed, file 1 is the first. */
static int read_files_v2(struct kct_cursor *c, struct kct_lines *lines)
{
	const char *name;

	lines->first_file = 1;
	if (add_directory(lines, NULL) < 0)
		return KCT_ERR_NO_MEMORY;
	while (*(name = kct_cursor_string(c)))
		if (add_directory(lines, short_name(name)) < 0)
			return KCT_ERR_NO_MEMORY;
	while (*(name = kct_cursor_string(c)))
		if (read_file_v2(c, short_name(name), lines) < 0)
			return KCT_ERR_NO_MEMORY;
	return 0;
}

/* The numbers before the file table. False: nothing that can be read. */
static bool read_numbers(struct kct_cursor *c, unsigned address_bytes, struct kct_line_header *h)
{
	uint64_t length = kct_cursor_uint(c, 4), header_length;
	const uint8_t *after_header;

	h->offset_bytes = 4;
	if (length == 0xffffffff) {
		h->offset_bytes = 8;
		length = kct_cursor_uint(c, 8);
	}
	/* A cut section still gives the rows it holds. */
	c->end = c->at + kct_min_u64(length, kct_cursor_left(c));
	h->version = (uint16_t)kct_cursor_uint(c, 2);
	h->address_bytes = (uint8_t)address_bytes;
	if (h->version >= 5) {
		h->address_bytes = kct_cursor_u8(c);
		kct_cursor_u8(c); /* size of segment selectors */
	}
	header_length = kct_cursor_uint(c, h->offset_bytes);
	h->program = *c;
	after_header = kct_cursor_skip(&h->program, header_length);
	h->min_length = kct_cursor_u8(c);
	h->max_operations = h->version >= 4 ? kct_cursor_u8(c) : 1;
	kct_cursor_u8(c); /* default_is_stmt */
	h->line_base = (int8_t)kct_cursor_u8(c);
	h->line_range = kct_cursor_u8(c);
	h->opcode_base = kct_cursor_u8(c);
	h->operands = kct_cursor_skip(c, h->opcode_base ? h->opcode_base - 1u : 0);
	if (h->max_operations == 0)
		h->max_operations = 1;
	return after_header && !c->bad && h->version >= 2 && h->version <= 5 &&
	       h->line_range != 0 && h->opcode_base != 0 && h->address_bytes >= 1 &&
	       h->address_bytes <= 8;
}

int kct_line_header_read(struct kct_dwarf *tables, struct kct_cursor cursor, unsigned address_bytes,
			 const char *comp_dir, struct kct_lines *lines,
			 struct kct_line_header *ret_header)
{
	const uint8_t *start = cursor.at;
	struct kct_line_header header;
	uint64_t bytes;
	int result;

	if (!read_numbers(&cursor, address_bytes, &header))
		return 1;
	/* Honest tables do not share bytes; that one of them is damaged and pretends to reach to
	 * the end must not cost the others. */
	bytes = (uint64_t)(cursor.end - start);
	if (bytes > 2 * (uint64_t)kct_cursor_left(&tables->line_section) - tables->lines_read) {
		kct_dwarf_complain(tables, "line tables lie in each other");
		return 1;
	}
	tables->lines_read += bytes;
	/* The file table ends where the program begins. */
	cursor.end = cursor.at > header.program.at ? cursor.at : header.program.at;
	if (header.version >= 5)
		result = read_files_v5(tables, &cursor, header.offset_bytes, comp_dir, lines);
	else
		result = read_files_v2(&cursor, lines);
	if (result < 0)
		return result;
	if (cursor.bad)
		kct_dwarf_complain(tables, "a file table of .debug_line is damaged");
	*ret_header = header;
	return 0;
}

const char *kct_lines_file(struct kct_dwarf *tables, struct kct_lines *lines, uint32_t file)
{
	KCT_AUTO_FREE char *joined = NULL;
	struct kct_line_file *entry;
	int length;

	if (file < lines->first_file || file - lines->first_file >= lines->n_files)
		return NULL;
	entry = &lines->files[file - lines->first_file];
	if (entry->path || !*entry->name)
		return entry->path;
	if (!entry->directory || !*entry->directory || *entry->name == '/') {
		entry->path = entry->name;
		return entry->path;
	}
	length = asprintf(&joined, "%s/%s", entry->directory, entry->name);
	if (length < 0) {
		joined = NULL; /* undefined after a failure */
		return NULL;
	}
	entry->path = kct_pool_intern(&tables->strings, joined, (size_t)length);
	return entry->path;
}
