/* SPDX-License-Identifier: BSD-2-Clause */
/* Which units claim an address. */
#include "dwarf/reader.h"

static int add_range(struct kct_dwarf *t, const struct kct_span *span)
{
	if (t->n_index_ranges >= UINT32_MAX)
		return 0;
	if (kct_array_reserve(&t->index_ranges, &t->max_index_ranges, t->n_index_ranges + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	t->index_ranges[t->n_index_ranges++] =
		(struct kct_index_range){span->start, span->end, span->id, 0};
	return 0;
}

/* Put a range in the first layer where it fits; ranges come by their start. */
static int add_to_layers(struct kct_dwarf *t, const struct kct_span *range,
			 struct kct_spans layers[KCT_MAX_LAYERS])
{
	struct kct_spans *layer;
	struct kct_span *last;

	for (size_t i = 0; i < KCT_MAX_LAYERS; i++) {
		layer = &layers[i];
		last = layer->n ? &layer->at[layer->n - 1] : NULL;
		if (last && last->id == range->id && range->start <= last->end) {
			last->end = kct_max_u64(last->end, range->end);
			return 0;
		}
		if (last && range->start < last->end)
			continue;
		return kct_spans_add(layer, range->start, range->end, range->id, 0);
	}
	kct_reader_complain(t->reader, "more than %d units claim address %#llx", KCT_MAX_LAYERS,
			    (unsigned long long)range->start);
	return 0;
}

/* Append a layer to the index. */
static int add_layer(struct kct_dwarf *t, const struct kct_spans *layer)
{
	struct kct_index *index = &t->look_up.index;

	for (size_t i = 0; i < layer->n; i++)
		if (add_range(t, &layer->at[i]) < 0)
			return KCT_ERR_NO_MEMORY;
	index->first[++index->n_layers] = (uint32_t)t->n_index_ranges;
	return 0;
}

static int add_layers(struct kct_dwarf *t, const struct kct_spans *sorted)
{
	struct kct_spans layers[KCT_MAX_LAYERS] = {0};
	int result = 0;

	for (size_t i = 0; i < sorted->n && result == 0; i++)
		result = add_to_layers(t, &sorted->at[i], layers);
	for (size_t i = 0; i < KCT_MAX_LAYERS && layers[i].n > 0 && result == 0; i++)
		result = add_layer(t, &layers[i]);
	for (size_t i = 0; i < KCT_MAX_LAYERS; i++)
		kct_spans_clear(&layers[i]);
	return result;
}

int kct_dwarf_index(struct kct_dwarf *tables)
{
	struct kct_spans winners = {0};
	bool overlap;
	int result;

	result = kct_spans_flatten(tables->unit_ranges.at, tables->unit_ranges.n, &winners);
	overlap = result > 0;
	if (result >= 0)
		result = add_layer(tables, &winners);
	/* Sorted now. */
	if (result == 0 && overlap)
		result = add_layers(tables, &tables->unit_ranges);
	kct_spans_clear(&winners);
	kct_spans_clear(&tables->unit_ranges);
	tables->look_up.index.ranges = tables->index_ranges;
	tables->look_up.index.n_units = (uint32_t)tables->n_units;
	return result;
}
