/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "message.h"
#include "out_tree.h"
#include "trace.h"

static int add(void *context, const struct kct_stack *stack, const struct kct_record *record,
	       const struct kct_step *step)
{
	struct kct_calltree *tree = context;

	return record ? kct_calltree_add(tree, stack, record, step)
		      : kct_calltree_finish(tree, stack, step);
}

/** The node after `node` in the order of a reader: callees, then what follows. */
static uint64_t following(const struct kct_call *nodes, uint64_t node)
{
	if (nodes[node].first_child != KCT_NO_CALL)
		return nodes[node].first_child;
	while (node != KCT_NO_CALL && nodes[node].next == KCT_NO_CALL)
		node = nodes[node].parent;
	return node == KCT_NO_CALL ? KCT_NO_CALL : nodes[node].next;
}

/** Put the nodes in order, as calls that a view can be made of. */
static void order_nodes(const struct kct_calltree *tree, struct tree_view *view)
{
	uint64_t *position, node;
	size_t n;

	view->nodes = kct_calltree_nodes(tree, &n);
	view->order = zeroed(uint64_t, n);
	view->calls = zeroed(struct view_call, n);
	position = zeroed(uint64_t, n);
	for (node = kct_calltree_root(tree); node != KCT_NO_CALL;
	     node = following(view->nodes, node)) {
		const struct kct_call *call = &view->nodes[node];

		position[node] = view->n;
		view->order[view->n] = node;
		view->calls[view->n++] = (struct view_call){
			.parent = call->parent == KCT_NO_CALL ? NO_CALL : position[call->parent],
			.pc = call->pc,
			.frames = call->frames,
			.is_gap = call->kind == KCT_CALL_LOST,
		};
	}
	free(position);
}

/** Give the records of calls that are not shown to those that are. */
static void share_records(struct tree_view *view)
{
	size_t at;

	view->records = zeroed(uint64_t, view->n);
	for (at = 0; at < view->n; at++) {
		const struct view_place *place = &view->places[at];

		if (view->calls[at].is_gap || !place->kept)
			continue;
		if (place->owner == NO_CALL)
			view->outside += view->nodes[view->order[at]].records;
		else
			view->records[place->owner] += view->nodes[view->order[at]].records;
	}
}

static void show(const struct kct_calltree *tree, const struct options *options,
		 struct session *session, struct filter *filter, struct output *out)
{
	struct tree_view view = {.session = session};

	order_nodes(tree, &view);
	view.places = view_calls(view.calls, view.n, filter, session, options->depth);
	share_records(&view);
	if (options->format == FORMAT_JSON)
		tree_write_json(out, &view);
	else
		tree_write_text(out, &view);
	/* Records of no call match no function. */
	if (!filter->keeps)
		view.outside += kct_calltree_outside(tree);
	tree_write_outside(out, options, view.outside);
	free(view.order);
	free(view.calls);
	free(view.places);
	free(view.records);
}

static int tree_of_calls(const struct input *input, const struct options *options,
			 struct session *session, struct filter *filter, struct output *out)
{
	unsigned flags = options->format == FORMAT_TEXT ? KCT_CALLTREE_FOLD : 0;
	struct kct_calltree *tree;
	int r = kct_calltree_new(flags, &tree), status;

	if (r < 0)
		return failure_code(input->name, r);
	status = trace_walk(input, options, session, TRACE_RUNS, add, tree);
	show(tree, options, session, filter, out);
	kct_calltree_free(tree);
	return status;
}

/** A trace without call records, as runs of records in one function. */
struct runs {
	const struct options *options;
	struct session *session;
	struct filter *filter;
	struct output *out;
	struct tree_run run;
	uint64_t identity; /* of the function of the run; 0 unknown */
	uint64_t outside;
};

static void end_run(struct runs *runs)
{
	unsigned verdict;

	if (!runs->run.records)
		return;
	verdict = filter_judge(runs->filter, runs->run.pc,
			       session_lookup(runs->session, runs->run.pc));
	if (verdict == VERDICT_KEPT)
		tree_write_run(runs->out, runs->options, runs->session, &runs->run);
	else if (verdict == (VERDICT_KEPT | VERDICT_HIDDEN))
		runs->outside += runs->run.records;
	runs->run.records = 0;
}

static int take_runs(void *context, const struct kct_record *records, size_t n)
{
	struct runs *runs = context;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct kct_record *record = &records[i];
		const struct kct_symbol *symbol;
		uint64_t identity;

		if (record->kind != KCT_RECORD_PC)
			continue;
		symbol = session_lookup(runs->session, record->pc);
		identity = symbol ? symbol->identity : 0;
		/* Unknown functions are told apart by their addresses. */
		if (identity != runs->identity || (!identity && record->pc != runs->run.pc))
			end_run(runs);
		if (!runs->run.records)
			runs->run = (struct tree_run){.first = record->index, .pc = record->pc};
		runs->identity = identity;
		runs->run.last = record->index;
		runs->run.records++;
	}
	return STATUS_FINE;
}

static int tree_of_runs(const struct input *input, const struct options *options,
			struct session *session, struct filter *filter, struct output *out)
{
	static const char heading[] = "no call records in this mode";
	struct runs runs = {.options = options, .session = session, .filter = filter, .out = out};
	int status;

	if (options->format == FORMAT_TEXT)
		output_printf(out, "%s\n", heading);
	else
		note("%s: %s", input->name, heading);
	status = trace_read(input, options, 0, take_runs, &runs, NULL);
	end_run(&runs);
	tree_write_outside(out, options, runs.outside);
	return status;
}

static int tree_of(const struct input *input, const struct options *options,
		   struct session *session, struct filter *filter, struct output *out)
{
	int status;

	if (input->layout.mode == KCT_MODE_CMP)
		return failure("%s: comparisons are no calls: a tree needs a trace of mode ext or "
			       "mem",
			       input->name);
	status = trace_symbolize(input, options, session);
	if (input_has_calls(input))
		return worst(status, tree_of_calls(input, options, session, filter, out));
	return worst(status, tree_of_runs(input, options, session, filter, out));
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct session session;
	struct filter filter;
	struct input input;
	int status;
	size_t i;

	if (!n)
		return usage_failure("tree", "no file given");
	status = session_open(&session, options);
	filter_open(&filter, options, false);
	for (i = 0; i < n && status != STATUS_USAGE && !output_dead(out); i++) {
		status = worst(status, input_open(&input, arguments[i], options, INPUT_SANE));
		out->input = n > 1 ? input.name : NULL;
		if (input_usable(&input)) {
			if (n > 1 && options->format == FORMAT_TEXT)
				output_printf(out, "==> %s <==\n", input.name);
			status = worst(status, tree_of(&input, options, &session, &filter, out));
		}
		input_close(&input);
	}
	if (status != STATUS_USAGE && !output_dead(out))
		status = worst(status, filter_report(&filter));
	filter_close(&filter);
	session_close(&session);
	return status;
}

const struct command command_tree = {
	.name = "tree",
	.arguments = "FILE...",
	.summary = "show the calls of traces in order, as a tree",
	.details =
		"A line is a call: its function, where that is, and in brackets the number of "
		"records\nof the call itself. Equal calls in a row are one line with x12 (not in "
		"JSON).\n\n"
		"  <via untraced>   called from code that is not traced, such as assembly\n"
		"  <after loss>     records are missing before it: it may belong elsewhere\n"
		"  <untraced 3>     frames that a context switch left, of which only the number\n"
		"                   is known\n"
		"  <inferred>       was open before the trace: only its return was seen\n"
		"  (unfinished)     open at the end of the trace\n"
		"  (skipped)        had no return, but a function further out went on\n"
		"  (untraced)       ended while it could not be traced\n"
		"  -- 2 words lost: ... --   something is missing here\n"
		"  [outside]        records of no call\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_SYMBOLS | TAKES_FILTERS | TAKES_DEPTH,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON,
	.run = run,
};
