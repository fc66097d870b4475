/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Line number programs, read sequence by sequence. (libdw gives the rows of all
 * sequences sorted by address: where one sequence ends and the next begins, or
 * which of two rows at one address came last, is lost then.)
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf/reader.h"

/* The machine that a line number program drives. */
struct machine {
	struct kct_dwarf *tables;
	struct kct_lines *lines;
	const struct kct_line_header *header;
	struct kct_spans spans; /* of the sequences; id = sequence */
	uint64_t address_mask;
	uint64_t address;
	uint32_t operation; /* in a VLIW instruction */
	uint32_t line;
	uint32_t file;
	uint32_t column;
	bool sorted; /* addresses have not gone down in this sequence */
};

static uint32_t saturate(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void start_sequence(struct machine *m)
{
	m->tables->n_sequence = 0;
	m->sorted = true;
	m->address = 0;
	m->operation = 0;
	m->file = 1;
	m->line = 1;
	m->column = 0;
}

static void advance(struct machine *m, uint64_t operations)
{
	const struct kct_line_header *h = m->header;

	if (h->max_operations > 1) {
		operations += m->operation;
		m->operation = (uint32_t)(operations % h->max_operations);
		operations /= h->max_operations;
	}
	m->address = (m->address + operations * h->min_length) & m->address_mask;
}

static int add_row(struct machine *m)
{
	struct kct_dwarf *t = m->tables;
	struct kct_raw_row *row;

	if (t->n_sequence >= UINT32_MAX)
		return 0;
	if (kct_array_reserve(&t->sequence, &t->max_sequence, t->n_sequence + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	row = &t->sequence[t->n_sequence];
	if (t->n_sequence > 0 && m->address < row[-1].address)
		m->sorted = false;
	row->address = m->address;
	row->line = m->line;
	row->file = m->file;
	row->column = m->column;
	row->order = (uint32_t)t->n_sequence++;
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct kct_raw_row *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* Keep the last of the rows at one address, and no row that says what the one before says. */
static int keep_rows(struct machine *m, uint64_t start, uint64_t end)
{
	const struct kct_raw_row *rows = m->tables->sequence;
	struct kct_sequence sequence = {.start = start, .first = m->lines->n_rows};
	struct kct_lines *lines = m->lines;
	size_t n = m->tables->n_sequence;
	struct kct_row *last = NULL, row;

	if (kct_array_reserve(&lines->rows, &lines->max_rows, lines->n_rows + n) < 0 ||
	    kct_array_reserve(&lines->sequences, &lines->max_sequences, lines->n_sequences + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < n && rows[i].address < end; i++) {
		if (i + 1 < n && rows[i + 1].address == rows[i].address)
			continue;
		row = (struct kct_row){(uint32_t)(rows[i].address - start), rows[i].line,
				       rows[i].file, rows[i].column};
		if (last && last->line == row.line && last->file == row.file &&
		    last->column == row.column)
			continue;
		last = &lines->rows[lines->n_rows++];
		*last = row;
	}
	sequence.n = lines->n_rows - sequence.first;
	if (kct_spans_add(&m->spans, start, end, (uint32_t)lines->n_sequences, 0) < 0)
		return KCT_ERR_NO_MEMORY;
	lines->sequences[lines->n_sequences++] = sequence;
	return 0;
}

static int end_sequence(struct machine *m)
{
	struct kct_dwarf *t = m->tables;
	uint64_t end = m->address, start;
	int result = 0;

	if (t->n_sequence > 0) {
		if (!m->sorted)
			qsort(t->sequence, t->n_sequence, sizeof(*t->sequence), compare_rows);
		start = t->sequence[0].address;
		if (end > start && end - start > UINT32_MAX)
			kct_dwarf_complain(t, "a line sequence is longer than 4 GiB");
		else if (kct_range_is_real(t, start, end, m->header->address_bytes) &&
			 m->lines->n_sequences < UINT32_MAX)
			result = keep_rows(m, start, end);
	}
	start_sequence(m);
	return result;
}

static int run_extended(struct machine *m, struct kct_cursor *c)
{
	uint64_t length = kct_cursor_uleb(c), directory;
	struct kct_cursor operands = *c;
	const char *name;

	if (!kct_cursor_skip(c, length) || length == 0)
		return 0;
	operands.end = operands.at + length;
	switch (kct_cursor_u8(&operands)) {
	case DW_LNE_end_sequence:
		return end_sequence(m);
	case DW_LNE_set_address:
		/* Its length says how many bytes, whatever the header says. */
		if (kct_cursor_left(&operands) <= 8)
			m->address =
				kct_cursor_uint(&operands, (unsigned)kct_cursor_left(&operands));
		m->operation = 0;
		return 0;
	case DW_LNE_define_file:
		name = kct_cursor_string(&operands);
		directory = kct_cursor_uleb(&operands);
		if (kct_array_reserve(&m->lines->files, &m->lines->max_files,
				      m->lines->n_files + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		m->lines->files[m->lines->n_files++] = (struct kct_line_file){
			.name = kct_dwarf_text(name) ? name : "",
			.directory = directory < m->lines->n_directories
					     ? m->lines->directories[directory]
					     : NULL,
		};
		return 0;
	default:
		return 0;
	}
}

static int run_standard(struct machine *m, struct kct_cursor *c, unsigned opcode)
{
	const struct kct_line_header *h = m->header;

	switch (opcode) {
	case DW_LNS_copy:
		return add_row(m);
	case DW_LNS_advance_pc:
		advance(m, kct_cursor_uleb(c));
		return 0;
	case DW_LNS_advance_line:
		m->line += (uint32_t)kct_cursor_sleb(c);
		return 0;
	case DW_LNS_set_file:
		m->file = saturate(kct_cursor_uleb(c));
		return 0;
	case DW_LNS_set_column:
		m->column = saturate(kct_cursor_uleb(c));
		return 0;
	case DW_LNS_const_add_pc:
		advance(m, (255u - h->opcode_base) / h->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		m->address = (m->address + kct_cursor_uint(c, 2)) & m->address_mask;
		m->operation = 0;
		return 0;
	default: /* no effect on what is kept here, or unknown */
		for (unsigned i = 0; i < h->operands[opcode - 1]; i++)
			kct_cursor_uleb(c);
		return 0;
	}
}

static int run(struct machine *m)
{
	struct kct_cursor c = m->header->program;
	int result = 0;

	start_sequence(m);
	while (c.at < c.end && !c.bad && result == 0) {
		unsigned opcode = kct_cursor_u8(&c);

		if (opcode >= m->header->opcode_base) {
			opcode -= m->header->opcode_base;
			advance(m, opcode / m->header->line_range);
			m->line += (uint32_t)(m->header->line_base +
					      (int)(opcode % m->header->line_range));
			result = add_row(m);
		} else if (opcode == 0) {
			result = run_extended(m, &c);
		} else {
			result = run_standard(m, &c, opcode);
		}
	}
	if (c.bad)
		kct_dwarf_complain(m->tables, "a line number program is cut");
	return result;
}

static int read_lines(struct kct_dwarf *tables, struct kct_cursor cursor, unsigned address_bytes,
		      const char *comp_dir, struct kct_lines *lines)
{
	struct kct_line_header header;
	struct machine m = {.tables = tables, .lines = lines, .header = &header};
	struct kct_row *rows;
	int result;

	result = kct_line_header_read(tables, cursor, address_bytes, comp_dir, lines, &header);
	if (result != 0) {
		if (result > 0)
			kct_dwarf_complain(tables, "a line table has an unusable header");
		return result < 0 ? result : 0;
	}
	m.address_mask = UINT64_MAX >> (64 - 8 * header.address_bytes);
	result = run(&m);
	if (result == 0)
		result = kct_spans_flatten(m.spans.at, m.spans.n, &lines->spans);
	kct_spans_clear(&m.spans);
	rows = lines->n_rows ? realloc(lines->rows, lines->n_rows * sizeof(*rows)) : NULL;
	if (rows) {
		lines->rows = rows;
		lines->max_rows = lines->n_rows;
	}
	return result < 0 ? result : 0;
}

int kct_lines_get(struct kct_dwarf *tables, uint64_t offset, unsigned address_bytes,
		  const char *comp_dir, struct kct_lines **ret_lines)
{
	struct kct_cursor cursor = tables->line_section;
	struct kct_lines *lines;
	uint64_t *place;
	int result;

	result = kct_map_put(&tables->lines_at, offset, &place);
	if (result <= 0) {
		if (result == 0)
			*ret_lines = (struct kct_lines *)(uintptr_t)*place;
		return result;
	}
	if (!kct_cursor_skip(&cursor, offset)) {
		kct_dwarf_complain(tables, "a line table lies outside .debug_line");
		*ret_lines = NULL;
		return 0;
	}
	lines = calloc(1, sizeof(*lines));
	if (!lines)
		return KCT_ERR_NO_MEMORY;
	lines->next = tables->line_tables;
	tables->line_tables = lines;
	*place = (uintptr_t)lines;
	result = read_lines(tables, cursor, address_bytes, comp_dir, lines);
	if (result < 0)
		return result;
	*ret_lines = lines;
	return 0;
}

const struct kct_row *kct_lines_find(const struct kct_lines *lines, uint64_t address)
{
	const struct kct_span *span = kct_span_find(lines->spans.at, lines->spans.n, address);
	const struct kct_sequence *sequence;
	size_t low, high, middle;

	if (!span)
		return NULL;
	sequence = &lines->sequences[span->id];
	/* The first row is at the start of the sequence, so one is always found. */
	low = sequence->first;
	high = sequence->first + sequence->n;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (lines->rows[middle].offset <= address - sequence->start)
			low = middle;
		else
			high = middle;
	}
	return &lines->rows[low];
}

void kct_lines_free(struct kct_lines *lines)
{
	free(lines->rows);
	free(lines->sequences);
	free(lines->files);
	free(lines->directories);
	kct_spans_clear(&lines->spans);
	free(lines);
}
