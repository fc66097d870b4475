/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/fail.h"
#include "symfile/form.h"
#include "symfile/symfile.h"

struct kct_symfile_writer {
	int fd; /* < 0: to memory */
	unsigned char *memory;
	size_t max_memory;
	uint64_t at; /* bytes written */
	struct kct_symfile_entry *entries;
	size_t n, max;
	struct kct_crc32c crc;
};

static const unsigned char zeros[sizeof(struct kct_symfile_header)];

static int write_memory(struct kct_symfile_writer *writer, const void *data, size_t bytes,
			struct kct_error *error)
{
	size_t end;

	if (kct_add_overflows((size_t)writer->at, bytes, &end) ||
	    kct_array_reserve(&writer->memory, &writer->max_memory, end) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	if (bytes > 0)
		memcpy(writer->memory + writer->at, data, bytes);
	return 0;
}

static int write_file(struct kct_symfile_writer *writer, const void *data, size_t bytes,
		      uint64_t at, struct kct_error *error)
{
	const unsigned char *from = data;

	while (bytes > 0) {
		ssize_t got = pwrite(writer->fd, from, bytes, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return kct_fail_errno(error, "cannot write the symbol file");
		from += got;
		at += (size_t)got;
		bytes -= (size_t)got;
	}
	return 0;
}

/** Write behind what is there. */
static int append(struct kct_symfile_writer *writer, const void *data, size_t bytes,
		  struct kct_error *error)
{
	int result = writer->fd < 0 ? write_memory(writer, data, bytes, error)
				    : write_file(writer, data, bytes, writer->at, error);

	if (result >= 0)
		writer->at += bytes;
	return result;
}

/** Fill up to a multiple of 8. */
static int append_filling(struct kct_symfile_writer *writer, struct kct_error *error)
{
	return append(writer, zeros, (size_t)(-writer->at & 7), error);
}

int kct_symfile_writer_new(int fd, struct kct_symfile_writer **ret_writer)
{
	struct kct_symfile_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return KCT_ERR_NO_MEMORY;
	writer->fd = fd;
	kct_crc32c_init(&writer->crc);
	/* A file whose header is zero is none, until it is finished. */
	if (fd < 0) {
		if (append(writer, zeros, sizeof(zeros), NULL) < 0) {
			kct_symfile_writer_free(writer);
			return KCT_ERR_NO_MEMORY;
		}
	} else {
		writer->at = sizeof(zeros);
	}
	*ret_writer = writer;
	return 0;
}

void kct_symfile_writer_free(struct kct_symfile_writer *writer)
{
	if (!writer)
		return;
	free(writer->memory);
	free(writer->entries);
	free(writer);
}

int kct_symfile_add_parts(struct kct_symfile_writer *writer, uint32_t type, uint32_t id,
			  const struct iovec *parts, int n_parts, struct kct_error *error)
{
	struct kct_symfile_entry entry = {.type = type, .id = id, .offset = writer->at};

	if (writer->n == UINT32_MAX)
		return kct_fail_code(error, KCT_ERR_LIMIT);
	if (kct_array_reserve(&writer->entries, &writer->max, writer->n + 1) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	for (int i = 0; i < n_parts; i++) {
		int result = append(writer, parts[i].iov_base, parts[i].iov_len, error);

		if (result < 0)
			return result;
		entry.sum =
			kct_crc32c(&writer->crc, entry.sum, parts[i].iov_base, parts[i].iov_len);
	}
	entry.bytes = writer->at - entry.offset;
	writer->entries[writer->n++] = entry;
	return append_filling(writer, error);
}

int kct_symfile_add(struct kct_symfile_writer *writer, uint32_t type, uint32_t id, const void *data,
		    size_t bytes, struct kct_error *error)
{
	/* An iovec can also be read into. */
	const struct iovec part = {(void *)(uintptr_t)data, bytes};

	return kct_symfile_add_parts(writer, type, id, &part, 1, error);
}

uint64_t kct_symfile_written(const struct kct_symfile_writer *writer)
{
	return writer->at;
}

static int compare_entries(const void *left, const void *right)
{
	const struct kct_symfile_entry *a = left, *b = right;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

int kct_symfile_finish(struct kct_symfile_writer *writer, struct kct_error *error)
{
	struct kct_symfile_header header = {
		.order = KCT_SYMFILE_ORDER,
		.version = KCT_SYMFILE_VERSION,
		.n_blocks = (uint32_t)writer->n,
		.directory = writer->at,
	};
	size_t bytes = writer->n * sizeof(*writer->entries);
	int result;

	if (writer->n > 0)
		qsort(writer->entries, writer->n, sizeof(*writer->entries), compare_entries);
	for (size_t i = 1; i < writer->n; i++) {
		if (compare_entries(&writer->entries[i - 1], &writer->entries[i]) == 0)
			return kct_fail(error, KCT_ERR_ARGUMENT, "two blocks %u.%u",
					writer->entries[i].type, writer->entries[i].id);
	}
	result = append(writer, writer->entries, bytes, error);
	if (result < 0)
		return result;
	memcpy(header.magic, KCT_SYMFILE_MAGIC, KCT_SYMFILE_MAGIC_BYTES);
	header.bytes = writer->at;
	header.directory_sum = kct_crc32c(&writer->crc, 0, writer->entries, bytes);
	header.header_sum = kct_crc32c(&writer->crc, 0, &header,
				       offsetof(struct kct_symfile_header, header_sum));
	if (writer->fd >= 0)
		return write_file(writer, &header, sizeof(header), 0, error);
	memcpy(writer->memory, &header, sizeof(header));
	return 0;
}

void *kct_symfile_take(struct kct_symfile_writer *writer, size_t *ret_bytes)
{
	*ret_bytes = (size_t)writer->at;
	writer->at = 0;
	writer->max_memory = 0;
	return TAKE_PTR(writer->memory);
}
