/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>

#include "cache.h"
#include "images.h"
#include "message.h"

/* Where packages of debug files put them. */
#define SYSTEM_DEBUG_DIRECTORY "/usr/lib/debug"

static const char absent[] = ": no such file";

static int find_debug(const struct options *options, struct kct_image *image,
		      struct kct_error *error)
{
	size_t n = options->debug_dirs.n;
	const char **directories = zeroed(const char *, n + 1);
	struct kct_debug_search search = {
		.size = sizeof(search),
		.directories = directories,
		.n_directories = n + 1,
		.debuginfod = options->debuginfod,
	};
	int r;

	if (n)
		memcpy(directories, options->debug_dirs.values, n * sizeof(*directories));
	directories[n] = SYSTEM_DEBUG_DIRECTORY;
	r = kct_image_find_debug(image, &search, error);
	free(directories);
	return r;
}

struct kct_image *images_open(struct session *session, const char *path)
{
	struct kct_error error;
	struct kct_image *image;

	if (kct_image_open(path, &image, &error) < 0) {
		failure_of(path, &error);
		return NULL;
	}
	grow(&session->images, session->n_images, &session->max_images);
	session->images[session->n_images++] = image;
	cache_use(image, session->options);
	if (find_debug(session->options, image, &error) < 0)
		failure_of(path, &error);
	if (strcmp(kct_image_debug_name(image), path) != 0)
		note("%s: debug information from %s", path, kct_image_debug_name(image));
	return image;
}

/** Where a debug file was looked for: what is not there in one line, each file that does not fit in
 *  its own. */
static void report_search(const struct kct_image *image)
{
	const char *at = kct_image_searched(image);
	char *missing = zeroed(char, strlen(at) + 1);
	size_t tail = strlen(absent), used = 0;

	while (*at) {
		size_t length = strcspn(at, "\n");

		if (length > tail && memcmp(at + length - tail, absent, tail) == 0) {
			if (used) {
				memcpy(missing + used, ", ", 2);
				used += 2;
			}
			memcpy(missing + used, at, length - tail);
			used += length - tail;
		} else {
			warning("%s: no debug file: %.*s", kct_image_name(image), (int)length, at);
		}
		at += length + (at[length] == '\n');
	}
	if (used)
		note("%s: no debug file at %s", kct_image_name(image), missing);
	free(missing);
}

void images_report(struct kct_image *image)
{
	const char *reason;
	enum kct_debug_status status = kct_image_debug_status(image, &reason);

	if (*reason)
		warning("%s: %s", kct_image_debug_name(image), reason);
	if (status != KCT_DEBUG_DWARF)
		report_search(image);
}

unsigned count_processors(void)
{
	cpu_set_t processors;

	if (sched_getaffinity(0, sizeof(processors), &processors) < 0)
		return 1; /* more than fit into the set */
	return (unsigned)CPU_COUNT(&processors);
}
