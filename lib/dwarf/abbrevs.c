/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Are the abbreviations fit for libdw? It keeps, for each unit apart, all declarations that it came
 * across, and goes through all attributes of a declaration for each entry that uses it, of which
 * one takes a byte. A small file could make it use all memory or run for hours.
 */
#include <dwarf.h>

#include "dwarf/reader.h"

/* Attributes of a declaration: DWARF has not as many in all. */
#define MAX_ATTRIBUTES 256

/* Declarations of all units together: several times those of a kernel whose units share one table. */
#define MAX_DECLARATIONS ((uint64_t)32 << 20)

/** Step over a declaration without its code. False: it has too many attributes. */
static bool skip_declaration(struct kct_cursor *c)
{
	uint64_t name, form;

	kct_cursor_uleb(c); /* tag */
	kct_cursor_u8(c);   /* has children */
	for (unsigned n = 0; n <= MAX_ATTRIBUTES; n++) {
		name = kct_cursor_uleb(c);
		form = kct_cursor_uleb(c);
		if (form == DW_FORM_implicit_const)
			kct_cursor_sleb(c);
		if (c->bad || (name == 0 && form == 0))
			return true;
	}
	return false;
}

/** Add the declarations of the table at an offset to `*total`. False: too many of something. */
static bool count_table(struct kct_dwarf *t, uint64_t offset, uint64_t *total)
{
	struct kct_cursor c = t->abbrev_section;

	if (!kct_cursor_skip(&c, offset))
		return true; /* libdw says so when it gets there */
	while (kct_cursor_uleb(&c) != 0 && !c.bad) {
		if (++*total > MAX_DECLARATIONS || !skip_declaration(&c))
			return false;
	}
	return true;
}

/** Step over a unit; where its abbreviations are, by its header. */
static uint64_t skip_unit(struct kct_cursor *c)
{
	unsigned offset_bytes = 4;
	uint64_t length = kct_cursor_uint(c, 4);
	struct kct_cursor unit;

	if (length == 0xffffffff) {
		offset_bytes = 8;
		length = kct_cursor_uint(c, 8);
	}
	unit = *c;
	kct_cursor_skip(c, length);
	if (kct_cursor_uint(&unit, 2) >= 5)
		kct_cursor_skip(&unit, 2); /* unit type and address size */
	return kct_cursor_uint(&unit, offset_bytes);
}

/** The same for all units of a section. 1: fit, 0: not, KCT_ERR_NO_MEMORY. */
static int check_units(struct kct_dwarf *t, struct kct_cursor c, struct kct_map *known,
		       uint64_t *total)
{
	while (c.at < c.end && !c.bad) {
		uint64_t offset = skip_unit(&c), before = *total, *count;
		int is_new = kct_map_put(known, offset, &count);

		if (is_new < 0)
			return is_new;
		if (!is_new)
			*total += *count;
		else if (!count_table(t, offset, total))
			return 0;
		else
			*count = *total - before;
		if (*total > MAX_DECLARATIONS)
			return 0;
	}
	return 1;
}

int kct_abbrevs_check(struct kct_dwarf *tables)
{
	struct kct_map known = {0};
	uint64_t total = 0;
	int result = check_units(tables, tables->info_section, &known, &total);

	if (result > 0)
		result = check_units(tables, tables->types_section, &known, &total);
	kct_map_clear(&known);
	return result;
}
