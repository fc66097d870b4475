/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "symfile/cut.h"

void kct_kept_clear(struct kct_kept *kept)
{
	free(kept->extents);
	*kept = (struct kct_kept){0};
}

int kct_kept_add(struct kct_kept *kept, uint64_t start, uint64_t end)
{
	if (start >= end)
		return 0;
	if (kct_array_reserve(&kept->extents, &kept->max, kept->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	kept->extents[kept->n++] = (struct kct_extent){start, end};
	return 0;
}

static int compare_extents(const void *left, const void *right)
{
	const struct kct_extent *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

void kct_kept_finish(struct kct_kept *kept)
{
	size_t n = 0;

	if (kept->n > 0)
		qsort(kept->extents, kept->n, sizeof(*kept->extents), compare_extents);
	for (size_t i = 0; i < kept->n; i++) {
		struct kct_extent *last = n > 0 ? &kept->extents[n - 1] : NULL;

		if (last && kept->extents[i].start <= last->end)
			last->end = kct_max_u64(last->end, kept->extents[i].end);
		else
			kept->extents[n++] = kept->extents[i];
	}
	kept->n = n;
}

size_t kct_extent_find(const struct kct_extent *extents, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (extents[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool kct_extent_touches(const struct kct_extent *extents, size_t n, uint64_t start, uint64_t end)
{
	size_t i = kct_extent_find(extents, n, start);

	return i < n && start < end && extents[i].start < end;
}
