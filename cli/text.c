/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "text.h"

#define DIM    "\033[2m"
#define RED    "\033[31m"
#define NORMAL "\033[0m"

static void color(struct output *out, const char *sequence)
{
	uint64_t written = out->written;

	if (!out->color)
		return;
	output_string(out, sequence);
	out->written = written; /* takes no room on a line */
}

void text_put(struct output *out, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		output_char(out, byte < 0x20 || byte == 0x7f ? '?' : *text);
	}
}

const char *text_module(const struct kct_symbol *symbol)
{
	if (!symbol || !symbol->module || strcmp(symbol->module, "vmlinux") == 0)
		return NULL;
	return symbol->module;
}

const char *text_name(char buffer[NAME_MAX_BYTES], uint64_t pc, const struct kct_symbol *symbol)
{
	const char *module = text_module(symbol);

	if (!symbol || !symbol->function)
		snprintf(buffer, NAME_MAX_BYTES, "0x%016llx", (unsigned long long)pc);
	else if (module)
		snprintf(buffer, NAME_MAX_BYTES, "%s[%s]", symbol->function, module);
	else
		snprintf(buffer, NAME_MAX_BYTES, "%s", symbol->function);
	return buffer;
}

bool text_offset(struct output *out, const struct kct_symbol *symbol)
{
	if (!symbol || !symbol->function)
		return false;
	text_put(out, symbol->function);
	output_char(out, '+');
	output_hex(out, symbol->offset, 1);
	if (symbol->size) {
		output_char(out, '/');
		output_hex(out, symbol->size, 1);
	}
	if (text_module(symbol)) {
		output_string(out, " [");
		text_put(out, symbol->module);
		output_char(out, ']');
	}
	return true;
}

bool text_place(struct output *out, const char *file, uint32_t line)
{
	if (!file)
		return false;
	color(out, DIM);
	text_put(out, file);
	output_char(out, ':');
	if (line)
		output_decimal(out, line, 0);
	else
		output_char(out, '?');
	color(out, NORMAL);
	return true;
}

const struct kct_symbol_frame *text_outer(const struct kct_symbol *symbol)
{
	return symbol && symbol->n_frames ? &symbol->frames[symbol->n_frames - 1] : NULL;
}

void text_mark(struct output *out, const char *remark)
{
	color(out, RED);
	output_string(out, remark);
	color(out, NORMAL);
}

void text_count(struct output *out, uint64_t n, const char *noun)
{
	output_printf(out, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
}

void json_place(struct json *json, const char *file, uint32_t line)
{
	if (!file)
		return;
	json_key_string(json, "file", file);
	if (line)
		json_key_number(json, "line", line);
}

bool text_is_negative(const struct kct_record *record, uint64_t operand, int64_t *ret_value)
{
	int64_t value = kct_cmp_operand_signed(record, operand);

	/* Far below zero it is a pattern or an address, not a number. */
	if (value >= 0 || value < -65536)
		return false;
	*ret_value = value;
	return true;
}

void text_csv_cell(struct output *out, const char *cell)
{
	if (!cell[strcspn(cell, ",\"\r\n")]) {
		output_string(out, cell);
		return;
	}
	output_char(out, '"');
	for (; *cell; cell++) {
		if (*cell == '"')
			output_char(out, '"');
		output_char(out, *cell);
	}
	output_char(out, '"');
}
