/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Giving back pages of a mapped image that were read. Units lie in the file in their order, so what is
 * below the last one that was taken is not needed for now. Nothing is lost: the file is still there.
 */
#include <sys/mman.h>

#include "dwarf/reader.h"

/* The kernel maps neighbours of a page that is touched, of an aligned piece of this size. */
#define PIECE ((uintptr_t)64 << 10)

/* No call for less than this. */
#define ENOUGH ((uintptr_t)1 << 20)

/* Give back the pages of a section before `end`, down to where that was done already. */
static void release(const struct kct_mapping *mapping, const struct kct_cursor *section,
		    const uint8_t *end, uintptr_t *mark)
{
	uintptr_t from = ((uintptr_t)section->at + PIECE - 1) & ~(PIECE - 1);
	uintptr_t to = (uintptr_t)end & ~(PIECE - 1);

	if ((uintptr_t)section->at < mapping->start || (uintptr_t)section->end > mapping->end)
		return;
	if (*mark > from && *mark <= to)
		from = *mark;
	if (to < from || to - from < ENOUGH)
		return;
	madvise((void *)from, to - from, MADV_DONTNEED);
	*mark = to;
}

void kct_dwarf_release(struct kct_dwarf *dwarf, uint32_t unit)
{
	const struct kct_debug_file *image = &dwarf->image;
	struct kct_mapping *mapping = &dwarf->mapping;
	const struct kct_dwarf_unit *at;

	if (mapping->start == mapping->end || dwarf->n_units == 0)
		return;
	if (unit >= dwarf->n_units) {
		release(mapping, &image->info, image->info.end, &mapping->info_mark);
		release(mapping, &image->line, image->line.end, &mapping->line_mark);
		mapping->info_mark = mapping->line_mark = 0;
		return;
	}
	at = &dwarf->units[unit];
	release(mapping, &image->info, image->info.at + image->cus[at->cu].end,
		&mapping->info_mark);
	if (at->lines <= kct_cursor_left(&image->line))
		release(mapping, &image->line, image->line.at + at->lines, &mapping->line_mark);
}
