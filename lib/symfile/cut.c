/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "symfile/cut.h"

/* Of tables that a file made up, every part may name all spans and every sequence all rows: this often
 * each is looked at. */
#define LOOKS 64

/* The unit that grows, in the order of its block. */
struct cut {
	const struct kct_unit *from;
	const struct kct_kept *kept;
	struct kct_unit_part *parts;
	size_t n_parts, max_parts;
	struct kct_unit_function *functions;
	size_t n_functions, max_functions;
	struct kct_unit_sequence *sequences;
	size_t n_sequences, max_sequences;
	struct kct_unit_span *spans;
	size_t n_spans, max_spans;
	struct kct_unit_inline *inlines;
	size_t n_inlines, max_inlines;
	struct kct_unit_row *rows;
	size_t n_rows, max_rows;
	uint32_t *files;
	size_t n_files, max_files;
	char *text;
	size_t n_text, max_text;
	uint32_t comp_dir;
	/* Number there -> number here. */
	struct kct_map function_of, inline_of, file_of, string_of;
	uint64_t looks; /* at spans and rows that are still allowed */
};

/* Make room for one more element of an array. */
#define GROW(c, field) kct_array_reserve(&(c)->field, &(c)->max_##field, (c)->n_##field + 1)

static bool touches(const struct cut *c, uint64_t start, uint64_t end)
{
	return kct_extent_touches(c->kept->extents, c->kept->n, start, end);
}

static int add_string(struct cut *c, uint32_t string, uint32_t *ret_string)
{
	const char *text = kct_unit_string(c->from, string);
	size_t bytes = text ? strlen(text) + 1 : 0;
	uint64_t *known;
	int is_new;

	*ret_string = 0;
	if (!text)
		return 0;
	is_new = kct_map_put(&c->string_of, string, &known);
	if (is_new < 0)
		return is_new;
	if (is_new > 0) {
		if (kct_array_reserve(&c->text, &c->max_text, c->n_text + bytes) < 0)
			return KCT_ERR_NO_MEMORY;
		memcpy(c->text + c->n_text, text, bytes);
		*known = c->n_text;
		c->n_text += bytes;
		if (c->n_text > UINT32_MAX)
			return KCT_ERR_LIMIT;
	}
	*ret_string = (uint32_t)*known;
	return 0;
}

static int add_file(struct cut *c, uint16_t file, uint16_t *ret_file)
{
	uint64_t *known;
	int is_new;

	*ret_file = KCT_NO_FILE;
	if (file >= c->from->n_files)
		return 0;
	is_new = kct_map_put(&c->file_of, file, &known);
	if (is_new < 0)
		return is_new;
	if (is_new > 0) {
		*known = c->n_files;
		if (GROW(c, files) < 0 ||
		    add_string(c, c->from->files[file], &c->files[c->n_files]) < 0)
			return KCT_ERR_NO_MEMORY;
		c->n_files++;
	}
	*ret_file = (uint16_t)*known;
	return 0;
}

static int add_function(struct cut *c, uint32_t function, uint32_t *ret_function)
{
	struct kct_unit_function copy = c->from->functions[function];
	uint64_t *known;
	int is_new = kct_map_put(&c->function_of, function, &known);

	if (is_new < 0)
		return is_new;
	if (is_new > 0) {
		*known = c->n_functions;
		if (GROW(c, functions) < 0 || add_string(c, copy.name, &copy.name) < 0)
			return KCT_ERR_NO_MEMORY;
		c->functions[c->n_functions++] = copy;
	}
	*ret_function = (uint32_t)*known;
	return 0;
}

/** Add one inlined call whose parent is there. */
static int add_one_inline(struct cut *c, uint32_t number)
{
	struct kct_unit_inline copy = c->from->inlines[number];
	const uint64_t *parent = kct_map_find(&c->inline_of, copy.parent);
	uint64_t *known;

	copy.parent = parent ? (uint32_t)*parent : KCT_NO_INLINE;
	if (GROW(c, inlines) < 0 || add_string(c, copy.name, &copy.name) < 0 ||
	    add_file(c, copy.call_file, &copy.call_file) < 0 ||
	    kct_map_put(&c->inline_of, number, &known) < 0)
		return KCT_ERR_NO_MEMORY;
	*known = c->n_inlines;
	c->inlines[c->n_inlines++] = copy;
	return 0;
}

/** Add an inlined call and those around it, which have lower numbers, here as there. */
static int add_inline(struct cut *c, uint32_t number, uint32_t *ret_number)
{
	uint32_t chain[KCT_MAX_INLINE_DEPTH];
	size_t n = 0;

	for (uint32_t at = number; n < ARRAY_SIZE(chain) && !kct_map_find(&c->inline_of, at);) {
		uint32_t parent = c->from->inlines[at].parent;

		chain[n++] = at;
		if (parent >= at)
			break;
		at = parent;
	}
	while (n > 0) {
		int result = add_one_inline(c, chain[--n]);

		if (result < 0)
			return result;
	}
	*ret_number = (uint32_t)*kct_map_find(&c->inline_of, number);
	return 0;
}

/** Add the spans of a part's range that touch what is kept. */
static int add_spans(struct cut *c, struct kct_unit_part *part)
{
	const struct kct_unit *from = c->from;
	size_t first = c->n_spans;
	uint32_t begin = part->first_span, n = part->n_spans;

	part->first_span = (uint32_t)first;
	part->n_spans = 0;
	if (begin > from->n_spans || n > from->n_spans - begin)
		return 0;
	if (n > c->looks)
		return KCT_ERR_LIMIT;
	c->looks -= n;
	for (uint32_t i = begin; i < begin + n; i++) {
		struct kct_unit_span copy = from->spans[i];
		int result;

		if (copy.inlined >= from->n_inlines ||
		    !touches(c, part->range_start + copy.start, part->range_start + copy.end))
			continue;
		result = add_inline(c, copy.inlined, &copy.inlined);
		if (result >= 0)
			result = GROW(c, spans);
		if (result < 0)
			return result;
		c->spans[c->n_spans++] = copy;
	}
	part->n_spans = (uint32_t)(c->n_spans - first);
	return 0;
}

static int add_parts(struct cut *c)
{
	for (uint32_t i = 0; i < c->from->n_parts; i++) {
		struct kct_unit_part copy = c->from->parts[i];
		int result;

		if (copy.function >= c->from->n_functions ||
		    !touches(c, copy.start, copy.start + copy.bytes))
			continue;
		result = add_function(c, copy.function, &copy.function);
		if (result >= 0)
			result = add_spans(c, &copy);
		if (result >= 0)
			result = GROW(c, parts);
		if (result < 0)
			return result;
		c->parts[c->n_parts++] = copy;
	}
	return 0;
}

/** The rows that hold for a piece of a sequence, from `start` to before `end`. */
static int add_piece(struct cut *c, const struct kct_unit_sequence *sequence, uint64_t start,
		     uint64_t end)
{
	const struct kct_unit_row *rows = c->from->rows + sequence->first_row;
	uint64_t skip = start - sequence->start + sequence->skip;
	uint32_t low = 0, high = sequence->n_rows;
	size_t first = c->n_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (rows[middle].offset <= skip)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = low > 0 ? low - 1 : 0;
	     i < sequence->n_rows && rows[i].offset < skip + (end - start); i++) {
		struct kct_unit_row copy = rows[i];

		if (c->looks-- == 0)
			return KCT_ERR_LIMIT;
		if (add_file(c, copy.file, &copy.file) < 0 || GROW(c, rows) < 0)
			return KCT_ERR_NO_MEMORY;
		c->rows[c->n_rows++] = copy;
	}
	if (c->n_rows == first)
		return 0;
	if (skip > UINT32_MAX)
		return KCT_ERR_LIMIT;
	if (GROW(c, sequences) < 0)
		return KCT_ERR_NO_MEMORY;
	c->sequences[c->n_sequences++] = (struct kct_unit_sequence){
		.start = start,
		.bytes = (uint32_t)(end - start),
		.skip = (uint32_t)skip,
		.first_row = (uint32_t)first,
		.n_rows = (uint32_t)(c->n_rows - first),
	};
	return 0;
}

static int add_lines(struct cut *c)
{
	const struct kct_unit *from = c->from;

	for (uint32_t i = 0; i < from->n_sequences; i++) {
		const struct kct_unit_sequence *sequence = &from->sequences[i];
		uint64_t last = sequence->start + sequence->bytes;
		const struct kct_extent *extents = c->kept->extents;

		if (sequence->first_row > from->n_rows ||
		    sequence->n_rows > from->n_rows - sequence->first_row)
			continue;
		for (size_t k = kct_extent_find(extents, c->kept->n, sequence->start);
		     k < c->kept->n && extents[k].start < last; k++) {
			int result = add_piece(c, sequence,
					       kct_max_u64(extents[k].start, sequence->start),
					       kct_min_u64(extents[k].end, last));

			if (result < 0)
				return result;
		}
	}
	return 0;
}

static int add_all(struct cut *c)
{
	int result = kct_array_reserve(&c->text, &c->max_text, 1);

	if (result < 0)
		return result;
	c->text[c->n_text++] = '\0';
	c->looks = LOOKS * ((uint64_t)c->from->n_spans + c->from->n_parts + c->from->n_rows +
			    c->kept->n + 1);
	result = add_string(c, c->from->comp_dir, &c->comp_dir);
	if (result >= 0)
		result = add_parts(c);
	if (result >= 0)
		result = add_lines(c);
	if (result >= 0 && (c->n_rows > UINT32_MAX || c->n_spans > UINT32_MAX))
		result = KCT_ERR_LIMIT;
	return result;
}

/* Move an array into the block. */
#define PLACE(field)                                              \
	do {                                                      \
		size_t bytes_ = c->n_##field * sizeof(*c->field); \
		if (bytes_ > 0)                                   \
			memcpy(at, c->field, bytes_);             \
		unit->field = (void *)at;                         \
		unit->n_##field = (uint32_t)c->n_##field;         \
		at += bytes_;                                     \
	} while (0)

static int place_all(const struct cut *c, struct kct_unit *unit, void **ret_block)
{
	size_t bytes = c->n_parts * sizeof(*c->parts) + c->n_functions * sizeof(*c->functions) +
		       c->n_sequences * sizeof(*c->sequences) + c->n_spans * sizeof(*c->spans) +
		       c->n_inlines * sizeof(*c->inlines) + c->n_rows * sizeof(*c->rows) +
		       c->n_files * sizeof(*c->files) + c->n_text;
	char *at = malloc(bytes);

	if (!at)
		return KCT_ERR_NO_MEMORY;
	*ret_block = at;
	PLACE(parts);
	PLACE(functions);
	PLACE(sequences);
	PLACE(spans);
	PLACE(inlines);
	PLACE(rows);
	PLACE(files);
	PLACE(text);
	unit->comp_dir = c->comp_dir;
	return 0;
}

int kct_unit_cut(const struct kct_unit *unit, const struct kct_kept *kept,
		 struct kct_unit *ret_unit, void **ret_block)
{
	struct cut c = {.from = unit, .kept = kept};
	int result = add_all(&c);

	if (result >= 0)
		result = place_all(&c, ret_unit, ret_block);
	free(c.parts);
	free(c.functions);
	free(c.sequences);
	free(c.spans);
	free(c.inlines);
	free(c.rows);
	free(c.files);
	free(c.text);
	kct_map_clear(&c.function_of);
	kct_map_clear(&c.inline_of);
	kct_map_clear(&c.file_of);
	kct_map_clear(&c.string_of);
	return result;
}
