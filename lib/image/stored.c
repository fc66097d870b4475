/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "image/blocks.h"
#include "image/image.h"
#include "symfile/tables.h"

/** Say once why files are not used. */
static void set_problem(struct kct_stored *stored, const char *format, ...) KCT_PRINTF(2, 3);

static void set_problem(struct kct_stored *stored, const char *format, ...)
{
	va_list args;

	if (stored->problem[0])
		return;
	va_start(args, format);
	vsnprintf(stored->problem, sizeof(stored->problem), format, args);
	va_end(args);
	kct_clean_text(stored->problem);
}

/** Whether a file is of this image as it is now. If not it is stale, which is no fault, or damaged. */
static bool is_of_image(struct kct_image *image, struct kct_symfile *file)
{
	struct kct_stored *stored = &image->stored;
	struct kct_stamps stamps;
	int result = kct_blocks_match_key(file, &stored->key, &stamps);

	if (result < 0)
		set_problem(stored, "what it says of its image is damaged");
	if (result > 0 && kct_stamps_hold(image, &stamps))
		return true;
	stored->stale = true;
	return false;
}

/** Open one file of the cache. False: there is none, or none that can be used. */
static bool open_part(struct kct_image *image, unsigned number)
{
	struct kct_stored *stored = &image->stored;
	char *path KCT_AUTO_FREE = kct_store_path(stored->directory, stored->key.name, number);
	struct kct_symfile *symfile = NULL;
	struct kct_file *file = NULL;
	struct kct_error error;
	struct stat there;
	const void *data;
	size_t bytes;
	int result;

	if (!path)
		return false;
	/* What stands there may be anything; to open a pipe or a terminal may never end. */
	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
		set_problem(stored, "%s: not a regular file", path);
		return false;
	}
	result = kct_file_open(path, &file, &error);
	if (result < 0) {
		if (error.sys_errno != ENOENT && error.sys_errno != ENOTDIR)
			set_problem(stored, "%s", error.text);
		return false;
	}
	data = kct_file_data(file, &bytes);
	result = kct_symfile_new(data, bytes, &symfile, &error);
	stored->stale |= result == KCT_ERR_UNSUPPORTED;
	if (result < 0 && result != KCT_ERR_UNSUPPORTED)
		set_problem(stored, "%s", error.text);
	if (result < 0 || !is_of_image(image, symfile)) {
		kct_symfile_free(symfile);
		kct_file_free(file);
		return false;
	}
	stored->files[stored->n_parts] = file;
	stored->parts[stored->n_parts++] = symfile;
	return true;
}

void kct_stored_open(struct kct_image *image)
{
	struct kct_stored *stored = &image->stored;
	unsigned number = 0;

	if (stored->opened || !stored->directory)
		return;
	stored->opened = true;
	kct_key_make(image, &stored->key);
	while (number < KCT_STORE_PARTS && open_part(image, number))
		number++;
}

void kct_stored_close(struct kct_image *image)
{
	struct kct_stored *stored = &image->stored;

	for (unsigned i = 0; i < stored->n_parts; i++) {
		kct_symfile_free(stored->parts[i]);
		kct_file_free(stored->files[i]);
	}
	for (size_t i = 0; i < KCT_STORED_TYPES; i++)
		free(stored->blocks[i].data);
	kct_tables_clear(&stored->tables);
	kct_map_clear(&stored->units);
	kct_pool_clear(&stored->pool);
	free(stored->directory);
	*stored = (struct kct_stored){0};
}

bool kct_stored_symbols(struct kct_image *image)
{
	struct kct_stored *stored = &image->stored;
	struct kct_symtab table;

	kct_stored_open(image);
	if (stored->n_parts == 0)
		return false;
	if (kct_blocks_get_symbols(stored->parts[0], KCT_SYMBOLS_CODE, &table) <= 0 ||
	    kct_blocks_get_named(stored->parts[0], image->named) <= 0) {
		set_problem(stored, "its symbols are damaged");
		return false;
	}
	image->symtab = table;
	return true;
}

bool kct_stored_variables(struct kct_image *image)
{
	struct kct_stored *stored = &image->stored;

	kct_stored_open(image);
	for (unsigned i = 0; i < stored->n_parts && !stored->has_variables; i++) {
		int result = kct_blocks_get_symbols(stored->parts[i], KCT_SYMBOLS_DATA,
						    &image->data_symtab);

		stored->has_variables = result > 0;
		if (result < 0)
			set_problem(stored, "its variables are damaged");
	}
	return stored->has_variables;
}

int kct_stored_block(struct kct_image *image, uint32_t type, const void **ret_data,
		     size_t *ret_bytes)
{
	struct kct_stored *stored = &image->stored;
	const struct kct_stored_block *made = &stored->blocks[type - KCT_STORED_FIRST];

	kct_stored_open(image);
	if (made->data) {
		*ret_data = made->data;
		*ret_bytes = made->bytes;
		return 1;
	}
	for (unsigned i = 0; i < stored->n_parts; i++) {
		int result = kct_symfile_block(stored->parts[i], type, 0, ret_data, ret_bytes);

		if (result > 0)
			return 1;
		if (result < 0)
			set_problem(stored, "a block of type %u is damaged", type);
	}
	return 0;
}

void kct_stored_doubt(struct kct_image *image, const char *what)
{
	set_problem(&image->stored, "%s", what);
}

void kct_stored_add_block(struct kct_image *image, uint32_t type, void *data, size_t bytes)
{
	image->stored.blocks[type - KCT_STORED_FIRST] = (struct kct_stored_block){data, bytes};
}

static int source_get_unit(void *context, uint32_t number, const struct kct_unit **ret_unit)
{
	const struct kct_stored_unit *stored;
	int result = kct_stored_unit(context, number, &stored);

	if (result >= 0)
		*ret_unit = &stored->unit;
	return result;
}

/* Whether a unit is known, or in a file. */
static bool is_stored(struct kct_stored *stored, uint32_t number)
{
	struct kct_unit unit;

	if (kct_map_find(&stored->units, number))
		return true;
	for (unsigned i = 0; i < stored->n_parts; i++) {
		if (kct_symfile_get_unit(stored->parts[i], number, &unit) > 0)
			return true;
	}
	return false;
}

/* Leave out what an index from a file may name and the image does not have. */
static size_t drop_unknown(struct kct_stored *stored, const struct kct_dwarf *reader,
			   uint32_t *numbers, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (numbers[i] < kct_dwarf_units(reader))
			numbers[kept++] = numbers[i];
	if (kept < n)
		set_problem(stored, "its index names units that the image does not have");
	return kept;
}

int kct_stored_read_ahead(struct kct_image *image, const uint32_t *numbers, size_t n,
			  unsigned threads)
{
	uint32_t *missing KCT_AUTO_FREE = calloc(n ? n : 1, sizeof(*missing));
	struct kct_dwarf *reader;
	size_t n_missing = 0;
	int result;

	if (!missing)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < n; i++)
		if (!is_stored(&image->stored, numbers[i]))
			missing[n_missing++] = numbers[i];
	if (n_missing == 0)
		return 0;
	result = kct_image_open_reader(kct_image_with_debug(image));
	if (result <= 0)
		return result;
	reader = kct_image_debug(image)->reader;
	n_missing = drop_unknown(&image->stored, reader, missing, n_missing);
	return kct_dwarf_keep_units(reader, missing, n_missing, threads);
}

static int source_each_unit(void *context, const uint32_t *numbers, size_t n, unsigned threads,
			    kct_take_unit *take, void *take_context)
{
	const struct kct_unit *unit;
	int result = kct_stored_read_ahead(context, numbers, n, threads);

	for (size_t i = 0; i < n && result == 0; i++) {
		result = source_get_unit(context, numbers[i], &unit);
		if (result >= 0)
			result = take(take_context, i, unit);
	}
	return result;
}

void kct_stored_begin(struct kct_image *image, const struct kct_index *index)
{
	struct kct_debug *debug = kct_image_debug(image);
	const char *reason = debug->reason;

	if (!reason[0] && debug->reader && kct_dwarf_complaint(debug->reader))
		reason = kct_dwarf_complaint(debug->reader);
	snprintf(image->stored.reason, sizeof(image->stored.reason), "%s", reason);
	image->stored.tables.index = *index;
	image->stored.tables.source =
		(struct kct_unit_source){source_get_unit, source_each_unit, image};
	debug->tables = &image->stored.tables;
}

bool kct_stored_debug(struct kct_image *image)
{
	struct kct_stored *stored = &image->stored;
	struct kct_debug *debug = kct_image_debug(image);
	struct kct_facts facts;
	struct kct_index index;

	kct_stored_open(image);
	if (stored->n_parts == 0)
		return false;
	if (kct_blocks_get_facts(stored->parts[0], &facts) <= 0 ||
	    kct_symfile_get_index(stored->parts[0], &index) <= 0) {
		set_problem(stored, "its index of units is damaged");
		return false;
	}
	debug->status = (enum kct_debug_status)facts.debug_status;
	snprintf(debug->reason, sizeof(debug->reason), "%s", facts.reason);
	kct_stored_begin(image, &index);
	return true;
}

/** Find a unit in the files. */
static bool find_in_files(struct kct_stored *stored, uint32_t number, struct kct_unit *ret_unit)
{
	for (unsigned i = 0; i < stored->n_parts; i++) {
		int result = kct_symfile_get_unit(stored->parts[i], number, ret_unit);

		if (result > 0)
			return true;
		if (result < 0)
			set_problem(stored, "unit %u is damaged", number);
	}
	return false;
}

/** Read a unit from the image. */
static int read_unit(struct kct_image *image, uint32_t number, struct kct_stored_unit *ret_unit)
{
	static const struct kct_unit nothing = {.text = "", .n_text = 1};
	const struct kct_unit *unit = &nothing;
	int result = kct_image_open_reader(kct_image_with_debug(image));

	if (result == KCT_ERR_NO_MEMORY)
		return result;
	if (result > 0)
		result = kct_dwarf_finish_unit(kct_image_debug(image)->reader, number, &unit);
	if (result == KCT_ERR_NO_MEMORY)
		return result;
	ret_unit->unit = *unit;
	ret_unit->is_new = result >= 0 && unit != &nothing;
	return 0;
}

int kct_stored_unit(struct kct_image *image, uint32_t number,
		    const struct kct_stored_unit **ret_unit)
{
	struct kct_stored *stored = &image->stored;
	uint64_t *known = kct_map_find(&stored->units, number);
	struct kct_stored_unit *unit;
	int result = 0;

	if (known) {
		*ret_unit = (const struct kct_stored_unit *)(uintptr_t)*known;
		return 0;
	}
	unit = kct_pool_alloc(&stored->pool, sizeof(*unit));
	if (!unit)
		return KCT_ERR_NO_MEMORY;
	if (!find_in_files(stored, number, &unit->unit))
		result = read_unit(image, number, unit);
	if (result < 0)
		return result;
	if (kct_map_put(&stored->units, number, &known) < 0)
		return KCT_ERR_NO_MEMORY;
	*known = (uintptr_t)unit;
	stored->n_new += unit->is_new;
	*ret_unit = unit;
	return 0;
}
