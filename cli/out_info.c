/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "layout_spec.h"
#include "out_info.h"
#include "syscall_view.h"
#include "text.h"

#define LABEL_WIDTH 14

static const char *layout_name(const struct input *input)
{
	if (input->is_list)
		return "pcs";
	return input->layout.preset ? input->layout.preset : kct_mode_name(input->layout.mode);
}

static void json_records(struct json *json, const struct kct_summary_counts *counts)
{
	unsigned kind;

	json_key(json, "records");
	json_open(json, '{');
	for (kind = 0; kind < KCT_RECORD_KINDS; kind++) {
		/* No kernel writes this kind: it shows only where it was met. */
		if (kind != KCT_RECORD_UNKNOWN || counts->records[kind])
			json_key_number(json, kct_record_kind_name(kind), counts->records[kind]);
	}
	json_close(json, '}');
}

static void json_stack(struct json *json, const struct info *info)
{
	json_key(json, "stack");
	json_open(json, '{');
	json_key_number(json, "max_depth", info->stack.max_depth);
	json_key_number(json, "end_depth", info->end_depth);
	json_key_number(json, "underflows", info->stack.underflows);
	json_key_number(json, "unfinished", info->stack.unfinished);
	json_key_number(json, "skipped", info->stack.skipped);
	json_key_number(json, "untraced", info->stack.untraced);
	json_key_number(json, "outside", info->stack.outside);
	if (info->stack.too_deep)
		json_key_number(json, "too_deep", info->stack.too_deep);
	if (info->has_symbols) {
		json_key_number(json, "via_untraced", info->stack.via_untraced);
		json_key_number(json, "verified_edges", info->stack.verified_edges);
	}
	json_close(json, '}');
}

/** How many PCs are coverage points, and why others are not. */
static void json_points(struct json *json, const struct kct_match *match)
{
	uint32_t i;

	json_key(json, "points");
	json_open(json, '{');
	json_key_number(json, "pcs", match->pcs);
	json_key_number(json, "matched", match->points);
	if (match->cause != KCT_MISMATCH_NONE) {
		json_key_string(json, "cause", kct_mismatch_text(match->cause));
		json_key(json, "samples");
		json_open(json, '[');
		for (i = 0; i < match->n_samples; i++)
			json_hex(json, match->samples[i]);
		json_close(json, ']');
	}
	if (match->cause == KCT_MISMATCH_SLIDE)
		json_key_hex(json, "slide", match->slide);
	json_close(json, '}');
}

/** What addresses look like, and with symbols where they lie. */
static void json_addresses(struct json *json, const struct info *info)
{
	static const char *const names[KCT_PC_CLASSES] = {
		[KCT_PC_KERNEL] = "kernel",
		[KCT_PC_USER] = "user",
		[KCT_PC_TINY] = "tiny",
		[KCT_PC_WILD] = "wild",
	};
	unsigned class;

	json_key_number(json, "unique_pcs", info->counts.unique_pcs);
	if (info->has_symbols) {
		json_key_number(json, "named_pcs", info->named_pcs);
		json_key_number(json, "vmlinux_pcs", info->vmlinux_pcs);
		json_key_number(json, "module_pcs", info->module_pcs);
	}
	if (info->has_match)
		json_points(json, &info->match);
	json_key_string(json, "pc_kind", info->pc_kind == KCT_PC_CALL ? "call" : "return");
	json_key(json, "addresses");
	json_open(json, '{');
	for (class = 0; class < KCT_PC_CLASSES; class ++)
		json_key_number(json, names[class], info->counts.pc_classes[class]);
	json_close(json, '}');
}

static void json_memory(struct json *json, const struct info *info)
{
	json_key(json, "memory");
	json_open(json, '{');
	json_key_number(json, "atomic", info->counts.memory_atomic);
	json_key_number(json, "free", info->counts.memory_free);
	json_key_number(json, "value", info->counts.memory_value);
	json_key_number(json, "large", info->counts.memory_large);
	if (info->has_symbols) {
		json_key_number(json, "in_function", info->stack.memory_top);
		json_key_number(json, "outside_function", info->stack.memory_outside);
	}
	json_close(json, '}');
}

/** What else a file says of a segment. */
static void json_segment_facts(struct json *json, const struct input *input)
{
	const struct kct_trace_segment *segment = &input->segment;

	if (segment->name)
		json_key_string(json, "thread_name", segment->name);
	if (segment->fields & KCT_SEGMENT_PROCESS)
		json_key_number(json, "process", segment->process);
	if (segment->fields & KCT_SEGMENT_REMOTE)
		json_key_hex(json, "remote", segment->remote_handle);
	if (segment->fields & KCT_SEGMENT_TIME) {
		json_key_number(json, "begin", segment->begin);
		json_key_number(json, "end", segment->end);
	}
	capture_write_json(json, input->tracefile, segment->capture);
}

void info_write_json(struct output *out, const struct info *info)
{
	const struct input *input = info->input;
	const struct kct_summary_counts *counts = &info->counts;
	struct json json = {.out = out};

	json_open(&json, '{');
	json_key_string(&json, "file", input->path);
	json_segment(&json, input);
	if (input->tracefile)
		json_segment_facts(&json, input);
	json_key_string(&json, "mode", kct_mode_name(input->layout.mode));
	json_key_string(&json, "layout", layout_name(input));
	json_key_bool(&json, "guessed", input->guessed);
	if (input->guessed) {
		json_key(&json, "confidence");
		json_fraction(&json, input->confidence);
		json_key_string(&json, "guess_reason", input->reason);
	}
	json_key_number(&json, "words", info->geometry.used_words);
	json_records(&json, counts);
	json_key(&json, "capacity_words");
	if (info->geometry.capacity_words)
		json_number(&json, info->geometry.capacity_words);
	else
		json_null(&json);
	json_key(&json, "overflow");
	if (info->geometry.overflow == KCT_OVERFLOW_UNKNOWN)
		json_string(&json, "unknown");
	else
		json_bool(&json, info->geometry.overflow == KCT_OVERFLOW_YES);
	json_key_number(&json, "cut_words", counts->lost_words[KCT_LOST_CUT]);
	json_key_number(&json, "missing_words", info->geometry.missing_words);
	json_key_number(&json, "unused_words", info->geometry.unused_words);
	json_addresses(&json, info);
	if (counts->suspect_eesum)
		json_key_number(&json, "suspect_eesum", counts->suspect_eesum);
	if (counts->invalid_eesum)
		json_key_number(&json, "invalid_eesum", counts->invalid_eesum);
	if (counts->saturated_eesum)
		json_key_number(&json, "saturated_eesum", counts->saturated_eesum);
	if (info->has_stack)
		json_stack(&json, info);
	if (counts->records[KCT_RECORD_MEMORY])
		json_memory(&json, info);
	json_close(&json, '}');
	json_line(&json);
}

static void label(struct output *out, const char *text)
{
	output_printf(out, "  %-*s", LABEL_WIDTH, text);
}

/** What text calls `n` records of a kind. */
static const char *kind_words(unsigned kind)
{
	static const char *const words[KCT_RECORD_KINDS] = {
		[KCT_RECORD_PC] = "coverage points", [KCT_RECORD_CMP] = "comparisons",
		[KCT_RECORD_ENTRY] = "entries",	     [KCT_RECORD_EXIT] = "exits",
		[KCT_RECORD_EESUM] = "eesums",	     [KCT_RECORD_MEMORY] = "memory accesses",
		[KCT_RECORD_WAIT] = "waits",	     [KCT_RECORD_WAKE] = "wakes",
		[KCT_RECORD_LOST] = "gaps",	     [KCT_RECORD_UNKNOWN] = "unknown words",
	};

	return words[kind];
}

static void text_records(struct output *out, const struct info *info)
{
	/* Calls first: they are what a reader looks for. */
	static const unsigned char order[] = {
		KCT_RECORD_ENTRY,  KCT_RECORD_EXIT,    KCT_RECORD_PC,	KCT_RECORD_CMP,
		KCT_RECORD_MEMORY, KCT_RECORD_EESUM,   KCT_RECORD_WAIT, KCT_RECORD_WAKE,
		KCT_RECORD_LOST,   KCT_RECORD_UNKNOWN,
	};
	const uint64_t *records = info->counts.records;
	bool calls = input_has_calls(info->input);
	const char *between = "";
	size_t i;

	label(out, "records");
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		unsigned kind = order[i];

		if (!records[kind] && !(calls && i < 3))
			continue;
		output_printf(out, "%s%llu %s", between, (unsigned long long)records[kind],
			      kind == KCT_RECORD_PC && calls ? "other points" : kind_words(kind));
		between = ", ";
	}
	output_string(out, *between ? "\n" : "none\n");
}

static void text_stack(struct output *out, const struct info *info)
{
	const struct kct_stack_stats *stack = &info->stack;
	const struct {
		uint64_t n;
		const char *what;
	} odd[] = {
		{stack->underflows, "frames closed that were not open"},
		{stack->unfinished, "calls unfinished"},
		{stack->skipped, "calls skipped"},
		{stack->untraced, "untraced frames"},
		{stack->too_deep, "calls too deep"},
	};
	bool balanced = true;
	size_t i;

	label(out, "stack");
	output_printf(out, "%llu frames deep", (unsigned long long)stack->max_depth);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		if (!odd[i].n)
			continue;
		balanced = false;
		output_printf(out, ", %llu %s", (unsigned long long)odd[i].n, odd[i].what);
	}
	output_string(out, balanced ? ", balanced\n" : "\n");
	if (!info->has_symbols)
		return;
	label(out, "callers");
	output_printf(out, "%llu in the function below, %llu through untraced code\n",
		      (unsigned long long)stack->verified_edges,
		      (unsigned long long)stack->via_untraced);
}

static void text_memory(struct output *out, const struct info *info)
{
	const struct kct_summary_counts *counts = &info->counts;

	label(out, "memory");
	output_printf(
		out, "%llu atomic, %llu free, %llu with a value, %llu larger than 8 bytes\n",
		(unsigned long long)counts->memory_atomic, (unsigned long long)counts->memory_free,
		(unsigned long long)counts->memory_value, (unsigned long long)counts->memory_large);
	if (!info->has_symbols)
		return;
	label(out, "");
	output_printf(out, "%llu in the function on top of the stack, %llu in code that it calls\n",
		      (unsigned long long)info->stack.memory_top,
		      (unsigned long long)info->stack.memory_outside);
}

static void text_capacity(struct output *out, const struct info *info)
{
	size_t i;

	label(out, "capacity");
	if (info->geometry.capacity_words)
		output_printf(out, "%llu words, ",
			      (unsigned long long)info->geometry.capacity_words);
	else
		output_string(out, "unknown, ");
	switch (info->geometry.overflow) {
	case KCT_OVERFLOW_NO:
		output_string(out, "not full\n");
		return;
	case KCT_OVERFLOW_UNKNOWN:
		output_printf(out, "so overflow is unknown%s\n",
			      info->input->tracefile ? "" : " (-l LAYOUT,capacity=WORDS tells)");
		return;
	case KCT_OVERFLOW_YES:
		break;
	}
	text_mark(out, "full: records may have been dropped");
	output_char(out, '\n');
	for (i = 0; i < info->n_top; i++) {
		label(out, i ? "" : "most records");
		output_printf(out, "%llu  ", (unsigned long long)info->top[i].records);
		text_put(out, info->top[i].symbol->function);
		output_char(out, '\n');
	}
}

/** PCs that cannot be kernel text, if there are any. */
static void text_classes(struct output *out, const struct kct_summary_counts *counts)
{
	static const char *const names[KCT_PC_CLASSES] = {
		[KCT_PC_KERNEL] = "kernel",
		[KCT_PC_USER] = "user space",
		[KCT_PC_TINY] = "tiny",
		[KCT_PC_WILD] = "not canonical",
	};
	const char *between = "";
	unsigned class;

	if (!counts->pc_classes[KCT_PC_USER] && !counts->pc_classes[KCT_PC_TINY] &&
	    !counts->pc_classes[KCT_PC_WILD])
		return;
	label(out, "addresses");
	for (class = 0; class < KCT_PC_CLASSES; class ++) {
		output_printf(out, "%s%llu %s", between,
			      (unsigned long long)counts->pc_classes[class], names[class]);
		between = ", ";
	}
	output_char(out, '\n');
}

static void text_pcs(struct output *out, const struct info *info)
{
	uint64_t nowhere = info->counts.unique_pcs - info->vmlinux_pcs - info->module_pcs;

	label(out, "PCs");
	output_printf(out, "%llu distinct", (unsigned long long)info->counts.unique_pcs);
	if (info->has_symbols)
		output_printf(out, ", %llu of them in a known function",
			      (unsigned long long)info->named_pcs);
	if (info->module_pcs)
		output_printf(out, ", %llu in modules", (unsigned long long)info->module_pcs);
	if (info->has_symbols && nowhere)
		output_printf(out, ", %llu in no image", (unsigned long long)nowhere);
	output_char(out, '\n');
}

static void text_points(struct output *out, const struct kct_match *match)
{
	bool less = match->slide > INT64_MAX;
	uint32_t i;

	label(out, "points");
	output_printf(out, "%zu of %zu PCs are coverage points of the images", match->points,
		      match->pcs);
	if (match->cause != KCT_MISMATCH_NONE) {
		output_printf(out, ": %s", kct_mismatch_text(match->cause));
		if (match->cause == KCT_MISMATCH_SLIDE)
			output_printf(out, ", 0x%llx %s",
				      (unsigned long long)(less ? -match->slide : match->slide),
				      less ? "less" : "more");
		for (i = 0; i < match->n_samples; i++)
			output_printf(out, "%s0x%llx", i ? ", " : "; such as ",
				      (unsigned long long)match->samples[i]);
	}
	output_char(out, '\n');
}

static void text_words(struct output *out, const struct info *info)
{
	const struct kct_geometry *geometry = &info->geometry;
	const struct {
		uint64_t n;
		const char *what;
	} parts[] = {
		{geometry->missing_words, "counted but not in the file"},
		{info->counts.lost_words[KCT_LOST_CUT], "cut off at the end"},
		{geometry->unused_words, "behind them not counted"},
		{geometry->tail_bytes, "bytes at the end are no word"},
	};
	size_t i;

	label(out, "words");
	output_printf(out, "%llu", (unsigned long long)geometry->used_words);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].n)
			output_printf(out, ", %llu %s", (unsigned long long)parts[i].n,
				      parts[i].what);
	}
	output_char(out, '\n');
}

static void text_layout(struct output *out, const struct input *input)
{
	char spec[LAYOUT_SPEC_BYTES];

	layout_spec(&input->layout, spec);
	label(out, "layout");
	/* A list stands in place of the preset, with the same keys. */
	if (input->is_list)
		output_printf(out, "pcs%s", spec + strcspn(spec, ","));
	else
		output_string(out, spec);
	if (input->guessed)
		output_printf(out, "  (guessed, confidence %.2f: %s)", input->confidence,
			      input->reason);
	output_char(out, '\n');
	if (kct_file_packing(input->file)) {
		label(out, "packed");
		output_printf(out, "%s\n", kct_file_packing(input->file));
	}
}

/** What a file says of a segment. */
static void text_segment(struct output *out, const struct input *input)
{
	const struct kct_trace_segment *segment = &input->segment;

	if (segment->fields & KCT_SEGMENT_THREAD || segment->name) {
		label(out, "thread");
		if (segment->fields & KCT_SEGMENT_THREAD)
			output_printf(out, "%u%s", (unsigned)segment->thread,
				      segment->name ? " " : "");
		if (segment->name)
			text_put(out, segment->name);
		if (segment->fields & KCT_SEGMENT_PROCESS)
			output_printf(out, ", of process %u", (unsigned)segment->process);
		output_char(out, '\n');
	}
	if (segment->fields & KCT_SEGMENT_SYSCALL) {
		label(out, "system call");
		text_syscall(out, input);
		output_char(out, '\n');
	}
	if (segment->fields & KCT_SEGMENT_REMOTE) {
		label(out, "remote");
		output_printf(out, "handle 0x%llx\n", (unsigned long long)segment->remote_handle);
	}
	if (segment->fields & KCT_SEGMENT_TIME) {
		label(out, "time");
		output_printf(out, "%llu to %llu ns\n", (unsigned long long)segment->begin,
			      (unsigned long long)segment->end);
	}
}

static void text_odd(struct output *out, const struct kct_summary_counts *counts)
{
	if (counts->odd_bits) {
		label(out, "odd");
		output_printf(out, "%llu records with bits of no known meaning\n",
			      (unsigned long long)counts->odd_bits);
	}
	if (counts->suspect_eesum) {
		label(out, "suspect");
		output_printf(out,
			      "%llu words look like wrongly packed EESUM records; "
			      "--eesum-quirk=sign-extended reads them\n",
			      (unsigned long long)counts->suspect_eesum);
	}
	if (counts->invalid_eesum) {
		label(out, "invalid");
		output_printf(out, "%llu EESUM records, ignored\n",
			      (unsigned long long)counts->invalid_eesum);
	}
	if (counts->saturated_eesum) {
		label(out, "saturated");
		output_printf(out, "%llu EESUM records: the depth after them is not known\n",
			      (unsigned long long)counts->saturated_eesum);
	}
}

void info_write_text(struct output *out, const struct info *info)
{
	const struct kct_summary_counts *counts = &info->counts;

	output_printf(out, "%s\n", info->input->name);
	text_segment(out, info->input);
	text_layout(out, info->input);
	text_words(out, info);
	text_records(out, info);
	text_capacity(out, info);
	text_pcs(out, info);
	if (info->has_match)
		text_points(out, &info->match);
	text_classes(out, counts);
	if (info->has_stack)
		text_stack(out, info);
	if (counts->records[KCT_RECORD_MEMORY])
		text_memory(out, info);
	text_odd(out, counts);
	if (info->input->layout.os == KCT_OS_FREEBSD && counts->records[KCT_RECORD_CMP]) {
		label(out, "switches");
		output_string(out,
			      "look like comparisons without a constant: FreeBSD sets bit 0 of "
			      "the value instead\n");
	}
}
