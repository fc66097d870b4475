/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "module_files.h"

/* /lib/modules/RELEASE has about 7 levels and 10,000 entries; a whole file system has more. */
#define MAX_LEVEL   16
#define MAX_ENTRIES 1000000

static const char *const suffixes[] = {".ko", ".ko.zst", ".ko.gz", ".ko.xz"};

/** The kernel names modules with `_`, their files often have `-`. */
static char plain(char letter)
{
	return letter == '-' ? '_' : letter;
}

int module_compare(const char *module, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < length && module[i]; i++) {
		int order = (unsigned char)plain(module[i]) - (unsigned char)plain(name[i]);

		if (order)
			return order;
	}
	return i < length ? -1 : module[i] != '\0';
}

bool module_is(const char *module, const char *name, size_t length)
{
	return module_compare(module, name, length) == 0;
}

/** Number of the suffix of a file, -1 if it is no module's. */
static int suffix_of(const char *file, size_t *ret_length)
{
	size_t length = strlen(file), i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t tail = strlen(suffixes[i]);

		if (length > tail && strcmp(file + length - tail, suffixes[i]) == 0) {
			*ret_length = length - tail;
			return (int)i;
		}
	}
	return -1;
}

static void add_file(struct module_files *files, const FTSENT *entry)
{
	struct module_file *file;
	struct stat there;
	size_t length, i;
	int suffix = suffix_of(entry->fts_name, &length);

	if (suffix < 0 || stat(entry->fts_accpath, &there) < 0 || !S_ISREG(there.st_mode))
		return;
	grow(&files->files, files->n, &files->max);
	file = &files->files[files->n++];
	*file = (struct module_file){
		.path = zeroed(char, strlen(entry->fts_path) + 1),
		.name = zeroed(char, length + 1),
		.suffix = (unsigned)suffix,
		.level = (unsigned)entry->fts_level,
	};
	strcpy(file->path, entry->fts_path);
	for (i = 0; i < length; i++)
		file->name[i] = plain(entry->fts_name[i]);
}

static int compare(const void *a, const void *b)
{
	const struct module_file *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order)
		return order;
	if (left->level != right->level)
		return left->level < right->level ? -1 : 1;
	if (left->suffix != right->suffix)
		return left->suffix < right->suffix ? -1 : 1;
	return strcmp(left->path, right->path);
}

/** Go through the tree. Returns STATUS_PARTLY after a message if it is too large or unreadable. */
static int walk(struct module_files *files, FTS *tree, const char *directory)
{
	size_t entries = 0;
	FTSENT *entry;

	while ((entry = fts_read(tree))) {
		switch (entry->fts_info) {
		case FTS_D:
			if (entry->fts_level >= MAX_LEVEL)
				fts_set(tree, entry, FTS_SKIP);
			break;
		case FTS_F:
		case FTS_SL:
			if (entry->fts_level > 0)
				add_file(files, entry);
			else
				return failure("%s: not a directory", directory);
			break;
		case FTS_NS:
		case FTS_DNR:
		case FTS_ERR:
			if (entry->fts_level == 0)
				return failure("%s: %s", directory, strerror(entry->fts_errno));
			warning("%s: %s", entry->fts_path, strerror(entry->fts_errno));
			break;
		default:
			break;
		}
		if (++entries > MAX_ENTRIES)
			return failure("%s: more than %d files: name a directory of modules",
				       directory, MAX_ENTRIES);
	}
	return STATUS_FINE;
}

int module_files_find(struct module_files *files, const char *directory)
{
	char *roots[] = {zeroed(char, strlen(directory) + 1), NULL};
	int status;
	FTS *tree;

	strcpy(roots[0], directory);
	/* The directory itself may be a link. */
	tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	if (tree) {
		status = walk(files, tree, directory);
		fts_close(tree);
	} else {
		status = failure("%s: %s", directory, strerror(errno));
	}
	free(roots[0]);
	if (files->n)
		qsort(files->files, files->n, sizeof(*files->files), compare);
	return status;
}

const char *module_files_path(const struct module_files *files, const char *module)
{
	size_t low = 0, high = files->n, i;
	char *name = zeroed(char, strlen(module) + 1);

	for (i = 0; module[i]; i++)
		name[i] = plain(module[i]);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(files->files[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	i = low < files->n && strcmp(files->files[low].name, name) == 0;
	free(name);
	return i ? files->files[low].path : NULL;
}

void module_files_clear(struct module_files *files)
{
	size_t i;

	for (i = 0; i < files->n; i++) {
		free(files->files[i].path);
		free(files->files[i].name);
	}
	free(files->files);
	*files = (struct module_files){0};
}
