/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "commands.h"
#include "filter.h"
#include "message.h"
#include "out_points.h"
#include "session.h"

static bool is_wanted(const struct options *options, const struct kct_point *point)
{
	return !options->point_kinds || options->point_kinds >> point->kind & 1;
}

/** How many points of which kind there are, and what could not be looked at. */
static void report(const char *path, const struct kct_points *points)
{
	const struct kct_points_stats *stats = kct_points_stats(points);
	char text[512];
	size_t used = 0, n;
	unsigned kind;

	kct_points_all(points, &n);
	for (kind = 0; kind < KCT_POINT_KINDS; kind++) {
		if (stats->kinds[kind])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu %s",
						 used ? ", " : ": ", stats->kinds[kind],
						 kct_point_kind_name(kind));
	}
	note("%s: %zu points in %zu of %zu functions%s", path, n, stats->with_points,
	     stats->functions, used ? text : "");
	if (stats->tail_calls)
		warning("%s: callbacks are jumped to at %zu places, which are no points: KCOV then "
			"records a PC of the caller (gcc bug 90746)",
			path, stats->tail_calls);
	if (stats->undecoded_bytes)
		warning("%s: %llu bytes of code are no instruction that capstone knows, the first "
			"at 0x%llx",
			path, (unsigned long long)stats->undecoded_bytes,
			(unsigned long long)stats->undecoded_at);
}

/** The points that the options ask for, as far as their kinds decide. */
static size_t choose(const struct options *options, const struct kct_points *points,
		     const struct kct_point **chosen, uint64_t *pcs)
{
	size_t n, used = 0, i;
	const struct kct_point *all = kct_points_all(points, &n);

	for (i = 0; i < n; i++) {
		if (!is_wanted(options, &all[i]))
			continue;
		chosen[used] = &all[i];
		pcs[used++] = all[i].pc;
	}
	return used;
}

static int list(const struct options *options, struct session *session,
		const struct kct_points *points, struct output *out)
{
	const struct kct_symbol **symbols;
	const struct kct_point **chosen;
	struct filter filter;
	uint64_t *pcs;
	size_t n, i;
	int status;

	kct_points_all(points, &n);
	chosen = zeroed(const struct kct_point *, n);
	symbols = zeroed(const struct kct_symbol *, n);
	pcs = zeroed(uint64_t, n);
	n = choose(options, points, chosen, pcs);
	status = session_batch(session, pcs, n, symbols);
	filter_open(&filter, options, !options->no_inlines);
	points_begin(out, options);
	for (i = 0; i < n && !output_dead(out); i++) {
		unsigned verdicts = filter_judge(&filter, pcs[i], symbols[i]);

		if (verdict_keeps(verdicts))
			points_write(out, options, chosen[i], symbols[i]);
	}
	if (!output_dead(out))
		status = worst(status, filter_report(&filter));
	filter_close(&filter);
	free(pcs);
	free(symbols);
	free(chosen);
	return status;
}

static int run_image(const struct options *options, const char *path, struct session *session,
		     struct output *out)
{
	struct kct_points *points;
	struct kct_image *image;
	struct kct_error error;
	int status = session_use_image(session, path, &image);

	if (!image)
		return status;
	if (kct_points_new(image, NULL, &points, &error) < 0)
		return failure_of(path, &error);
	report(path, points);
	status = worst(status, list(options, session, points, out));
	kct_points_free(points);
	return status;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct session session;
	int status;

	if (n != 1)
		return usage_failure("points", n ? "one image at a time" : "no image given");
	session_begin(&session, options);
	status = run_image(options, arguments[0], &session, out);
	session_close(&session);
	return status;
}

const struct command command_points = {
	.name = "points",
	.arguments = "IMAGE",
	.summary = "list all coverage points of a kernel image or module",
	.details = "IMAGE is a vmlinux or a module. A point is a call of a callback of KCOV: its "
		   "address is\nthat behind the call, which is what KCOV records. Of the kinds pc, "
		   "entry and guard count\nas coverage.\n",
	.takes = TAKES_OUTPUT | TAKES_IMAGE | TAKES_INLINES | TAKES_KINDS,
	.formats = 1 << FORMAT_TEXT | 1 << FORMAT_JSON | 1 << FORMAT_CSV,
	.run = run,
};
