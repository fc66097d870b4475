/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "symfile/store.h"

/* What a writer has not published by then was left behind. */
#define LEFT_SECONDS 3600

/* Files that are not finished: this and a random number. */
static const char unfinished[] = ".kctsym-";

char *kct_store_path(const char *directory, const char *name, unsigned part)
{
	char number[16] = "";
	char *path;

	if (part > 0)
		snprintf(number, sizeof(number), ".%u", part);
	if (asprintf(&path, "%s/%s%s" KCT_STORE_SUFFIX, directory, name, number) < 0)
		return NULL;
	return path;
}

/** Make a directory and those above it. */
static int make_directories(const char *directory)
{
	char *path KCT_AUTO_FREE = strdup(directory);

	if (!path)
		return -1;
	for (char *slash = path + 1; *path && *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	/* The program's data of one user: nobody else's business. */
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

/** Remove what killed writers left. To fail is no harm. */
static void remove_left(const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		struct stat there;

		if (strncmp(entry->d_name, unfinished, strlen(unfinished)) == 0 &&
		    fstatat(dirfd(stream), entry->d_name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(there.st_mode) && time(NULL) - there.st_mtime > LEFT_SECONDS)
			unlinkat(dirfd(stream), entry->d_name, 0);
	}
	if (stream)
		closedir(stream);
}

int kct_store_create(const char *directory, struct kct_store_file *ret_file,
		     struct kct_error *error)
{
	struct kct_store_file file = {.fd = -1};
	uint64_t number = 0;

	if (make_directories(directory) < 0)
		return kct_fail_errno(error, "%s", directory);
	remove_left(directory);
	/* Early in a boot it may stay 0; then a writer beside this one fails, which is no harm. */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		number ^= (uint64_t)getpid();
	if (asprintf(&file.path, "%s/%s%016llx", directory, unfinished,
		     (unsigned long long)number) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	file.fd = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file.fd < 0) {
		int result = kct_fail_errno(error, "%s", directory);

		free(file.path);
		return result;
	}
	*ret_file = file;
	return 0;
}

void kct_store_abandon(struct kct_store_file *file)
{
	if (!file->path)
		return;
	unlink(file->path);
	close(file->fd);
	free(file->path);
	file->path = NULL;
}

/** Close a file that has its name now. */
static void let_go(struct kct_store_file *file)
{
	close(file->fd);
	free(file->path);
	file->path = NULL;
}

int kct_store_publish(struct kct_store_file *file, const char *path, struct kct_error *error)
{
	if (rename(file->path, path) < 0)
		return kct_fail_errno(error, "%s", path);
	let_go(file);
	return 0;
}

int kct_store_publish_new(struct kct_store_file *file, const char *path, struct kct_error *error)
{
	if (renameat2(AT_FDCWD, file->path, AT_FDCWD, path, RENAME_NOREPLACE) < 0) {
		if (errno == EEXIST)
			return 0;
		/* Not every file system can tell; then the last writer wins. */
		if (errno != EINVAL && errno != ENOSYS)
			return kct_fail_errno(error, "%s", path);
		if (access(path, F_OK) == 0)
			return 0;
		if (kct_store_publish(file, path, error) < 0)
			return KCT_ERR_IO;
		return 1;
	}
	let_go(file);
	return 1;
}
