/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf/reference.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/forms.h"
#include "dwarf/reader.h"

#define MAX_HOPS  16
#define MAX_DEPTH 400
#define MAX_LOG	  20

/* A walk over one unit with libdw. */
struct walk {
	struct reference *result;
	const struct kct_unit *unit;
	bool linked;
	bool types_hold_code;
	uint8_t address_bytes;
	size_t functions; /* of the unit, so far */
	size_t inlines;
};

static void differ(struct walk *w, Dwarf_Die *die, const char *what, const char *ours,
		   const char *theirs)
{
	if (w->result->differences++ < MAX_LOG && w->result->log)
		fprintf(w->result->log, "entry %#llx: %s: '%s', libdw '%s'\n",
			(unsigned long long)dwarf_dieoffset(die), what, ours ? ours : "none",
			theirs ? theirs : "none");
}

static void compare_numbers(struct walk *w, Dwarf_Die *die, const char *what, uint64_t ours,
			    uint64_t theirs)
{
	char a[32], b[32];

	if (ours == theirs)
		return;
	snprintf(a, sizeof(a), "%#llx", (unsigned long long)ours);
	snprintf(b, sizeof(b), "%#llx", (unsigned long long)theirs);
	differ(w, die, what, a, b);
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? kct_dwarf_text(dwarf_formstring(&attribute))
						 : NULL;
}

/* A reference into a common file of dwz that is not there: libdw looks into the file itself for some. */
static bool leads_nowhere(Dwarf_Die *die, Dwarf_Attribute *attribute)
{
	return kct_form_is_elsewhere(dwarf_whatform(attribute)) &&
	       !dwarf_getalt(dwarf_cu_getdwarf(die->cu));
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned references[] = {DW_AT_abstract_origin, DW_AT_specification};
	const char *name = NULL, *linkage;
	Dwarf_Die at = *die, target;
	Dwarf_Attribute attribute;

	for (int hop = 0; hop < MAX_HOPS + 1; hop++) {
		size_t i;

		linkage = string_of(&at, DW_AT_linkage_name);
		if (!linkage)
			linkage = string_of(&at, DW_AT_MIPS_linkage_name);
		if (linkage)
			return linkage;
		if (!name)
			name = string_of(&at, DW_AT_name);
		for (i = 0; i < ARRAY_SIZE(references); i++)
			if (dwarf_attr(&at, references[i], &attribute) &&
			    !leads_nowhere(&at, &attribute) &&
			    dwarf_formref_die(&attribute, &target))
				break;
		if (i == ARRAY_SIZE(references))
			break;
		at = target;
	}
	return name;
}

static void compare_names(struct walk *w, Dwarf_Die *die, uint32_t string)
{
	const char *ours = kct_unit_string(w->unit, string), *theirs = name_of(die);

	if (theirs && !*theirs)
		theirs = NULL;
	if ((!ours || !theirs) ? ours != theirs : strcmp(ours, theirs) != 0)
		differ(w, die, "name", ours, theirs);
}

/* The first real range of an entry; false: it has none. */
static bool first_range(struct walk *w, Dwarf_Die *die, uint64_t *ret_start)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (dwarf_hasattr(die, DW_AT_high_pc)) {
		if (dwarf_lowpc(die, &start) != 0 || dwarf_highpc(die, &end) != 0)
			return false;
		*ret_start = start;
		return kct_range_is_real(w->linked, start, end, w->address_bytes);
	}
	if (!dwarf_hasattr(die, DW_AT_ranges))
		return false;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (!kct_range_is_real(w->linked, start, end, w->address_bytes))
			continue;
		*ret_start = start;
		return true;
	}
	return false;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t largest)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0 ||
	    value > largest)
		return 0;
	return value;
}

static void compare_function(struct walk *w, Dwarf_Die *die, uint64_t start)
{
	const struct kct_unit_function *function;

	w->result->functions++;
	if (w->functions >= w->unit->n_functions) {
		differ(w, die, "function", NULL, name_of(die));
		return;
	}
	function = &w->unit->functions[w->functions++];
	compare_names(w, die, function->name);
	compare_numbers(w, die, "entry of a function", function->entry, start);
}

static void compare_inline(struct walk *w, Dwarf_Die *die, unsigned depth)
{
	const struct kct_unit_inline *inlined;

	w->result->inlines++;
	if (w->inlines >= w->unit->n_inlines) {
		differ(w, die, "inlined call", NULL, name_of(die));
		return;
	}
	inlined = &w->unit->inlines[w->inlines++];
	compare_names(w, die, inlined->name);
	compare_numbers(w, die, "depth", inlined->depth, depth);
	compare_numbers(w, die, "call line", inlined->call_line,
			number_of(die, DW_AT_call_line, UINT32_MAX - 1));
	compare_numbers(w, die, "call column", inlined->call_column,
			number_of(die, DW_AT_call_column, UINT16_MAX));
}

static bool holds_code(const struct walk *w, int tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
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

/* `inlines`: how many inlined calls are around; -1: no function is. */
static bool visit(struct walk *w, Dwarf_Die *die, int inlines, unsigned depth)
{
	int tag = dwarf_tag(die), result;
	uint64_t start;
	Dwarf_Die child;

	if (!holds_code(w, tag))
		return true;
	if (depth > MAX_DEPTH)
		return false;
	if (tag == DW_TAG_subprogram && first_range(w, die, &start)) {
		compare_function(w, die, start);
		inlines = 0;
	} else if (tag == DW_TAG_inlined_subroutine && inlines >= 0) {
		compare_inline(w, die, (unsigned)++inlines);
	}
	for (result = dwarf_child(die, &child); result == 0;
	     result = dwarf_siblingof(&child, &child))
		if (!visit(w, &child, inlines, depth + 1))
			return false;
	return result > 0;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *base = slash ? slash + 1 : path ? path : "";

	/* What libdw calls the file of number 0 where there is none. */
	return strcmp(base, "???") == 0 ? "" : base;
}

/* Whether one of the rows that libdw has at an address says what our row says. */
static bool has_row(Dwarf_Lines *lines, size_t i, size_t n, Dwarf_Addr address,
		    const struct kct_unit_frame *ours)
{
	Dwarf_Addr other;
	int line;

	for (; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);

		if (!row || dwarf_lineaddr(row, &other) != 0 || other != address)
			return false;
		if (dwarf_lineno(row, &line) == 0 && (uint32_t)line == ours->line &&
		    strcmp(base_name(dwarf_linesrc(row, NULL, NULL)), base_name(ours->file)) == 0)
			return true;
	}
	return false;
}

/* Whether a row begins at an address. Where sequences overlap, one may hold there that began before. */
static bool begins_at(const struct kct_unit *unit, const struct kct_unit_row *row, uint64_t address)
{
	for (uint32_t i = 0; i < unit->n_sequences; i++) {
		const struct kct_unit_sequence *sequence = &unit->sequences[i];

		if (address - sequence->start < sequence->bytes)
			return sequence->start - sequence->skip + row->offset == address;
	}
	return false;
}

static bool compare_lines(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Addr address, before = 0;
	Dwarf_Lines *lines;
	bool is_end;
	size_t n;

	if (!dwarf_hasattr(die, DW_AT_stmt_list))
		return true;
	if (dwarf_getsrclines(die, &lines, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		struct kct_unit_frame frame;
		struct kct_unit_place place;

		if (!row || dwarf_lineaddr(row, &address) != 0 ||
		    dwarf_lineendsequence(row, &is_end) != 0)
			return false;
		if (is_end || (i > 0 && address == before))
			continue;
		before = address;
		kct_unit_find(w->unit, address, &place);
		if (!place.row) {
			w->result->lines_lost++;
			continue;
		}
		/* The outer place is the row's own. */
		place.inlined = NULL;
		kct_unit_frames(w->unit, &place, &frame);
		w->result->lines++;
		if (!has_row(lines, i, n, address, &frame) &&
		    begins_at(w->unit, place.row, address))
			compare_numbers(w, die, "line without its like at", address, 0);
	}
	return true;
}

static bool compare_unit(Dwarf_Die *die, struct walk *w)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		break;
	default:
		w->types_hold_code = true;
	}
	w->result->units++;
	if (!visit(w, die, -1, 0) || !compare_lines(w, die))
		return false;
	compare_numbers(w, die, "number of functions", w->unit->n_functions, w->functions);
	compare_numbers(w, die, "number of inlined calls", w->unit->n_inlines, w->inlines);
	return true;
}

bool reference_compare(Dwarf *dwarf, struct kct_dwarf *tables, bool linked,
		       struct reference *result)
{
	Dwarf_CU *cu = NULL;
	size_t number = 0;
	Dwarf_Die die;
	int status;

	while ((status = dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL)) == 0) {
		struct walk w = {.result = result, .linked = linked};
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit)
			continue;
		if (kct_dwarf_finish_unit(tables, number++, &w.unit) < 0 ||
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, NULL, &w.address_bytes, NULL) != 0 ||
		    !compare_unit(&die, &w))
			return false;
	}
	return status > 0 && number == kct_dwarf_units(tables);
}
