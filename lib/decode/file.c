/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kcovtrace/file.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/unpack.h"

#define READ_STEP ((size_t)1 << 16)

struct kct_file {
	char *name;
	const char *packing;
	struct kct_error damage; /* of the packed bytes; code 0: none */
	const void *data;	 /* in one of the two below, or a static byte if empty */
	size_t bytes;
	void *mapping;
	size_t mapping_bytes;
	struct kct_bytes heap;
};

static void file_unmap(struct kct_file *file)
{
	if (file->mapping)
		munmap(file->mapping, file->mapping_bytes);
	file->mapping = NULL;
}

void kct_file_free(struct kct_file *file)
{
	if (!file)
		return;
	file_unmap(file);
	free(file->heap.data);
	free(file->name);
	free(file);
}

static void file_cleanup(struct kct_file **file)
{
	kct_file_free(*file);
}

/** Map a regular file of a known size; false when that does not work and reading may. */
static bool file_map(struct kct_file *file, int fd, const struct stat *stat)
{
	void *mapping;

	if (!S_ISREG(stat->st_mode) || stat->st_size <= 0 || (uintmax_t)stat->st_size > SIZE_MAX)
		return false;
	mapping = mmap(NULL, (size_t)stat->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapping == MAP_FAILED)
		return false;
	file->mapping = mapping;
	file->mapping_bytes = (size_t)stat->st_size;
	file->data = mapping;
	file->bytes = file->mapping_bytes;
	return true;
}

/** Read a pipe, or a file of /sys or /proc whose size is not what it says. */
static int file_read(struct kct_file *file, int fd, struct kct_error *error)
{
	struct kct_bytes *heap = &file->heap;

	for (;;) {
		size_t want;
		ssize_t got;

		if (kct_add_overflows(heap->n, READ_STEP, &want) ||
		    kct_array_reserve(&heap->data, &heap->max, want) < 0)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		got = read(fd, heap->data + heap->n, heap->max - heap->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return kct_fail_errno(error, "%s", file->name);
		if (got == 0)
			break;
		heap->n += (size_t)got;
	}
	file->data = heap->data;
	file->bytes = heap->n;
	return 0;
}

/** Replace packed bytes by what is in them. */
static int file_unpack(struct kct_file *file, struct kct_error *error)
{
	const char *packing = kct_packing_of(file->data, file->bytes);
	struct kct_error damage = {0};
	struct kct_bytes unpacked = {0};
	int result;

	if (!packing)
		return 0;
	result = kct_unpack(packing, file->data, file->bytes, KCT_UNPACK_LIMIT, &unpacked, &damage);
	if (result != 0 && result != KCT_ERR_NO_MEMORY &&
	    kct_packing_is_doubtful(file->data, file->bytes)) {
		free(unpacked.data);
		return 0;
	}
	if (result < 0) {
		free(unpacked.data);
		if (error)
			*error = damage;
		return result;
	}
	if (result > 0)
		file->damage = damage;
	file_unmap(file);
	free(file->heap.data);
	file->heap = unpacked;
	file->packing = packing;
	file->data = unpacked.data;
	file->bytes = unpacked.n;
	return 0;
}

int kct_file_open_fd(int fd, const char *name, struct kct_file **ret_file, struct kct_error *error)
{
	struct kct_file *file KCT_CLEANUP(file_cleanup) = calloc(1, sizeof(*file));
	static const unsigned char nothing;
	struct stat stat;
	int result;

	if (!file)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	file->name = strdup(name);
	if (!file->name)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	if (fstat(fd, &stat) < 0)
		return kct_fail_errno(error, "%s", name);
	if (S_ISDIR(stat.st_mode)) {
		errno = EISDIR;
		return kct_fail_errno(error, "%s", name);
	}
	result = file_map(file, fd, &stat) ? 0 : file_read(file, fd, error);
	if (result >= 0)
		result = file_unpack(file, error);
	if (result < 0)
		return result;
	if (file->bytes == 0)
		file->data = &nothing;
	*ret_file = TAKE_PTR(file);
	return 0;
}

int kct_file_open_memory(const void *data, size_t bytes, const char *name,
			 struct kct_file **ret_file, struct kct_error *error)
{
	struct kct_file *file KCT_CLEANUP(file_cleanup) = NULL;
	int result;

	if (!data || !name || !ret_file)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	file = calloc(1, sizeof(*file));
	if (!file)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	file->name = strdup(name);
	if (!file->name)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	file->data = data;
	file->bytes = bytes;
	result = file_unpack(file, error);
	if (result < 0)
		return result;
	*ret_file = TAKE_PTR(file);
	return 0;
}

int kct_file_open(const char *path, struct kct_file **ret_file, struct kct_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int result;

	if (fd < 0)
		return kct_fail_errno(error, "%s", path);
	result = kct_file_open_fd(fd, path, ret_file, error);
	close(fd);
	return result;
}

const void *kct_file_data(const struct kct_file *file, size_t *ret_bytes)
{
	*ret_bytes = file->bytes;
	return file->data;
}

bool kct_file_is_mapped(const struct kct_file *file)
{
	return file->mapping != NULL;
}

const char *kct_file_name(const struct kct_file *file)
{
	return file->name;
}

const char *kct_file_packing(const struct kct_file *file)
{
	return file->packing;
}

const char *kct_file_damage(const struct kct_file *file, uint64_t *ret_offset)
{
	if (file->damage.code == 0)
		return NULL;
	if (ret_offset)
		*ret_offset = file->damage.offset;
	return file->damage.text;
}
