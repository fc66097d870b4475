/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "embedded.h"
#include "message.h"
#include "module_files.h"

const char *embedded_name(const struct kct_meta *meta)
{
	size_t length = strlen(EMBEDDED_PREFIX);

	if (meta->type != KCT_META_BYTES || strncmp(meta->name, EMBEDDED_PREFIX, length) != 0 ||
	    !meta->name[length])
		return NULL;
	return meta->name + length;
}

/** Whether the options say themselves where an image is. */
static bool is_given(const struct options *options, const char *name)
{
	const char *path;
	size_t i, length;

	if (strcmp(name, "vmlinux") == 0)
		return options->vmlinux != NULL;
	for (i = 0; i < options->modules.n; i++) {
		split_pair(options->modules.values[i], &length, &path);
		if (module_is(name, options->modules.values[i], length))
			return true;
	}
	return options->module_dir != NULL;
}

bool embedded_counts(const struct kct_tracefile *file, const struct kct_meta *meta)
{
	struct kct_meta last = {.size = sizeof(last)};

	return embedded_name(meta) &&
	       kct_tracefile_find_meta(file, meta->capture, meta->name, KCT_META_BYTES, &last) >=
		       0 &&
	       last.offset == meta->offset;
}

bool embedded_any(const struct options *options, const struct capture_facts *facts)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	size_t at = 0;

	while (facts->file &&
	       kct_tracefile_next_meta(facts->file, facts->capture, &at, &meta) > 0) {
		if (embedded_counts(facts->file, &meta) && !is_given(options, embedded_name(&meta)))
			return true;
	}
	return false;
}

/** Keep bytes until the session is closed. */
static void *keep(struct session *session, const void *data, size_t bytes)
{
	void *copy = zeroed(char, bytes + 1);

	memcpy(copy, data, bytes);
	grow(&session->copies, session->n_copies, &session->max_copies);
	session->copies[session->n_copies++] = copy;
	return copy;
}

static int add_image(struct session *session, const char *path, const struct kct_meta *meta)
{
	const char *name = embedded_name(meta);
	struct kct_image *image;
	struct kct_error error;
	char *title;
	int r;

	if (asprintf(&title, "%s: symbols of %s", path, name) < 0)
		return failure_code(path, KCT_ERR_NO_MEMORY);
	/* The file may be closed before the session. */
	r = kct_image_open_memory(keep(session, meta->data, meta->bytes), meta->bytes, title,
				  &image, &error);
	if (r < 0) {
		failure_of(title, &error);
		free(title);
		return STATUS_PARTLY;
	}
	free(title);
	grow(&session->images, session->n_images, &session->max_images);
	session->images[session->n_images++] = image;
	grow(&session->embedded, session->n_embedded, &session->max_embedded);
	session->embedded[session->n_embedded++] = image;
	if (strcmp(name, "vmlinux") == 0 && !session->vmlinux)
		session->vmlinux = image;
	if (kct_symbolizer_add_image(session->symbolizer, image, name, &error) < 0)
		return failure_of(kct_image_name(image), &error);
	return STATUS_FINE;
}

int embedded_add(struct session *session, const struct capture_facts *facts)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	int status = STATUS_FINE;
	size_t at = 0;

	while (facts->file &&
	       kct_tracefile_next_meta(facts->file, facts->capture, &at, &meta) > 0) {
		if (embedded_counts(facts->file, &meta) &&
		    !is_given(session->options, embedded_name(&meta)))
			status = worst(status, add_image(session, facts->path, &meta));
	}
	return status;
}

int embedded_add_file(struct session *session, const char *path)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	struct kct_tracefile *file;
	struct kct_error error;
	int status = STATUS_FINE;
	size_t i, found = 0;

	if (kct_tracefile_open(path, &file, &error) < 0)
		return failure_of(path, &error);
	for (i = 0; kct_tracefile_meta(file, i, &meta) >= 0; i++) {
		if (!embedded_counts(file, &meta))
			continue;
		found++;
		status = worst(status, add_image(session, path, &meta));
	}
	kct_tracefile_free(file);
	return found ? status : failure("%s: a trace file without symbols", path);
}
