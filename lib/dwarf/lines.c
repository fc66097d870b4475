/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Line number programs, read sequence by sequence. (libdw gives the rows of all
 * sequences sorted by address: where one sequence ends and the next begins, or
 * which of two rows at one address came last, is lost then.)
 */
#include <dwarf.h>

#include "dwarf/reader.h"

/* What a special opcode adds. */
struct special {
	uint32_t address;
	int32_t line;
};

/* The machine that a line number program drives. */
struct machine {
	struct kct_reader *reader;
	struct kct_lines *lines;
	const struct kct_line_header *header;
	uint64_t address_mask;
	uint64_t address;
	uint32_t operation; /* in a VLIW instruction */
	uint32_t line;
	uint16_t file; /* of the build */
	uint16_t column;
	bool is_stmt;
	bool sorted;		     /* addresses have not gone down in this sequence */
	struct special special[256]; /* unless instructions hold several operations */
};

void kct_lines_clear(struct kct_lines *lines)
{
	free(lines->files);
	free(lines->directories);
	free(lines->rows);
	*lines = (struct kct_lines){0};
}

static int set_file(struct machine *m, uint64_t number)
{
	return kct_reader_file(m->reader, number, &m->file);
}

static void set_column(struct machine *m, uint64_t column)
{
	m->column = (uint16_t)(column <= KCT_MAX_COLUMN ? column : 0);
}

static int start_sequence(struct machine *m)
{
	m->lines->n_rows = 0;
	m->sorted = true;
	m->address = 0;
	m->operation = 0;
	m->line = 1;
	m->column = 0;
	m->is_stmt = m->header->is_stmt;
	return set_file(m, 1);
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
	struct kct_lines *lines = m->lines;
	struct kct_raw_row *row;

	if (lines->n_rows >= UINT32_MAX)
		return 0;
	if (kct_array_reserve(&lines->rows, &lines->max_rows, lines->n_rows + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	row = &lines->rows[lines->n_rows];
	if (lines->n_rows > 0 && m->address < row[-1].address)
		m->sorted = false;
	*row = (struct kct_raw_row){m->address, m->line,   (uint32_t)lines->n_rows++,
				    m->file,	m->column, m->is_stmt};
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct kct_raw_row *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static bool same_line(const struct kct_raw_row *a, const struct kct_raw_row *b)
{
	return a->line == b->line && a->file == b->file;
}

/* Of several rows at one address the last one tells the line of the code. It is the code of a statement if one of
 * this line begins there. Others of one line are one: the last of them. */
static void join_rows(struct kct_raw_row *rows, size_t n)
{
	size_t last;

	for (size_t i = 0; i < n; i = last + 1) {
		for (last = i; last + 1 < n && rows[last + 1].address == rows[i].address; last++)
			;
		for (; i < last; i++) {
			if (!rows[i].is_stmt)
				continue;
			rows[i + 1].is_stmt |= same_line(&rows[i], &rows[i + 1]);
			rows[last].is_stmt |= same_line(&rows[i], &rows[last]);
		}
	}
}

/* Whether to keep row i of those of a sequence: not one that says what the one before it says, and of those at
 * one address the last, and statements of other lines. */
static bool is_kept(const struct kct_raw_row *rows, size_t n, size_t i,
		    const struct kct_raw_row *last)
{
	const struct kct_raw_row *row = &rows[i];

	if (i + 1 < n && rows[i + 1].address == row->address)
		return row->is_stmt && row->line != 0 && !same_line(row, &rows[i + 1]);
	return !last || !same_line(last, row) || last->column != row->column ||
	       (row->is_stmt && !last->is_stmt);
}

static int keep_rows(struct machine *m, uint64_t start, uint64_t end)
{
	struct kct_raw_row *rows = m->lines->rows;
	struct kct_build *build = &m->reader->build;
	struct kct_build_sequence sequence = {start, end, (uint32_t)build->n_rows, 0};
	const struct kct_raw_row *last = NULL;
	size_t n = m->lines->n_rows;

	if (build->n_rows + n > UINT32_MAX)
		return 0;
	if (kct_array_reserve(&build->rows, &build->max_rows, build->n_rows + n) < 0 ||
	    kct_array_reserve(&build->lines, &build->max_lines, build->n_lines + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	join_rows(rows, n);
	for (size_t i = 0; i < n && rows[i].address < end; i++) {
		if (!is_kept(rows, n, i, last))
			continue;
		last = &rows[i];
		build->rows[build->n_rows++] =
			(struct kct_unit_row){(uint32_t)(last->address - start), last->line,
					      last->file, last->column, last->is_stmt};
	}
	sequence.n_rows = (uint32_t)(build->n_rows - sequence.first_row);
	build->lines[build->n_lines++] = sequence;
	return 0;
}

static int end_sequence(struct machine *m)
{
	struct kct_lines *lines = m->lines;
	uint64_t end = m->address, start;

	if (lines->n_rows > 0) {
		if (!m->sorted)
			qsort(lines->rows, lines->n_rows, sizeof(*lines->rows), compare_rows);
		start = lines->rows[0].address;
		if (end > start && end - start > UINT32_MAX)
			kct_reader_complain(m->reader, "a line sequence is longer than 4 GiB");
		else if (kct_range_is_real(m->reader->dwarf->linked, start, end,
					   m->header->address_bytes) &&
			 keep_rows(m, start, end) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return start_sequence(m);
}

static int define_file(struct machine *m, struct kct_cursor *c)
{
	const char *name = kct_dwarf_text(kct_cursor_string(c));
	struct kct_lines *lines = m->lines;

	if (kct_array_reserve(&lines->files, &lines->max_files, lines->n_files + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	lines->files[lines->n_files++] =
		(struct kct_line_file){.name = name ? name : "", .directory = kct_cursor_uleb(c)};
	kct_cursor_uleb(c); /* time */
	kct_cursor_uleb(c); /* bytes */
	return 0;
}

/* An operation of a known kind. */
static int run_known(struct machine *m, unsigned opcode, struct kct_cursor *operands)
{
	switch (opcode) {
	case DW_LNE_end_sequence:
		return end_sequence(m);
	case DW_LNE_set_address:
		/* Its length says how many bytes, whatever the header says. */
		if (kct_cursor_left(operands) != m->header->address_bytes)
			kct_reader_complain(m->reader,
					    "an address of a line number program has %zu bytes",
					    kct_cursor_left(operands));
		if (kct_cursor_left(operands) <= 8)
			m->address = kct_cursor_uint(operands, (unsigned)kct_cursor_left(operands));
		m->operation = 0;
		return 0;
	case DW_LNE_define_file:
		return define_file(m, operands);
	default: /* DW_LNE_set_discriminator */
		kct_cursor_uleb(operands);
		return 0;
	}
}

/* Where operands and length do not agree the length is believed, as for kinds that are not known; other
 * readers go by the operands, and see other rows from there on. */
static int run_extended(struct machine *m, struct kct_cursor *c)
{
	uint64_t length = kct_cursor_uleb(c);
	struct kct_cursor operands = *c;
	unsigned opcode;
	int result = 0;

	if (!kct_cursor_skip(c, length))
		return 0;
	operands.end = operands.at + length;
	opcode = kct_cursor_u8(&operands); /* bad if the length is 0 */
	if (opcode > DW_LNE_set_discriminator)
		return 0;
	if (opcode >= DW_LNE_end_sequence)
		result = run_known(m, opcode, &operands);
	if (operands.bad || (opcode != 0 && kct_cursor_left(&operands) > 0))
		kct_reader_complain(
			m->reader,
			"an operation of a line number program is not as long as it says");
	return result;
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
		return set_file(m, kct_cursor_uleb(c));
	case DW_LNS_set_column:
		set_column(m, kct_cursor_uleb(c));
		return 0;
	case DW_LNS_negate_stmt:
		m->is_stmt = !m->is_stmt;
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

/* What the special opcodes do. */
static void prepare(struct machine *m)
{
	const struct kct_line_header *h = m->header;

	m->address_mask = UINT64_MAX >> (64 - 8 * h->address_bytes);
	for (unsigned opcode = h->opcode_base; opcode < 256; opcode++) {
		unsigned number = opcode - h->opcode_base;

		m->special[opcode].address = number / h->line_range * h->min_length;
		m->special[opcode].line = h->line_base + (int)(number % h->line_range);
	}
}

static int run_special(struct machine *m, unsigned opcode)
{
	const struct kct_line_header *h = m->header;

	if (h->max_operations > 1)
		advance(m, (opcode - h->opcode_base) / h->line_range);
	else
		m->address = (m->address + m->special[opcode].address) & m->address_mask;
	m->line += (uint32_t)m->special[opcode].line;
	return add_row(m);
}

int kct_lines_run(struct kct_reader *reader, const struct kct_line_header *header)
{
	struct machine m = {.reader = reader, .lines = &reader->lines, .header = header};
	struct kct_cursor c = header->program;
	int result = start_sequence(&m);

	prepare(&m);
	while (c.at < c.end && !c.bad && result == 0) {
		unsigned opcode = kct_cursor_u8(&c);

		if (opcode >= header->opcode_base)
			result = run_special(&m, opcode);
		else if (opcode == 0)
			result = run_extended(&m, &c);
		else
			result = run_standard(&m, &c, opcode);
	}
	if (c.bad)
		kct_reader_complain(reader, "a line number program is cut");
	return result;
}
