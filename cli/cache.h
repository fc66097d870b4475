/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cache.h Where symbols are kept for the next run. */
#ifndef CLI_CACHE_H
#define CLI_CACHE_H

#include "options.h"

/** The directory, the caller's to free; NULL: none, as the options or the environment say. */
char *cache_directory(const struct options *options);

/** Let an image that was just opened use what earlier runs kept. */
void cache_use(struct kct_image *image, const struct options *options);

/** Keep what this run read of an image. A note says what went wrong, if anybody can do anything about it. */
void cache_keep(struct kct_image *image, const struct options *options);

#endif
