/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_points.h"
#include "text.h"

void points_begin(struct output *out, const struct options *options)
{
	if (options->format == FORMAT_CSV)
		output_string(out, "pc,call,kind,func,file,line,module\n");
}

static void write_text(struct output *out, const struct options *options,
		       const struct kct_point *point, const struct kct_symbol *symbol)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);
	uint32_t i;

	output_hex(out, point->pc, 16);
	output_printf(out, "  %-10s  ", kct_point_kind_name(point->kind));
	if (!symbol || !text_offset(out, symbol))
		output_string(out, "??");
	if (outer && outer->file) {
		output_string(out, "  ");
		text_place(out, outer->file, outer->line);
	}
	for (i = 0; symbol && !options->no_inlines && i + 1 < symbol->n_frames; i++) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];

		output_string(out, i ? " < " : "  (inlined: ");
		text_put(out, frame->function ? frame->function : "??");
		output_char(out, ' ');
		if (!text_place(out, frame->file, frame->line))
			output_string(out, "??");
	}
	output_string(out, i ? ")\n" : "\n");
}

static void write_csv(struct output *out, const struct kct_point *point,
		      const struct kct_symbol *symbol)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);

	output_hex(out, point->pc, 1);
	output_char(out, ',');
	output_hex(out, point->call, 1);
	output_printf(out, ",%s,", kct_point_kind_name(point->kind));
	if (symbol && symbol->function)
		text_csv_cell(out, symbol->function);
	output_char(out, ',');
	if (outer && outer->file)
		text_csv_cell(out, outer->file);
	output_char(out, ',');
	if (outer && outer->file && outer->line)
		output_decimal(out, outer->line, 0);
	output_char(out, ',');
	if (symbol && symbol->module)
		text_csv_cell(out, symbol->module);
	output_char(out, '\n');
}

static void write_inlined(struct json *json, const struct kct_symbol *symbol)
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

static void write_json(struct output *out, const struct options *options,
		       const struct kct_point *point, const struct kct_symbol *symbol)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);
	struct json json = {.out = out};

	json_open(&json, '{');
	json_key_hex(&json, "pc", point->pc);
	json_key_hex(&json, "call", point->call);
	json_key_string(&json, "kind", kct_point_kind_name(point->kind));
	if (symbol && symbol->function) {
		json_key_string(&json, "func", symbol->function);
		json_key_number(&json, "off", symbol->offset);
	}
	if (outer)
		json_place(&json, outer->file, outer->line);
	if (symbol && symbol->n_frames > 1 && !options->no_inlines)
		write_inlined(&json, symbol);
	if (symbol && symbol->module)
		json_key_string(&json, "module", symbol->module);
	json_close(&json, '}');
	json_line(&json);
}

void points_write(struct output *out, const struct options *options, const struct kct_point *point,
		  const struct kct_symbol *symbol)
{
	switch (options->format) {
	case FORMAT_JSON:
		write_json(out, options, point, symbol);
		break;
	case FORMAT_CSV:
		write_csv(out, point, symbol);
		break;
	default:
		write_text(out, options, point, symbol);
	}
}
