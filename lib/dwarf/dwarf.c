/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of one image: opened, handed out unit by unit. */
#include <string.h>

#include "base/fail.h"
#include "dwarf/reader.h"

/* Work that an image has to spare besides what the sizes of its units explain: so much at least, and so
 * much for each byte of a line table, as units of assembly code have long ones. */
#define SPARE_WORK	    ((uint64_t)16 << 20)
#define SPARE_WORK_PER_BYTE 4

size_t kct_dwarf_missing_split(const struct kct_dwarf *dwarf)
{
	return dwarf->missing_split;
}

bool kct_dwarf_has_split(const struct kct_dwarf *dwarf)
{
	for (size_t i = 0; i < dwarf->n_units; i++) {
		if (dwarf->units[i].split)
			return true;
	}
	return false;
}

const char *kct_dwarf_complaint(const struct kct_dwarf *dwarf)
{
	return dwarf->complaint[0] ? dwarf->complaint : NULL;
}

static int open_files(struct kct_dwarf *d)
{
	Dwarf *alternate;
	int result;

	result = kct_debug_file_open(d->dwarf, &d->image, d->reader);
	if (result < 0)
		return result;
	alternate = dwarf_getalt(d->dwarf);
	if (!alternate)
		return 0;
	d->alternate.number = 1;
	if (kct_debug_file_open(alternate, &d->alternate, d->reader) == KCT_ERR_NO_MEMORY)
		return KCT_ERR_NO_MEMORY;
	d->image.alternate = &d->alternate;
	return 0;
}

static int fill(struct kct_dwarf *d)
{
	int result;

	d->reader = kct_reader_new(d);
	if (!d->reader)
		return KCT_ERR_NO_MEMORY;
	result = open_files(d);
	d->spare_work = SPARE_WORK + SPARE_WORK_PER_BYTE * kct_cursor_left(&d->image.line);
	d->reader->spare_work = d->spare_work;
	if (result >= 0)
		result = kct_dwarf_find_units(d);
	if (result >= 0)
		result = kct_dwarf_index(d);
	kct_readers_settle(d, &d->reader, 1);
	return result;
}

int kct_dwarf_new(Dwarf *dwarf, bool linked, const void *mapping, size_t bytes,
		  struct kct_dwarf **ret_dwarf, struct kct_error *error)
{
	struct kct_dwarf *d;
	int result;

	if (!dwarf || !ret_dwarf)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	d = calloc(1, sizeof(*d));
	if (!d)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	d->dwarf = dwarf;
	d->linked = linked;
	if (mapping)
		d->mapping = (struct kct_mapping){.start = (uintptr_t)mapping,
						  .end = (uintptr_t)mapping + bytes};
	result = fill(d);
	if (result < 0) {
		kct_dwarf_free(d);
		if (result == KCT_ERR_NO_MEMORY)
			return kct_fail_code(error, result);
		return kct_fail(error, KCT_ERR_DWARF, "sections of the debug information: %s",
				elf_errmsg(-1));
	}
	*ret_dwarf = d;
	return 0;
}

void kct_dwarf_free(struct kct_dwarf *dwarf)
{
	struct kct_debug_file *split;

	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->n_units; i++)
		free(dwarf->units[i].built);
	free(dwarf->units);
	while ((split = dwarf->splits) != NULL) {
		dwarf->splits = split->next;
		kct_debug_file_clear(split);
		free(split);
	}
	kct_debug_file_clear(&dwarf->image);
	kct_debug_file_clear(&dwarf->alternate);
	kct_map_clear(&dwarf->lines_claimed);
	kct_spans_clear(&dwarf->unit_ranges);
	free(dwarf->index_ranges);
	kct_tables_clear(&dwarf->look_up);
	kct_reader_free(dwarf->reader);
	free(dwarf);
}

static int get_unit(void *context, uint32_t number, const struct kct_unit **ret_unit)
{
	struct kct_dwarf *d = context;
	struct kct_dwarf_unit *unit = &d->units[number];

	if (!unit->built) {
		if (kct_unit_read(d->reader, number, true, &unit->built) < 0)
			return KCT_ERR_NO_MEMORY;
		kct_readers_settle(d, &d->reader, 1);
	}
	*ret_unit = &unit->built->unit;
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

static int each_unit(void *context, const uint32_t *numbers, size_t n, unsigned threads,
		     kct_take_unit *take, void *take_context)
{
	return kct_dwarf_each_unit(context, numbers, n, threads, take, take_context);
}

struct kct_tables *kct_dwarf_tables(struct kct_dwarf *dwarf)
{
	dwarf->look_up.source = (struct kct_unit_source){get_unit, each_unit, dwarf};
	return &dwarf->look_up;
}
