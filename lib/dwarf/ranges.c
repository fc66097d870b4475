/* SPDX-License-Identifier: BSD-2-Clause */
/* Address ranges: of DIEs, and flat tables of what wins where ranges overlap. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/reader.h"

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
	const struct kct_span **heap;
	int result;

	if (n == 0)
		return 0;
	if (n > 1)
		qsort(items, n, sizeof(*items), compare_spans);
	if (is_disjoint(items, n)) {
		if (kct_array_reserve(&flat->at, &flat->max, flat->n + n) < 0)
			return KCT_ERR_NO_MEMORY;
		memcpy(flat->at + flat->n, items, n * sizeof(*items));
		flat->n += n;
		return 0;
	}
	heap = calloc(n, sizeof(const struct kct_span *));
	if (!heap)
		return KCT_ERR_NO_MEMORY;
	result = sweep(items, n, heap, flat);
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

bool kct_range_is_real(const struct kct_dwarf *tables, uint64_t start, uint64_t end,
		       unsigned address_bytes)
{
	uint64_t top = address_bytes >= 8 ? UINT64_MAX : (1ull << 8 * address_bytes) - 1;

	if (start >= end)
		return false;
	/* What linkers write for addresses in sections that are not in the output. */
	return !tables->linked || (start != 0 && start != top && start != top - 1);
}

static unsigned address_bytes_of(Dwarf_Die *die)
{
	uint8_t bytes;

	if (dwarf_cu_info(die->cu, NULL, NULL, NULL, NULL, NULL, &bytes, NULL) != 0)
		return 8;
	return bytes;
}

static int list_ranges(struct kct_dwarf *tables, Dwarf_Die *die, uint32_t id, uint32_t rank,
		       struct kct_spans *ret_spans)
{
	unsigned bytes = address_bytes_of(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* Many DIEs may name one long list: no honest file has more ranges than bytes
		 * to write them with. */
		if (tables->range_budget == 0) {
			kct_dwarf_complain(tables, "too many address ranges");
			return 0;
		}
		tables->range_budget--;
		if (kct_range_is_real(tables, start, end, bytes) &&
		    kct_spans_add(ret_spans, start, end, id, rank) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	if (at < 0)
		kct_dwarf_complain(tables, "ranges of the entry at %#llx: %s",
				   (unsigned long long)dwarf_dieoffset(die), dwarf_errmsg(-1));
	return 0;
}

int kct_die_ranges(struct kct_dwarf *tables, Dwarf_Die *die, uint32_t id, uint32_t rank,
		   struct kct_spans *ret_spans)
{
	Dwarf_Attribute low, high;
	Dwarf_Addr start, end;
	Dwarf_Word length;

	if (!dwarf_attr(die, DW_AT_high_pc, &high))
		return dwarf_hasattr(die, DW_AT_ranges)
			       ? list_ranges(tables, die, id, rank, ret_spans)
			       : 0;
	if (!dwarf_attr(die, DW_AT_low_pc, &low) || dwarf_formaddr(&low, &start) != 0) {
		kct_dwarf_complain(tables, "start address of the entry at %#llx: %s",
				   (unsigned long long)dwarf_dieoffset(die), dwarf_errmsg(-1));
		return 0;
	}
	/* An address, or since DWARF 4 a length. */
	if (dwarf_formaddr(&high, &end) != 0) {
		if (dwarf_formudata(&high, &length) != 0) {
			kct_dwarf_complain(tables, "end address of the entry at %#llx: %s",
					   (unsigned long long)dwarf_dieoffset(die),
					   dwarf_errmsg(-1));
			return 0;
		}
		end = start + length;
	}
	if (!kct_range_is_real(tables, start, end, address_bytes_of(die)))
		return 0;
	return kct_spans_add(ret_spans, start, end, id, rank);
}
