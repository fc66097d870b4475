/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading one unit: its functions, what is inlined into them, its line table. */
#include <string.h>

#include "dwarf/reader.h"

/* Where the functions of a unit are: in itself, or in a file of their own. 1: read, 0: cannot be. */
static int open_tree(struct kct_reader *reader, const struct kct_dwarf_unit *unit,
		     const struct kct_scope *scope, struct kct_scope *ret_tree,
		     struct kct_entry *ret_root)
{
	const struct kct_debug_file *file = unit->split ? unit->split : scope->file;
	const struct kct_cu *cu = unit->split ? &unit->split->cus[unit->split_cu] : scope->cu;
	const struct kct_abbrevs *abbrevs;
	int result = kct_reader_own_abbrevs(reader, file, cu, &abbrevs);

	if (result < 0 || !abbrevs)
		return result;
	return kct_scope_open(reader, file, cu, unit->split ? scope : NULL, ret_tree, ret_root);
}

static int read_tree(struct kct_reader *reader, const struct kct_dwarf_unit *unit,
		     const struct kct_scope *scope)
{
	struct kct_entry root;
	struct kct_scope tree;
	int result = open_tree(reader, unit, scope, &tree, &root);

	if (result <= 0)
		return result;
	return kct_unit_walk(reader, &tree, &root);
}

/* Read into the build. */
static int read_all(struct kct_reader *reader, const struct kct_dwarf_unit *unit, bool with_lines)
{
	const struct kct_debug_file *image = &reader->dwarf->image;
	const struct kct_abbrevs *abbrevs;
	struct kct_line_header header;
	struct kct_scope scope;
	struct kct_entry root;
	int lines, result;

	/* As a rule the unit's own entry is read with the table that the others are read with. */
	if (!unit->split &&
	    kct_reader_own_abbrevs(reader, image, &image->cus[unit->cu], &abbrevs) < 0)
		return KCT_ERR_NO_MEMORY;
	result = kct_scope_open(reader, image, &image->cus[unit->cu], NULL, &scope, &root);
	if (result <= 0)
		return result;
	if (scope.comp_dir && kct_build_string(&reader->build, scope.comp_dir,
					       strlen(scope.comp_dir), &reader->build.comp_dir) < 0)
		return KCT_ERR_NO_MEMORY;
	/* Inlined calls name files of the line table. */
	lines = kct_line_header_read(reader, &scope, &header);
	if (lines < 0 || read_tree(reader, unit, &scope) < 0)
		return KCT_ERR_NO_MEMORY;
	if (lines > 0 || !with_lines)
		return 0;
	return kct_lines_run(reader, &header);
}

int kct_unit_read(struct kct_reader *reader, uint32_t number, bool with_lines,
		  struct kct_built **ret_built)
{
	const struct kct_dwarf_unit *unit = &reader->dwarf->units[number];
	const struct kct_cu *cu = &reader->dwarf->image.cus[unit->cu];
	uint64_t bytes = cu->end - cu->start;

	if (unit->split)
		bytes += unit->split->cus[unit->split_cu].end -
			 unit->split->cus[unit->split_cu].start;
	kct_reader_begin(reader, number, bytes);
	kct_map_reset(&reader->names);
	if (kct_build_reset(&reader->build) < 0 || read_all(reader, unit, with_lines) < 0)
		return KCT_ERR_NO_MEMORY;
	return kct_build_finish(&reader->build, ret_built);
}
