/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "cache.h"
#include "message.h"

/** A directory from the environment; relative ones do not count. */
static const char *directory_of(const char *variable)
{
	const char *value = getenv(variable);

	return value && value[0] == '/' ? value : NULL;
}

char *cache_directory(const struct options *options)
{
	const char *cache = directory_of("XDG_CACHE_HOME"), *home = directory_of("HOME");
	char *path = NULL;
	int n = 0;

	if (options->no_cache)
		return NULL;
	/* A folder of its own: others of this project keep what is dear to them beside it. */
	if (options->cache_directory)
		n = asprintf(&path, "%s", options->cache_directory);
	else if (cache)
		n = asprintf(&path, "%s/kcovtrace/symbols", cache);
	else if (home)
		n = asprintf(&path, "%s/.cache/kcovtrace/symbols", home);
	return n < 0 ? NULL : path;
}

void cache_use(struct kct_image *image, const struct options *options)
{
	char *directory = cache_directory(options);

	/* Without it everything works as well. */
	if (directory)
		kct_image_set_cache(image, directory);
	free(directory);
}

void cache_keep(struct kct_image *image, const struct options *options)
{
	const char *problem = kct_image_cache_problem(image);
	struct kct_error error;

	if (options->no_cache)
		return;
	if (problem)
		note("%s: kept symbols are damaged and made anew: %s", kct_image_name(image),
		     problem);
	/* Nobody asked for the usual directory, which may well be one that cannot be written to. */
	if (kct_image_write_cache(image, false, 1, NULL, NULL, &error) == KCT_ERR_IO &&
	    options->cache_directory)
		note("%s: symbols are not kept: %s", kct_image_name(image), error.text);
}
