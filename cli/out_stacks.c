/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "out_stacks.h"
#include "text.h"

static const char *next_name(const char *name)
{
	return name + strlen(name) + 1;
}

static void write_folded(struct output *out, const struct stack_entry *entry)
{
	const char *name = entry->names;
	size_t i;

	for (i = 0; i < entry->n_frames; i++, name = next_name(name)) {
		if (i)
			output_char(out, ';');
		output_string(out, name);
	}
	output_char(out, ' ');
	output_decimal(out, entry->weight, 0);
	output_char(out, '\n');
}

static void write_json(struct output *out, const struct input *input,
		       const struct stack_entry *entry)
{
	struct json json = {.out = out};
	const char *name = entry->names;
	size_t i;

	json_open(&json, '{');
	if (input)
		json_segment(&json, input);
	json_key(&json, "frames");
	json_open(&json, '[');
	for (i = 0; i < entry->n_frames; i++, name = next_name(name))
		json_string(&json, name);
	json_close(&json, ']');
	json_key_number(&json, "weight", entry->weight);
	json_close(&json, '}');
	json_line(&json);
}

static void text_frame(struct output *out, const char *name, const char *file, uint32_t line)
{
	output_string(out, "    ");
	text_put(out, name);
	if (file) {
		output_string(out, "  ");
		if (line == LINE_DIFFERS)
			text_put(out, file);
		else
			text_place(out, file, line);
	}
	output_char(out, '\n');
}

/** Innermost first, as kernels print stacks. */
static void write_text(struct output *out, const struct options *options,
		       const struct stack_entry *entry)
{
	const char **names = zeroed(const char *, entry->n_frames);
	const char *name = entry->names;
	size_t i;

	for (i = 0; i < entry->n_frames; i++, name = next_name(name))
		names[i] = name;
	text_count(out, entry->weight, options->weigh_calls ? "call" : "record");
	output_char(out, '\n');
	for (i = entry->n_frames; i--;)
		text_frame(out, names[i], entry->places[i].file, entry->places[i].line);
	free(names);
}

void stacks_write_set(struct output *out, const struct options *options, const struct input *input,
		      struct stack_set *set)
{
	size_t i;

	stack_set_sort(set);
	if (options->format == FORMAT_TEXT)
		stack_set_rank(set);
	for (i = 0; i < set->n && !output_dead(out); i++) {
		switch (options->format) {
		case FORMAT_FOLDED:
			write_folded(out, &set->entries[i]);
			break;
		case FORMAT_JSON:
			write_json(out, input, &set->entries[i]);
			break;
		default:
			if (i)
				output_char(out, '\n');
			write_text(out, options, &set->entries[i]);
		}
	}
}

static void json_frame(struct json *json, const struct shown_frame *frame)
{
	json_open(json, '{');
	json_key_string(json, "func", frame->name);
	if (frame->pc)
		json_key_hex(json, "pc", frame->pc);
	json_place(json, frame->file, frame->line);
	if (frame->inlined)
		json_key_bool(json, "inlined", true);
	else if (frame->untraced)
		json_key_bool(json, "untraced", true);
	else
		json_key_number(json, "index", frame->sibling);
	json_close(json, '}');
}

static void one_json(struct output *out, const struct input *input, const struct kct_record *record,
		     const struct shown_stack *stack)
{
	struct json json = {.out = out};
	size_t i;

	json_open(&json, '{');
	json_input(&json);
	json_segment(&json, input);
	json_key_number(&json, "i", record->index);
	json_key_string(&json, "kind", kct_record_kind_name(record->kind));
	json_key(&json, "frames");
	json_open(&json, '[');
	for (i = 0; i < stack->n; i++)
		json_frame(&json, &stack->frames[i]);
	json_close(&json, ']');
	json_key_number(&json, "weight", 1);
	json_close(&json, '}');
	json_line(&json);
}

static void one_folded(struct output *out, const struct shown_stack *stack)
{
	size_t i;

	for (i = 0; i < stack->n; i++)
		output_printf(out, "%s%s", i ? ";" : "", stack->frames[i].name);
	output_string(out, " 1\n");
}

static void one_text(struct output *out, const struct kct_record *record,
		     const struct shown_stack *stack)
{
	size_t i;

	output_printf(out, "word %llu  %s\n", (unsigned long long)record->index,
		      kct_record_kind_name(record->kind));
	for (i = stack->n; i--;)
		text_frame(out, stack->frames[i].name, stack->frames[i].file,
			   stack->frames[i].line);
}

void stacks_write_one(struct output *out, const struct options *options, const struct input *input,
		      const struct kct_record *record, const struct shown_stack *stack)
{
	if (options->format == FORMAT_JSON)
		one_json(out, input, record, stack);
	else if (options->format == FORMAT_FOLDED)
		one_folded(out, stack);
	else
		one_text(out, record, stack);
}
