/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading one unit: its functions, what is inlined into them, its line table. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/reader.h"

/* What a DIE's children belong to. */
struct level {
	uint32_t function;   /* KCT_NO_INDEX: none */
	uint32_t inlined;    /* KCT_NO_INDEX: directly in the function */
	size_t first_pieces; /* in walk.pieces, where those of the function begin */
	bool opens_function; /* the children of a function, not of a block in it */
};

/*
 * A walk over a unit's tree in the order of the file, each DIE touched once. The
 * levels are kept in an array, so that no nesting is too deep.
 */
struct walk {
	struct kct_dwarf *tables;
	struct kct_dwarf_unit *unit;
	struct level *levels;
	size_t n_levels, max_levels;
	struct kct_spans pieces; /* ranges of the inlines of the open functions; id = inline */
	const uint8_t *end;	 /* of the unit */
	bool types_hold_code;	 /* not in C */
};

/* Whether code can lie below a DIE. */
static bool holds_code(const struct walk *w, int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return w->types_hold_code;
	default:
		return false;
	}
}

static bool types_hold_code(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return false;
	default:
		return true;
	}
}

static uint64_t identity_of(const struct walk *w, Dwarf_Die *die)
{
	uint64_t identity = dwarf_dieoffset(die) + 1;

	/* Offsets of .dwo files start at 0 again. */
	if (w->unit->is_split)
		identity += (uint64_t)(w->unit - w->tables->units + 1) << 40;
	return identity;
}

static int add_function(struct walk *w, Dwarf_Die *die, struct level *level)
{
	struct kct_dwarf_unit *unit = w->unit;
	size_t first_part = unit->parts.n;
	struct kct_function *function;

	if (unit->n_functions >= KCT_NO_INDEX)
		return 0;
	if (kct_die_ranges(w->tables, die, (uint32_t)unit->n_functions, 0, &unit->parts) < 0)
		return KCT_ERR_NO_MEMORY;
	if (unit->parts.n == first_part)
		return 0; /* a declaration, or only ever inlined */
	if (kct_array_reserve(&unit->functions, &unit->max_functions, unit->n_functions + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	function = &unit->functions[unit->n_functions];
	*function = (struct kct_function){.die = die->addr,
					  .identity = identity_of(w, die),
					  .entry = unit->parts.at[first_part].start};
	level->function = (uint32_t)unit->n_functions++;
	level->inlined = KCT_NO_INDEX;
	level->first_pieces = w->pieces.n;
	level->opens_function = true;
	return 0;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name, uint32_t absent)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0 ||
	    value >= UINT32_MAX)
		return absent;
	return (uint32_t)value;
}

static int add_inline(struct walk *w, Dwarf_Die *die, struct level *level)
{
	struct kct_dwarf_unit *unit = w->unit;
	struct kct_inline *inlined;
	uint32_t depth = 1;

	if (level->function == KCT_NO_INDEX || unit->n_inlines >= KCT_NO_INDEX)
		return 0;
	if (level->inlined != KCT_NO_INDEX)
		depth += unit->inlines[level->inlined].depth;
	if (depth > KCT_MAX_INLINE_DEPTH) {
		kct_dwarf_complain(w->tables, "inlines are nested more than %d deep",
				   KCT_MAX_INLINE_DEPTH);
		return 0;
	}
	if (kct_array_reserve(&unit->inlines, &unit->max_inlines, unit->n_inlines + 1) < 0 ||
	    kct_die_ranges(w->tables, die, (uint32_t)unit->n_inlines, depth, &w->pieces) < 0)
		return KCT_ERR_NO_MEMORY;
	inlined = &unit->inlines[unit->n_inlines];
	*inlined = (struct kct_inline){.die = die->addr,
				       .parent = level->inlined,
				       .depth = depth,
				       .call_file = number_of(die, DW_AT_call_file, KCT_NO_INDEX),
				       .call_line = number_of(die, DW_AT_call_line, 0),
				       .call_column = number_of(die, DW_AT_call_column, 0)};
	level->inlined = (uint32_t)unit->n_inlines++;
	return 0;
}

/* The children of a function are over: lay its inlines out flat. */
static int close_level(struct walk *w)
{
	const struct level *level = &w->levels[--w->n_levels];
	struct kct_spans *flat = &w->unit->inline_spans;
	struct kct_function *function;

	if (!level->opens_function)
		return 0;
	function = &w->unit->functions[level->function];
	function->first_span = flat->n;
	if (w->pieces.n > level->first_pieces &&
	    kct_spans_flatten(w->pieces.at + level->first_pieces, w->pieces.n - level->first_pieces,
			      flat) < 0)
		return KCT_ERR_NO_MEMORY;
	function->n_spans = flat->n - function->first_span;
	w->pieces.n = level->first_pieces;
	return 0;
}

/* Take a DIE and, if code can lie below it, step down. 1: stepped, 0: not. */
static int enter(struct walk *w, Dwarf_Die *die, Dwarf_Die *child)
{
	int tag = dwarf_tag(die), result = 0;
	struct level level;

	if (!holds_code(w, tag))
		return 0;
	level = w->levels[w->n_levels - 1];
	level.opens_function = false;
	if (tag == DW_TAG_subprogram)
		result = add_function(w, die, &level);
	else if (tag == DW_TAG_inlined_subroutine)
		result = add_inline(w, die, &level);
	if (result < 0 || (!level.opens_function && !dwarf_haschildren(die)))
		return result;
	if (kct_array_reserve(&w->levels, &w->max_levels, w->n_levels + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	w->levels[w->n_levels++] = level;
	result = dwarf_child(die, child);
	if (result == 0)
		return 1;
	if (result < 0)
		kct_dwarf_complain(w->tables, "children of the entry at %#llx: %s",
				   (unsigned long long)dwarf_dieoffset(die), dwarf_errmsg(-1));
	return close_level(w);
}

/*
 * Step to the next DIE after `die` and what is below it; at the end of a list of
 * children to what follows the parent. libdw leaves the place of the list's end
 * in `next`, so the parent's children need not be gone through again. 1: there is one, 0: end.
 */
static int step_over(struct walk *w, Dwarf_Die *die, Dwarf_Die *next)
{
	const uint8_t *at;
	int result = dwarf_siblingof(die, next);

	if (result == 0)
		return 1;
	if (result < 0)
		kct_dwarf_complain(w->tables, "what follows the entry at %#llx: %s",
				   (unsigned long long)dwarf_dieoffset(die), dwarf_errmsg(-1));
	at = result > 0 ? next->addr : NULL;
	while (at && at < w->end && *at == 0) {
		at++;
		if (close_level(w) < 0)
			return KCT_ERR_NO_MEMORY;
		if (w->n_levels <= 1)
			return 0;
	}
	if (!at || at >= w->end)
		return 0;
	*next = (Dwarf_Die){.addr = (void *)(uintptr_t)at, .cu = die->cu};
	return 1;
}

static int walk_tree(struct walk *w)
{
	Dwarf_Die die, next;
	int result = dwarf_child(&w->unit->tree, &die);

	if (result != 0)
		return 0;
	w->levels[w->n_levels++] = (struct level){KCT_NO_INDEX, KCT_NO_INDEX, 0, false};
	w->levels[w->n_levels++] = w->levels[0];
	do {
		result = enter(w, &die, &next);
		if (result == 0)
			result = step_over(w, &die, &next);
		die = next;
	} while (result > 0);
	/* A damaged tree ends with levels open. */
	while (w->n_levels > 0)
		if (close_level(w) < 0)
			return KCT_ERR_NO_MEMORY;
	return result;
}

/* First byte after a unit; its DIEs lie one after the other in memory. */
static const uint8_t *end_of_unit(Dwarf_Die *tree)
{
	Dwarf_Off offset = dwarf_dieoffset(tree), header = offset - dwarf_cuoffset(tree), next;
	size_t header_bytes;

	if (dwarf_nextcu(dwarf_cu_getdwarf(tree->cu), header, &next, &header_bytes, NULL, NULL,
			 NULL) != 0 ||
	    next <= offset)
		return tree->addr;
	return (const uint8_t *)tree->addr + (next - offset);
}

static int read_functions(struct kct_dwarf *tables, struct kct_dwarf_unit *unit)
{
	struct walk w = {.tables = tables,
			 .unit = unit,
			 .end = end_of_unit(&unit->tree),
			 .types_hold_code = types_hold_code(&unit->tree)};
	struct kct_spans parts = {0};
	int result = KCT_ERR_NO_MEMORY;

	if (kct_array_reserve(&w.levels, &w.max_levels, 2) == 0)
		result = walk_tree(&w);
	free(w.levels);
	kct_spans_clear(&w.pieces);
	if (result < 0)
		return result;
	/* Sorting must leave parts as it is: what is flattened refers to it by number. */
	for (size_t i = 0; i < unit->parts.n; i++)
		if (kct_spans_add(&parts, unit->parts.at[i].start, unit->parts.at[i].end,
				  (uint32_t)i, 0) < 0)
			result = KCT_ERR_NO_MEMORY;
	if (result == 0)
		result = kct_spans_flatten(parts.at, parts.n, &unit->part_spans);
	kct_spans_clear(&parts);
	return result;
}

static int read_line_table(struct kct_dwarf *tables, struct kct_dwarf_unit *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	uint8_t address_bytes = 8;

	if (!dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &offset) != 0)
		return 0;
	dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, NULL, NULL, &address_bytes, NULL);
	if (kct_lines_get(tables, offset, address_bytes, unit->comp_dir, &unit->lines) < 0)
		return KCT_ERR_NO_MEMORY;
	/* Many units may name one line table: without functions only the first has it. */
	if (unit->lines && unit->lines->gave_ranges && unit->n_functions == 0)
		unit->lines = NULL;
	return 0;
}

int kct_unit_read(struct kct_dwarf *tables, struct kct_dwarf_unit *unit)
{
	if (read_functions(tables, unit) < 0 || read_line_table(tables, unit) < 0 ||
	    kct_unit_finish(tables, unit) < 0) {
		kct_unit_clear(unit);
		return KCT_ERR_NO_MEMORY;
	}
	unit->is_read = true;
	return 0;
}

void kct_unit_clear(struct kct_dwarf_unit *unit)
{
	free(unit->functions);
	free(unit->inlines);
	unit->functions = NULL;
	unit->inlines = NULL;
	unit->n_functions = unit->max_functions = 0;
	unit->n_inlines = unit->max_inlines = 0;
	kct_spans_clear(&unit->parts);
	kct_spans_clear(&unit->part_spans);
	kct_spans_clear(&unit->inline_spans);
	free(TAKE_PTR(unit->block));
	unit->lines = NULL;
	unit->is_read = false;
}
