/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of a linked Linux kernel that lead control astray. Each entry begins with two 32-bit distances from
 * its own words: to an instruction, and to where it may go besides the next one. The symbols around a table
 * say where it is. In modules these are relocations, which are not read: what is only reached by them
 * then counts as an entry of its function.
 */
#include "base/array.h"
#include "points/points.h"

static const struct table {
	const char *start;
	const char *stop;
	uint8_t entry; /* bytes */
} tables[] = {
	{"__start___jump_table", "__stop___jump_table", 16}, /* static branches */
	{"__start___ex_table", "__stop___ex_table", 12},     /* accesses that may fault */
};

static int load_table(struct kct_points *points, const struct table *table)
{
	uint64_t start, stop, bytes;
	const uint8_t *data;

	if (kct_image_symbol(points->image, table->start, &start) < 0 ||
	    kct_image_symbol(points->image, table->stop, &stop) < 0 || stop <= start)
		return 0;
	data = kct_points_data(points, start, &bytes);
	if (!data)
		return 0;
	bytes = kct_min_u64(bytes, stop - start);
	for (uint64_t i = 0; bytes - i >= table->entry; i += table->entry) {
		struct kct_site *site;

		if (kct_array_reserve(&points->sites, &points->max_sites, points->n_sites + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		site = &points->sites[points->n_sites++];
		site->from = start + i + kct_le32_signed(data + i);
		site->to = start + i + 4 + kct_le32_signed(data + i + 4);
	}
	return 0;
}

static int compare_sites(const void *left, const void *right)
{
	const struct kct_site *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

int kct_sites_load(struct kct_points *points)
{
	int result = 0;

	if (points->image->relocatable ||
	    (points->machine != &kct_machine_x86_64 && points->machine != &kct_machine_arm64))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(tables) && result >= 0; i++)
		result = load_table(points, &tables[i]);
	if (points->n_sites)
		qsort(points->sites, points->n_sites, sizeof(*points->sites), compare_sites);
	return result;
}
