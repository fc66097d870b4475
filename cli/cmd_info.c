/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "counter.h"
#include "each_input.h"
#include "message.h"
#include "out_info.h"
#include "sections.h"
#include "text.h"
#include "trace.h"
#include "xen.h"

/** What the records of one input are fed to. */
struct gather {
	struct kct_summary *summary;
	struct kct_stack *stack; /* NULL: no calls */
	bool counts_pcs;	 /* with symbols */
	struct counter pcs;	 /* of pc and entry records */
	int code;
};

static int take(void *context, const struct kct_record *records, size_t n)
{
	struct gather *gather = context;
	size_t i;

	gather->code = kct_summary_add(gather->summary, records, n);
	if (gather->code >= 0 && gather->stack)
		gather->code = kct_stack_feed(gather->stack, records, n);
	for (i = 0; gather->counts_pcs && i < n; i++) {
		if (records[i].kind == KCT_RECORD_PC || records[i].kind == KCT_RECORD_ENTRY)
			counter_add(&gather->pcs, records[i].pc, 1);
	}
	return gather->code < 0 ? STATUS_USAGE : STATUS_FINE;
}

/** Compare the PCs with the points of the images. */
static int match_points(struct session *session, const struct counter *pcs, struct info *info)
{
	uint64_t *keys;
	size_t n;
	int r;

	keys = counter_keys(pcs, &n);
	r = n ? session_match(session, keys, n, &info->match) : 0;
	info->has_match = r > 0;
	free(keys);
	return r < 0 ? STATUS_PARTLY : STATUS_FINE;
}

/** The functions with most records, and how many PCs have a function at all. */
static void rank_functions(struct session *session, const struct counter *pcs, struct info *info)
{
	struct counter functions = {0}; /* by identity */
	struct counter_slot *slots, *ranking;
	size_t n, i;

	slots = counter_ranking(pcs, &n);
	for (i = 0; i < n; i++) {
		const struct kct_symbol *symbol = session_lookup(session, slots[i].key);

		if (symbol && symbol->module && text_module(symbol))
			info->module_pcs++;
		else if (symbol && symbol->module)
			info->vmlinux_pcs++;
		if (!symbol || !symbol->function)
			continue;
		info->named_pcs++;
		if (symbol->identity)
			counter_add(&functions, symbol->identity, slots[i].count);
	}
	ranking = counter_ranking(&functions, &info->n_top);
	info->n_top = info->n_top < TOP_FUNCTIONS ? info->n_top : TOP_FUNCTIONS;
	for (i = 0; i < n; i++) {
		const struct kct_symbol *symbol = session_lookup(session, slots[i].key);
		size_t rank = 0;

		while (rank < info->n_top && symbol && ranking[rank].key != symbol->identity)
			rank++;
		if (symbol && rank < info->n_top && !info->top[rank].symbol)
			info->top[rank] = (struct top_function){symbol, ranking[rank].count};
	}
	free(ranking);
	free(slots);
	counter_clear(&functions);
}

static int finish(struct gather *gather, struct info *info, struct session *session)
{
	int r = gather->code;

	info->counts.size = sizeof(info->counts);
	info->stack.size = sizeof(info->stack);
	if (r >= 0)
		r = kct_summary_get(gather->summary, &info->counts);
	if (r >= 0 && gather->stack) {
		r = kct_stack_stats(gather->stack, &info->stack);
		info->end_depth = info->stack.depth;
		if (r >= 0)
			r = kct_stack_finish(gather->stack, NULL);
		if (r >= 0)
			r = kct_stack_stats(gather->stack, &info->stack);
		info->has_stack = true;
	}
	if (r >= 0 && gather->counts_pcs) {
		info->has_symbols = true;
		rank_functions(session, &gather->pcs, info);
	}
	return r;
}

static int info_input(const struct input *input, const struct options *options,
		      struct session *session, struct info *info)
{
	struct kct_stack_options stack_options = {
		.size = sizeof(stack_options),
		.functions = session_functions(session),
	};
	struct gather gather = {.counts_pcs = session_has_symbols(session)};
	struct kct_sections *sections;
	int status = trace_symbolize(input, options, session), r;

	info->input = input;
	info->pc_kind = options->pc_kind;
	status = worst(status,
		       sections_find(input, options, session, false, &stack_options, &sections));
	r = kct_summary_new(&gather.summary);
	if (r >= 0)
		kct_summary_set_layout(gather.summary, &input->layout);
	if (r >= 0 && input_has_calls(input))
		r = kct_stack_new(&stack_options, &gather.stack);
	if (r >= 0) {
		status = worst(status,
			       trace_read(input, options, 0, take, &gather, &info->geometry));
		/* trace_read() stops at the status that a failed take() gives. */
		status = status == STATUS_USAGE ? STATUS_PARTLY : status;
		/* The recorder saw the buffer and its capacity. */
		if (input->segment.fields & KCT_SEGMENT_OVERFLOW)
			info->geometry.overflow = input->segment.overflow;
		r = finish(&gather, info, session);
		if (r >= 0 && gather.counts_pcs)
			status = worst(status, match_points(session, &gather.pcs, info));
		status = worst(status, report_too_deep(input, info->stack.too_deep));
	}
	if (r < 0)
		status = failure_code(input->name, r);
	counter_clear(&gather.pcs);
	kct_stack_free(gather.stack);
	kct_sections_free(sections);
	kct_summary_free(gather.summary);
	return status;
}

/** Enough was read of an area to say anything about it. */
static bool has_area(const struct input *input)
{
	struct kct_decoder *decoder;

	if (kct_decoder_new(&input->layout, input->data, input->bytes, 0, &decoder, NULL) < 0)
		return false;
	kct_decoder_free(decoder);
	return true;
}

/** What all inputs share. */
struct infos {
	const struct options *options;
	struct session *session;
	struct output *out;
	bool any_capture;
	uint64_t capture; /* ID of the last one shown */
};

/** Show the capture above its first segment. */
static void show_capture(struct infos *infos, const struct input *input)
{
	uint64_t id;

	if (!input->tracefile)
		return;
	id = kct_tracefile_capture_id(input->tracefile, input->segment.capture);
	if (!infos->any_capture || infos->capture != id)
		capture_write_text(infos->out, input->path, input->tracefile,
				   input->segment.capture);
	infos->any_capture = true;
	infos->capture = id;
}

/** Name a file of another format, and list what we know to look into. */
static int show_foreign(const struct infos *infos, const struct input *input)
{
	bool is_xen = kct_xen_identify(input->data, input->bytes);
	struct json json = {.out = infos->out};
	int status = STATUS_PARTLY;

	if (infos->options->format == FORMAT_JSON) {
		json_open(&json, '{');
		json_key_string(&json, "file", input->path);
		json_key_string(&json, "foreign", input->format);
		if (is_xen)
			status = worst(status, xen_write_json(&json, input));
		json_close(&json, '}');
		json_line(&json);
		return status;
	}
	text_put(infos->out, input->path);
	output_printf(infos->out, "\n  format        %s\n", input->format);
	return is_xen ? worst(status, xen_write_text(infos->out, input)) : status;
}

/** A file without segments still says what was recorded, or would have been. */
static int show_captures(const struct infos *infos, const struct input *input)
{
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};
	struct json json = {.out = infos->out};
	uint32_t i;

	kct_tracefile_stats(input->tracefile, &stats);
	for (i = 0; i < stats.captures; i++) {
		if (infos->options->format == FORMAT_JSON) {
			json_open(&json, '{');
			json_key_string(&json, "file", input->path);
			capture_write_json(&json, input->tracefile, i);
			json_key_number(&json, "segments", 0);
			json_close(&json, '}');
			json_line(&json);
		} else {
			capture_write_text(infos->out, input->path, input->tracefile, i);
			output_string(infos->out, "  segments      none\n");
		}
	}
	return STATUS_FINE;
}

static int take_input_info(void *context, const struct input *input)
{
	struct infos *infos = context;
	struct info info = {0};
	int status;

	if (input->format)
		return show_foreign(infos, input);
	if (input->tracefile && !kct_tracefile_segments(input->tracefile))
		return show_captures(infos, input);
	status = info_input(input, infos->options, infos->session, &info);

	if (!has_area(input))
		return status;
	if (infos->options->format == FORMAT_JSON) {
		info_write_json(infos->out, &info);
	} else {
		show_capture(infos, input);
		info_write_text(infos->out, &info);
	}
	return status;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct session session;
	struct infos infos = {.options = options, .session = &session, .out = out};
	int status;

	if (!n)
		return usage_failure("info", "no file given");
	session_begin(&session, options);
	status = each_input(options, &session, arguments, n, INPUT_ANY, out, take_input_info,
			    &infos);
	session_close(&session);
	return status;
}

const struct command command_info = {
	.name = "info",
	.arguments = "FILE...",
	.summary = "show what traces hold: layout, records, overflow, stack balance",
	.details =
		"With -k it also tells how many of the PCs lie in a function of the kernel, which "
		"calls\ncame through code that is not traced, and for a buffer that was full which "
		"functions\nfilled it.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_CALLS | TAKES_SYMBOLS,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON,
	.run = run,
};
