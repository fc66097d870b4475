/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "commands.h"
#include "fit.h"
#include "input.h"
#include "message.h"
#include "session.h"
#include "text.h"

static void write_text(struct output *out, const struct options *options,
		       const struct kct_symbol *symbol, uint64_t address)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);
	uint32_t i;

	output_hex(out, address, 16);
	output_string(out, "  ");
	if (!text_offset(out, symbol))
		output_string(out, "??");
	if (outer && outer->file) {
		output_string(out, "  ");
		text_place(out, outer->file, outer->line);
	}
	for (i = 0; !options->no_inlines && i + 1 < symbol->n_frames; i++) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];

		output_string(out, i ? " < " : "  (inlined: ");
		text_put(out, frame->function ? frame->function : "??");
		output_char(out, ' ');
		if (!text_place(out, frame->file, frame->line))
			output_string(out, "??");
	}
	if (i)
		output_char(out, ')');
	if (symbol->reason != KCT_SYMBOL_NONE)
		output_printf(out, "  (%s)", kct_symbol_reason_text(symbol->reason));
	output_char(out, '\n');
}

/** A function line and a place line, as binutils prints them. */
static void addr2line_pair(struct output *out, const char *function, const char *file,
			   uint32_t line, const char *no_line)
{
	output_string(out, function ? function : "??");
	output_char(out, '\n');
	output_string(out, file ? file : "??");
	output_char(out, ':');
	if (file && line)
		output_decimal(out, line, 0);
	else
		output_string(out, no_line);
	output_char(out, '\n');
}

static void write_addr2line(struct output *out, const struct options *options,
			    const struct kct_symbol *symbol, uint64_t address)
{
	/* As binutils print paths, unless the user wants them otherwise. */
	bool rewritten = options->path_maps.n || options->strip_build_dir;
	uint32_t i;

	output_hex(out, address, 16);
	output_char(out, '\n');
	if (!symbol->n_frames) /* `?` for a function without a line, 0 for nothing at all */
		addr2line_pair(out, symbol->function, NULL, 0, symbol->function ? "?" : "0");
	for (i = options->no_inlines && symbol->n_frames ? symbol->n_frames - 1 : 0;
	     i < symbol->n_frames; i++) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];

		addr2line_pair(out, frame->function, rewritten ? frame->file : frame->raw_file,
			       frame->line, "?");
	}
}

static void json_frames(struct json *json, const struct options *options,
			const struct kct_symbol *symbol)
{
	uint32_t i;

	json_key(json, "frames");
	json_open(json, '[');
	for (i = options->no_inlines && symbol->n_frames ? symbol->n_frames - 1 : 0;
	     i < symbol->n_frames; i++) {
		json_open(json, '{');
		if (symbol->frames[i].function)
			json_key_string(json, "func", symbol->frames[i].function);
		json_place(json, symbol->frames[i].file, symbol->frames[i].line);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_json(struct output *out, const struct options *options,
		       const struct kct_symbol *symbol, uint64_t address)
{
	struct json json = {.out = out};

	json_open(&json, '{');
	json_key_hex(&json, "addr", address);
	if (symbol->function) {
		json_key_string(&json, "func", symbol->function);
		json_key_number(&json, "off", symbol->offset);
	}
	if (symbol->symbol && symbol->function && strcmp(symbol->symbol, symbol->function) != 0)
		json_key_string(&json, "symbol", symbol->symbol);
	if (symbol->size)
		json_key_number(&json, "size", symbol->size);
	if (symbol->module)
		json_key_string(&json, "module", symbol->module);
	if (symbol->guessed)
		json_key_bool(&json, "guessed", true);
	if (symbol->approximate)
		json_key_bool(&json, "approximate", true);
	json_frames(&json, options, symbol);
	if (symbol->reason != KCT_SYMBOL_NONE)
		json_key_string(&json, "reason", kct_symbol_reason_text(symbol->reason));
	json_close(&json, '}');
	json_line(&json);
}

static int symbolize(const struct options *options, const uint64_t *addresses, size_t n,
		     struct session *session, struct output *out)
{
	/* What is said of an address when nothing could be opened. */
	static const struct kct_symbol unknown = {.reason = KCT_SYMBOL_NO_IMAGE};
	const struct kct_symbol **symbols = zeroed(const struct kct_symbol *, n);
	int status = session_batch(session, addresses, n, symbols);
	size_t i;

	/* Each address has its line: a script pairs them up. */
	for (i = 0; i < n && !output_dead(out); i++) {
		const struct kct_symbol *symbol = symbols[i] ? symbols[i] : &unknown;

		switch (options->format) {
		case FORMAT_ADDR2LINE:
			write_addr2line(out, options, symbol, addresses[i]);
			break;
		case FORMAT_JSON:
			write_json(out, options, symbol, addresses[i]);
			break;
		default:
			write_text(out, options, symbol, addresses[i]);
		}
	}
	free(symbols);
	fit_addresses(session, options, addresses, n);
	return status;
}

/** Addresses from standard input, one a line. */
static int from_stdin(const struct options *options, struct session *session, struct output *out)
{
	struct kct_pclist *list;
	struct kct_file *file;
	const uint64_t *addresses;
	const void *text;
	size_t bytes, n;
	int r, status = open_file("-", &file);

	if (!file)
		return status;
	text = kct_file_data(file, &bytes);
	r = kct_pclist_parse(text, bytes, &list);
	if (r < 0) {
		status = failure_code("<stdin>", r);
	} else {
		addresses = kct_pclist_pcs(list, &n);
		status = worst(status, symbolize(options, addresses, n, session, out));
		status = worst(status, report_bad_lines("<stdin>", list));
		kct_pclist_free(list);
	}
	kct_file_free(file);
	return status;
}

static int from_arguments(const struct options *options, char **arguments, size_t n,
			  struct session *session, struct output *out)
{
	uint64_t *addresses = zeroed(uint64_t, n);
	int status = STATUS_FINE;
	size_t i;

	for (i = 0; i < n; i++) {
		if (kct_parse_address(arguments[i], strlen(arguments[i]), &addresses[i]) >= 0)
			continue;
		free(addresses);
		return usage_failure("symbolize", "not an address: '%s'", arguments[i]);
	}
	status = symbolize(options, addresses, n, session, out);
	free(addresses);
	return status;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	static const struct capture_facts nothing;
	struct session session;
	bool fits;
	int status;

	if (!options->vmlinux && !options->kallsyms && !options->modules.n && !options->module_dir)
		return usage_failure("symbolize", "no symbols: give -k, --module or --kallsyms");
	session_begin(&session, options);
	status = session_use(&session, "symbolize", &nothing, &fits);
	if (session_has_symbols(&session))
		status = worst(status, session_use_slide(&session, false));
	if (status != STATUS_USAGE)
		status = worst(status, n ? from_arguments(options, arguments, n, &session, out)
					 : from_stdin(options, &session, out));
	session_close(&session);
	return status;
}

const struct command command_symbolize = {
	.name = "symbolize",
	.arguments = "[ADDRESS...]",
	.summary = "name functions, lines and inline frames of addresses",
	.details = "Addresses are hexadecimal, with or without 0x; without any they are read from "
		   "standard\ninput, one a line, where blank lines and # comments are skipped.\n",
	.takes = TAKES_OUTPUT | TAKES_SYMBOLS | TAKES_INLINES,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_ADDR2LINE | 1 << FORMAT_JSON,
	.run = run,
};
