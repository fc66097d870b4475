/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "out_decode.h"
#include "text.h"

size_t memory_flag_names(uint32_t flags, char (*ret_names)[16], size_t max)
{
	uint32_t bit;
	size_t n = 0;

	if (flags & KCT_MEMORY_KIND_MASK) /* one number, not four bits */
		snprintf(ret_names[n++], 16, "0x%x", (unsigned)(flags & KCT_MEMORY_KIND_MASK));
	for (bit = KCT_MEMORY_KIND_MASK + 1; bit && n < max; bit <<= 1) {
		const char *name = kct_memory_flag_name(bit);

		if (!(flags & bit) || bit == KCT_MEMORY_VALUE)
			continue;
		if (name)
			snprintf(ret_names[n++], 16, "%s", name);
		else
			snprintf(ret_names[n++], 16, "0x%x", (unsigned)bit);
	}
	return n;
}

static void json_variable(struct json *json, const struct kct_variable *variable)
{
	json_key_string(json, "var", variable->name);
	json_key_number(json, "varoff", variable->offset);
	if (strcmp(variable->module, "vmlinux") != 0)
		json_key_string(json, "varmodule", variable->module);
	if (variable->cpu >= 0)
		json_key_number(json, "varcpu", (uint64_t)variable->cpu);
}

static void json_memory(struct json *json, const struct decode_row *row)
{
	const struct kct_record *record = row->record;
	char names[MEMORY_FLAGS_MAX][16];
	size_t n = memory_flag_names(record->memory.flags, names, MEMORY_FLAGS_MAX), i;

	json_key_hex(json, "addr", record->memory.addr);
	if (row->variable)
		json_variable(json, row->variable);
	json_key_number(json, "size", record->memory.size);
	json_key(json, "flags");
	json_open(json, '[');
	for (i = 0; i < n; i++)
		json_string(json, names[i]);
	json_close(json, ']');
	json_key_number(json, "time", record->memory.time);
	if (record->memory.flags & KCT_MEMORY_VALUE)
		json_key_hex(json, "value", record->memory.value);
}

/** An operand as a negative number if it is one, and the raw word where it has more bits than the operand. */
static void json_operand(struct json *json, const struct kct_record *record, uint64_t arg,
			 const char *signed_key, const char *raw_key)
{
	int64_t value;

	if (text_is_negative(record, arg, &value)) {
		json_key(json, signed_key);
		json_signed(json, value);
	}
	if (arg != kct_cmp_operand(record, arg))
		json_key_hex(json, raw_key, arg);
}

bool decode_maybe_switch(const struct decode_row *row)
{
	return row->input->layout.os == KCT_OS_FREEBSD && !row->record->cmp.is_const &&
	       row->record->cmp.arg1 & 1;
}

static void json_cmp(struct json *json, const struct decode_row *row)
{
	const struct kct_record *record = row->record;

	json_key_number(json, "size", record->cmp.size);
	json_key_bool(json, "const", record->cmp.is_const);
	json_key_hex(json, "arg1", kct_cmp_operand(record, record->cmp.arg1));
	json_key_hex(json, "arg2", kct_cmp_operand(record, record->cmp.arg2));
	json_operand(json, record, record->cmp.arg1, "signed1", "raw1");
	json_operand(json, record, record->cmp.arg2, "signed2", "raw2");
	if (record->flags & KCT_RECORD_ODD_BITS)
		json_key_hex(json, "type", record->cmp.type);
	if (decode_maybe_switch(row))
		json_key_bool(json, "maybe_switch", true);
}

/** The keys that only one kind has. */
static void json_kind(struct json *json, const struct decode_row *row)
{
	const struct kct_record *record = row->record;

	switch (record->kind) {
	case KCT_RECORD_ENTRY:
		if (record->entry.caller)
			json_key_hex(json, "caller", record->entry.caller);
		if (row->has_depth)
			json_key_number(json, "depth", row->depth);
		break;
	case KCT_RECORD_MEMORY:
		json_memory(json, row);
		break;
	case KCT_RECORD_CMP:
		json_cmp(json, row);
		break;
	case KCT_RECORD_EESUM:
		json_key(json, "delta");
		json_signed(json, record->eesum.delta);
		json_key(json, "min");
		json_signed(json, record->eesum.min);
		if (record->flags & KCT_RECORD_INVALID)
			json_key_bool(json, "invalid", true);
		break;
	case KCT_RECORD_WAIT:
	case KCT_RECORD_WAKE:
		json_key_number(json, "bit", record->delay.bit);
		if (record->kind == KCT_RECORD_WAIT)
			json_key_bool(json, "timeout", record->delay.timeout);
		break;
	case KCT_RECORD_LOST:
		json_key_number(json, "words", record->words);
		json_key_string(json, "reason", kct_lost_reason_text(record->lost.reason));
		break;
	case KCT_RECORD_UNKNOWN:
		json_key_hex(json, "word", record->pc);
		if (record->flags & KCT_RECORD_SUSPECT)
			json_key_bool(json, "suspect_eesum", true);
		break;
	default:
		break;
	}
}

static void json_inlined(struct json *json, const struct kct_symbol *symbol)
{
	uint32_t i;

	json_key(json, "inlined");
	json_open(json, '[');
	for (i = 0; i + 1 < symbol->n_frames; i++) {
		json_open(json, '{');
		if (symbol->frames[i].function)
			json_key_string(json, "func", symbol->frames[i].function);
		json_place(json, symbol->frames[i].file, symbol->frames[i].line);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_symbol(struct json *json, const struct kct_symbol *symbol, bool inlines)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);

	if (!symbol)
		return;
	if (symbol->function) {
		json_key_string(json, "func", symbol->function);
		json_key_number(json, "off", symbol->offset);
	}
	if (outer)
		json_place(json, outer->file, outer->line);
	if (inlines && symbol->n_frames > 1)
		json_inlined(json, symbol);
	if (symbol->module)
		json_key_string(json, "module", symbol->module);
}

static void write_json(struct output *out, const struct options *options,
		       const struct decode_row *row)
{
	const struct kct_record *record = row->record;
	struct json json = {.out = out};

	json_open(&json, '{');
	json_input(&json);
	json_segment(&json, row->input);
	json_key_number(&json, "i", record->index);
	json_key_string(&json, "kind", kct_record_kind_name(record->kind));
	switch (record->kind) {
	case KCT_RECORD_PC:
	case KCT_RECORD_ENTRY:
	case KCT_RECORD_EXIT:
	case KCT_RECORD_CMP:
	case KCT_RECORD_MEMORY:
		json_key_hex(&json, "pc", record->pc);
		break;
	default:
		break;
	}
	json_kind(&json, row);
	json_symbol(&json, row->symbol, !options->no_inlines);
	json_close(&json, '}');
	json_line(&json);
}

enum column {
	COLUMN_I,
	COLUMN_KIND,
	COLUMN_PC,
	COLUMN_CALLER,
	COLUMN_FUNC,
	COLUMN_OFF,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_MODULE,
	COLUMN_ADDR,
	COLUMN_SIZE,
	COLUMN_FLAGS,
	COLUMN_TIME,
	COLUMN_VALUE,
	COLUMN_ARG1,
	COLUMN_ARG2,
	COLUMN_CONST,
	COLUMN_DELTA,
	COLUMN_MIN,
	COLUMN_REASON,
	COLUMNS
};

static const char csv_header[] = "i,kind,pc,caller,func,off,file,line,module,addr,size,flags,time,"
				 "value,arg1,arg2,const,delta,min,reason";

/** A row of cells: names point to what lives longer, the rest is printed into `numbers`. */
struct csv_row {
	const char *cells[COLUMNS];
	char numbers[COLUMNS][32];
	char flags[MEMORY_FLAGS_MAX * 16];
};

static void csv_decimal(struct csv_row *csv, enum column column, int64_t number)
{
	snprintf(csv->numbers[column], sizeof(csv->numbers[column]), "%lld", (long long)number);
	csv->cells[column] = csv->numbers[column];
}

static void csv_unsigned(struct csv_row *csv, enum column column, uint64_t number)
{
	snprintf(csv->numbers[column], sizeof(csv->numbers[column]), "%llu",
		 (unsigned long long)number);
	csv->cells[column] = csv->numbers[column];
}

static void csv_hex(struct csv_row *csv, enum column column, uint64_t number)
{
	snprintf(csv->numbers[column], sizeof(csv->numbers[column]), "0x%llx",
		 (unsigned long long)number);
	csv->cells[column] = csv->numbers[column];
}

static void csv_memory(struct csv_row *csv, const struct kct_record *record)
{
	char names[MEMORY_FLAGS_MAX][16];
	size_t n = memory_flag_names(record->memory.flags, names, MEMORY_FLAGS_MAX), i, used = 0;

	for (i = 0; i < n; i++)
		used += (size_t)snprintf(csv->flags + used, sizeof(csv->flags) - used, "%s%s",
					 i ? "|" : "", names[i]);
	csv->cells[COLUMN_FLAGS] = n ? csv->flags : NULL;
	csv_hex(csv, COLUMN_ADDR, record->memory.addr);
	csv_unsigned(csv, COLUMN_SIZE, record->memory.size);
	csv_unsigned(csv, COLUMN_TIME, record->memory.time);
	if (record->memory.flags & KCT_MEMORY_VALUE)
		csv_hex(csv, COLUMN_VALUE, record->memory.value);
}

static void csv_kind(struct csv_row *csv, const struct kct_record *record)
{
	switch (record->kind) {
	case KCT_RECORD_ENTRY:
		if (record->entry.caller)
			csv_hex(csv, COLUMN_CALLER, record->entry.caller);
		break;
	case KCT_RECORD_MEMORY:
		csv_memory(csv, record);
		break;
	case KCT_RECORD_CMP:
		csv_unsigned(csv, COLUMN_SIZE, record->cmp.size);
		csv_hex(csv, COLUMN_ARG1, kct_cmp_operand(record, record->cmp.arg1));
		csv_hex(csv, COLUMN_ARG2, kct_cmp_operand(record, record->cmp.arg2));
		csv->cells[COLUMN_CONST] = record->cmp.is_const ? "true" : "false";
		break;
	case KCT_RECORD_EESUM:
		csv_decimal(csv, COLUMN_DELTA, record->eesum.delta);
		csv_decimal(csv, COLUMN_MIN, record->eesum.min);
		if (record->flags & KCT_RECORD_INVALID)
			csv->cells[COLUMN_REASON] = "invalid";
		break;
	case KCT_RECORD_WAIT:
	case KCT_RECORD_WAKE:
		snprintf(csv->flags, sizeof(csv->flags), "bit %u%s", (unsigned)record->delay.bit,
			 record->delay.timeout ? " timed out" : "");
		csv->cells[COLUMN_REASON] = csv->flags;
		break;
	case KCT_RECORD_LOST:
		csv->cells[COLUMN_REASON] = kct_lost_reason_text(record->lost.reason);
		break;
	case KCT_RECORD_UNKNOWN:
		snprintf(csv->flags, sizeof(csv->flags), "word 0x%llx",
			 (unsigned long long)record->pc);
		csv->cells[COLUMN_REASON] = csv->flags;
		break;
	default:
		break;
	}
}

static void csv_symbol(struct csv_row *csv, const struct kct_symbol *symbol)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);

	if (!symbol)
		return;
	csv->cells[COLUMN_FUNC] = symbol->function;
	csv->cells[COLUMN_MODULE] = symbol->module;
	if (symbol->function)
		csv_unsigned(csv, COLUMN_OFF, symbol->offset);
	if (outer)
		csv->cells[COLUMN_FILE] = outer->file;
	if (outer && outer->file && outer->line)
		csv_unsigned(csv, COLUMN_LINE, outer->line);
}

static void csv_segment(struct output *out, const struct input *input)
{
	if (!input->tracefile) {
		output_string(out, ",,");
		return;
	}
	output_printf(out, ",%zu,", input->number);
	if (input->segment.fields & KCT_SEGMENT_THREAD)
		output_decimal(out, input->segment.thread, 0);
}

static void write_csv(struct output *out, const struct decode_row *row)
{
	struct csv_row csv;
	uint64_t index = row->record->index;
	int column;

	memset(csv.cells, 0, sizeof(csv.cells));
	csv_unsigned(&csv, COLUMN_I, index);
	csv.cells[COLUMN_KIND] = kct_record_kind_name(row->record->kind);
	if (row->record->kind != KCT_RECORD_LOST && row->record->kind != KCT_RECORD_UNKNOWN &&
	    row->record->pc)
		csv_hex(&csv, COLUMN_PC, row->record->pc);
	csv_kind(&csv, row->record);
	csv_symbol(&csv, row->symbol);
	if (out->input) {
		text_csv_cell(out, out->input);
		output_char(out, ',');
	}
	for (column = 0; column < COLUMNS; column++) {
		if (column)
			output_char(out, ',');
		if (csv.cells[column])
			text_csv_cell(out, csv.cells[column]);
	}
	if (row->segment_columns)
		csv_segment(out, row->input);
	output_char(out, '\n');
}

void decode_begin(struct output *out, const struct options *options, const struct input *input,
		  bool first)
{
	if (options->format == FORMAT_CSV && first) {
		output_printf(out, "%s%s", out->input ? "input," : "", csv_header);
		output_string(out, input && input->tracefile ? ",segment,thread\n" : "\n");
	}
	if (options->format == FORMAT_TEXT && input)
		input_heading(out, input);
}

void decode_write(struct output *out, const struct options *options, const struct decode_row *row)
{
	switch (options->format) {
	case FORMAT_JSON:
		write_json(out, options, row);
		break;
	case FORMAT_CSV:
		write_csv(out, row);
		break;
	default:
		decode_write_text(out, options, row);
	}
}
