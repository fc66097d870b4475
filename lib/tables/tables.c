/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/macros.h"
#include "tables/tables.h"

void kct_tables_clear(struct kct_tables *tables)
{
	free(tables->frames);
	free(tables->statements);
	tables->frames = tables->statements = NULL;
	tables->max_frames = 0;
}

/** The first range of a layer that ends behind an address; past the layer if there is none. */
static size_t seek_in_layer(const struct kct_index *index, uint32_t layer, uint64_t address)
{
	size_t low = index->first[layer], high = index->first[layer + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t find_in_layer(const struct kct_index *index, uint32_t layer, uint64_t address)
{
	size_t at = seek_in_layer(index, layer, address);

	if (at >= index->first[layer + 1] || index->ranges[at].start > address ||
	    index->ranges[at].unit >= index->n_units)
		return UINT32_MAX;
	return index->ranges[at].unit;
}

uint32_t kct_index_find(const struct kct_index *index, uint64_t address)
{
	return index->n_layers > 0 ? find_in_layer(index, 0, address) : UINT32_MAX;
}

size_t kct_index_claimants(const struct kct_index *index, uint64_t address,
			   uint32_t ret_units[KCT_MAX_LAYERS])
{
	size_t n = 0, at;

	for (uint32_t layer = 1; layer < index->n_layers; layer++) {
		uint32_t unit = find_in_layer(index, layer, address);

		if (unit == UINT32_MAX)
			continue;
		for (at = n++; at > 0 && ret_units[at - 1] > unit; at--)
			ret_units[at] = ret_units[at - 1];
		ret_units[at] = unit;
	}
	return n;
}

/* What is known of an address, and the unit that knows it. */
struct found {
	uint32_t number;
	const struct kct_unit *unit;
	struct kct_unit_place place;
};

static int find_in_unit(struct kct_tables *tables, uint32_t number, uint64_t address,
			struct found *found)
{
	int result;

	found->number = number;
	found->unit = tables->at_hand;
	if (!found->unit || number != tables->number_at_hand) {
		result = tables->source.get_unit(tables->source.context, number, &found->unit);
		if (result < 0)
			return result;
	}
	kct_unit_find(found->unit, address, &found->place);
	return 0;
}

/* Several units claim some addresses: the first that knows a function, else one that
 * knows a line. */
static int find_in_others(struct kct_tables *tables, uint64_t address, struct found *found)
{
	uint32_t numbers[KCT_MAX_LAYERS];
	size_t n = kct_index_claimants(&tables->index, address, numbers);
	struct found other;

	for (size_t i = 0; i < n && !found->place.part; i++) {
		int result = find_in_unit(tables, numbers[i], address, &other);

		if (result < 0)
			return result;
		if (other.place.part || (other.place.row && !found->place.row))
			*found = other;
	}
	return 0;
}

/* 1: something is known, 0: nothing, KCT_ERR_NO_MEMORY. */
static int find(struct kct_tables *tables, uint64_t address, struct found *found)
{
	uint32_t number = kct_index_find(&tables->index, address);
	int result;

	if (number == UINT32_MAX)
		return 0;
	result = find_in_unit(tables, number, address, found);
	if (result >= 0 && !found->place.part)
		result = find_in_others(tables, address, found);
	if (result < 0)
		return result;
	return found->place.part || found->place.row;
}

int kct_tables_lookup(struct kct_tables *tables, uint64_t address, struct kct_hit *ret_hit)
{
	const struct kct_unit_place *place;
	struct kct_hit hit = {0};
	struct found found;
	int result = find(tables, address, &found);

	if (result <= 0)
		return result;
	place = &found.place;
	if (found.unit != tables->last_unit || found.number != tables->last_number) {
		tables->last_unit = found.unit;
		tables->last_number = found.number;
		tables->stamp++;
	}
	hit.stamp = tables->stamp;
	hit.unit = found.number;
	hit.has_function = place->part != NULL;
	hit.has_line = place->row != NULL;
	if (place->part) {
		hit.identity = ((uint64_t)found.number << 32 | place->part->function) + 1;
		hit.entry = place->function->entry;
		hit.part_start = place->part->range_start;
		hit.part_end = place->part->range_start + place->part->range_bytes;
	}
	if (kct_array_reserve(&tables->frames, &tables->max_frames, kct_unit_count_frames(place)) <
	    0)
		return KCT_ERR_NO_MEMORY;
	hit.n_frames = kct_unit_frames(found.unit, place, tables->frames);
	hit.frames = tables->frames;
	*ret_hit = hit;
	return 1;
}

/** Where the answer of a layer, which is a unit or none, may change. */
static uint64_t layer_end(const struct kct_index *index, uint32_t layer, uint64_t address)
{
	size_t at = seek_in_layer(index, layer, address);

	if (at >= index->first[layer + 1])
		return UINT64_MAX;
	return index->ranges[at].start > address ? index->ranges[at].start : index->ranges[at].end;
}

/** Where a unit, if one is asked, may answer otherwise. */
static int unit_end(struct kct_tables *tables, uint32_t number, uint64_t address, uint64_t *end,
		    bool *ret_has_part)
{
	struct found found;
	int result;

	*ret_has_part = false;
	if (number == UINT32_MAX)
		return 0;
	result = find_in_unit(tables, number, address, &found);
	if (result < 0)
		return result;
	*ret_has_part = found.place.part != NULL;
	*end = kct_min_u64(*end, kct_unit_run_end(found.unit, address));
	return 0;
}

static int run_end(struct kct_tables *tables, uint64_t address, uint64_t *ret_end)
{
	const struct kct_index *index = &tables->index;
	uint64_t end = index->n_layers > 0 ? layer_end(index, 0, address) : UINT64_MAX;
	bool has_part;
	int result = unit_end(tables, kct_index_find(index, address), address, &end, &has_part);

	/* Where the first unit knows no function, others are asked. */
	for (uint32_t layer = 1; layer < index->n_layers && result >= 0 && !has_part; layer++) {
		bool other;

		end = kct_min_u64(end, layer_end(index, layer, address));
		result = unit_end(tables, find_in_layer(index, layer, address), address, &end,
				  &other);
	}
	if (result < 0)
		return result;
	*ret_end = end;
	return 0;
}

int kct_tables_run(struct kct_tables *tables, uint64_t address, struct kct_tables_run *ret_run)
{
	struct kct_tables_run run = {.row = address};
	struct found found;
	int result = run_end(tables, address, &run.end);

	if (result >= 0)
		result = find(tables, address, &found);
	if (result < 0)
		return result;
	if (result > 0 && found.place.row) {
		run.has_row = true;
		run.row = kct_unit_row_start(&found.place);
		run.statement = found.place.row->statement;
		if (!tables->statements)
			tables->statements =
				calloc(KCT_MAX_STATEMENTS, sizeof(*tables->statements));
		if (!tables->statements)
			return KCT_ERR_NO_MEMORY;
		run.statements = tables->statements;
		run.n_statements =
			kct_unit_statements(found.unit, &found.place, tables->statements);
	}
	*ret_run = run;
	return 0;
}

/* What kct_tables_each_unit() was called with. */
struct each {
	struct kct_tables *tables;
	const uint32_t *numbers;
	kct_take_unit *take;
	void *context;
};

static int take_at_hand(void *context, size_t i, const struct kct_unit *unit)
{
	struct each *each = context;
	int result;

	each->tables->at_hand = unit;
	each->tables->number_at_hand = each->numbers[i];
	result = each->take(each->context, i, unit);
	each->tables->at_hand = NULL;
	each->tables->last_unit = NULL; /* the next one may lie at the same place */
	return result;
}

int kct_tables_each_unit(struct kct_tables *tables, const uint32_t *numbers, size_t n,
			 unsigned threads, kct_take_unit *take, void *take_context)
{
	struct each each = {tables, numbers, take, take_context};
	const struct kct_unit *unit;
	int result = 0;

	if (tables->source.each_unit)
		return tables->source.each_unit(tables->source.context, numbers, n, threads,
						take_at_hand, &each);
	for (size_t i = 0; i < n && result == 0; i++) {
		result = tables->source.get_unit(tables->source.context, numbers[i], &unit);
		if (result >= 0)
			result = take_at_hand(&each, i, unit);
	}
	return result;
}
