/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "each_input.h"
#include "message.h"
#include "out_tree.h"
#include "stack_calls.h"
#include "trace.h"

/** The tree of an input, and what filters must know of the records in it. */
struct tree_build {
	struct painter painter;
	struct kct_calltree *tree;
	bool looks_inside; /* at the functions inlined at each record */
	/* Only if so: */
	struct call_list calls;
	uint64_t *pruned; /* by call: records in an inlined function that is pruned */
	size_t max_pruned;
	uint64_t *call_of; /* by node; NO_CALL: none */
	size_t n_call_of, max_call_of;
	bool found_inside; /* there are matches that only some calls of a function have */
};

/** Note which call of the list the nodes are that a record added. */
static void number_nodes(struct tree_build *build, const struct kct_record *record, size_t old)
{
	size_t n;
	const struct kct_call *nodes = kct_calltree_nodes(build->tree, &n);

	for (; build->n_call_of < n; build->n_call_of++) {
		const struct kct_call *node = &nodes[build->n_call_of];

		grow(&build->call_of, build->n_call_of, &build->max_call_of);
		build->call_of[build->n_call_of] = NO_CALL;
		if (build->calls.n > old && node->kind == KCT_CALL_CALLED &&
		    node->index == record->index)
			build->call_of[build->n_call_of] = old;
	}
	for (; old < build->calls.n; old++) {
		grow(&build->pruned, old, &build->max_pruned);
		build->pruned[old] = 0;
	}
}

/** Look at the functions inlined at a record. */
static void look_inside(struct tree_build *build, const struct kct_stack *stack,
			const struct kct_record *record, const struct kct_step *step)
{
	size_t old = build->calls.n;
	uint64_t call = call_list_step(&build->calls, stack, record, step), pcs[2];
	unsigned verdict;

	number_nodes(build, record, old);
	if (call == NO_CALL || !record_pcs(record, pcs))
		return;
	verdict = inner_verdict(build->painter.filter, build->painter.session,
				build->calls.calls[call].pc, record->pc, true);
	if (verdict & VERDICT_KEPT)
		build->found_inside = build->calls.calls[call].has_match = true;
	if (verdict & VERDICT_PRUNED) {
		build->found_inside = true;
		build->pruned[call] += record->count;
	}
}

static int add(void *context, const struct kct_stack *stack, const struct kct_record *record,
	       const struct kct_step *step)
{
	struct tree_build *build = context;
	int r;

	if (!record)
		return kct_calltree_finish(build->tree, stack, step);
	r = kct_calltree_add(build->tree, stack, record, step);
	if (r >= 0 && build->looks_inside)
		look_inside(build, stack, record, step);
	return r;
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

/** The call of the list that a node is, NO_CALL if it is not in it. */
static uint64_t call_of(const struct tree_build *build, uint64_t node)
{
	return node < build->n_call_of ? build->call_of[node] : NO_CALL;
}

/** Put the nodes in order, as calls that a view can be made of. */
static void order_nodes(const struct tree_build *build, struct tree_view *view)
{
	uint64_t *position, node;
	size_t n;

	view->nodes = kct_calltree_nodes(build->tree, &n);
	view->order = zeroed(uint64_t, n);
	view->calls = zeroed(struct view_call, n);
	position = zeroed(uint64_t, n);
	for (node = kct_calltree_root(build->tree); node != KCT_NO_CALL;
	     node = following(view->nodes, node)) {
		const struct kct_call *call = &view->nodes[node];
		uint64_t listed = call_of(build, node);

		position[node] = view->n;
		view->order[view->n] = node;
		view->calls[view->n++] = (struct view_call){
			.parent = call->parent == KCT_NO_CALL ? NO_CALL : position[call->parent],
			.pc = call->pc,
			.site = call->caller,
			.frames = call->frames,
			.has_match = listed != NO_CALL && build->calls.calls[listed].has_match,
			.is_gap = call->kind == KCT_CALL_LOST,
		};
	}
	free(position);
}

/** Give the records of calls that are not shown to those that are. */
static void share_records(const struct tree_build *build, struct tree_view *view)
{
	size_t at;

	view->records = zeroed(uint64_t, view->n);
	for (at = 0; at < view->n; at++) {
		const struct view_place *place = &view->places[at];
		uint64_t listed = call_of(build, view->order[at]);
		uint64_t records = view->nodes[view->order[at]].records;

		if (view->calls[at].is_gap || !place->kept)
			continue;
		if (listed != NO_CALL)
			records -= build->pruned[listed];
		if (place->owner == NO_CALL)
			view->outside += records;
		else
			view->records[place->owner] += records;
	}
}

static void show(const struct tree_build *build, const struct input *input, struct output *out)
{
	const struct painter *painter = &build->painter;
	const struct options *options = painter->options;
	struct tree_view view = {.session = painter->session, .input = input};

	order_nodes(build, &view);
	view.places =
		view_calls(view.calls, view.n, painter->filter, painter->session, options->depth);
	share_records(build, &view);
	if (options->format == FORMAT_JSON)
		tree_write_json(out, &view);
	else
		tree_write_text(out, &view);
	/* Records of no call match no function. */
	if (!painter->filter->keeps)
		view.outside += kct_calltree_outside(build->tree);
	tree_write_outside(out, options, view.outside);
	free(view.order);
	free(view.calls);
	free(view.places);
	free(view.records);
}

static void clear_build(struct tree_build *build)
{
	kct_calltree_free(build->tree);
	call_list_clear(&build->calls);
	free(build->pruned);
	free(build->call_of);
	*build = (struct tree_build){.painter = build->painter};
}

/** Build the tree. `flags` is a set of enum trace_flag. */
static int build_tree(struct tree_build *build, const struct input *input, bool looks_inside,
		      unsigned flags)
{
	const struct painter *painter = &build->painter;
	/* Calls that differ in what the filters keep of them must stay apart. */
	bool folds = painter->options->format == FORMAT_TEXT && !looks_inside;
	int r = kct_calltree_new(folds ? KCT_CALLTREE_FOLD : 0, &build->tree);

	if (r < 0)
		return failure_code(input->name, r);
	build->looks_inside = looks_inside;
	return trace_walk(input, painter->options, painter->session,
			  flags | (looks_inside ? 0 : TRACE_RUNS), add, build);
}

static int tree_of_calls(const struct input *input, const struct painter *painter,
			 struct output *out)
{
	struct tree_build build = {.painter = *painter};
	bool looks_inside = painter->filter->inlines && filter_is_active(painter->filter) &&
			    session_has_symbols(painter->session);
	int status = build_tree(&build, input, looks_inside, 0);

	if (looks_inside && !build.found_inside && painter->options->format == FORMAT_TEXT) {
		clear_build(&build);
		status = worst(status, build_tree(&build, input, false, TRACE_SILENT));
	}
	if (build.tree)
		show(&build, input, out);
	clear_build(&build);
	return status;
}

/** A trace without call records, as runs of records in one function. */
struct runs {
	const struct input *input;
	const struct painter *painter;
	struct output *out;
	struct tree_run run;
	uint64_t identity; /* of the function of the run; 0 unknown */
	uint64_t outside;
};

static void end_run(struct runs *runs)
{
	if (runs->run.records)
		tree_write_run(runs->out, runs->painter->options, runs->painter->session,
			       runs->input, &runs->run);
	runs->run.records = 0;
}

static void add_to_run(struct runs *runs, const struct kct_record *record)
{
	const struct painter *painter = runs->painter;
	const struct kct_symbol *symbol = session_lookup(painter->session, record->pc);
	uint64_t identity = symbol ? symbol->identity : 0;
	unsigned verdict = filter_judge(painter->filter, record->pc, symbol);

	/* Unknown functions are told apart by their addresses. */
	if (identity != runs->identity || (!identity && record->pc != runs->run.pc))
		end_run(runs);
	runs->identity = identity;
	if (!verdict_keeps(verdict))
		return;
	if (verdict & VERDICT_HIDDEN) {
		runs->outside++;
		return;
	}
	if (!runs->run.records)
		runs->run = (struct tree_run){.first = record->index, .pc = record->pc};
	runs->run.last = record->index;
	runs->run.records++;
}

static int take_runs(void *context, const struct kct_record *records, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (records[i].kind == KCT_RECORD_PC)
			add_to_run(context, &records[i]);
	}
	return STATUS_FINE;
}

static int tree_of_runs(const struct input *input, const struct painter *painter,
			struct output *out)
{
	static const char heading[] = "no call records in this mode";
	struct runs runs = {.input = input, .painter = painter, .out = out};
	int status;

	if (painter->options->format == FORMAT_TEXT)
		output_printf(out, "%s\n", heading);
	else
		note("%s: %s", input->name, heading);
	status = trace_read(input, painter->options, 0, take_runs, &runs, NULL);
	end_run(&runs);
	tree_write_outside(out, painter->options, runs.outside);
	return status;
}

/** What all inputs share. */
struct trees {
	struct painter painter;
	struct output *out;
};

static int tree_of(void *context, const struct input *input)
{
	const struct trees *trees = context;
	const struct painter *painter = &trees->painter;
	struct output *out = trees->out;
	struct kct_geometry geometry;
	int status;

	if (painter->options->format == FORMAT_TEXT)
		input_heading(out, input);
	status = input_check_order(input, "a tree needs");
	if (status != STATUS_FINE)
		return status;
	status = trace_symbolize(input, painter->options, painter->session);
	if (input_has_calls(input))
		status = worst(status, tree_of_calls(input, painter, out));
	else
		status = worst(status, tree_of_runs(input, painter, out));
	/* The kernel may have dropped records of a buffer that is full. */
	if (input_geometry(input, &geometry) && geometry.overflow == KCT_OVERFLOW_YES)
		tree_write_full(out, painter->options, input->name);
	return status;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct session session;
	struct filter filter;
	struct trees trees = {{options, &session, &filter}, out};
	int status;

	if (!n)
		return usage_failure("tree", "no file given");
	session_begin(&session, options);
	filter_open(&filter, options, !options->no_inlines);
	status = each_input(options, &session, arguments, n, INPUT_SANE, out, tree_of, &trees);
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
		"  -- buffer full: ... --    and perhaps at the end\n"
		"  [outside]        records of no call; they have no line in JSON\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_CALLS | TAKES_SYMBOLS | TAKES_FILTERS |
		 TAKES_DEPTH | TAKES_INLINES,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON,
	.run = run,
};
