/* SPDX-License-Identifier: BSD-2-Clause */
#include "commands.h"
#include "filter.h"
#include "message.h"
#include "out_cover.h"
#include "pc_input.h"
#include "progress.h"

/** All that is made on the way. */
struct run {
	const struct options *options;
	struct output *out;
	struct session session;
	struct filter filter;
	struct kct_points **points;
	size_t n_points;
	struct kct_pc_set *sets[2]; /* of the files, of the others */
	struct kct_coverage *coverages[2];
};

static bool keep(void *context, const struct kct_symbol *symbol)
{
	struct filter *filter = context;
	unsigned verdicts = filter_judge_once(filter, symbol->pc, symbol);

	return verdict_keeps(verdicts) && !verdict_any(verdicts, VERDICT_HIDDEN);
}

/** Find the points of the images, say of which there are none. */
static int find_points(struct run *run)
{
	struct session *session = &run->session;
	struct kct_error error;
	int status = STATUS_FINE, r;
	size_t i;

	run->points = zeroed(struct kct_points *, session->n_images);
	for (i = 0; i < session->n_images; i++) {
		const char *name = kct_image_name(session->images[i]);

		r = kct_points_new(session->images[i], NULL, &run->points[run->n_points], &error);
		if (r >= 0)
			run->n_points++;
		else if (r == KCT_ERR_NOT_BUILT && session->n_images > 1)
			note("%s: %s", name, error.text);
		else if (r == KCT_ERR_UNSUPPORTED &&
			 session_is_embedded(session, session->images[i]))
			note("%s", error.text);
		else
			status = failure_of(name, &error);
	}
	return status;
}

/** Only what a format shows is computed. */
static bool shows_lines(enum format format)
{
	return format == FORMAT_TEXT || format == FORMAT_JSON || format == FORMAT_LCOV ||
	       format == FORMAT_HTML;
}

static int compute(struct run *run, struct kct_pc_set *set, struct kct_coverage **ret_coverage)
{
	struct kct_coverage_options options = {
		.size = sizeof(options),
		.no_lines = !shows_lines(run->options->format),
		.inline_calls = run->options->inline_calls,
		.keep = filter_is_active(&run->filter) ? keep : NULL,
		.progress = progress_report,
		.context = &run->filter,
	};
	struct kct_coverage *coverage;
	struct kct_error error;
	size_t i;
	int r = kct_coverage_new(run->session.symbolizer, &options, &coverage);

	if (r < 0)
		return failure_code("coverage", r);
	progress_start("coverage");
	for (i = 0; i < run->n_points && r >= 0; i++) {
		r = kct_coverage_add_points(coverage, run->points[i], &error);
		/* That the image could not be placed has been said. */
		if (r == KCT_ERR_NOT_FOUND)
			r = 0;
	}
	if (r >= 0)
		r = kct_coverage_add_set(coverage, set, run->options->force, &error);
	if (r >= 0)
		r = kct_coverage_finish(coverage, &error);
	progress_clear();
	if (r < 0) {
		kct_coverage_free(coverage);
		return failure_of("coverage", &error);
	}
	*ret_coverage = coverage;
	return STATUS_FINE;
}

/** Say why PCs are no points, if it matters. */
static void explain(const struct session *session, const struct kct_coverage *coverage)
{
	const struct kct_coverage_total *total = kct_coverage_total(coverage);
	const struct kct_match *match = &total->match;
	uint64_t looked_at = total->pcs - total->elsewhere;

	if (total->elsewhere)
		note("%llu of %llu PCs lie in images whose points are not here",
		     (unsigned long long)total->elsewhere, (unsigned long long)total->pcs);
	if (match->cause == KCT_MISMATCH_NONE)
		return;
	warning("%llu of %llu PCs match no coverage point: %s; the first is 0x%llx",
		(unsigned long long)(looked_at - total->matched), (unsigned long long)looked_at,
		kct_mismatch_text(match->cause),
		(unsigned long long)(match->n_samples ? match->samples[0] : 0));
	if (match->cause == KCT_MISMATCH_SLIDE)
		note("as raw PCs they match with %s--kaslr 0x%llx",
		     session->slid ? "" : "-l LAYOUT,slid=yes ",
		     (unsigned long long)((session->slid ? session->kaslr : 0) - match->slide));
}

/** Whether all PCs are points. */
static bool all_match(const struct kct_coverage *coverage)
{
	const struct kct_coverage_total *total = kct_coverage_total(coverage);

	return total->match.cause == KCT_MISMATCH_NONE && total->elsewhere == 0;
}

static int write_report(const struct run *run)
{
	const struct cover cover = {run->options, run->out, run->coverages[0], run->coverages[1]};

	switch (run->options->format) {
	case FORMAT_JSON:
		return cover.other ? cover_json_diff(&cover) : cover_json(&cover);
	case FORMAT_LCOV:
		return cover_lcov(&cover);
	case FORMAT_SANCOV:
		return cover_sancov(&cover);
	case FORMAT_DRCOV:
		return cover_drcov(&cover);
	case FORMAT_PCS:
		return cover_pcs(&cover);
	case FORMAT_HTML:
		return cover_html(&cover);
	default:
		return cover.other ? cover_text_diff(&cover) : cover_text(&cover);
	}
}

static int report(struct run *run)
{
	int status = find_points(run), i;

	if (!run->n_points)
		return worst(status, failure("there are no coverage points to compare with"));
	for (i = 0; i < 2 && run->sets[i]; i++) {
		int computed = compute(run, run->sets[i], &run->coverages[i]);

		if (computed != STATUS_FINE)
			return worst(status, computed);
		explain(&run->session, run->coverages[i]);
		if (run->options->strict && !all_match(run->coverages[i]))
			status = STATUS_PARTLY;
	}
	status = worst(status, filter_report(&run->filter));
	return worst(status, write_report(run));
}

/** Read the files of one side. */
static int read_side(struct run *run, int side, char **arguments, size_t n)
{
	bool other_build;

	return pc_input_read(run->options, &run->session, arguments, n, run->out, &run->sets[side],
			     &other_build);
}

static int read_inputs(struct run *run, char **arguments, size_t n)
{
	const struct value_list *others = &run->options->others;
	int status = read_side(run, 0, arguments, n);
	char **names;

	if (status == STATUS_USAGE || !others->n)
		return status;
	/* Like arguments, which are not const for historical reasons. */
	names = zeroed(char *, others->n);
	memcpy(names, others->values, others->n * sizeof(*names));
	status = worst(status, read_side(run, 1, names, others->n));
	free(names);
	return status;
}

/** What is wrong with the options together; NULL: nothing. */
static const char *find_contradiction(const struct options *options, size_t n)
{
	enum format format = options->format;

	if (!n)
		return "no file given";
	if (options->others.n && format != FORMAT_TEXT && format != FORMAT_JSON &&
	    format != FORMAT_HTML)
		return "--diff has the formats text, json and html";
	if (!options->vmlinux && !options->modules.n && !options->module_dir)
		return "no image: give -k or --module";
	return NULL;
}

static int run_cover(const struct options *options, char **arguments, size_t n, struct output *out)
{
	const char *wrong = find_contradiction(options, n);
	struct run run = {.options = options, .out = out};
	int status, i;
	size_t j;

	if (wrong)
		return usage_failure("cover", "%s", wrong);
	session_begin(&run.session, options);
	filter_open(&run.filter, options, !options->no_inlines);
	status = read_inputs(&run, arguments, n);
	/* Without an input images are not looked at; why there is none has been said. */
	if (status == STATUS_PARTLY && !run.session.opened)
		;
	else if (status != STATUS_USAGE && !session_has_symbols(&run.session))
		status = worst(status, failure("there is no image to find coverage points in"));
	else if (status != STATUS_USAGE)
		status = worst(status, report(&run));
	for (i = 0; i < 2; i++) {
		kct_coverage_free(run.coverages[i]);
		kct_pc_set_free(run.sets[i]);
	}
	for (j = 0; j < run.n_points; j++)
		kct_points_free(run.points[j]);
	free(run.points);
	filter_close(&run.filter);
	session_close(&run.session);
	return status;
}

const struct command command_cover = {
	.name = "cover",
	.arguments = "FILE...",
	.summary = "show how much of an image traces cover",
	.details =
		"Traces, lists of PCs and sets of kcovtrace merge are put together and compared "
		"with "
		"all\ncoverage points of the kernel and its modules. Lines are hit, implied by "
		"what "
		"was hit, not\nreached, or unknown; only the first two count as covered, and the "
		"unknown ones not at all.\nThe options that choose functions look at each point "
		"and "
		"line, at its function and at those\ninlined there.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_SYMBOLS | TAKES_FILTERS | TAKES_INLINES |
		 TAKES_COVER | TAKES_SETS,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON | 1 << FORMAT_LCOV | 1 << FORMAT_SANCOV |
		   1 << FORMAT_DRCOV | 1 << FORMAT_PCS | 1 << FORMAT_HTML,
	.run = run_cover,
};
