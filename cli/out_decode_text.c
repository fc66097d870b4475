/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "out_decode.h"
#include "text.h"

/* Columns: index (7), two blanks, kind (6), two blanks, then what the kind has. */
#define INDEX_WIDTH 7
#define KIND_WIDTH  6

static void gap(struct output *out)
{
	output_bytes(out, "  ", 2);
}

/** Inline frames below the line, innermost first; names and places under the line's own. */
static void inline_lines(struct output *out, const struct kct_symbol *symbol, size_t name_column,
			 size_t name_width)
{
	uint32_t i;

	for (i = 0; symbol && i + 1 < symbol->n_frames; i++) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];
		const char *name = frame->function ? frame->function : "??";
		size_t length = strlen(name);

		output_fill(out, ' ', INDEX_WIDTH + 2);
		output_string(out, "inlined");
		output_fill(out, ' ', name_column - (INDEX_WIDTH + 2) - strlen("inlined"));
		text_put(out, name);
		if (frame->file) {
			output_fill(out, ' ', (length < name_width ? name_width - length : 0) + 2);
			text_place(out, frame->file, frame->line);
		}
		output_char(out, '\n');
	}
}

/** `name+0x10[module] cpu 2` */
static void variable_text(struct output *out, const struct kct_variable *variable)
{
	output_char(out, ' ');
	text_put(out, variable->name);
	output_printf(out, "+0x%llx", (unsigned long long)variable->offset);
	if (strcmp(variable->module, "vmlinux") != 0) {
		output_string(out, " [");
		text_put(out, variable->module);
		output_char(out, ']');
	}
	if (variable->cpu >= 0)
		output_printf(out, " cpu %d", (int)variable->cpu);
}

static void memory_columns(struct output *out, const struct decode_row *row)
{
	const struct kct_record *record = row->record;
	char names[MEMORY_FLAGS_MAX][16];
	uint32_t flags = record->memory.flags;
	size_t n = memory_flag_names(flags, names, MEMORY_FLAGS_MAX), i;

	gap(out);
	if (!(flags & (KCT_MEMORY_WRITE | KCT_MEMORY_RMW | KCT_MEMORY_FREE)))
		output_string(out, n ? "read " : "read");
	for (i = 0; i < n; i++)
		output_printf(out, "%s%s", i ? " " : "", names[i]);
	gap(out);
	text_count(out, record->memory.size, "byte");
	output_string(out, " at ");
	output_hex(out, record->memory.addr, 16);
	if (row->variable)
		variable_text(out, row->variable);
	output_printf(out, "  time %llu", (unsigned long long)record->memory.time);
	if (flags & KCT_MEMORY_VALUE) {
		output_string(out, "  value ");
		output_hex(out, record->memory.value, 1);
	}
}

static void cmp_operand(struct output *out, const struct kct_record *record, uint64_t arg)
{
	int64_t value;

	output_hex(out, kct_cmp_operand(record, arg), 1);
	if (text_is_negative(record, arg, &value))
		output_printf(out, " (%lld)", (long long)value);
}

static void cmp_columns(struct output *out, const struct decode_row *row)
{
	const struct kct_record *record = row->record;
	uint64_t value = kct_cmp_operand(record, record->cmp.arg1);

	gap(out);
	text_count(out, record->cmp.size, "byte");
	output_printf(out, "  %s  ", record->cmp.is_const ? "const" : "var");
	cmp_operand(out, record, record->cmp.arg1);
	output_string(out, " == ");
	cmp_operand(out, record, record->cmp.arg2);
	if (record->flags & KCT_RECORD_ODD_BITS) {
		output_string(out, "  type ");
		output_hex(out, record->cmp.type, 1);
	}
	if (decode_maybe_switch(row)) {
		output_string(out, "  or a switch of ");
		output_hex(out, value - 1, 1);
		output_string(out, " or ");
		output_hex(out, value, 1);
	}
}

static void entry_columns(struct output *out, const struct decode_row *row)
{
	if (!row->record->entry.caller)
		return;
	output_string(out, "  from ");
	output_hex(out, row->record->entry.caller, 16);
	if (row->caller && row->caller->function) {
		gap(out);
		text_offset(out, row->caller);
	}
}

/** Records that have a PC; then the lines of inline frames. */
static void write_located(struct output *out, const struct options *options,
			  const struct decode_row *row, uint64_t line_start)
{
	const struct kct_record *record = row->record;
	size_t name_column, name_width;
	uint64_t at;

	output_hex(out, record->pc, 16);
	name_column = (size_t)(out->written - line_start) + 2;
	at = out->written;
	if (row->symbol && row->symbol->function) {
		gap(out);
		text_offset(out, row->symbol);
	}
	name_width = out->written > at ? (size_t)(out->written - at) - 2 : 0;
	if (text_outer(row->symbol) && text_outer(row->symbol)->file) {
		gap(out);
		text_place(out, text_outer(row->symbol)->file, text_outer(row->symbol)->line);
	}
	if (record->kind == KCT_RECORD_ENTRY)
		entry_columns(out, row);
	else if (record->kind == KCT_RECORD_MEMORY)
		memory_columns(out, row);
	else if (record->kind == KCT_RECORD_CMP)
		cmp_columns(out, row);
	output_char(out, '\n');
	if (!options->no_inlines)
		inline_lines(out, row->symbol, name_column, name_width);
}

/** Records without a PC. */
static void write_bare(struct output *out, const struct kct_record *record)
{
	switch (record->kind) {
	case KCT_RECORD_EESUM:
		output_printf(out, "delta %d  min %d", (int)record->eesum.delta,
			      (int)record->eesum.min);
		if (record->flags & KCT_RECORD_INVALID)
			text_mark(out, "  invalid");
		break;
	case KCT_RECORD_WAIT:
	case KCT_RECORD_WAKE:
		output_printf(out, "bit %u%s", (unsigned)record->delay.bit,
			      record->delay.timeout ? "  timed out" : "");
		break;
	case KCT_RECORD_LOST:
		text_count(out, record->words, "word");
		gap(out);
		text_mark(out, kct_lost_reason_text(record->lost.reason));
		break;
	default:
		output_string(out, "word ");
		output_hex(out, record->pc, 16);
		if (record->flags & KCT_RECORD_SUSPECT)
			text_mark(out, "  perhaps an EESUM (--eesum-quirk=sign-extended)");
	}
	output_char(out, '\n');
}

void decode_write_text(struct output *out, const struct options *options,
		       const struct decode_row *row)
{
	const struct kct_record *record = row->record;
	const char *kind = kct_record_kind_name(record->kind);
	uint64_t line_start = out->written;
	size_t length = strlen(kind);

	output_decimal(out, record->index, INDEX_WIDTH);
	gap(out);
	output_string(out, kind);
	output_fill(out, ' ', (length < KIND_WIDTH ? KIND_WIDTH - length : 0) + 2);
	switch (record->kind) {
	case KCT_RECORD_PC:
	case KCT_RECORD_ENTRY:
	case KCT_RECORD_EXIT:
	case KCT_RECORD_CMP:
	case KCT_RECORD_MEMORY:
		write_located(out, options, row, line_start);
		break;
	default:
		write_bare(out, record);
	}
}
