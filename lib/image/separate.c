/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information in a file of its own: where it may be, and whether it is the right one. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/fail.h"
#include "base/options.h"
#include "image/debuginfod.h"
#include "image/separate.h"

static const char *const packed_suffixes[] = {".gz", ".xz", ".zst"};

void kct_search_log(struct kct_search *search, const char *path, const char *cause)
{
	char *line = NULL;
	int n = asprintf(&line, "%s: %s", path, cause);

	if (n < 0 ||
	    kct_array_reserve(&search->log, &search->max_log, search->n_log + (size_t)n + 2) < 0) {
		search->no_memory = true;
		if (n >= 0)
			free(line);
		return;
	}
	kct_clean_text(line);
	if (search->n_log)
		search->log[search->n_log++] = '\n';
	memcpy(search->log + search->n_log, line, (size_t)n + 1);
	search->n_log += (size_t)n;
	free(line);
}

/** What is wrong with a file that could be opened; NULL: it fits. */
static const char *find_misfit(const struct kct_search *search, const struct kct_match *match,
			       struct kct_image *file)
{
	struct kct_crc32c crc;
	size_t n;
	const uint8_t *id = kct_image_build_id(file, &n);
	const char *reason;

	if (file->header.e_machine != search->image->header.e_machine)
		return "is for another machine";
	if (match->build_id && id) {
		if (n != match->n_build_id || memcmp(id, match->build_id, n) != 0)
			return "has another build ID";
	} else if (match->has_crc) {
		kct_crc32_init(&crc);
		if (kct_crc32c(&crc, 0, file->data, file->bytes) != match->crc)
			return "has another checksum than .gnu_debuglink wants";
	} else if (match->build_id && match->must_have_id) {
		return "has no build ID";
	}
	if (!match->any_type && file->relocatable != search->image->relocatable)
		return "is linked otherwise";
	if (!kct_image_check_debug(file)) {
		kct_image_debug_status(file, &reason);
		return reason;
	}
	return NULL;
}

/** Whether two names lead to one file. */
static bool is_same_file(const struct stat *file, const struct kct_image *image)
{
	struct stat own;

	return image->file && stat(image->name, &own) == 0 && own.st_dev == file->st_dev &&
	       own.st_ino == file->st_ino;
}

void kct_search_try(struct kct_search *search, const struct kct_match *match, const char *path)
{
	struct kct_image *file;
	struct kct_error error;
	struct stat found;
	const char *misfit;

	if (search->found)
		return;
	/* To open what is no file, like a pipe, may never end. */
	if (stat(path, &found) < 0 || !S_ISREG(found.st_mode)) {
		kct_search_log(search, path, "no such file");
		return;
	}
	if (is_same_file(&found, search->image))
		return;
	if (kct_image_open(path, &file, &error) < 0) {
		kct_search_log(search, path, error.text);
		return;
	}
	misfit = find_misfit(search, match, file);
	if (!misfit) {
		search->found = file;
		return;
	}
	kct_search_log(search, path, misfit);
	kct_image_free(file);
}

/** Try a path made of parts. */
static void try_parts(struct kct_search *search, const struct kct_match *match, const char *a,
		      const char *b, const char *c, const char *d)
{
	char *path = NULL;

	if (search->found)
		return;
	if (asprintf(&path, "%s%s%s%s", a, b, c, d) < 0) {
		search->no_memory = true;
		return;
	}
	kct_search_try(search, match, path);
	free(path);
}

void kct_search_by_build_id(struct kct_search *search, const struct kct_match *match)
{
	char name[sizeof("/.build-id/") + 2 * KCT_MAX_BUILD_ID + 1];
	size_t at = strlen("/.build-id/");

	/* The first byte is the directory. */
	if (!match->build_id || match->n_build_id < 2)
		return;
	memcpy(name, "/.build-id/", at);
	for (size_t i = 0; i < match->n_build_id; i++)
		at += (size_t)snprintf(name + at, sizeof(name) - at, i == 0 ? "%02x/" : "%02x",
				       match->build_id[i]);
	for (size_t i = 0; i < search->options.n_directories; i++)
		try_parts(search, match, search->options.directories[i], name, ".debug", "");
}

char *kct_image_directory(const struct kct_image *image)
{
	char *path = image->file ? realpath(image->name, NULL) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;

	if (slash)
		*slash = '\0';
	return path;
}

/** A file name in the places where the debug file of an image in `directory` may be. */
static void try_name(struct kct_search *search, const struct kct_match *match,
		     const char *directory, const char *name)
{
	try_parts(search, match, directory, "/", name, "");
	try_parts(search, match, directory, "/.debug/", name, "");
	for (size_t i = 0; i < search->options.n_directories; i++) {
		const char *root = search->options.directories[i];

		try_parts(search, match, root, directory, "/", name);
		/* Packages may be older than the move of /lib to /usr/lib. */
		if (strncmp(directory, "/usr/", 5) == 0)
			try_parts(search, match, root, directory + 4, "/", name);
	}
}

/** The name in .gnu_debuglink and the checksum behind it. NULL: there is none that can be used. */
static const char *debug_link(const struct kct_image *image, uint32_t *ret_crc)
{
	const struct kct_section *section = kct_image_find_section(image, ".gnu_debuglink");
	const uint8_t *data = section ? kct_section_data(image, section) : NULL;
	size_t length, at;

	if (!data || (section->flags & SHF_COMPRESSED))
		return NULL;
	length = strnlen((const char *)data, section->size);
	at = (length + 4) & ~(size_t)3;
	if (length == 0 || length > KCT_MAX_NAME || at > section->size || section->size - at < 4 ||
	    memchr(data, '/', length))
		return NULL;
	*ret_crc = kct_image_u32(image, data + at);
	return (const char *)data;
}

/** Names that a debug file has by convention: vmlinux.debug, loop.ko.debug, and its own one. */
static void try_conventions(struct kct_search *search, const struct kct_match *match,
			    const char *directory)
{
	const char *slash = strrchr(search->image->name, '/');
	char *base = strdup(slash ? slash + 1 : search->image->name), *name = NULL;

	if (!base) {
		search->no_memory = true;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(packed_suffixes); i++) {
		size_t length = strlen(base), tail = strlen(packed_suffixes[i]);

		if (length > tail && strcmp(base + length - tail, packed_suffixes[i]) == 0)
			base[length - tail] = '\0';
	}
	if (asprintf(&name, "%s.debug", base) < 0) {
		search->no_memory = true;
	} else {
		try_name(search, match, directory, name);
		free(name);
	}
	/* Below another root it may have the same name. */
	for (size_t i = 0; i < search->options.n_directories; i++) {
		const char *root = search->options.directories[i];

		try_parts(search, match, root, directory, "/", base);
		if (strncmp(directory, "/usr/", 5) == 0)
			try_parts(search, match, root, directory + 4, "/", base);
	}
	free(base);
}

static void try_servers(struct kct_search *search, const struct kct_match *match)
{
	struct kct_error error;
	char *path;

	if (!search->options.debuginfod || search->found || !match->build_id)
		return;
	if (kct_debuginfod_find(match->build_id, match->n_build_id, &path, &error) < 0) {
		kct_search_log(search, "debuginfod", error.text);
		return;
	}
	kct_search_try(search, match, path);
	free(path);
}

/** Look everywhere for the debug file. */
static void search_all(struct kct_search *search)
{
	const struct kct_image *image = search->image;
	struct kct_match match = {.must_have_id = true};
	struct kct_match linked;
	char *directory = kct_image_directory(image);
	const char *link;

	match.build_id = kct_image_build_id(image, &match.n_build_id);
	kct_search_by_build_id(search, &match);
	if (directory) {
		linked = match;
		link = debug_link(image, &linked.crc);
		linked.has_crc = link != NULL;
		if (link)
			try_name(search, &linked, directory, link);
		try_conventions(search, &match, directory);
	}
	try_servers(search, &match);
	free(directory);
}

int kct_image_find_debug(struct kct_image *image, const struct kct_debug_search *options,
			 struct kct_error *error)
{
	struct kct_search search = {.image = image};
	struct kct_image *owner;

	if (!image || !options ||
	    kct_options_copy(options, sizeof(search.options), &search.options) < 0)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (!image->elf) /* a symbol file lacks nothing */
		return 0;
	if (image->separate || (image->relocatable && image->fixed))
		return kct_fail(error, KCT_ERR_ARGUMENT, "%s: is in use already", image->name);
	if (!kct_image_check_debug(image)) {
		search_all(&search);
		image->separate = TAKE_PTR(search.found);
	}
	/* A linked image may have been asked for its status before. */
	owner = kct_image_with_debug(image);
	if (!owner->debug.loaded)
		kct_find_common_file(owner, &search);
	free(image->searched);
	image->searched = search.log;
	if (search.no_memory && !image->separate)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	return image->separate != NULL;
}

const char *kct_image_searched(const struct kct_image *image)
{
	return image->searched ? image->searched : "";
}

const char *kct_image_debug_name(const struct kct_image *image)
{
	return image->separate ? image->separate->name : image->name;
}

struct kct_image *kct_image_with_debug(struct kct_image *image)
{
	return image->separate ? image->separate : image;
}

struct kct_debug *kct_image_debug(struct kct_image *image)
{
	return &kct_image_with_debug(image)->debug;
}

void kct_image_place_separate(struct kct_image *image)
{
	struct kct_image *separate = image->separate;

	if (!separate || separate->fixed)
		return;
	for (size_t i = 0; i < image->n_sections && image->relocatable; i++) {
		const struct kct_section *from = &image->sections[i];
		struct kct_section *to;

		if (!from->placed)
			continue;
		/* objcopy keeps the numbers, as a rule. */
		to = i < separate->n_sections ? &separate->sections[i] : NULL;
		if (!to || strcmp(to->name, from->name) != 0)
			to = kct_image_find_section(separate, from->name);
		if (!to)
			continue;
		to->address = from->address;
		to->placed = true;
	}
	kct_image_fix(separate);
}
