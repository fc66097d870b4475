/* SPDX-License-Identifier: BSD-2-Clause */
/* The units of an image that can have code, and their ranges. */
#include <dwarf.h>

#include "dwarf/reader.h"

/* Ranges of a unit that does not tell them: what its functions and lines cover. */
static int derive_ranges(struct kct_reader *reader, uint32_t id, const struct kct_scope *scope)
{
	struct kct_spans *ranges = &reader->dwarf->unit_ranges;
	struct kct_built *built KCT_AUTO_FREE = NULL;
	bool with_lines = scope->has_lines;
	const struct kct_unit *unit;
	uint64_t *claimed;

	/* Many units may name one line table: only the first gets its addresses from it. */
	if (with_lines) {
		int is_new = kct_map_put(&reader->dwarf->lines_claimed, scope->lines, &claimed);

		if (is_new < 0)
			return is_new;
		with_lines = is_new;
	}
	if (kct_unit_read(reader, id, with_lines, &built) < 0)
		return KCT_ERR_NO_MEMORY;
	unit = &built->unit;
	for (uint32_t i = 0; i < unit->n_parts; i++)
		if (kct_spans_add(ranges, unit->parts[i].start,
				  unit->parts[i].start + unit->parts[i].bytes, id, 0) < 0)
			return KCT_ERR_NO_MEMORY;
	for (uint32_t i = 0; i < unit->n_sequences; i++)
		if (kct_spans_add(ranges, unit->sequences[i].start,
				  unit->sequences[i].start + unit->sequences[i].bytes, id, 0) < 0)
			return KCT_ERR_NO_MEMORY;
	return 0;
}

static int add_unit(struct kct_reader *reader, uint32_t cu, const struct kct_scope *scope,
		    const struct kct_entry *root)
{
	struct kct_dwarf *d = reader->dwarf;
	uint32_t id = (uint32_t)d->n_units;
	size_t before = d->unit_ranges.n;
	struct kct_dwarf_unit unit = {.cu = cu,
				      .lines = scope->has_lines ? scope->lines : UINT64_MAX};
	int tag = root->abbrev->tag;

	if (kct_entry_has(root, KCT_SLOT_DWO_NAME) &&
	    kct_split_find(reader, scope, root, &unit) < 0)
		return KCT_ERR_NO_MEMORY;
	if (kct_array_reserve(&d->units, &d->max_units, d->n_units + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	d->units[d->n_units++] = unit;
	if (kct_entry_ranges(reader, scope, root, id, 0, &d->unit_ranges) < 0)
		return KCT_ERR_NO_MEMORY;
	if (d->unit_ranges.n > before || tag != DW_TAG_compile_unit)
		return 0;
	return derive_ranges(reader, id, scope);
}

int kct_dwarf_find_units(struct kct_dwarf *dwarf)
{
	const struct kct_debug_file *image = &dwarf->image;
	struct kct_reader *reader = dwarf->reader;
	struct kct_scope scope;
	struct kct_entry root;

	for (uint32_t i = 0; i < image->n_cus; i++) {
		const struct kct_cu *cu = &image->cus[i];
		int result;

		if (cu->type == DW_UT_type || cu->type == DW_UT_split_type)
			continue;
		kct_reader_begin(reader, i, cu->end - cu->start);
		result = kct_scope_open(reader, image, cu, NULL, &scope, &root);
		if (result < 0)
			return result;
		if (result == 0) {
			kct_reader_complain(reader, "unit %u cannot be read: its entry at %#llx", i,
					    (unsigned long long)cu->root);
			continue;
		}
		if (root.abbrev->tag != DW_TAG_compile_unit &&
		    root.abbrev->tag != DW_TAG_partial_unit &&
		    root.abbrev->tag != DW_TAG_skeleton_unit)
			continue;
		if (add_unit(reader, i, &scope, &root) < 0)
			return KCT_ERR_NO_MEMORY;
		kct_dwarf_release(dwarf, (uint32_t)dwarf->n_units - 1);
	}
	kct_dwarf_release(dwarf, UINT32_MAX);
	return 0;
}
