/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of line tables: file names of DWARF 2 to 5. */
#include <dwarf.h>
#include <string.h>

#include "base/limits.h"
#include "dwarf/forms.h"
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
static const char *short_name(const char *name)
{
	const char *text = kct_dwarf_text(name);

	return text ? text : "";
}

/* What the header is read with. */
struct source {
	struct kct_reader *reader;
	const struct kct_scope *scope;
	struct kct_lines *lines;
	unsigned offset_bytes;
};

/* A value as a string (NULL if it is none), as a number (0 if it is none). */
static void read_value(const struct source *source, struct kct_cursor *c, uint64_t form,
		       const char **ret_text, uint64_t *ret_number)
{
	const struct kct_encoding encoding = {5, 8, (uint8_t)source->offset_bytes};
	struct kct_value value = {0};

	*ret_text = NULL;
	*ret_number = 0;
	/* Of unknown length: what follows cannot be found. */
	if (!kct_value_read(c, &encoding, form, kct_form_bytes(form, &encoding), 0, &value)) {
		kct_cursor_skip(c, UINT64_MAX);
		return;
	}
	if (c->bad || kct_value_number(&value, ret_number))
		return;
	*ret_text = kct_scope_string(source->scope, &value);
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

static struct entry read_entry(const struct source *source, struct kct_cursor *c,
			       const struct column *columns, unsigned n)
{
	struct entry entry = {.name = ""};
	const char *text;
	uint64_t number;

	for (unsigned i = 0; i < n; i++) {
		read_value(source, c, columns[i].form, &text, &number);
		if (columns[i].content == DW_LNCT_path && !text &&
		    !kct_form_is_elsewhere(columns[i].form))
			kct_reader_complain(source->reader,
					    "a name in a file table of .debug_line cannot be read");
		if (columns[i].content == DW_LNCT_path)
			entry.name = text ? text : "";
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
	if (lines->n_files >= KCT_NO_INDEX)
		return 0;
	if (kct_array_reserve(&lines->files, &lines->max_files, lines->n_files + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	lines->files[lines->n_files++] =
		(struct kct_line_file){.name = name, .directory = directory};
	return 0;
}

/* Directories and files are described by tables of columns. */
static int read_files_v5(const struct source *source, struct kct_cursor *c)
{
	const char *comp_dir = source->scope->comp_dir;
	struct kct_lines *lines = source->lines;
	struct column columns[MAX_COLUMNS];
	unsigned n_columns = read_columns(c, columns);
	uint64_t n = kct_cursor_uleb(c);
	struct entry entry;

	for (uint64_t i = 0; i < n && n_columns > 0 && !c->bad; i++) {
		entry = read_entry(source, c, columns, n_columns);
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
		entry = read_entry(source, c, columns, n_columns);
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
static bool read_numbers(struct kct_cursor *c, uint8_t address_bytes, struct kct_line_header *h)
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
	h->address_bytes = address_bytes;
	if (h->version >= 5) {
		h->address_bytes = kct_cursor_u8(c);
		kct_cursor_u8(c); /* size of segment selectors */
	}
	header_length = kct_cursor_uint(c, h->offset_bytes);
	h->program = *c;
	after_header = kct_cursor_skip(&h->program, header_length);
	h->min_length = kct_cursor_u8(c);
	h->max_operations = h->version >= 4 ? kct_cursor_u8(c) : 1;
	h->is_stmt = kct_cursor_u8(c) != 0;
	h->line_base = (int8_t)kct_cursor_u8(c);
	h->line_range = kct_cursor_u8(c);
	h->opcode_base = kct_cursor_u8(c);
	h->operands = kct_cursor_skip(c, h->opcode_base ? h->opcode_base - 1u : 0);
	if (h->max_operations == 0)
		h->max_operations = 1;
	return after_header && !c->bad && h->version >= 2 && h->version <= 5 &&
	       h->line_range != 0 && h->opcode_base != 0 &&
	       kct_address_bytes_are_valid(h->address_bytes);
}

int kct_line_header_read(struct kct_reader *reader, const struct kct_scope *scope,
			 struct kct_line_header *ret_header)
{
	struct kct_lines *lines = &reader->lines;
	struct source source = {.reader = reader, .scope = scope, .lines = lines};
	struct kct_cursor cursor = scope->image->line;
	struct kct_line_header header;
	const uint8_t *start;
	int result;

	lines->n_files = lines->n_directories = 0;
	if (!scope->has_lines)
		return 1;
	if (!kct_cursor_skip(&cursor, scope->lines)) {
		kct_reader_complain(reader, "a line table lies outside .debug_line");
		return 1;
	}
	start = cursor.at;
	if (!read_numbers(&cursor, scope->cu->encoding.address_bytes, &header)) {
		kct_reader_complain(reader, "a line table has an unusable header");
		return 1;
	}
	/* Units may share a table, and one that is damaged may pretend to reach to the end. */
	if (!kct_reader_work(reader, (uint64_t)(cursor.end - start))) {
		kct_reader_complain(reader, "line tables lie in each other");
		return 1;
	}
	/* The file table ends where the program begins. */
	cursor.end = cursor.at > header.program.at ? cursor.at : header.program.at;
	source.offset_bytes = header.offset_bytes;
	result = header.version >= 5 ? read_files_v5(&source, &cursor)
				     : read_files_v2(&cursor, lines);
	if (result < 0)
		return result;
	if (cursor.bad)
		kct_reader_complain(reader, "a file table of .debug_line is damaged");
	*ret_header = header;
	return 0;
}

int kct_reader_file(struct kct_reader *reader, uint64_t number, uint16_t *ret_file)
{
	struct kct_lines *lines = &reader->lines;
	struct kct_build *build = &reader->build;
	struct kct_line_file *file;
	const char *directory;
	uint32_t path;

	*ret_file = KCT_NO_FILE;
	if (number < lines->first_file || number - lines->first_file >= lines->n_files)
		return 0;
	file = &lines->files[number - lines->first_file];
	if (!file->is_used) {
		file->is_used = true;
		file->number = KCT_NO_FILE;
		directory = file->directory < lines->n_directories
				    ? lines->directories[file->directory]
				    : NULL;
		if (kct_build_path(build, directory, file->name, &path) < 0 ||
		    kct_array_reserve(&build->files, &build->max_files, build->n_files + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		if (path != 0 && build->n_files < KCT_NO_FILE) {
			file->number = (uint16_t)build->n_files;
			build->files[build->n_files++] = path;
		}
	}
	*ret_file = file->number;
	return 0;
}
