/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/macros.h"
#include "tables/unit.h"

/* Where a search by halves ends: the number of elements for which `is_before` holds, which come
 * before the others. `i` is the element in question. */
#define COUNT_BEFORE(n, i, is_before)                           \
	({                                                      \
		uint32_t low_ = 0, high_ = (n);                 \
		while (low_ < high_) {                          \
			uint32_t i = low_ + (high_ - low_) / 2; \
			if (is_before)                          \
				low_ = i + 1;                   \
			else                                    \
				high_ = i;                      \
		}                                               \
		low_;                                           \
	})

static const struct kct_unit_part *find_part(const struct kct_unit *unit, uint64_t address)
{
	const struct kct_unit_part *part;
	uint32_t n = COUNT_BEFORE(unit->n_parts, i, unit->parts[i].start <= address);

	if (n == 0)
		return NULL;
	part = &unit->parts[n - 1];
	return address - part->start < part->bytes && part->function < unit->n_functions ? part
											 : NULL;
}

static const struct kct_unit_inline *find_inline(const struct kct_unit *unit,
						 const struct kct_unit_part *part, uint64_t address)
{
	uint64_t offset = address - part->range_start;
	const struct kct_unit_span *spans;
	uint32_t n;

	if (part->n_spans == 0 || part->first_span > unit->n_spans ||
	    part->n_spans > unit->n_spans - part->first_span)
		return NULL;
	spans = unit->spans + part->first_span;
	n = COUNT_BEFORE(part->n_spans, i, spans[i].start <= offset);
	if (n == 0 || offset >= spans[n - 1].end || spans[n - 1].inlined >= unit->n_inlines)
		return NULL;
	return &unit->inlines[spans[n - 1].inlined];
}

static const struct kct_unit_row *find_row(const struct kct_unit *unit, uint64_t address,
					   const struct kct_unit_sequence **ret_sequence)
{
	uint32_t n = COUNT_BEFORE(unit->n_sequences, i, unit->sequences[i].start <= address);
	const struct kct_unit_sequence *sequence;
	const struct kct_unit_row *rows;
	uint64_t offset;

	if (n == 0)
		return NULL;
	sequence = &unit->sequences[n - 1];
	offset = address - sequence->start;
	if (offset >= sequence->bytes || sequence->n_rows == 0 ||
	    sequence->first_row > unit->n_rows ||
	    sequence->n_rows > unit->n_rows - sequence->first_row)
		return NULL;
	offset += sequence->skip;
	rows = unit->rows + sequence->first_row;
	n = COUNT_BEFORE(sequence->n_rows, i, rows[i].offset <= offset);
	*ret_sequence = sequence;
	return n > 0 ? &rows[n - 1] : NULL;
}

void kct_unit_find(const struct kct_unit *unit, uint64_t address, struct kct_unit_place *ret_place)
{
	struct kct_unit_place place = {.part = find_part(unit, address)};

	if (place.part) {
		place.function = &unit->functions[place.part->function];
		place.inlined = find_inline(unit, place.part, address);
	}
	place.row = find_row(unit, address, &place.sequence);
	*ret_place = place;
}

/** The nearer of two borders, but none that is not behind the address, as damaged tables may have them. */
static uint64_t nearer(uint64_t border, uint64_t other, uint64_t address)
{
	return other > address && other < border ? other : border;
}

static uint64_t part_end(const struct kct_unit *unit, uint64_t address)
{
	uint32_t n = COUNT_BEFORE(unit->n_parts, i, unit->parts[i].start <= address);
	uint64_t end = UINT64_MAX;

	if (n < unit->n_parts)
		end = unit->parts[n].start;
	return n > 0 ? nearer(end, unit->parts[n - 1].start + unit->parts[n - 1].bytes, address)
		     : end;
}

static uint64_t span_end(const struct kct_unit *unit, uint64_t address)
{
	const struct kct_unit_part *part = find_part(unit, address);
	const struct kct_unit_span *spans;
	uint64_t end = UINT64_MAX, offset;
	uint32_t n;

	if (!part || part->n_spans == 0 || part->first_span > unit->n_spans ||
	    part->n_spans > unit->n_spans - part->first_span)
		return end;
	spans = unit->spans + part->first_span;
	offset = address - part->range_start;
	n = COUNT_BEFORE(part->n_spans, i, spans[i].start <= offset);
	if (n < part->n_spans)
		end = part->range_start + spans[n].start;
	return n > 0 ? nearer(end, part->range_start + spans[n - 1].end, address) : end;
}

static uint64_t row_end(const struct kct_unit *unit, uint64_t address)
{
	uint32_t n = COUNT_BEFORE(unit->n_sequences, i, unit->sequences[i].start <= address);
	const struct kct_unit_sequence *sequence;
	const struct kct_unit_row *rows;
	uint64_t end = UINT64_MAX, offset;

	if (n < unit->n_sequences)
		end = unit->sequences[n].start;
	if (n == 0)
		return end;
	sequence = &unit->sequences[n - 1];
	if (address - sequence->start >= sequence->bytes)
		return end;
	end = nearer(end, sequence->start + sequence->bytes, address);
	if (sequence->first_row > unit->n_rows ||
	    sequence->n_rows > unit->n_rows - sequence->first_row)
		return end;
	offset = address - sequence->start + sequence->skip;
	rows = unit->rows + sequence->first_row;
	n = COUNT_BEFORE(sequence->n_rows, i, rows[i].offset <= offset);
	return n < sequence->n_rows ? nearer(end, address + (rows[n].offset - offset), address)
				    : end;
}

uint64_t kct_unit_run_end(const struct kct_unit *unit, uint64_t address)
{
	uint64_t end = nearer(part_end(unit, address), row_end(unit, address), address);

	return nearer(end, span_end(unit, address), address);
}

size_t kct_unit_count_frames(const struct kct_unit_place *place)
{
	if (!place->inlined)
		return 1;
	return 1 + (size_t)kct_min_u64(place->inlined->depth, KCT_MAX_INLINE_DEPTH);
}

static const char *file_of(const struct kct_unit *unit, uint16_t file)
{
	return file < unit->n_files ? kct_unit_string(unit, unit->files[file]) : NULL;
}

size_t kct_unit_statements(const struct kct_unit *unit, const struct kct_unit_place *place,
			   struct kct_unit_frame *ret_frames)
{
	const struct kct_unit_row *first = unit->rows + place->sequence->first_row;
	const struct kct_unit_row *row = place->row;
	size_t n = 0;

	while (row > first && n < KCT_MAX_STATEMENTS && (--row)->offset == place->row->offset)
		ret_frames[n++] = (struct kct_unit_frame){
			.file = file_of(unit, row->file),
			.comp_dir = kct_unit_string(unit, unit->comp_dir),
			.line = row->line,
		};
	return n;
}

size_t kct_unit_frames(const struct kct_unit *unit, const struct kct_unit_place *place,
		       struct kct_unit_frame *ret_frames)
{
	struct kct_unit_frame frame = {.comp_dir = kct_unit_string(unit, unit->comp_dir)};
	const struct kct_unit_inline *inlined = place->inlined;
	size_t n = 0, last = kct_unit_count_frames(place) - 1;

	if (place->row) {
		frame.file = file_of(unit, place->row->file);
		frame.line = place->row->line;
		frame.column = place->row->column;
	}
	/* Each frame's place is where the one before was inlined. */
	while (inlined && n < last) {
		uint32_t parent = inlined->parent;

		frame.name = kct_unit_string(unit, inlined->name);
		ret_frames[n++] = frame;
		frame.file = file_of(unit, inlined->call_file);
		frame.line = inlined->call_line;
		frame.column = inlined->call_column;
		inlined = parent < inlined - unit->inlines ? &unit->inlines[parent] : NULL;
	}
	frame.name = place->function ? kct_unit_string(unit, place->function->name) : NULL;
	ret_frames[n++] = frame;
	return n;
}
