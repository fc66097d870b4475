/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of one image: its units, their ranges, look-up. */
#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "dwarf/tables.h"

size_t kct_dwarf_missing_split(const struct kct_dwarf *tables)
{
	return tables ? tables->missing_split : 0;
}

static void take_section(struct kct_dwarf *t, const char *name, Elf_Scn *section)
{
	const struct {
		const char *name;
		struct kct_cursor *cursor; /* NULL: only its size counts */
	} wanted[] = {
		{".debug_info", &t->info_section},
		{".debug_types", &t->types_section},
		{".debug_abbrev", &t->abbrev_section},
		{".debug_line", &t->line_section},
		{".debug_line_str", &t->line_str_section},
		{".debug_str", &t->str_section},
		{".debug_ranges", NULL},
		{".debug_rnglists", NULL},
	};
	Elf_Data *data;

	/* The older names of compressed sections; libdw has decompressed them. */
	if (strncmp(name, ".zdebug", 7) == 0)
		name += 2;
	else if (*name == '.')
		name++;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (strcmp(name, wanted[i].name + 1) != 0)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			return;
		if (wanted[i].cursor)
			*wanted[i].cursor = (struct kct_cursor){
				data->d_buf, (const uint8_t *)data->d_buf + data->d_size, t->big,
				false};
		else
			t->range_budget += data->d_size;
		return;
	}
}

/* Find the sections that are read here and not through libdw. */
static int find_sections(struct kct_dwarf *t)
{
	Elf *elf = dwarf_getelf(t->dwarf);
	Elf_Scn *section = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	const char *name;
	size_t names;

	if (!elf || !gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) != 0)
		return KCT_ERR_ELF;
	t->big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (!gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name)
			take_section(t, name, section);
	}
	return 0;
}

/* Whether what a unit names is a regular file: libdw opens it, and to open anything else, such as a
 * pipe, may never end. */
static bool has_split_file(struct kct_unit *unit, Dwarf_Attribute *attribute)
{
	const char *name = kct_dwarf_text(dwarf_formstring(attribute));
	KCT_AUTO_FREE char *joined = NULL;
	struct stat stat_buffer;

	if (!name)
		return false;
	if (name[0] != '/' && unit->comp_dir) {
		if (asprintf(&joined, "%s/%s", unit->comp_dir, name) < 0) {
			joined = NULL; /* undefined after a failure */
			return false;
		}
		name = joined;
	}
	return stat(name, &stat_buffer) == 0 && S_ISREG(stat_buffer.st_mode);
}

/* A unit whose functions are in another file: find it. */
static void find_split(struct kct_dwarf *t, struct kct_unit *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Die split;

	if (!dwarf_attr(&unit->die, DW_AT_dwo_name, &attribute) &&
	    !dwarf_attr(&unit->die, DW_AT_GNU_dwo_name, &attribute))
		return;
	if (!has_split_file(unit, &attribute) ||
	    dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) != 0 ||
	    dwarf_tag(&split) != DW_TAG_compile_unit) {
		t->missing_split++;
		return;
	}
	unit->tree = split;
	unit->is_split = true;
}

/* Ranges of a unit that does not tell them: what its functions and lines cover. */
static int derive_ranges(struct kct_dwarf *t, uint32_t id)
{
	struct kct_unit *unit = &t->units[id];
	const struct kct_spans *from;

	if (kct_unit_read(t, unit) < 0)
		return KCT_ERR_NO_MEMORY;
	from = &unit->part_spans;
	for (size_t i = 0; i < from->n; i++)
		if (kct_spans_add(&t->unit_ranges, from->at[i].start, from->at[i].end, id, 0) < 0)
			return KCT_ERR_NO_MEMORY;
	/* Many units may name one line table: only the first gets its addresses from it. */
	if (!unit->lines || unit->lines->gave_ranges)
		return 0;
	unit->lines->gave_ranges = true;
	from = &unit->lines->spans;
	for (size_t i = 0; i < from->n; i++)
		if (kct_spans_add(&t->unit_ranges, from->at[i].start, from->at[i].end, id, 0) < 0)
			return KCT_ERR_NO_MEMORY;
	return 0;
}

static int add_unit(struct kct_dwarf *t, Dwarf_Die *die)
{
	struct kct_unit unit = {.die = *die, .tree = *die};
	uint32_t id = (uint32_t)t->n_units;
	size_t before = t->unit_ranges.n;
	Dwarf_Attribute attribute;

	if (t->n_units >= KCT_NO_INDEX)
		return 0;
	if (dwarf_attr(die, DW_AT_comp_dir, &attribute))
		unit.comp_dir = kct_dwarf_text(dwarf_formstring(&attribute));
	find_split(t, &unit);
	if (kct_array_reserve(&t->units, &t->max_units, t->n_units + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	t->units[t->n_units++] = unit;
	if (kct_die_ranges(t, die, id, 0, &t->unit_ranges) < 0)
		return KCT_ERR_NO_MEMORY;
	if (t->unit_ranges.n > before || dwarf_tag(die) != DW_TAG_compile_unit)
		return 0;
	return derive_ranges(t, id);
}

static int find_units(struct kct_dwarf *t)
{
	Dwarf_CU *unit = NULL;
	uint8_t type = 0;
	Dwarf_Die die;
	int result, tag;

	while ((result = dwarf_get_units(t->dwarf, unit, &unit, NULL, &type, &die, NULL)) == 0) {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit ||
		    tag == DW_TAG_skeleton_unit) {
			if (add_unit(t, &die) < 0)
				return KCT_ERR_NO_MEMORY;
		} else if (tag != DW_TAG_type_unit) {
			kct_dwarf_complain(t, "unit %zu cannot be read: %s", t->n_units,
					   dwarf_errmsg(-1));
		}
	}
	if (result < 0)
		kct_dwarf_complain(t, "units after number %zu cannot be read: %s", t->n_units,
				   dwarf_errmsg(-1));
	return 0;
}

/* Put a range in the first layer where it fits; ranges come by their start. */
static int add_to_layers(struct kct_dwarf *t, const struct kct_span *range)
{
	struct kct_spans *layer;
	struct kct_span *last;

	for (size_t i = 0; i < KCT_MAX_LAYERS; i++) {
		layer = &t->layers[i];
		last = layer->n ? &layer->at[layer->n - 1] : NULL;
		if (last && last->id == range->id && range->start <= last->end) {
			last->end = kct_max_u64(last->end, range->end);
			return 0;
		}
		if (last && range->start < last->end)
			continue;
		t->n_layers = kct_max_u64(t->n_layers, i + 1);
		return kct_spans_add(layer, range->start, range->end, range->id, 0);
	}
	kct_dwarf_complain(t, "more than %d units claim address %#llx", KCT_MAX_LAYERS,
			   (unsigned long long)range->start);
	return 0;
}

static int build(struct kct_dwarf *t)
{
	struct kct_spans items = {0};
	int result = find_units(t);

	for (size_t i = 0; i < t->unit_ranges.n && result == 0; i++)
		result = kct_spans_add(&items, t->unit_ranges.at[i].start, t->unit_ranges.at[i].end,
				       t->unit_ranges.at[i].id, 0);
	if (result == 0)
		result = kct_spans_flatten(items.at, items.n, &t->unit_spans);
	/* Overlapping, and sorted now. */
	if (result > 0) {
		result = 0;
		for (size_t i = 0; i < items.n && result == 0; i++)
			result = add_to_layers(t, &items.at[i]);
	}
	kct_spans_clear(&items);
	return result;
}

int kct_dwarf_new(Dwarf *dwarf, bool linked, struct kct_dwarf **ret_tables, struct kct_error *error)
{
	struct kct_dwarf *t;
	int result;

	if (!dwarf || !ret_tables)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	t = calloc(1, sizeof(*t));
	if (!t)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	t->dwarf = dwarf;
	t->linked = linked;
	t->range_budget = 1 << 16; /* and more with the size of the range sections */
	if (find_sections(t) < 0) {
		kct_dwarf_free(t);
		return kct_fail(error, KCT_ERR_DWARF, "sections of the debug information: %s",
				elf_errmsg(-1));
	}
	result = kct_abbrevs_check(t);
	if (result == 0) {
		kct_dwarf_free(t);
		return kct_fail(error, KCT_ERR_DWARF, "absurdly many abbreviations");
	}
	if (result < 0 || build(t) < 0) {
		kct_dwarf_free(t);
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	}
	*ret_tables = t;
	return 0;
}

void kct_dwarf_free(struct kct_dwarf *tables)
{
	struct kct_lines *lines;

	if (!tables)
		return;
	for (size_t i = 0; i < tables->n_units; i++)
		kct_unit_clear(&tables->units[i]);
	free(tables->units);
	while ((lines = tables->line_tables) != NULL) {
		tables->line_tables = lines->next;
		kct_lines_free(lines);
	}
	kct_spans_clear(&tables->unit_ranges);
	kct_spans_clear(&tables->unit_spans);
	for (size_t i = 0; i < tables->n_layers; i++)
		kct_spans_clear(&tables->layers[i]);
	kct_map_clear(&tables->lines_at);
	kct_pool_clear(&tables->strings);
	free(tables->sequence);
	free(tables->frames);
	free(tables);
}

/* What one unit knows of an address. */
struct found {
	struct kct_unit *unit;
	const struct kct_span *part; /* NULL: no function */
	struct kct_function *function;
	uint32_t inlined; /* the innermost, KCT_NO_INDEX: none */
	const struct kct_row *row;
};

static int find_in_unit(struct kct_dwarf *t, uint32_t id, uint64_t address, struct found *ret_found)
{
	struct found found = {.unit = &t->units[id], .inlined = KCT_NO_INDEX};
	struct kct_unit *unit = found.unit;
	const struct kct_span *span;

	if (!unit->is_read && kct_unit_read(t, unit) < 0)
		return KCT_ERR_NO_MEMORY;
	span = kct_span_find(unit->part_spans.at, unit->part_spans.n, address);
	if (span) {
		found.part = &unit->parts.at[span->id];
		found.function = &unit->functions[found.part->id];
		if (found.function->n_spans > 0)
			span = kct_span_find(unit->inline_spans.at + found.function->first_span,
					     found.function->n_spans, address);
		else
			span = NULL;
		if (span)
			found.inlined = span->id;
	}
	if (unit->lines)
		found.row = kct_lines_find(unit->lines, address);
	*ret_found = found;
	return 0;
}

/* The units that claim an address, in the order of the file. */
static size_t claimants(const struct kct_dwarf *t, uint64_t address, uint32_t ids[KCT_MAX_LAYERS])
{
	size_t n = 0, at;

	for (size_t i = 0; i < t->n_layers; i++) {
		const struct kct_span *range =
			kct_span_find(t->layers[i].at, t->layers[i].n, address);

		if (!range)
			continue;
		for (at = n++; at > 0 && ids[at - 1] > range->id; at--)
			ids[at] = ids[at - 1];
		ids[at] = range->id;
	}
	return n;
}

/* Several units claim some addresses: the first that knows a function, else one that
 * knows a line. */
static int find_in_others(struct kct_dwarf *t, uint64_t address, struct found *found)
{
	uint32_t ids[KCT_MAX_LAYERS];
	size_t n = claimants(t, address, ids);
	struct found other;

	for (size_t i = 0; i < n && !found->part; i++) {
		if (find_in_unit(t, ids[i], address, &other) < 0)
			return KCT_ERR_NO_MEMORY;
		if (other.part || (other.row && !found->row))
			*found = other;
	}
	return 0;
}

static const char *name_in_unit(struct kct_unit *unit, void *address, const char **name,
				bool *is_named)
{
	Dwarf_Die die = {.addr = address, .cu = unit->tree.cu};

	if (!*is_named) {
		*name = kct_die_name(&die);
		*is_named = true;
	}
	return *name;
}

/* Innermost first; each frame's place is where the one before was inlined. */
static int make_frames(struct kct_dwarf *t, const struct found *found, size_t *ret_n)
{
	struct kct_unit *unit = found->unit;
	struct kct_dwarf_frame frame = {.comp_dir = unit->comp_dir};
	uint32_t inlined = found->inlined;
	struct kct_inline *block;
	size_t n = 0, want = 1;

	if (inlined != KCT_NO_INDEX)
		want += unit->inlines[inlined].depth;
	if (kct_array_reserve(&t->frames, &t->max_frames, want) < 0)
		return KCT_ERR_NO_MEMORY;
	if (found->row) {
		frame.file = kct_lines_file(t, unit->lines, found->row->file);
		frame.line = found->row->line;
		frame.column = found->row->column;
	}
	for (; inlined != KCT_NO_INDEX; inlined = block->parent) {
		block = &unit->inlines[inlined];
		frame.name = name_in_unit(unit, block->die, &block->name, &block->is_named);
		t->frames[n++] = frame;
		frame.file = unit->lines && block->call_file != KCT_NO_INDEX
				     ? kct_lines_file(t, unit->lines, block->call_file)
				     : NULL;
		frame.line = block->call_line;
		frame.column = block->call_column;
	}
	frame.name = NULL;
	if (found->function)
		frame.name = name_in_unit(unit, found->function->die, &found->function->name,
					  &found->function->is_named);
	t->frames[n++] = frame;
	*ret_n = n;
	return 0;
}

int kct_dwarf_lookup(struct kct_dwarf *tables, uint64_t address, struct kct_dwarf_hit *ret_hit)
{
	const struct kct_span *span;
	struct kct_dwarf_hit hit = {0};
	struct found found;

	span = kct_span_find(tables->unit_spans.at, tables->unit_spans.n, address);
	if (!span)
		return 0;
	if (find_in_unit(tables, span->id, address, &found) < 0)
		return KCT_ERR_NO_MEMORY;
	if (!found.part && tables->n_layers > 0 && find_in_others(tables, address, &found) < 0)
		return KCT_ERR_NO_MEMORY;
	if (!found.part && !found.row)
		return 0;
	hit.has_function = found.part != NULL;
	hit.has_line = found.row != NULL;
	if (found.part) {
		hit.identity = found.function->identity;
		hit.entry = found.function->entry;
		hit.part_start = found.part->start;
		hit.part_end = found.part->end;
	}
	if (make_frames(tables, &found, &hit.n_frames) < 0)
		return KCT_ERR_NO_MEMORY;
	hit.frames = tables->frames;
	*ret_hit = hit;
	return 1;
}
