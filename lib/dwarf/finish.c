/* SPDX-License-Identifier: BSD-2-Clause */
/* From what was read of a unit to its finished tables, in one block of memory. */
#include <string.h>

#include "base/fail.h"
#include "dwarf/reader.h"

/* The tables while they grow. */
struct finish {
	struct kct_dwarf *dwarf;
	struct kct_dwarf_unit *unit;
	struct kct_unit_part *parts;
	size_t n_parts, max_parts;
	struct kct_unit_function *functions;
	size_t n_functions, max_functions;
	struct kct_unit_span *spans;
	size_t n_spans, max_spans;
	struct kct_unit_inline *inlines;
	size_t n_inlines, max_inlines;
	struct kct_unit_sequence *sequences;
	size_t n_sequences, max_sequences;
	struct kct_unit_row *rows;
	size_t n_rows, max_rows;
	uint32_t *files;
	size_t n_files, max_files;
	char *text;
	size_t n_text, max_text;
	struct kct_map names;	 /* DIE or string -> string */
	struct kct_map file_ids; /* number in the line table -> files */
	uint32_t comp_dir;
};

static int add_string(struct finish *f, const char *text, uint32_t *ret_string)
{
	size_t bytes = text ? strlen(text) + 1 : 0;
	uint64_t *known;
	int is_new;

	*ret_string = 0;
	if (bytes <= 1 || f->n_text + bytes > UINT32_MAX)
		return 0;
	is_new = kct_map_put(&f->names, (uintptr_t)text, &known);
	if (is_new > 0) {
		if (kct_array_reserve(&f->text, &f->max_text, f->n_text + bytes) < 0)
			return KCT_ERR_NO_MEMORY;
		memcpy(f->text + f->n_text, text, bytes);
		*known = f->n_text;
		f->n_text += bytes;
	}
	if (is_new >= 0)
		*ret_string = (uint32_t)*known;
	return is_new < 0 ? is_new : 0;
}

static int add_name(struct finish *f, void *address, uint32_t *ret_string)
{
	Dwarf_Die die = {.addr = address, .cu = f->unit->tree.cu};

	return add_string(f, kct_die_name(&die), ret_string);
}

static int add_file(struct finish *f, uint32_t file, uint16_t *ret_file)
{
	uint64_t *known;
	int is_new;

	*ret_file = KCT_NO_FILE;
	if (!f->unit->lines || file == KCT_NO_INDEX)
		return 0;
	is_new = kct_map_put(&f->file_ids, file, &known);
	if (is_new < 0)
		return is_new;
	if (is_new > 0) {
		uint32_t string;

		*known = KCT_NO_FILE;
		if (f->n_files >= KCT_NO_FILE)
			return 0;
		if (kct_array_reserve(&f->files, &f->max_files, f->n_files + 1) < 0 ||
		    add_string(f, kct_lines_file(f->dwarf, f->unit->lines, file), &string) < 0)
			return KCT_ERR_NO_MEMORY;
		if (string == 0)
			return 0;
		*known = f->n_files;
		f->files[f->n_files++] = string;
	}
	*ret_file = (uint16_t)*known;
	return 0;
}

static uint16_t small(uint32_t value)
{
	return value <= UINT16_MAX ? (uint16_t)value : 0;
}

static int add_functions(struct finish *f)
{
	for (size_t i = 0; i < f->unit->n_functions; i++) {
		struct kct_unit_function function = {.entry = f->unit->functions[i].entry};

		if (add_name(f, f->unit->functions[i].die, &function.name) < 0 ||
		    kct_array_reserve(&f->functions, &f->max_functions, f->n_functions + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		f->functions[f->n_functions++] = function;
	}
	for (size_t i = 0; i < f->unit->n_inlines; i++) {
		const struct kct_inline *from = &f->unit->inlines[i];
		struct kct_unit_inline to = {.parent = from->parent,
					     .call_line = from->call_line,
					     .call_column = small(from->call_column),
					     .depth = (uint16_t)from->depth};

		if (add_name(f, from->die, &to.name) < 0 ||
		    add_file(f, from->call_file, &to.call_file) < 0 ||
		    kct_array_reserve(&f->inlines, &f->max_inlines, f->n_inlines + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		f->inlines[f->n_inlines++] = to;
	}
	return 0;
}

/* Inlined calls of a range. */
static int add_spans(struct finish *f, const struct kct_span *range, uint32_t *ret_first,
		     uint32_t *ret_n)
{
	const struct kct_function *function = &f->unit->functions[range->id];
	const struct kct_span *spans = f->unit->inline_spans.at + function->first_span;

	*ret_first = (uint32_t)f->n_spans;
	for (size_t i = 0; i < function->n_spans; i++) {
		uint64_t start = kct_max_u64(spans[i].start, range->start);
		uint64_t end = kct_min_u64(spans[i].end, range->end);

		if (start >= end)
			continue;
		if (kct_array_reserve(&f->spans, &f->max_spans, f->n_spans + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		f->spans[f->n_spans++] =
			(struct kct_unit_span){(uint32_t)(start - range->start),
					       (uint32_t)(end - range->start), spans[i].id};
	}
	*ret_n = (uint32_t)(f->n_spans - *ret_first);
	return 0;
}

static int add_parts(struct finish *f)
{
	const struct kct_spans *flat = &f->unit->part_spans;

	for (size_t i = 0; i < flat->n; i++) {
		const struct kct_span *range = &f->unit->parts.at[flat->at[i].id];
		struct kct_unit_part part = {
			.start = flat->at[i].start,
			.range_start = range->start,
			.bytes = (uint32_t)(flat->at[i].end - flat->at[i].start),
			.range_bytes = (uint32_t)(range->end - range->start),
			.function = range->id,
		};

		if (range->end - range->start > UINT32_MAX) {
			kct_dwarf_complain(f->dwarf, "a function is longer than 4 GiB");
			continue;
		}
		if (add_spans(f, range, &part.first_span, &part.n_spans) < 0 ||
		    kct_array_reserve(&f->parts, &f->max_parts, f->n_parts + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		f->parts[f->n_parts++] = part;
	}
	return 0;
}

static int add_lines(struct finish *f)
{
	const struct kct_lines *lines = f->unit->lines;

	for (size_t i = 0; lines && i < lines->n_rows; i++) {
		struct kct_unit_row row = {.offset = lines->rows[i].offset,
					   .line = lines->rows[i].line,
					   .column = small(lines->rows[i].column)};

		if (add_file(f, lines->rows[i].file, &row.file) < 0 ||
		    kct_array_reserve(&f->rows, &f->max_rows, f->n_rows + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		f->rows[f->n_rows++] = row;
	}
	for (size_t i = 0; lines && i < lines->spans.n; i++) {
		const struct kct_span *span = &lines->spans.at[i];
		const struct kct_sequence *from = &lines->sequences[span->id];

		if (kct_array_reserve(&f->sequences, &f->max_sequences, f->n_sequences + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		f->sequences[f->n_sequences++] = (struct kct_unit_sequence){
			.start = span->start,
			.bytes = (uint32_t)(span->end - span->start),
			.skip = (uint32_t)(span->start - from->start),
			.first_row = (uint32_t)from->first,
			.n_rows = (uint32_t)from->n,
		};
	}
	return 0;
}

static int add_all(struct finish *f)
{
	if (kct_array_reserve(&f->text, &f->max_text, 1) < 0)
		return KCT_ERR_NO_MEMORY;
	f->text[f->n_text++] = '\0';
	if (add_string(f, f->unit->comp_dir, &f->comp_dir) < 0 || add_functions(f) < 0 ||
	    add_parts(f) < 0 || add_lines(f) < 0)
		return KCT_ERR_NO_MEMORY;
	return 0;
}

/* Move an array into the block. */
#define PLACE(field)                                                \
	do {                                                        \
		size_t bytes_ = f->n_##field * sizeof(*f->field);   \
		if (bytes_ > 0)                                     \
			memcpy(at, f->field, bytes_);               \
		f->unit->tables.field = (void *)at;                 \
		f->unit->tables.n_##field = (uint32_t)f->n_##field; \
		at += bytes_;                                       \
	} while (0)

/* One block, the wider structs first, so that all are aligned. */
static int keep(struct finish *f)
{
	size_t bytes = f->n_parts * sizeof(*f->parts) + f->n_functions * sizeof(*f->functions) +
		       f->n_sequences * sizeof(*f->sequences) + f->n_spans * sizeof(*f->spans) +
		       f->n_inlines * sizeof(*f->inlines) + f->n_rows * sizeof(*f->rows) +
		       f->n_files * sizeof(*f->files) + f->n_text;
	char *at = malloc(bytes);

	if (!at)
		return KCT_ERR_NO_MEMORY;
	f->unit->block = at;
	PLACE(parts);
	PLACE(functions);
	PLACE(sequences);
	PLACE(spans);
	PLACE(inlines);
	PLACE(rows);
	PLACE(files);
	PLACE(text);
	f->unit->tables.comp_dir = f->comp_dir;
	return 0;
}

int kct_unit_finish(struct kct_dwarf *tables, struct kct_dwarf_unit *unit)
{
	struct finish f = {.dwarf = tables, .unit = unit};
	int result = add_all(&f);

	if (result == 0)
		result = keep(&f);
	free(f.parts);
	free(f.functions);
	free(f.spans);
	free(f.inlines);
	free(f.sequences);
	free(f.rows);
	free(f.files);
	free(f.text);
	kct_map_clear(&f.names);
	kct_map_clear(&f.file_ids);
	return result;
}
