/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "text.h"
#include "xen.h"

#define TEMPORARY ".kcovtrace-part"

/** Take an object out of a file; 0 at the end. Damage is reported. */
static int next_object(const struct kct_file *file, const char *name, uint64_t *offset,
		       struct kct_xen_object *object, int *status)
{
	struct kct_error error;
	size_t bytes;
	const void *data = kct_file_data(file, &bytes);
	int r = kct_xen_next(data, bytes, offset, object, &error);

	if (r < 0)
		*status = worst(*status, failure_of(name, &error));
	return r > 0;
}

/** Go from a folder into one in it, which is made; never through a symbolic link. The folder that
 *  was left is closed. -1 after a failure, with errno. */
static int enter(int folder, const char *name)
{
	int next, keep;

	if (mkdirat(folder, name, 0777) < 0 && errno != EEXIST)
		next = -1;
	else
		next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	keep = errno;
	close(folder);
	errno = keep;
	return next;
}

static int write_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/** Write a file in a folder under a temporary name, then put it in its place. -1 with errno. */
static int write_file(int folder, const char *name, const struct kct_xen_object *object)
{
	char temporary[sizeof(TEMPORARY) + 24];
	int fd, keep;

	snprintf(temporary, sizeof(temporary), "%s-%ld", TEMPORARY, (long)getpid());
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	if (write_all(fd, object->data, object->bytes) < 0 || close(fd) < 0 ||
	    renameat(folder, temporary, folder, name) < 0) {
		keep = errno;
		unlinkat(folder, temporary, 0);
		errno = keep;
		return -1;
	}
	return 0;
}

/** Write an object to its path below a folder, whose components are cut apart. -1 with errno. */
static int write_object(const char *directory, char *path, const struct kct_xen_object *object)
{
	int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = -1, keep;
	char *part = path, *slash;

	while (folder >= 0 && (slash = strchr(part, '/'))) {
		*slash = '\0';
		folder = enter(folder, part);
		*slash = '/';
		part = slash + 1;
	}
	if (folder < 0)
		return -1;
	r = write_file(folder, part, object);
	keep = errno;
	close(folder);
	errno = keep;
	return r;
}

static int split_object(const char *directory, const char *name,
			const struct kct_xen_object *object)
{
	char path[KCT_XEN_MAX_NAME];
	struct kct_error error;

	if (kct_xen_path(object->name, path, &error) < 0)
		return failure("%s: offset %llu: %s: left out", name,
			       (unsigned long long)object->offset, error.text);
	if (write_object(directory, path, object) < 0)
		return failure("%s/%s: %s", directory, path, strerror(errno));
	return STATUS_FINE;
}

static int split_blob(const char *directory, const char *path)
{
	struct kct_xen_object object;
	const struct kct_foreign *foreign;
	uint64_t offset = 0, written = 0;
	struct kct_file *file;
	int status = open_file(path, &file);
	const void *data;
	size_t bytes;

	if (!file)
		return status;
	data = kct_file_data(file, &bytes);
	if (!kct_xen_identify(data, bytes) && kct_foreign_identify(data, bytes, &foreign) > 0) {
		kct_file_free(file);
		return failure("%s: no Xen coverage of gcc, but %s (%s): %s", path, foreign->what,
			       foreign->name, foreign->reader);
	}
	while (next_object(file, path, &offset, &object, &status)) {
		int one = split_object(directory, path, &object);

		written += one == STATUS_FINE;
		status = worst(status, one);
	}
	note("%s: %llu file%s written below %s", path, (unsigned long long)written,
	     written == 1 ? "" : "s", directory);
	kct_file_free(file);
	return status;
}

int xen_split(const char *directory, char **paths, size_t n)
{
	int status = STATUS_FINE;
	size_t i;

	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return failure("%s: %s", directory, strerror(errno));
	for (i = 0; i < n; i++)
		status = worst(status, split_blob(directory, paths[i]));
	return status;
}

/** What is in an object; a message about damage. */
static int read_object(const struct input *input, const struct kct_xen_object *object,
		       struct kct_gcda *gcda)
{
	struct kct_error error;

	*gcda = (struct kct_gcda){.size = sizeof(*gcda)};
	if (kct_gcda_read(object->data, object->bytes, gcda, &error) >= 0)
		return STATUS_FINE;
	/* Offsets in messages are those of the file. */
	if (error.offset != KCT_NOWHERE)
		error.offset += object->offset;
	return failure_of(input->name, &error);
}

int xen_write_text(struct output *out, const struct input *input)
{
	struct kct_xen_object object;
	int status = STATUS_FINE;
	uint64_t offset = 0;

	while (next_object(input->file, input->name, &offset, &object, &status)) {
		struct kct_gcda gcda;

		status = worst(status, read_object(input, &object, &gcda));
		output_string(out, "  object        ");
		text_put(out, object.name);
		output_printf(
			out,
			"  %zu bytes, gcc %s, %llu functions, %llu of %llu arcs hit, sum %llu\n",
			object.bytes, gcda.version, (unsigned long long)gcda.functions,
			(unsigned long long)gcda.hit, (unsigned long long)gcda.counters,
			(unsigned long long)gcda.sum);
	}
	return status;
}

int xen_write_json(struct json *json, const struct input *input)
{
	struct kct_xen_object object;
	int status = STATUS_FINE;
	uint64_t offset = 0;

	json_key(json, "objects");
	json_open(json, '[');
	while (next_object(input->file, input->name, &offset, &object, &status)) {
		struct kct_gcda gcda;

		status = worst(status, read_object(input, &object, &gcda));
		json_open(json, '{');
		json_key_string(json, "name", object.name);
		json_key_number(json, "bytes", object.bytes);
		json_key_string(json, "version", gcda.version);
		json_key_number(json, "functions", gcda.functions);
		json_key_number(json, "arcs", gcda.counters);
		json_key_number(json, "hit", gcda.hit);
		json_key_hex(json, "sum", gcda.sum);
		json_close(json, '}');
	}
	json_close(json, ']');
	return status;
}
