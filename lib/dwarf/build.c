/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "dwarf/build.h"

int kct_build_reset(struct kct_build *build)
{
	build->n_ranges = build->n_functions = build->n_spans = build->n_inlines = 0;
	build->n_lines = build->n_rows = build->n_files = build->n_parts = 0;
	build->n_sequences = 0;
	build->comp_dir = 0;
	if (kct_array_reserve(&build->text, &build->max_text, 1) < 0)
		return KCT_ERR_NO_MEMORY;
	build->text[0] = '\0';
	build->n_text = 1;
	return 0;
}

void kct_build_clear(struct kct_build *build)
{
	free(build->ranges);
	free(build->functions);
	free(build->spans);
	free(build->inlines);
	free(build->lines);
	free(build->rows);
	free(build->files);
	free(build->text);
	free(build->parts);
	free(build->sequences);
	kct_spans_clear(&build->items);
	kct_spans_clear(&build->flat);
	*build = (struct kct_build){0};
}

/* Room for `bytes` of text. 1: there is, 0: the text is full, KCT_ERR_NO_MEMORY. */
static int reserve_text(struct kct_build *build, size_t bytes)
{
	if (build->n_text + bytes > UINT32_MAX)
		return 0;
	return kct_array_reserve(&build->text, &build->max_text, build->n_text + bytes) < 0
		       ? KCT_ERR_NO_MEMORY
		       : 1;
}

int kct_build_string(struct kct_build *build, const char *text, size_t length, uint32_t *ret_string)
{
	int result = length > 0 ? reserve_text(build, length + 1) : 0;

	*ret_string = 0;
	if (result <= 0)
		return result;
	*ret_string = (uint32_t)build->n_text;
	memcpy(build->text + build->n_text, text, length);
	build->text[build->n_text + length] = '\0';
	build->n_text += length + 1;
	return 0;
}

int kct_build_path(struct kct_build *build, const char *directory, const char *name,
		   uint32_t *ret_string)
{
	size_t length = strlen(name), before;
	int result;

	if (!directory || !*directory || *name == '/' || length == 0)
		return kct_build_string(build, name, length, ret_string);
	before = strlen(directory);
	if (directory[before - 1] == '/')
		before--;
	*ret_string = 0;
	result = reserve_text(build, before + length + 2);
	if (result <= 0)
		return result;
	*ret_string = (uint32_t)build->n_text;
	memcpy(build->text + build->n_text, directory, before);
	build->text[build->n_text + before] = '/';
	memcpy(build->text + build->n_text + before + 1, name, length + 1);
	build->n_text += before + length + 2;
	return 0;
}

/* Numbers of an array as what wins where. Sorting must leave the array as it is. */
static int make_parts(struct kct_build *build)
{
	struct kct_spans *items = &build->items, *flat = &build->flat;

	items->n = flat->n = 0;
	for (size_t i = 0; i < build->n_ranges; i++)
		if (kct_spans_add(items, build->ranges[i].start, build->ranges[i].end, (uint32_t)i,
				  0) < 0)
			return KCT_ERR_NO_MEMORY;
	if (kct_spans_flatten(items->at, items->n, flat) < 0 ||
	    kct_array_reserve(&build->parts, &build->max_parts, flat->n) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < flat->n; i++) {
		const struct kct_build_range *range = &build->ranges[flat->at[i].id];

		build->parts[i] = (struct kct_unit_part){
			.start = flat->at[i].start,
			.bytes = (uint32_t)(flat->at[i].end - flat->at[i].start),
			.range_start = range->start,
			.range_bytes = (uint32_t)(range->end - range->start),
			.function = range->function,
			.first_span = range->first_span,
			.n_spans = range->n_spans,
		};
	}
	build->n_parts = flat->n;
	return 0;
}

static int make_sequences(struct kct_build *build)
{
	struct kct_spans *items = &build->items, *flat = &build->flat;

	items->n = flat->n = 0;
	for (size_t i = 0; i < build->n_lines; i++)
		if (kct_spans_add(items, build->lines[i].start, build->lines[i].end, (uint32_t)i,
				  0) < 0)
			return KCT_ERR_NO_MEMORY;
	if (kct_spans_flatten(items->at, items->n, flat) < 0 ||
	    kct_array_reserve(&build->sequences, &build->max_sequences, flat->n) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < flat->n; i++) {
		const struct kct_build_sequence *lines = &build->lines[flat->at[i].id];

		build->sequences[i] = (struct kct_unit_sequence){
			.start = flat->at[i].start,
			.bytes = (uint32_t)(flat->at[i].end - flat->at[i].start),
			.skip = (uint32_t)(flat->at[i].start - lines->start),
			.first_row = lines->first_row,
			.n_rows = lines->n_rows,
		};
	}
	build->n_sequences = flat->n;
	return 0;
}

/* Copy an array into the block. */
#define PLACE(field)                                                      \
	do {                                                              \
		size_t bytes_ = build->n_##field * sizeof(*build->field); \
		if (bytes_ > 0)                                           \
			memcpy(at, build->field, bytes_);                 \
		built->unit.field = (void *)at;                           \
		built->unit.n_##field = (uint32_t)build->n_##field;       \
		at += bytes_;                                             \
	} while (0)

int kct_build_finish(struct kct_build *build, struct kct_built **ret_built)
{
	struct kct_built *built;
	size_t bytes;
	char *at;

	if (make_parts(build) < 0 || make_sequences(build) < 0)
		return KCT_ERR_NO_MEMORY;
	bytes = build->n_parts * sizeof(*build->parts) +
		build->n_functions * sizeof(*build->functions) +
		build->n_sequences * sizeof(*build->sequences) +
		build->n_spans * sizeof(*build->spans) +
		build->n_inlines * sizeof(*build->inlines) + build->n_rows * sizeof(*build->rows) +
		build->n_files * sizeof(*build->files) + build->n_text;
	built = malloc(sizeof(*built) + bytes);
	if (!built)
		return KCT_ERR_NO_MEMORY;
	*built = (struct kct_built){.bytes = sizeof(*built) + bytes};
	built->unit.comp_dir = build->comp_dir;
	at = (char *)built->memory;
	/* Wide numbers first, so that all are aligned. */
	PLACE(parts);
	PLACE(functions);
	PLACE(sequences);
	PLACE(spans);
	PLACE(inlines);
	PLACE(rows);
	PLACE(files);
	PLACE(text);
	*ret_built = built;
	return 0;
}
