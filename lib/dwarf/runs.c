/* SPDX-License-Identifier: BSD-2-Clause */
/* How far what the tables know of an address holds for the addresses after it. */
#include "dwarf/tables.h"

/** The first address after `address` where one of n disjoint and sorted spans begins or ends. */
static uint64_t next_border(const struct kct_span *spans, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n)
		return UINT64_MAX;
	return spans[low].start > address ? spans[low].start : spans[low].end;
}

static uint64_t next_row(const struct kct_lines *lines, uint64_t address)
{
	const struct kct_span *span = kct_span_find(lines->spans.at, lines->spans.n, address);
	uint64_t border = next_border(lines->spans.at, lines->spans.n, address);
	const struct kct_row *row = kct_lines_find(lines, address);
	const struct kct_sequence *sequence;

	if (!span || !row)
		return border;
	sequence = &lines->sequences[span->id];
	if ((size_t)(row + 1 - lines->rows) < sequence->first + sequence->n)
		border = kct_min_u64(border, sequence->start + row[1].offset);
	return border;
}

static uint64_t end_in_unit(struct kct_dwarf *t, uint32_t id, uint64_t address)
{
	struct kct_unit *unit = &t->units[id];
	uint64_t border = UINT64_MAX;
	const struct kct_function *function;
	const struct kct_span *span;

	if (!unit->is_read) /* nobody has looked anything up in it */
		return border;
	border = next_border(unit->part_spans.at, unit->part_spans.n, address);
	span = kct_span_find(unit->part_spans.at, unit->part_spans.n, address);
	if (span) {
		function = &unit->functions[unit->parts.at[span->id].id];
		border = kct_min_u64(border,
				     next_border(unit->inline_spans.at + function->first_span,
						 function->n_spans, address));
	}
	return unit->lines ? kct_min_u64(border, next_row(unit->lines, address)) : border;
}

uint64_t kct_dwarf_run_end(struct kct_dwarf *tables, uint64_t address)
{
	const struct kct_spans *units = &tables->unit_spans;
	const struct kct_span *span = kct_span_find(units->at, units->n, address);
	uint64_t end = next_border(units->at, units->n, address);

	if (span)
		end = kct_min_u64(end, end_in_unit(tables, span->id, address));
	/* Another unit may have answered. */
	for (size_t i = 0; i < tables->n_layers; i++) {
		const struct kct_spans *layer = &tables->layers[i];

		end = kct_min_u64(end, next_border(layer->at, layer->n, address));
		span = kct_span_find(layer->at, layer->n, address);
		if (span)
			end = kct_min_u64(end, end_in_unit(tables, span->id, address));
	}
	return end;
}
