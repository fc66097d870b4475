/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "coverage/counts.h"

/* So many fresh PCs are kept before they go to the array, and half as many as that has. */
#define FRESH_LIMIT 65536

void kct_counts_clear(struct kct_counts *counts)
{
	free(counts->rows);
	kct_map_clear(&counts->fresh);
	*counts = (struct kct_counts){0};
}

uint64_t kct_count_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int kct_counts_add(struct kct_counts *counts, uint64_t pc, uint64_t count)
{
	uint64_t *value;
	int result;

	if (counts->fresh.used >= FRESH_LIMIT + counts->n / 2) {
		result = kct_counts_seal(counts);
		if (result < 0)
			return result;
	}
	result = kct_map_put(&counts->fresh, pc, &value);
	if (result < 0)
		return result;
	*value = kct_count_sum(*value, count);
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct kct_pc_count *a = left, *b = right;

	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/** The contents of a map as sorted rows of the caller, room for all of them. */
static void take_fresh(const struct kct_map *map, struct kct_pc_count *rows)
{
	size_t n = 0;

	if (map->has_zero)
		rows[n++] = (struct kct_pc_count){0, map->zero};
	for (size_t i = 0; i < map->n_slots; i++) {
		if (map->slots[i].key != 0)
			rows[n++] = (struct kct_pc_count){map->slots[i].key, map->slots[i].value};
	}
	qsort(rows, n, sizeof(*rows), compare_rows);
}

int kct_counts_seal(struct kct_counts *counts)
{
	KCT_AUTO_FREE struct kct_pc_count *rows = NULL;
	size_t n = counts->fresh.used, max = 0;
	int result;

	if (n == 0)
		return 0;
	result = kct_array_reserve(&rows, &max, n);
	if (result < 0)
		return result;
	take_fresh(&counts->fresh, rows);
	result = kct_counts_unite(counts, rows, n);
	if (result >= 0)
		kct_map_clear(&counts->fresh);
	return result;
}

/** How many PCs the two have in common. */
static size_t count_common(const struct kct_counts *counts, const struct kct_pc_count *rows,
			   size_t n)
{
	size_t common = 0, i = 0, j = 0;

	while (i < counts->n && j < n) {
		uint64_t a = counts->rows[i].pc, b = rows[j].pc;

		common += a == b;
		i += a <= b;
		j += b <= a;
	}
	return common;
}

int kct_counts_unite(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n)
{
	size_t all = counts->n + n - count_common(counts, rows, n);
	size_t from = counts->n, to = all;
	struct kct_pc_count *ours;
	int result;

	result = kct_array_reserve(&counts->rows, &counts->max, all);
	if (result < 0)
		return result;
	/* From the end, so that what is not yet read is not written over. */
	ours = counts->rows;
	while (n > 0) {
		if (from > 0 && ours[from - 1].pc > rows[n - 1].pc) {
			ours[--to] = ours[--from];
		} else if (from > 0 && ours[from - 1].pc == rows[n - 1].pc) {
			ours[--to] = (struct kct_pc_count){
				rows[n - 1].pc,
				kct_count_sum(ours[from - 1].count, rows[n - 1].count)};
			from--;
			n--;
		} else {
			ours[--to] = rows[--n];
		}
	}
	counts->n = all;
	return 0;
}

/** Keep the rows that the others have, or those that they have not. */
static void keep(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n, bool common)
{
	size_t kept = 0, j = 0;

	for (size_t i = 0; i < counts->n; i++) {
		struct kct_pc_count row = counts->rows[i];
		bool found;

		while (j < n && rows[j].pc < row.pc)
			j++;
		found = j < n && rows[j].pc == row.pc;
		if (found != common)
			continue;
		if (found)
			row.count = kct_min_u64(row.count, rows[j].count);
		counts->rows[kept++] = row;
	}
	counts->n = kept;
}

void kct_counts_subtract(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n)
{
	keep(counts, rows, n, false);
}

void kct_counts_intersect(struct kct_counts *counts, const struct kct_pc_count *rows, size_t n)
{
	keep(counts, rows, n, true);
}
