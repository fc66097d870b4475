/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of an image cut down to some addresses. */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "image/blocks.h"
#include "image/portable.h"
#include "symfile/pack.h"
#include "symfile/tables.h"

struct cut {
	struct kct_image *image;
	struct kct_symfile_writer *writer;
	struct kct_kept kept;
	struct kct_map functions; /* unit and function: wanted whole */
	struct kct_map units;	  /* number in the image -> number in the file */
	struct kct_index_range *ranges;
	size_t n_ranges, max_ranges;
};

static uint64_t function_key(uint32_t unit, size_t function)
{
	return (uint64_t)unit << 32 | (uint32_t)function;
}

/** Note the function of an address, or keep the symbol there. */
static int want_whole(struct cut *cut, uint64_t address)
{
	struct kct_tables *tables = kct_image_debug(cut->image)->tables;
	const struct kct_symtab_entry *symbol;
	const struct kct_stored_unit *unit;
	struct kct_unit_place place;
	struct kct_hit hit = {0};
	uint64_t *value, end;
	int result = 0;

	if (tables)
		result = kct_tables_lookup(tables, address, &hit);
	if (result < 0)
		return result;
	if (hit.has_function) {
		result = kct_stored_unit(cut->image, hit.unit, &unit);
		if (result < 0)
			return result;
		kct_unit_find(&unit->unit, address, &place);
		if (!place.function)
			return 0;
		result = kct_map_put(
			&cut->functions,
			function_key(hit.unit, (size_t)(place.function - unit->unit.functions)),
			&value);
		return result < 0 ? result : 0;
	}
	symbol = kct_symtab_find(&cut->image->symtab, address);
	if (!symbol)
		return 0;
	if (__builtin_add_overflow(symbol->address, symbol->size, &end) || end > symbol->limit)
		end = symbol->limit;
	return kct_kept_add(&cut->kept, symbol->address, end);
}

/** Keep all parts of the functions that are wanted whole. */
static int keep_functions(struct cut *cut)
{
	const struct kct_tables *tables = kct_image_debug(cut->image)->tables;
	uint32_t n_units = tables ? tables->index.n_units : 0;
	const struct kct_stored_unit *unit;
	int result = 0;

	for (uint32_t number = 0; number < n_units && result >= 0; number++) {
		/* A unit with a wanted function was looked at. */
		if (!kct_map_find(&cut->image->stored.units, number))
			continue;
		result = kct_stored_unit(cut->image, number, &unit);
		for (uint32_t i = 0; result >= 0 && i < unit->unit.n_parts; i++) {
			const struct kct_unit_part *part = &unit->unit.parts[i];

			if (kct_map_find(&cut->functions, function_key(number, part->function)))
				result = kct_kept_add(&cut->kept, part->range_start,
						      part->range_start + part->range_bytes);
		}
	}
	return result;
}

static int keep(struct cut *cut, const uint64_t *addresses, size_t n, bool whole)
{
	int result = 0;

	for (size_t i = 0; i < n && result >= 0; i++) {
		/* The byte of the call, and the one behind it, for who looks up the PC itself. */
		for (uint64_t at = addresses[i]; at - addresses[i] < 2 && result >= 0; at++) {
			if (kct_image_keeps(cut->image, at))
				result = kct_kept_add(&cut->kept, at, at + 1);
		}
		if (result >= 0 && whole && kct_image_keeps(cut->image, addresses[i]))
			result = want_whole(cut, addresses[i]);
	}
	if (result >= 0)
		result = keep_functions(cut);
	kct_kept_finish(&cut->kept);
	return result;
}

static bool touches(const struct cut *cut, uint64_t start, uint64_t end)
{
	return kct_extent_touches(cut->kept.extents, cut->kept.n, start, end);
}

/** Add a range to the index of the file, and its unit the first time. */
static int add_range(struct cut *cut, const struct kct_index_range *range, struct kct_error *error)
{
	struct kct_index_range copy = *range;
	const struct kct_stored_unit *unit;
	void *block KCT_AUTO_FREE = NULL;
	struct kct_unit small;
	uint64_t *number;
	int result = kct_map_put(&cut->units, range->unit, &number);

	if (result > 0) {
		*number = cut->units.used - 1;
		result = kct_stored_unit(cut->image, range->unit, &unit);
		if (result >= 0)
			result = kct_unit_cut(&unit->unit, &cut->kept, &small, &block);
		if (result < 0)
			return kct_fail_code(error, result);
		result = kct_symfile_add_unit(cut->writer, (uint32_t)*number, &small, error);
	}
	if (result < 0)
		return result;
	copy.unit = (uint32_t)*number;
	if (kct_array_reserve(&cut->ranges, &cut->max_ranges, cut->n_ranges + 1) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	cut->ranges[cut->n_ranges++] = copy;
	return 0;
}

/** Add the ranges of the index that touch what is kept, layer by layer, and their units. */
static int add_units(struct cut *cut, struct kct_error *error)
{
	static const struct kct_index nothing;
	const struct kct_tables *tables = kct_image_debug(cut->image)->tables;
	const struct kct_index *from = tables ? &tables->index : &nothing;
	struct kct_index index = {.n_layers = from->n_layers};
	int result;

	for (uint32_t layer = 0; layer < from->n_layers; layer++) {
		for (uint32_t i = from->first[layer]; i < from->first[layer + 1]; i++) {
			const struct kct_index_range *range = &from->ranges[i];

			if (range->unit >= from->n_units || !touches(cut, range->start, range->end))
				continue;
			result = add_range(cut, range, error);
			if (result < 0)
				return result;
		}
		index.first[layer + 1] = (uint32_t)cut->n_ranges;
	}
	index.ranges = cut->ranges;
	index.n_units = (uint32_t)cut->units.used;
	return kct_symfile_add_index(cut->writer, &index, error);
}

/** Mark the entries that answer for what is kept, and those whose names decide about them. */
static int mark_symbols(const struct cut *cut, uint8_t *marks)
{
	struct kct_symtab *table = &cut->image->symtab;

	for (size_t i = 0; i < table->ranges.n; i++) {
		const struct kct_range *range = &table->ranges.items[i];
		uint32_t bases[2];
		int n;

		if (range->value >= table->n || !(touches(cut, range->first, range->last) ||
						  touches(cut, range->last, range->last + 1)))
			continue;
		marks[range->value] = 1;
		n = kct_symtab_cold_bases(table, &table->entries[range->value], bases);
		if (n < 0)
			return n;
		while (n > 0)
			marks[bases[--n]] = 1;
	}
	/* An image with symbols is not the same as one without. */
	if (table->n > 0)
		marks[0] = 1;
	return 0;
}

/** Add the symbols that are marked, with their ranges. */
static int add_marked(const struct cut *cut, enum kct_symbol_kind kind,
		      const struct kct_symtab *from, const uint8_t *marks, struct kct_error *error)
{
	struct kct_symtab table = {.text = from->text, .n_text = from->n_text};
	uint32_t *numbers KCT_AUTO_FREE = calloc(from->n + 1, sizeof(*numbers));
	int result = 0;

	table.entries = calloc(from->n + 1, sizeof(*table.entries));
	if (!table.entries || !numbers)
		result = KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < from->n && result >= 0; i++) {
		if (!marks[i])
			continue;
		numbers[i] = (uint32_t)table.n;
		table.entries[table.n++] = from->entries[i];
	}
	for (size_t i = 0; i < from->ranges.n && result >= 0; i++) {
		const struct kct_range *range = &from->ranges.items[i];

		if (range->value < from->n && marks[range->value])
			result = kct_ranges_add(&table.ranges, range->first, range->last,
						range->rank, numbers[range->value]);
	}
	result = result < 0 ? kct_fail_code(error, result)
			    : kct_blocks_add_symbols(cut->writer, kind, &table, error);
	kct_symtab_clear(&table);
	return result;
}

static int add_symbols(const struct cut *cut, struct kct_error *error)
{
	uint8_t *marks KCT_AUTO_FREE = calloc(cut->image->symtab.n + 1, 1);

	if (!marks || mark_symbols(cut, marks) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	return add_marked(cut, KCT_SYMBOLS_CODE, &cut->image->symtab, marks, error);
}

static int add_variables(const struct cut *cut, const struct kct_addresses *addresses,
			 struct kct_error *error)
{
	struct kct_symtab *table = &cut->image->data_symtab;
	uint8_t *marks KCT_AUTO_FREE = NULL;

	/* Without an address none is needed, and to read them takes time. */
	if (addresses->n > 0 && kct_image_load_data(cut->image) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	marks = calloc(table->n + 1, 1);
	if (!marks)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	for (size_t i = 0; i < addresses->n; i++) {
		const struct kct_symtab_entry *entry = kct_symtab_find(table, addresses->at[i]);

		if (entry)
			marks[entry - table->entries] = 1;
	}
	return add_marked(cut, KCT_SYMBOLS_DATA, table, marks, error);
}

static int write_file(struct cut *cut, const struct kct_wanted *wanted, struct kct_error *error)
{
	struct kct_symfile_writer *writer = cut->writer;
	int result = kct_blocks_add_facts(writer, cut->image, KCT_FACTS_CUT, error);

	if (result >= 0)
		result = kct_portable_add_sections(writer, cut->image, error);
	if (result >= 0)
		result = kct_blocks_add_named(writer, cut->image, error);
	if (result >= 0)
		result = kct_symfile_add(writer, KCT_SYMFILE_KEPT, 0, cut->kept.extents,
					 cut->kept.n * sizeof(*cut->kept.extents), error);
	if (result >= 0)
		result = add_symbols(cut, error);
	if (result >= 0)
		result = add_variables(cut, &wanted->data, error);
	if (result >= 0)
		result = add_units(cut, error);
	return result < 0 ? result : kct_symfile_finish(writer, error);
}

/** Let all units that are looked at be found again. */
static void begin_units(struct kct_image *image)
{
	const struct kct_tables *tables = kct_image_debug(image)->tables;

	if (tables && tables != &image->stored.tables)
		kct_stored_begin(image, &tables->index);
}

int kct_portable_cut(struct kct_image *image, const struct kct_wanted *wanted, bool whole,
		     void **ret_data, size_t *ret_bytes, struct kct_error *error)
{
	struct cut cut = {.image = image};
	void *data = NULL;
	size_t bytes = 0;
	int result = kct_image_load_symbols(image, error);

	if (result >= 0)
		result = kct_image_load_debug(image, error);
	if (result < 0)
		return result;
	begin_units(image);
	result = keep(&cut, wanted->code.at, wanted->code.n, whole);
	if (result >= 0)
		result = kct_symfile_writer_new(-1, &cut.writer);
	result = result < 0 ? kct_fail_code(error, result) : write_file(&cut, wanted, error);
	if (result >= 0) {
		data = kct_symfile_take(cut.writer, &bytes);
		result = kct_pack(&data, &bytes);
		if (result < 0)
			kct_fail_code(error, result);
	}
	if (result >= 0) {
		*ret_data = TAKE_PTR(data);
		*ret_bytes = bytes;
	}
	free(data);
	kct_symfile_writer_free(cut.writer);
	kct_kept_clear(&cut.kept);
	kct_map_clear(&cut.functions);
	kct_map_clear(&cut.units);
	free(cut.ranges);
	return result < 0 ? result : 0;
}
