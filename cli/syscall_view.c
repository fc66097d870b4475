/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <kcovtrace/syscall.h>

#include "syscall_view.h"

/* Numbers below are written as people write them; above they are addresses and sets of bits. */
#define DECIMAL_BELOW 65536

/* As the kernel returns errors: -1 to -4095. */
#define ERRORS 4095

/** A system call with what is known of its number on its machine. */
struct view {
	const struct kct_trace_segment *segment;
	const char *name;  /* NULL unknown */
	unsigned n;	   /* arguments */
	const char *error; /* name of the error that is the result; NULL: none */
};

static struct view view_of(const struct input *input)
{
	struct view view = {.segment = &input->segment, .n = ARRAY_SIZE(input->segment.arguments)};
	int64_t result = view.segment->result;
	struct kct_meta meta = {.size = sizeof(meta)};
	const char *machine = NULL;

	if (kct_tracefile_find_meta(input->tracefile, view.segment->capture, KCT_META_ARCHITECTURE,
				    KCT_META_TEXT, &meta) >= 0)
		machine = meta.data;
	view.name = kct_syscall_name(machine, view.segment->syscall, &view.n);
	if (view.segment->fields & KCT_SEGMENT_RESULT && result < 0 && result >= -ERRORS)
		view.error = kct_errno_name(-result);
	return view;
}

static int call_number(const struct view *view)
{
	return (int)kct_syscall_number(view->segment->syscall);
}

/** An argument or a result. Small negative numbers are often given as 32 bits. */
static void put_value(struct output *out, uint64_t value)
{
	if (value > UINT64_MAX - ERRORS)
		output_printf(out, "%lld", (long long)value);
	else if (value > UINT32_MAX - ERRORS && value <= UINT32_MAX)
		output_printf(out, "%d", (int)(uint32_t)value);
	else if (value < DECIMAL_BELOW)
		output_printf(out, "%u", (unsigned)value);
	else
		output_hex(out, value, 1);
}

void text_syscall(struct output *out, const struct input *input)
{
	struct view view = view_of(input);
	unsigned i;

	if (view.name)
		output_string(out, view.name);
	else
		output_printf(out, "syscall_%d", call_number(&view));
	output_char(out, '(');
	for (i = 0; i < view.n; i++) {
		output_string(out, i ? ", " : "");
		put_value(out, view.segment->arguments[i]);
	}
	output_string(out, ") = ");
	if (view.segment->fields & KCT_SEGMENT_RESULT)
		put_value(out, (uint64_t)view.segment->result);
	else
		output_char(out, '?');
	if (view.error)
		output_printf(out, " %s", view.error);
}

void json_syscall(struct json *json, const struct input *input)
{
	struct view view;
	unsigned i;

	if (!(input->segment.fields & KCT_SEGMENT_SYSCALL))
		return;
	view = view_of(input);
	json_key(json, "syscall");
	json_open(json, '{');
	json_key(json, "nr");
	json_signed(json, call_number(&view));
	if (view.name)
		json_key_string(json, "name", view.name);
	json_key(json, "args");
	json_open(json, '[');
	for (i = 0; i < view.n; i++)
		json_hex(json, view.segment->arguments[i]);
	json_close(json, ']');
	if (view.segment->fields & KCT_SEGMENT_RESULT) {
		json_key(json, "result");
		json_signed(json, view.segment->result);
	}
	if (view.error)
		json_key_string(json, "error", view.error);
	json_close(json, '}');
}
