/* SPDX-License-Identifier: BSD-2-Clause */
/* Flat tables of what wins where ranges overlap. */
#include <string.h>

#include "base/array.h"
#include "dwarf/spans.h"

/* Fewer spans than this need no memory and no qsort(). */
#define FEW 16

int kct_spans_add(struct kct_spans *spans, uint64_t start, uint64_t end, uint32_t id, uint32_t rank)
{
	if (kct_array_reserve(&spans->at, &spans->max, spans->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	spans->at[spans->n++] = (struct kct_span){start, end, id, rank};
	return 0;
}

void kct_spans_clear(struct kct_spans *spans)
{
	free(spans->at);
	*spans = (struct kct_spans){0};
}

static bool wins(const struct kct_span *a, const struct kct_span *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (a->end - a->start != b->end - b->start)
		return a->end - a->start < b->end - b->start;
	return a->id < b->id;
}

static int compare_spans(const void *left, const void *right)
{
	const struct kct_span *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* A binary heap of spans, the winner on top. */
static void heap_push(const struct kct_span **heap, size_t *n, const struct kct_span *span)
{
	size_t at = (*n)++;

	for (size_t up; at > 0 && wins(span, heap[up = (at - 1) / 2]); at = up)
		heap[at] = heap[up];
	heap[at] = span;
}

static void heap_pop(const struct kct_span **heap, size_t *n)
{
	const struct kct_span *last = heap[--*n];
	size_t at = 0, down;

	while ((down = 2 * at + 1) < *n) {
		if (down + 1 < *n && wins(heap[down + 1], heap[down]))
			down++;
		if (!wins(heap[down], last))
			break;
		heap[at] = heap[down];
		at = down;
	}
	heap[at] = last;
}

/* Sort by start; those of a function are few, and most come sorted. */
static void sort_spans(struct kct_span *items, size_t n)
{
	size_t i = 1;

	while (i < n && compare_spans(&items[i - 1], &items[i]) <= 0)
		i++;
	if (i >= n)
		return;
	if (n > FEW) {
		qsort(items, n, sizeof(*items), compare_spans);
		return;
	}
	for (; i < n; i++) {
		struct kct_span item = items[i];
		size_t at = i;

		for (; at > 0 && compare_spans(&items[at - 1], &item) > 0; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static bool is_disjoint(const struct kct_span *items, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (items[i].start < items[i - 1].end)
			return false;
	return true;
}

/* Go through the addresses where something starts or the winner ends. */
static int sweep(const struct kct_span *items, size_t n, const struct kct_span **heap,
		 struct kct_spans *flat)
{
	const struct kct_span *before = NULL;
	size_t n_heap = 0, next = 0;
	uint64_t at = 0, until;

	while (next < n || n_heap > 0) {
		if (n_heap == 0)
			at = items[next].start;
		while (next < n && items[next].start <= at)
			heap_push(heap, &n_heap, &items[next++]);
		while (n_heap > 0 && heap[0]->end <= at)
			heap_pop(heap, &n_heap);
		if (n_heap == 0)
			continue;
		until = heap[0]->end;
		if (next < n)
			until = kct_min_u64(until, items[next].start);
		if (heap[0] == before && flat->at[flat->n - 1].end == at)
			flat->at[flat->n - 1].end = until;
		else if (kct_spans_add(flat, at, until, heap[0]->id, heap[0]->rank) < 0)
			return KCT_ERR_NO_MEMORY;
		before = heap[0];
		at = until;
	}
	return 1;
}

int kct_spans_flatten(struct kct_span *items, size_t n, struct kct_spans *flat)
{
	const struct kct_span *few[FEW], **heap = few;
	int result;

	if (n == 0)
		return 0;
	sort_spans(items, n);
	if (is_disjoint(items, n)) {
		if (kct_array_reserve(&flat->at, &flat->max, flat->n + n) < 0)
			return KCT_ERR_NO_MEMORY;
		memcpy(flat->at + flat->n, items, n * sizeof(*items));
		flat->n += n;
		return 0;
	}
	if (n > FEW)
		heap = calloc(n, sizeof(const struct kct_span *));
	if (!heap)
		return KCT_ERR_NO_MEMORY;
	result = sweep(items, n, heap, flat);
	if (heap != few)
		free(heap);
	return result;
}

const struct kct_span *kct_span_find(const struct kct_span *spans, size_t n, uint64_t address)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (spans[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && spans[low].start <= address ? &spans[low] : NULL;
}
