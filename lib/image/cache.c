/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache of an image's symbols: where it is, what is in it, writing it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "image/blocks.h"
#include "image/image.h"
#include "symfile/tables.h"

/* Units that threads read at a time. */
#define GROUP 256

/* What is written: where to, and who wants to hear of it. */
struct work {
	struct kct_image *image;
	struct kct_symfile_writer *writer;
	bool all; /* every unit of the image, not only those that were asked for */
	unsigned threads;
	int (*progress)(void *context, size_t done, size_t total);
	void *context;
};

int kct_image_set_cache(struct kct_image *image, const char *directory)
{
	char *copy = NULL;

	if (!image || image->has_symbols || kct_image_debug(image)->loaded || !image->elf)
		return KCT_ERR_ARGUMENT;
	if (directory) {
		copy = strdup(directory);
		if (!copy)
			return KCT_ERR_NO_MEMORY;
	}
	kct_stored_close(image);
	image->stored.directory = copy;
	return 0;
}

/** Whether all that symbols come from is known, so that the key can tell when it changes. */
static bool can_be_cached(struct kct_image *image)
{
	struct kct_image *owner = kct_image_with_debug(image);
	const struct kct_dwarf *reader = owner->debug.reader;

	return !kct_image_find_section(owner, ".gnu_debugaltlink") &&
	       !(reader && (kct_dwarf_missing_split(reader) > 0 || kct_dwarf_has_split(reader)));
}

static int add_key(struct work *work, struct kct_error *error)
{
	struct kct_stamps stamps;

	kct_stamps_make(work->image, &stamps);
	return kct_blocks_add_key(work->writer, &work->image->stored.key, &stamps, error);
}

static int report(const struct work *work, size_t done, size_t total, struct kct_error *error)
{
	if (work->progress && work->progress(work->context, done, total) != 0)
		return kct_fail(error, KCT_ERR_LIMIT, "stopped after %zu of %zu units", done,
				total);
	return 0;
}

static int add_unit(struct work *work, uint32_t number, struct kct_error *error)
{
	const struct kct_stored_unit *unit;
	int result = kct_stored_unit(work->image, number, &unit);

	if (result < 0)
		return kct_fail_code(error, result);
	return kct_symfile_add_unit(work->writer, number, &unit->unit, error);
}

/** Number of units in the index. */
static uint32_t count_units(struct kct_image *image)
{
	const struct kct_tables *tables = kct_image_debug(image)->tables;

	return tables ? tables->index.n_units : 0;
}

/** Whether a unit is in a file, or, with `is_new`, was read and is in none. */
static bool has_unit(struct kct_image *image, uint32_t number, bool is_new)
{
	const uint64_t *known = kct_map_find(&image->stored.units, number);
	struct kct_unit unit;

	if (known)
		return !is_new || ((const struct kct_stored_unit *)(uintptr_t)*known)->is_new;
	for (unsigned i = 0; i < image->stored.n_parts && !is_new; i++) {
		if (kct_symfile_get_unit(image->stored.parts[i], number, &unit) > 0)
			return true;
	}
	return false;
}

/** Of all units, read the next ones in threads when unit `number` begins a group. */
static int read_group(struct work *work, uint32_t number, uint32_t n, struct kct_error *error)
{
	uint32_t numbers[GROUP];
	size_t in_group = 0;
	int result;

	if (!work->all || work->threads < 2 || number % GROUP)
		return 0;
	while (in_group < GROUP && number + in_group < n) {
		numbers[in_group] = number + (uint32_t)in_group;
		in_group++;
	}
	result = kct_stored_read_ahead(work->image, numbers, in_group, work->threads);
	return result < 0 ? kct_fail_code(error, result) : 0;
}

/** Add units: all, all that are known, or only those that no file has. */
static int add_units(struct work *work, bool only_new, struct kct_error *error)
{
	uint32_t n = count_units(work->image);
	int result = 0;

	for (uint32_t i = 0; i < n && result >= 0; i++) {
		if (!work->all && !has_unit(work->image, i, only_new))
			continue;
		result = report(work, i, n, error);
		if (result >= 0)
			result = read_group(work, i, n, error);
		if (result >= 0)
			result = add_unit(work, i, error);
	}
	return result < 0 ? result : report(work, n, n, error);
}

/** Add what others keep with the image: all of it, or only what no file has. */
static int add_blocks(struct work *work, bool only_new, struct kct_error *error)
{
	struct kct_stored *stored = &work->image->stored;
	const void *data;
	size_t bytes;
	int result = 0;

	for (uint32_t i = 0; i < KCT_STORED_TYPES && result >= 0; i++) {
		uint32_t type = KCT_STORED_FIRST + i;

		if ((only_new && !stored->blocks[i].data) ||
		    kct_stored_block(work->image, type, &data, &bytes) <= 0)
			continue;
		result = kct_symfile_add(work->writer, type, 0, data, bytes, error);
	}
	return result;
}

static bool has_new_blocks(const struct kct_stored *stored)
{
	for (size_t i = 0; i < KCT_STORED_TYPES; i++) {
		if (stored->blocks[i].data)
			return true;
	}
	return false;
}

/** All that is not in a unit. */
static int add_image(struct work *work, struct kct_error *error)
{
	static const struct kct_index nothing;
	struct kct_image *image = work->image;
	const struct kct_tables *tables = kct_image_debug(image)->tables;
	int result = kct_blocks_add_facts(work->writer, image, 0, error);

	if (result >= 0)
		result = kct_blocks_add_symbols(work->writer, KCT_SYMBOLS_CODE, &image->symtab,
						error);
	if (result >= 0)
		result = kct_blocks_add_named(work->writer, image, error);
	if (result >= 0)
		result = kct_symfile_add_index(work->writer, tables ? &tables->index : &nothing,
					       error);
	return result;
}

/** Write a file; `part` is its number. */
static int write_part(struct work *work, unsigned part, struct kct_error *error)
{
	const struct kct_image *image = work->image;
	int result = add_key(work, error);

	if (result >= 0 && part == 0)
		result = add_image(work, error);
	if (result >= 0 && image->has_data_symbols && (part == 0 || !image->stored.has_variables))
		result = kct_blocks_add_symbols(work->writer, KCT_SYMBOLS_DATA, &image->data_symtab,
						error);
	if (result >= 0)
		result = add_blocks(work, part > 0, error);
	if (result >= 0)
		result = add_units(work, part > 0, error);
	return result < 0 ? result : kct_symfile_finish(work->writer, error);
}

/** Give a file its name. A whole one takes the place of all that are there. */
static int publish(struct kct_image *image, struct kct_store_file *file, unsigned part,
		   struct kct_error *error)
{
	struct kct_stored *stored = &image->stored;
	int result = 0;

	for (unsigned i = part; i < KCT_STORE_PARTS && result == 0; i++) {
		char *path KCT_AUTO_FREE = kct_store_path(stored->directory, stored->key.name, i);

		if (!path)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		if (part > 0) {
			result = kct_store_publish_new(file, path, error);
		} else if (i == 0) {
			result = kct_store_publish(file, path, error);
		} else if (unlink(path) < 0) {
			break;
		}
	}
	return result;
}

static int write_cache(struct work *work, struct kct_error *error)
{
	struct kct_stored *stored = &work->image->stored;
	struct kct_store_file file;
	/* Units are added in a file beside the others, until there are many or something is wrong. */
	bool anew = work->all || stored->problem[0] || stored->stale ||
		    stored->n_parts == KCT_STORE_PARTS;
	unsigned part = anew ? 0 : stored->n_parts;
	int result = kct_store_create(stored->directory, &file, error);

	if (result < 0)
		return result;
	result = kct_symfile_writer_new(file.fd, &work->writer);
	if (result < 0)
		result = kct_fail_code(error, result);
	else
		result = write_part(work, part, error);
	if (result >= 0)
		result = publish(work->image, &file, part, error);
	kct_symfile_writer_free(work->writer);
	kct_store_abandon(&file);
	return result < 0 ? result : 1;
}

int kct_image_write_cache(struct kct_image *image, bool all, unsigned threads,
			  int (*progress)(void *context, size_t done, size_t total), void *context,
			  struct kct_error *error)
{
	struct work work = {
		.image = image,
		.all = all,
		.threads = threads,
		.progress = progress,
		.context = context,
	};
	int result;

	if (!image || !image->stored.directory)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_image_load_symbols(image, error);
	if (result >= 0)
		result = kct_image_load_debug(image, error);
	if (result < 0)
		return result;
	/* A whole file takes the place of all others, with what they have. */
	if ((all || kct_stored_variables(image)) && kct_image_load_data(image) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	if (!all && image->stored.n_new == 0 && !has_new_blocks(&image->stored) &&
	    !(image->has_data_symbols && !image->stored.has_variables) &&
	    !(image->stored.problem[0] && image->stored.n_parts > 0))
		return 0;
	if (!can_be_cached(image))
		return all ? kct_fail(error, KCT_ERR_UNSUPPORTED,
				      "%s: its symbols come from other files, too (.dwo or dwz): "
				      "they "
				      "are not cached",
				      image->name)
			   : 0;
	return write_cache(&work, error);
}

/** Sum all blocks of a file. */
static bool is_sound(struct kct_symfile *file)
{
	const void *data;
	size_t bytes;

	for (size_t i = 0; i < kct_symfile_blocks(file); i++) {
		uint32_t type, id;

		kct_symfile_entry(file, i, &type, &id, &bytes);
		if (kct_symfile_block(file, type, id, &data, &bytes) < 0)
			return false;
	}
	return true;
}

int kct_image_check_cache(struct kct_image *image, struct kct_cache_state *ret_state,
			  struct kct_error *error)
{
	struct kct_cache_state state = {.size = sizeof(state)};
	struct kct_stored *stored;
	bool sound = true;
	int result;

	if (!image || !ret_state || ret_state->size != sizeof(state) || !image->stored.directory)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_image_load_symbols(image, error);
	if (result >= 0)
		result = kct_image_load_debug(image, error);
	if (result < 0)
		return result;
	stored = &image->stored;
	for (unsigned i = 0; i < stored->n_parts; i++) {
		size_t bytes;

		kct_file_data(stored->files[i], &bytes);
		state.bytes += bytes;
		if (!is_sound(stored->parts[i]))
			sound = false;
	}
	if (!sound && !stored->problem[0])
		snprintf(stored->problem, sizeof(stored->problem), "a block is damaged");
	state.files = stored->n_parts;
	state.units = count_units(image);
	for (uint32_t i = 0; i < count_units(image); i++)
		state.cached_units += has_unit(image, i, false);
	state.problem = stored->problem;
	if (!state.problem[0] && stored->stale)
		state.problem = "the image was changed since, or it was loaded elsewhere";
	*ret_state = state;
	return 0;
}

const char *kct_image_cache_problem(const struct kct_image *image)
{
	return image && image->stored.problem[0] ? image->stored.problem : NULL;
}
