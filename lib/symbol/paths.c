/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "symbol/paths.h"

void kct_paths_clear(struct kct_paths *paths)
{
	free(paths->maps);
	free(paths->buffer);
	kct_map_clear(&paths->known);
	*paths = (struct kct_paths){0};
}

/** Take the last component off out[root..length); returns the new length, or `length` if there is
 *  none that can go. */
static size_t drop_component(const char *out, size_t root, size_t length)
{
	size_t start = length;

	while (start > root && out[start - 1] != '/')
		start--;
	if (start == length || (length - start == 2 && memcmp(out + start, "..", 2) == 0))
		return length;
	return start > root ? start - 1 : start;
}

void kct_path_clean(char *path)
{
	size_t root = path[0] == '/', length = root;
	const char *in = path;

	while (*in) {
		size_t n = strcspn(in, "/");
		bool parent = n == 2 && in[0] == '.' && in[1] == '.';
		size_t shorter = parent ? drop_component(path, root, length) : length;

		if (n == 0 || (n == 1 && in[0] == '.')) {
			/* nothing to keep */
		} else if (shorter != length || (parent && root)) {
			length = shorter;
		} else {
			if (length > root)
				path[length++] = '/';
			memmove(path + length, in, n);
			length += n;
		}
		in += n + (in[n] == '/');
	}
	if (length == 0)
		path[length++] = '.';
	path[length] = '\0';
}

/** Whether `path` is `directory` or lies below it; a root holds all absolute paths. */
static bool is_below(const char *path, const char *directory, size_t length)
{
	if (strncmp(path, directory, length) != 0)
		return false;
	return path[length] == '\0' || path[length] == '/' ||
	       (length > 0 && directory[length - 1] == '/');
}

int kct_paths_add_map(struct kct_paths *paths, struct kct_pool *pool, const char *from,
		      const char *to)
{
	struct kct_path_map map;
	char *clean KCT_AUTO_FREE = strdup(from);

	if (!clean)
		return KCT_ERR_NO_MEMORY;
	if (clean[0] == '\0')
		return KCT_ERR_ARGUMENT;
	kct_path_clean(clean);
	map.n_from = strlen(clean);
	map.from = kct_pool_intern(pool, clean, map.n_from);
	map.to = kct_pool_intern(pool, to, strlen(to));
	if (!map.from || !map.to ||
	    kct_array_reserve(&paths->maps, &paths->max_maps, paths->n_maps + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	paths->maps[paths->n_maps++] = map;
	return 0;
}

/** Put head, a slash if one is needed between the two, and tail into the buffer. */
static char *join(struct kct_paths *paths, const char *head, const char *tail)
{
	size_t n_head = strlen(head), n_tail = strlen(tail);
	bool slash = n_head > 0 && n_tail > 0 && head[n_head - 1] != '/' && tail[0] != '/';

	if (kct_array_reserve(&paths->buffer, &paths->max_buffer, n_head + n_tail + 2) < 0)
		return NULL;
	memcpy(paths->buffer, head, n_head);
	if (slash)
		paths->buffer[n_head++] = '/';
	memcpy(paths->buffer + n_head, tail, n_tail + 1);
	return paths->buffer;
}

/** The map that fits a cleaned path and has the longest `from`, or NULL. */
static const struct kct_path_map *find_map(const struct kct_paths *paths, const char *path)
{
	const struct kct_path_map *best = NULL;

	for (size_t i = 0; i < paths->n_maps; i++) {
		const struct kct_path_map *map = &paths->maps[i];

		if (is_below(path, map->from, map->n_from) && (!best || map->n_from > best->n_from))
			best = map;
	}
	return best;
}

/** The cleaned path below the cleaned compilation directory, without it; or the path itself. */
static const char *strip_directory(const char *path, const char *comp_dir)
{
	char *clean KCT_AUTO_FREE = strdup(comp_dir);
	size_t length;

	/* An absolute one never grows. */
	if (!clean || clean[0] != '/')
		return path;
	kct_path_clean(clean);
	length = strlen(clean);
	if (!is_below(path, clean, length) || path[length] == '\0')
		return path;
	return path + length + (path[length] == '/');
}

/** Clean and rewrite a raw path into the pool. */
static const char *rewrite(struct kct_paths *paths, struct kct_pool *pool, const char *raw,
			   const char *comp_dir)
{
	size_t length = strlen(raw);
	char *clean KCT_AUTO_FREE = malloc(length + 2); /* nothing becomes "." */
	const struct kct_path_map *map;
	const char *result = clean;

	if (!clean)
		return NULL;
	memcpy(clean, raw, length + 1);
	kct_path_clean(clean);
	map = find_map(paths, clean);
	if (map) {
		const char *rest = clean + map->n_from;

		rest += map->to[0] == '\0' && rest[0] == '/';
		result = join(paths, map->to, rest);
		/* No path is nothing: the directory itself keeps its name. */
		if (result && result[0] == '\0')
			result = clean;
	} else if (paths->strip && comp_dir) {
		result = strip_directory(clean, comp_dir);
	}
	return result ? kct_pool_intern(pool, result, strlen(result)) : NULL;
}

/** Join into a raw path as debug information means it, and intern it. */
static const char *raw_path(struct kct_paths *paths, struct kct_pool *pool, const char *comp_dir,
			    const char *file)
{
	const char *raw = file;

	if (comp_dir && file[0] != '/')
		raw = join(paths, comp_dir, file);
	return raw ? kct_pool_intern(pool, raw, strlen(raw)) : NULL;
}

/** One key for both pointers. Many units may give one absolute path: it must not be the key alone. */
static uint64_t path_key(const char *raw, const char *directory)
{
	return (uintptr_t)raw ^ kct_hash_u64((uintptr_t)directory);
}

int kct_paths_get(struct kct_paths *paths, struct kct_pool *pool, const char *comp_dir,
		  const char *file, const struct kct_path **ret_path)
{
	const char *raw = raw_path(paths, pool, comp_dir, file);
	const char *directory = comp_dir ? kct_pool_intern(pool, comp_dir, strlen(comp_dir)) : NULL;
	struct kct_path *path;
	uint64_t *value;

	if (!raw || (comp_dir && !directory) ||
	    kct_map_put(&paths->known, path_key(raw, directory), &value) < 0)
		return KCT_ERR_NO_MEMORY;
	for (path = (struct kct_path *)(uintptr_t)*value; path; path = path->next) {
		if (path->raw == raw && path->comp_dir == directory) {
			*ret_path = path;
			return 0;
		}
	}
	path = kct_pool_alloc(pool, sizeof(*path));
	if (!path)
		return KCT_ERR_NO_MEMORY;
	path->raw = raw;
	path->comp_dir = directory;
	path->file = rewrite(paths, pool, raw, comp_dir);
	if (!path->file)
		return KCT_ERR_NO_MEMORY;
	path->next = (struct kct_path *)(uintptr_t)*value;
	*value = (uintptr_t)path;
	*ret_path = path;
	return 0;
}
