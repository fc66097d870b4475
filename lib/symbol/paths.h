/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file paths.h
 * Source paths: joined as debug information means them, cleaned so that a file
 * has one path, and rewritten as the user asks.
 *
 * A path is joined with its compilation directory if it is relative, cleaned,
 * and then the longest path map that matches rewrites it. Only if none matches,
 * stripping drops the compilation directory from the front.
 */
#ifndef KCT_SYMBOL_PATHS_H
#define KCT_SYMBOL_PATHS_H

#include "base/map.h"
#include "base/pool.h"

struct kct_path_map {
	const char *from; /* cleaned */
	const char *to;
	size_t n_from;
};

/* One path as it was seen and what became of it. */
struct kct_path {
	const char *raw;
	const char *comp_dir; /* NULL: none */
	const char *file;
	struct kct_path *next; /* with the same key */
};

/** All zero rewrites nothing. The strings are in the pool given to each call. */
struct kct_paths {
	struct kct_path_map *maps;
	size_t n_maps, max_maps;
	bool strip;
	struct kct_map known; /* raw path and directory (their pointers) to struct kct_path */
	char *buffer;
	size_t max_buffer;
};

/** Free the memory; what is in the pool stays. */
void kct_paths_clear(struct kct_paths *paths);

/** Add a path map. KCT_ERR_NO_MEMORY, KCT_ERR_ARGUMENT for an empty `from`. */
int kct_paths_add_map(struct kct_paths *paths, struct kct_pool *pool, const char *from,
		      const char *to);

/**
 * The path of a file, in the pool: the same input gives the same pointers.
 * `comp_dir` may be NULL.
 */
int kct_paths_get(struct kct_paths *paths, struct kct_pool *pool, const char *comp_dir,
		  const char *file, const struct kct_path **ret_path);

/**
 * Clean a path in place: no empty, `.` and `..` components, no slash at the
 * end. `..` at the front of a relative path stays, at the root it goes. A path
 * that is nothing becomes ".", for which there must be room.
 */
void kct_path_clean(char *path);

#endif
