/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of one image: its units, their ranges, look-up. */
#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "dwarf/reader.h"

size_t kct_dwarf_missing_split(const struct kct_dwarf *tables)
{
	return tables ? tables->missing_split : 0;
}

bool kct_dwarf_has_split(const struct kct_dwarf *tables)
{
	for (size_t i = 0; i < tables->n_units; i++) {
		if (tables->units[i].is_split)
			return true;
	}
	return false;
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
static bool has_split_file(struct kct_dwarf_unit *unit, Dwarf_Attribute *attribute)
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
static void find_split(struct kct_dwarf *t, struct kct_dwarf_unit *unit)
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
	struct kct_dwarf_unit *unit = &t->units[id];
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
	struct kct_dwarf_unit unit = {.die = *die, .tree = *die};
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
	if (result < 0 || find_units(t) < 0 || kct_dwarf_index(t) < 0) {
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
	free(tables->index_ranges);
	kct_tables_clear(&tables->look_up);
	kct_map_clear(&tables->lines_at);
	kct_pool_clear(&tables->strings);
	free(tables->sequence);
	free(tables);
}

static int get_unit(void *context, uint32_t number, const struct kct_unit **ret_unit)
{
	struct kct_dwarf *t = context;
	struct kct_dwarf_unit *unit = &t->units[number];

	if (!unit->is_read && kct_unit_read(t, unit) < 0)
		return KCT_ERR_NO_MEMORY;
	*ret_unit = &unit->tables;
	return 0;
}

size_t kct_dwarf_units(const struct kct_dwarf *dwarf)
{
	return dwarf->n_units;
}

int kct_dwarf_finish_unit(struct kct_dwarf *dwarf, size_t number, const struct kct_unit **ret_unit)
{
	if (number >= dwarf->n_units)
		return KCT_ERR_ARGUMENT;
	return get_unit(dwarf, (uint32_t)number, ret_unit);
}

struct kct_tables *kct_dwarf_tables(struct kct_dwarf *dwarf)
{
	dwarf->look_up.source = (struct kct_unit_source){get_unit, dwarf};
	return &dwarf->look_up;
}
