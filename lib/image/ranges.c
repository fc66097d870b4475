/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "image/ranges.h"

/* The ranges that are open at the current address, the one that wins on top. */
struct heap {
	const struct kct_range **items;
	size_t n;
};

void kct_ranges_clear(struct kct_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct kct_ranges){0};
}

int kct_ranges_add(struct kct_ranges *ranges, uint64_t first, uint64_t last, uint32_t rank,
		   uint32_t value)
{
	if (last < first)
		return 0;
	if (kct_array_reserve(&ranges->items, &ranges->max, ranges->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	ranges->items[ranges->n++] = (struct kct_range){first, last, rank, value};
	return 0;
}

static bool wins(const struct kct_range *a, const struct kct_range *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->value < b->value;
}

static void heap_push(struct heap *heap, const struct kct_range *range)
{
	size_t at = heap->n++;

	while (at > 0 && wins(range, heap->items[(at - 1) / 2])) {
		heap->items[at] = heap->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->items[at] = range;
}

static void heap_pop(struct heap *heap)
{
	const struct kct_range *moved = heap->items[--heap->n];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->n)
			break;
		if (child + 1 < heap->n && wins(heap->items[child + 1], heap->items[child]))
			child++;
		if (!wins(heap->items[child], moved))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = moved;
}

static int compare_first(const void *left, const void *right)
{
	const struct kct_range *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return wins(a, b) ? -1 : wins(b, a);
}

/** Add a piece, or make the one before longer if it goes on with the same value. */
static int add_piece(struct kct_ranges *pieces, uint64_t first, uint64_t last,
		     const struct kct_range *range)
{
	struct kct_range *before = pieces->n ? &pieces->items[pieces->n - 1] : NULL;

	if (before && before->value == range->value && before->rank == range->rank &&
	    before->last == first - 1) {
		before->last = last;
		return 0;
	}
	return kct_ranges_add(pieces, first, last, range->rank, range->value);
}

/** Walk the sorted ranges; every step ends where one begins or the winner ends. */
static int sweep(const struct kct_ranges *ranges, struct heap *heap, struct kct_ranges *pieces)
{
	uint64_t at = 0;
	size_t next = 0;

	while (next < ranges->n || heap->n > 0) {
		uint64_t last;

		if (heap->n == 0)
			at = ranges->items[next].first;
		while (next < ranges->n && ranges->items[next].first == at)
			heap_push(heap, &ranges->items[next++]);
		while (heap->n > 0 && heap->items[0]->last < at)
			heap_pop(heap);
		if (heap->n == 0)
			continue;
		last = heap->items[0]->last;
		if (next < ranges->n && ranges->items[next].first <= last)
			last = ranges->items[next].first - 1;
		if (add_piece(pieces, at, last, heap->items[0]) < 0)
			return KCT_ERR_NO_MEMORY;
		if (last == UINT64_MAX)
			break;
		at = last + 1;
	}
	return 0;
}

int kct_ranges_finish(struct kct_ranges *ranges)
{
	struct kct_ranges pieces = {0};
	struct heap heap = {0};
	int result;

	if (ranges->n == 0)
		return 0;
	heap.items = calloc(ranges->n, sizeof(*heap.items));
	if (!heap.items)
		return KCT_ERR_NO_MEMORY;
	qsort(ranges->items, ranges->n, sizeof(*ranges->items), compare_first);
	result = sweep(ranges, &heap, &pieces);
	free(heap.items);
	if (result < 0) {
		kct_ranges_clear(&pieces);
		return result;
	}
	kct_ranges_clear(ranges);
	*ranges = pieces;
	return 0;
}

const struct kct_range *kct_ranges_find(const struct kct_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->items[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || ranges->items[low - 1].last < address)
		return NULL;
	return &ranges->items[low - 1];
}
