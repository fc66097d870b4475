/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>

#include "cache.h"
#include "commands.h"
#include "images.h"
#include "message.h"
#include "progress.h"

static int open_image(const char *path, const char *directory, struct kct_image **ret_image)
{
	struct kct_error error;
	int r;

	if (kct_image_open(path, ret_image, &error) < 0)
		return failure_of(path, &error);
	if (kct_image_is_relocatable(*ret_image)) {
		kct_image_free(*ret_image);
		return failure("%s: a module: where it lies is known when it is used, and then its "
			       "symbols are kept",
			       path);
	}
	r = kct_image_set_cache(*ret_image, directory);
	if (r >= 0)
		return STATUS_FINE;
	kct_image_free(*ret_image);
	return failure_code(path, r);
}

/** Look for coverage points in the cache, and where they are not there in the image: how many there are, and
 *  how many are kept. 0 of each for an image without KCOV. */
static int check_points(const char *path, struct kct_image *image, size_t *ret_n, size_t *ret_kept)
{
	struct kct_points *points;
	struct kct_error error;
	int r = kct_points_new(image, NULL, &points, &error);

	*ret_n = *ret_kept = 0;
	if (r < 0)
		return r == KCT_ERR_NO_MEMORY ? failure_of(path, &error) : STATUS_FINE;
	kct_points_all(points, ret_n);
	if (kct_points_stats(points)->cached)
		*ret_kept = *ret_n;
	kct_points_free(points);
	return STATUS_FINE;
}

/** "5 of 7 units, ". */
static void put_share(struct output *out, uint64_t kept, uint64_t all, const char *of_what)
{
	if (kept < all)
		output_printf(out, "%llu of ", (unsigned long long)kept);
	output_printf(out, "%llu %s, ", (unsigned long long)all, of_what);
}

/** Say what is there; whether that is all. */
static int check_image(const char *path, const char *directory, struct output *out, double seconds)
{
	struct kct_cache_state state = {.size = sizeof(state)};
	struct kct_image *image;
	struct kct_error error;
	size_t n_points = 0, kept_points = 0;
	int status = open_image(path, directory, &image);

	if (status != STATUS_FINE)
		return status;
	status = check_points(path, image, &n_points, &kept_points);
	if (kct_image_check_cache(image, &state, &error) < 0)
		status = failure_of(path, &error);
	else if (*state.problem)
		status = failure("%s: what is kept is of no use: %s", path, state.problem);
	else if (!state.files)
		status = failure("%s: no symbols are kept in %s", path, directory);
	if (status == STATUS_FINE) {
		output_printf(out, "%s: ", path);
		put_share(out, state.cached_units, state.units, "units");
		if (n_points)
			put_share(out, kept_points, n_points, "points");
		output_printf(out, "%llu bytes", (unsigned long long)state.bytes);
		if (seconds >= 0)
			output_printf(out, ", %.1f s", seconds);
		output_char(out, '\n');
		if (state.cached_units < state.units || kept_points < n_points)
			status = STATUS_PARTLY;
	}
	kct_image_free(image);
	return status;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int index_image(const char *path, const char *directory, struct output *out)
{
	double start = now();
	size_t n_points, kept_points;
	struct kct_image *image;
	struct kct_error error;
	const char *reason;
	int r, status = open_image(path, directory, &image);

	if (status != STATUS_FINE)
		return status;
	if (kct_image_debug_status(image, &reason) != KCT_DEBUG_DWARF)
		warning("%s: %s", path, reason);
	/* What is found is kept with the rest. */
	status = check_points(path, image, &n_points, &kept_points);
	progress_start("indexing");
	r = kct_image_write_cache(image, true, count_processors(), progress_report, NULL, &error);
	progress_clear();
	kct_image_free(image);
	if (r < 0)
		return failure_of(path, &error);
	return worst(status, check_image(path, directory, out, now() - start));
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	char *directory = cache_directory(options);
	int status = STATUS_FINE;
	size_t i;

	if (!n)
		status = usage_failure("index", "no image given");
	else if (!directory)
		status = usage_failure("index", "neither XDG_CACHE_HOME nor HOME is set: give "
						"--cache-dir DIR");
	for (i = 0; i < n && status != STATUS_USAGE; i++)
		status =
			worst(status, options->check ? check_image(arguments[i], directory, out, -1)
						     : index_image(arguments[i], directory, out));
	free(directory);
	return status;
}

const struct command command_index = {
	.name = "index",
	.arguments = "IMAGE...",
	.summary = "keep all symbols of kernel images, so that later runs start at once",
	.details = "Commands keep by themselves the symbols that they had to read; this reads all "
		   "of an image.\nWith --check nothing is written: the exit status is 0 if all is "
		   "there and good.\n",
	.takes = TAKES_OUTPUT | TAKES_INDEX,
	.formats = 0,
	.run = run,
};
