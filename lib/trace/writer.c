/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <kcovtrace/file.h>
#include <kcovtrace/tracefile.h>
#include <kcovtrace/version.h>

#include "base/fail.h"
#include "trace/form.h"

/* Header, up to MAX_PARTS parts of the body, trailer. */
#define MAX_PARTS 5

struct kct_trace_writer {
	int fd;
	bool owns_fd;
	uint64_t capture;
	struct kct_crc32c crc;
};

/** What fills a part up to 8 bytes, or ends a string and fills it up. */
static const unsigned char zeros[8];

/** The pieces of one block, in order; parts[0] and the last one are header and trailer. */
struct pieces {
	struct iovec parts[MAX_PARTS + 2];
	int n;
	size_t body_bytes;
};

static void add_part(struct pieces *pieces, const void *data, size_t bytes)
{
	/* writev() does not write to what an iovec points to. */
	pieces->parts[pieces->n++] = (struct iovec){(void *)(uintptr_t)data, bytes};
	pieces->body_bytes += bytes;
}

/** Fill the body up to a multiple of 8; `strings` need one byte at least. */
static void add_filling(struct pieces *pieces, size_t at_least)
{
	size_t filled = kct_form_round(pieces->body_bytes + at_least);

	add_part(pieces, zeros, filled - pieces->body_bytes);
}

static void put_header(const struct kct_trace_writer *writer, uint16_t type, uint64_t body_bytes,
		       unsigned char *header)
{
	memset(header, 0, KCT_HEADER_BYTES);
	memcpy(header + KCT_HEADER_MARKER, KCT_MARKER, KCT_MARKER_BYTES);
	kct_form_put_u64(header + KCT_HEADER_ORDER, KCT_BYTE_ORDER_MARK);
	kct_form_put_u16(header + KCT_HEADER_VERSION, KCT_FORM_VERSION);
	kct_form_put_u16(header + KCT_HEADER_TYPE, type);
	kct_form_put_u64(header + KCT_HEADER_CAPTURE, writer->capture);
	kct_form_put_u64(header + KCT_HEADER_BODY_BYTES, body_bytes);
	kct_form_put_u32(header + KCT_HEADER_SUM,
			 kct_crc32c(&writer->crc, 0, header, KCT_HEADER_SUM));
}

/** Wait until a descriptor that does not block takes more. */
static bool wait_for_room(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};

	return poll(&poll_fd, 1, -1) >= 0 || errno == EINTR;
}

/** Write all, normally with one call. */
static int write_all(int fd, struct iovec *parts, int n, struct kct_error *error)
{
	while (n) {
		ssize_t got = writev(fd, parts, n);

		if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room(fd))))
			continue;
		if (got < 0)
			return kct_fail_errno(error, "cannot write");
		while (n && (size_t)got >= parts->iov_len) {
			got -= (ssize_t)parts->iov_len;
			parts++;
			n--;
		}
		if (n) {
			parts->iov_base = (char *)parts->iov_base + got;
			parts->iov_len -= (size_t)got;
		}
	}
	return 0;
}

/** Write a block; `pieces` has the body. */
static int write_block(struct kct_trace_writer *writer, uint16_t type, struct pieces *pieces,
		       struct kct_error *error)
{
	unsigned char header[KCT_HEADER_BYTES], trailer[KCT_TRAILER_BYTES];
	uint32_t sum = 0;

	put_header(writer, type, pieces->body_bytes, header);
	for (int i = 1; i < pieces->n; i++)
		sum = kct_crc32c(&writer->crc, sum, pieces->parts[i].iov_base,
				 pieces->parts[i].iov_len);
	kct_form_put_u32(trailer + KCT_TRAILER_BODY_SUM, sum);
	memcpy(trailer + KCT_TRAILER_HEADER_SUM, header + KCT_HEADER_SUM, sizeof(uint32_t));
	pieces->parts[0] = (struct iovec){header, sizeof(header)};
	pieces->parts[pieces->n++] = (struct iovec){trailer, sizeof(trailer)};
	return write_all(writer->fd, pieces->parts, pieces->n, error);
}

static int write_meta(struct kct_trace_writer *writer, enum kct_meta_type type, const char *name,
		      const void *data, size_t bytes, struct kct_error *error)
{
	unsigned char head[KCT_META_HEAD_BYTES];
	struct pieces pieces = {.n = 1};
	size_t name_bytes;

	if (!writer || !name || (!data && bytes) || bytes > SIZE_MAX / 2)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	name_bytes = strlen(name);
	if (name_bytes > UINT32_MAX / 2)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	kct_form_put_u32(head + KCT_META_AT_TYPE, type);
	kct_form_put_u32(head + KCT_META_AT_NAME_BYTES, (uint32_t)name_bytes);
	kct_form_put_u64(head + KCT_META_AT_VALUE_BYTES, bytes);
	add_part(&pieces, head, sizeof(head));
	add_part(&pieces, name, name_bytes);
	add_filling(&pieces, 1);
	add_part(&pieces, bytes ? data : zeros, bytes);
	add_filling(&pieces, 1);
	return write_block(writer, KCT_BLOCK_META, &pieces, error);
}

int kct_trace_writer_text(struct kct_trace_writer *writer, const char *name, const char *text,
			  struct kct_error *error)
{
	if (!text)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	return write_meta(writer, KCT_META_TEXT, name, text, strlen(text), error);
}

int kct_trace_writer_numbers(struct kct_trace_writer *writer, const char *name,
			     const uint64_t *numbers, size_t n, struct kct_error *error)
{
	size_t bytes;

	if (kct_mul_overflows(n, sizeof(*numbers), &bytes))
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	return write_meta(writer, KCT_META_NUMBERS, name, numbers, bytes, error);
}

int kct_trace_writer_bytes(struct kct_trace_writer *writer, const char *name, const void *data,
			   size_t bytes, struct kct_error *error)
{
	return write_meta(writer, KCT_META_BYTES, name, data, bytes, error);
}

static void put_layout(unsigned char *head, const struct kct_layout *layout)
{
	kct_form_put_u32(head + KCT_SEGMENT_AT_MODE, layout->mode);
	kct_form_put_u32(head + KCT_SEGMENT_AT_OS, layout->os);
	head[KCT_SEGMENT_AT_ENDIAN] = (unsigned char)layout->endian;
	head[KCT_SEGMENT_AT_WORD_BYTES] = (unsigned char)layout->word_bytes;
	head[KCT_SEGMENT_AT_EESUM_QUIRK] = (unsigned char)layout->eesum_quirk;
	head[KCT_SEGMENT_AT_LAYOUT_FLAGS] = layout->slid ? KCT_LAYOUT_SLID : 0;
	kct_form_put_u32(head + KCT_SEGMENT_AT_ENTRY_WORDS, layout->entry_words);
	kct_form_put_u32(head + KCT_SEGMENT_AT_MEMORY_WORDS, layout->memory_words);
	kct_form_put_u64(head + KCT_SEGMENT_AT_BITMAP_WORDS, layout->bitmap_words);
	kct_form_put_u64(head + KCT_SEGMENT_AT_CAPACITY_WORDS, layout->capacity_words);
}

/** The optional fields; those that are not set are 0. */
static void put_fields(unsigned char *head, const struct kct_trace_segment *segment)
{
	kct_form_put_u32(head + KCT_SEGMENT_AT_FIELDS, segment->fields);
	if (segment->fields & KCT_SEGMENT_OVERFLOW)
		kct_form_put_u32(head + KCT_SEGMENT_AT_OVERFLOW, segment->overflow);
	if (segment->fields & KCT_SEGMENT_PROCESS)
		kct_form_put_u32(head + KCT_SEGMENT_AT_PROCESS, segment->process);
	if (segment->fields & KCT_SEGMENT_THREAD)
		kct_form_put_u32(head + KCT_SEGMENT_AT_THREAD, segment->thread);
	if (segment->fields & KCT_SEGMENT_SYSCALL) {
		kct_form_put_u64(head + KCT_SEGMENT_AT_SYSCALL, (uint64_t)segment->syscall);
		for (size_t i = 0; i < KCT_SEGMENT_ARGUMENTS; i++)
			kct_form_put_u64(head + KCT_SEGMENT_AT_ARGUMENTS + 8 * i,
					 segment->arguments[i]);
	}
	if (segment->fields & KCT_SEGMENT_RESULT)
		kct_form_put_u64(head + KCT_SEGMENT_AT_RESULT, (uint64_t)segment->result);
	if (segment->fields & KCT_SEGMENT_REMOTE)
		kct_form_put_u64(head + KCT_SEGMENT_AT_REMOTE, segment->remote_handle);
	if (segment->fields & KCT_SEGMENT_TIME) {
		kct_form_put_u64(head + KCT_SEGMENT_AT_BEGIN, segment->begin);
		kct_form_put_u64(head + KCT_SEGMENT_AT_END, segment->end);
	}
}

/**
 * Copy what a caller may have built against a smaller or larger struct, at least
 * its first `least` bytes. What is beyond ours must be zero: we do not know what
 * it means.
 */
static int take_struct(const void *from, size_t least, size_t known, void *ret)
{
	const char *bytes = from;
	size_t size;

	memcpy(&size, from, sizeof(size));
	if (size < least)
		return KCT_ERR_ARGUMENT;
	for (size_t i = known; i < size; i++) {
		if (bytes[i])
			return KCT_ERR_ARGUMENT;
	}
	memcpy(ret, from, size < known ? size : known);
	return 0;
}

static int check_segment(const struct kct_trace_segment *segment, struct kct_error *error)
{
	if (segment->fields & ~KCT_SEGMENT_KNOWN_FIELDS || !segment->data || !segment->bytes ||
	    segment->bytes > SIZE_MAX / 2 ||
	    (segment->name && strlen(segment->name) > UINT32_MAX / 2) ||
	    segment->overflow > KCT_OVERFLOW_UNKNOWN)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	return kct_layout_check(&segment->layout, error);
}

int kct_trace_writer_segment(struct kct_trace_writer *writer,
			     const struct kct_trace_segment *segment, struct kct_error *error)
{
	unsigned char head[KCT_SEGMENT_HEAD_BYTES] = {0};
	struct kct_trace_segment copy = {0};
	struct pieces pieces = {.n = 1};
	int result;

	if (!writer || !segment || take_struct(segment, sizeof(copy), sizeof(copy), &copy) < 0)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	segment = &copy;
	result = check_segment(segment, error);
	if (result < 0)
		return result;
	put_layout(head, &segment->layout);
	put_fields(head, segment);
	kct_form_put_u64(head + KCT_SEGMENT_AT_DATA_BYTES, segment->bytes);
	add_part(&pieces, head, sizeof(head));
	if (segment->name) {
		kct_form_put_u32(head + KCT_SEGMENT_AT_NAME_OFFSET, KCT_SEGMENT_HEAD_BYTES);
		kct_form_put_u32(head + KCT_SEGMENT_AT_NAME_BYTES, (uint32_t)strlen(segment->name));
		add_part(&pieces, segment->name, strlen(segment->name));
		add_filling(&pieces, 1);
	}
	kct_form_put_u32(head + KCT_SEGMENT_AT_HEAD_BYTES, (uint32_t)pieces.body_bytes);
	add_part(&pieces, segment->data, segment->bytes);
	add_filling(&pieces, 0);
	return write_block(writer, KCT_BLOCK_SEGMENT, &pieces, error);
}

/** An ID that no other capture has. */
static uint64_t random_id(void)
{
	struct timespec now = {0};
	uint64_t id;

	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) == (ssize_t)sizeof(id) && id)
		return id;
	/* Early in a boot there is no randomness yet. */
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec +
	       ((uint64_t)getpid() << 40);
}

int kct_trace_writer_new(int fd, const struct kct_trace_writer_options *options,
			 struct kct_trace_writer **ret_writer, struct kct_error *error)
{
	struct kct_trace_writer_options copy = {.size = sizeof(copy)};
	struct kct_trace_writer *writer;
	int result = 0;

	if (options)
		result = take_struct(options, sizeof(options->size), sizeof(copy), &copy);
	if (result < 0 || fd < 0 || !ret_writer)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	writer->fd = fd;
	writer->capture = copy.capture_id ? copy.capture_id : random_id();
	kct_crc32c_init(&writer->crc);
	result = kct_trace_writer_text(writer, KCT_META_TOOL,
				       copy.tool ? copy.tool : "libkcovtrace " KCT_VERSION, error);
	if (result < 0) {
		free(writer);
		return result;
	}
	*ret_writer = writer;
	return 0;
}

/** See that a file that is there can be appended to, and fill up what a dead writer left. */
static int prepare_end(int fd, const char *path, struct kct_error *error)
{
	struct kct_file *file;
	const void *data;
	const char *packing;
	size_t bytes;
	int result = kct_file_open_fd(fd, path, &file, error);
	struct iovec filling;

	if (result < 0)
		return result;
	data = kct_file_data(file, &bytes);
	packing = kct_file_packing(file);
	filling = (struct iovec){(void *)(uintptr_t)zeros, kct_form_round(bytes) - bytes};
	if (packing)
		result = kct_fail(error, KCT_ERR_UNSUPPORTED, "%s: cannot append to a packed file",
				  path);
	else if (bytes && !kct_tracefile_identify(data, bytes))
		result = kct_fail(error, KCT_ERR_SYNTAX, "%s: not a .kct file", path);
	else if (filling.iov_len)
		result = write_all(fd, &filling, 1, error);
	kct_file_free(file);
	return result;
}

int kct_trace_writer_append(const char *path, const struct kct_trace_writer_options *options,
			    struct kct_trace_writer **ret_writer, struct kct_error *error)
{
	int fd, result;

	if (!path || !ret_writer)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return kct_fail_errno(error, "%s", path);
	result = prepare_end(fd, path, error);
	if (result >= 0)
		result = kct_trace_writer_new(fd, options, ret_writer, error);
	if (result < 0)
		close(fd);
	else
		(*ret_writer)->owns_fd = true;
	return result;
}

void kct_trace_writer_free(struct kct_trace_writer *writer)
{
	if (!writer)
		return;
	if (writer->owns_fd)
		close(writer->fd);
	free(writer);
}

int kct_trace_writer_sync(struct kct_trace_writer *writer, struct kct_error *error)
{
	if (fdatasync(writer->fd) < 0 && errno != EINVAL && errno != EROFS)
		return kct_fail_errno(error, "cannot write to the disk");
	return 0;
}
