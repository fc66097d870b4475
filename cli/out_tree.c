/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "message.h"
#include "out_tree.h"
#include "text.h"

/* A million levels of indent would be a million million blanks. */
#define INDENT_MAX 200

static void indent(struct output *out, uint64_t level)
{
	output_fill(out, ' ', 2 * (size_t)(level < INDENT_MAX ? level : INDENT_MAX));
	if (level > INDENT_MAX)
		output_printf(out, "[depth %llu] ", (unsigned long long)level);
}

/** `name  file:line` of the function that holds `pc`. */
static void function_columns(struct output *out, struct session *session, uint64_t pc)
{
	const struct kct_symbol *symbol = session_lookup(session, pc);
	const struct kct_symbol_frame *outer = text_outer(symbol);
	char name[NAME_MAX_BYTES];

	text_put(out, text_name(name, pc, symbol));
	if (outer && outer->file) {
		output_string(out, "  ");
		text_place(out, outer->file, outer->line);
	}
}

static void gap_line(struct output *out, const struct kct_call *node, uint64_t level)
{
	bool calls = node->lost_reason == KCT_LOST_TOO_DEEP;
	uint64_t n = calls ? node->repeats : node->records;
	char *line;

	indent(out, level);
	if (asprintf(&line, "-- %llu %s%s lost: %s --", (unsigned long long)n,
		     calls ? "call" : "word", n == 1 ? "" : "s",
		     kct_lost_reason_text(node->lost_reason)) >= 0) {
		text_mark(out, line);
		free(line);
	}
	output_char(out, '\n');
}

static const struct kct_call *node_at(const struct tree_view *view, size_t at)
{
	return &view->nodes[view->order[at]];
}

/** What a call is besides its name and records. */
static void call_marks(struct output *out, const struct tree_view *view, size_t at)
{
	const struct kct_call *node = node_at(view, at);
	uint64_t up = view->places[at].up;
	uint64_t times = up == NO_CALL ? 1 : node_at(view, up)->repeats;

	/* Both count all calls; what is meant is how many in each call above. */
	if (times && node->repeats / times > 1)
		output_printf(out, "  x%llu", (unsigned long long)(node->repeats / times));
	if (node->confidence == KCT_EDGE_VIA_UNTRACED)
		output_string(out, "  <via untraced>");
	if (node->confidence == KCT_EDGE_AFTER_LOSS)
		output_string(out, "  <after loss>");
	if (node->kind == KCT_CALL_INFERRED)
		output_string(out, "  <inferred>");
	if (node->end == KCT_END_UNFINISHED)
		text_mark(out, "  (unfinished)");
	if (node->end == KCT_END_SKIPPED)
		text_mark(out, "  (skipped)");
	if (node->end == KCT_END_UNTRACED && node->kind != KCT_CALL_UNTRACED)
		output_string(out, "  (untraced)");
}

static void call_line(struct output *out, const struct tree_view *view, size_t at)
{
	const struct kct_call *node = node_at(view, at);

	indent(out, view->places[at].level);
	if (node->kind == KCT_CALL_UNTRACED)
		output_printf(out, "<untraced %u>", (unsigned)node->frames);
	else
		function_columns(out, view->session, node->pc);
	output_printf(out, "  [%llu]", (unsigned long long)view->records[at]);
	call_marks(out, view, at);
	output_char(out, '\n');
}

void tree_write_text(struct output *out, const struct tree_view *view)
{
	size_t at;

	for (at = 0; at < view->n && !output_dead(out); at++) {
		const struct kct_call *node = node_at(view, at);

		if (!view->places[at].shown)
			continue;
		if (node->kind == KCT_CALL_LOST)
			gap_line(out, node, view->places[at].level);
		else
			call_line(out, view, at);
	}
}

/** Keys that name the function that holds `pc`. */
static void json_function(struct json *json, struct session *session, uint64_t pc)
{
	const struct kct_symbol *symbol = session_lookup(session, pc);
	const struct kct_symbol_frame *outer = text_outer(symbol);

	if (symbol && symbol->function)
		json_key_string(json, "func", symbol->function);
	if (outer)
		json_place(json, outer->file, outer->line);
	if (text_module(symbol))
		json_key_string(json, "module", symbol->module);
}

static void json_index(struct json *json, const char *key, uint64_t index)
{
	json_key(json, key);
	if (index == KCT_NOWHERE)
		json_null(json);
	else
		json_number(json, index);
}

static const char *state_name(const struct kct_call *node)
{
	switch (node->kind) {
	case KCT_CALL_UNTRACED:
		return "untraced";
	case KCT_CALL_INFERRED:
		return "inferred";
	case KCT_CALL_LOST:
		return "lost";
	default:
		return kct_frame_end_name(node->end);
	}
}

static void json_call(struct output *out, const struct tree_view *view, size_t at)
{
	const struct kct_call *node = node_at(view, at);
	struct json json = {.out = out};
	bool is_gap = node->kind == KCT_CALL_LOST;

	json_open(&json, '{');
	json_input(&json);
	json_segment(&json, view->input);
	json_index(&json, "i", node->index);
	json_index(&json, "end", node->end_index);
	json_key_number(&json, "depth", view->places[at].depth);
	if (node->pc) {
		json_function(&json, view->session, node->pc);
		json_key_hex(&json, "pc", node->pc);
	}
	if (node->caller)
		json_key_hex(&json, "caller", node->caller);
	json_key_number(&json, "records", is_gap ? 0 : view->records[at]);
	json_key_string(&json, "state", state_name(node));
	if (node->kind == KCT_CALL_UNTRACED)
		json_key_number(&json, "frames", node->frames);
	if (node->confidence == KCT_EDGE_VIA_UNTRACED)
		json_key_bool(&json, "via_untraced", true);
	if (node->confidence == KCT_EDGE_AFTER_LOSS)
		json_key_bool(&json, "after_loss", true);
	if (is_gap) {
		json_key_number(&json, "words", node->records);
		json_key_string(&json, "reason", kct_lost_reason_text(node->lost_reason));
	}
	json_close(&json, '}');
	json_line(&json);
}

void tree_write_json(struct output *out, const struct tree_view *view)
{
	size_t at;

	for (at = 0; at < view->n && !output_dead(out); at++) {
		if (view->places[at].shown)
			json_call(out, view, at);
	}
}

void tree_write_run(struct output *out, const struct options *options, struct session *session,
		    const struct input *input, const struct tree_run *run)
{
	struct json json = {.out = out};

	if (options->format != FORMAT_JSON) {
		function_columns(out, session, run->pc);
		output_printf(out, "  [%llu]\n", (unsigned long long)run->records);
		return;
	}
	json_open(&json, '{');
	json_input(&json);
	json_segment(&json, input);
	json_index(&json, "i", run->first);
	json_index(&json, "end", run->last);
	json_key_number(&json, "depth", 0);
	json_function(&json, session, run->pc);
	json_key_hex(&json, "pc", run->pc);
	json_key_number(&json, "records", run->records);
	json_close(&json, '}');
	json_line(&json);
}

void tree_write_outside(struct output *out, const struct options *options, uint64_t records)
{
	if (records && options->format == FORMAT_TEXT)
		output_printf(out, "[outside]  [%llu]\n", (unsigned long long)records);
}

void tree_write_full(struct output *out, const struct options *options, const char *name)
{
	if (options->format == FORMAT_TEXT) {
		text_mark(out, "-- buffer full: records may be missing from here on --");
		output_char(out, '\n');
	} else {
		warning("%s: buffer full: records may be missing at the end", name);
	}
}
