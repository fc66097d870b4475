/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "image/blocks.h"
#include "image/portable.h"
#include "symfile/tables.h"

/* Blocks of type SECTIONS. */
enum { SECTION_ROWS, SECTION_NAMES };

struct section_row {
	uint64_t address;
	uint64_t size;
	uint64_t flags;
	uint64_t align;
	uint32_t type;
	uint32_t name; /* offset in the names */
};

/* The block while it grows. */
struct section_block {
	struct section_row *rows;
	size_t n_rows, max_rows;
	char *names;
	size_t n_names, max_names;
};

static int add_section(struct section_block *block, const struct kct_section *section)
{
	size_t bytes = strlen(section->name) + 1;

	if (kct_array_reserve(&block->rows, &block->max_rows, block->n_rows + 1) < 0 ||
	    kct_array_reserve(&block->names, &block->max_names, block->n_names + bytes) < 0)
		return KCT_ERR_NO_MEMORY;
	block->rows[block->n_rows++] = (struct section_row){
		.address = section->address,
		.size = section->size,
		.flags = section->flags,
		.align = section->align,
		.type = section->type,
		.name = (uint32_t)block->n_names,
	};
	memcpy(block->names + block->n_names, section->name, bytes);
	block->n_names += bytes;
	return block->n_names <= UINT32_MAX ? 0 : KCT_ERR_LIMIT;
}

int kct_portable_add_sections(struct kct_symfile_writer *writer, const struct kct_image *image,
			      struct kct_error *error)
{
	struct section_block block = {0};
	int result = 0;

	for (size_t i = 0; i < image->n_sections && result >= 0; i++) {
		const struct kct_section *section = &image->sections[i];

		if (section->placed && (section->flags & SHF_ALLOC))
			result = add_section(&block, section);
	}
	if (result < 0)
		result = kct_fail_code(error, result);
	if (result >= 0)
		result = kct_symfile_add(writer, KCT_SYMFILE_SECTIONS, SECTION_ROWS, block.rows,
					 block.n_rows * sizeof(*block.rows), error);
	if (result >= 0)
		result = kct_symfile_add(writer, KCT_SYMFILE_SECTIONS, SECTION_NAMES, block.names,
					 block.n_names, error);
	free(block.rows);
	free(block.names);
	return result;
}

/** 1, 0: the file has none; KCT_ERR_DAMAGED, KCT_ERR_NO_MEMORY. */
static int load_sections(struct kct_image *image, struct kct_symfile *file)
{
	const struct section_row *rows;
	const char *names;
	const void *block;
	size_t bytes, n_names, n;
	int result = kct_symfile_block(file, KCT_SYMFILE_SECTIONS, SECTION_ROWS, &block, &bytes);

	if (result <= 0)
		return result;
	rows = block;
	n = bytes / sizeof(*rows);
	result = kct_symfile_block(file, KCT_SYMFILE_SECTIONS, SECTION_NAMES, &block, &n_names);
	if (result <= 0)
		return result;
	names = block;
	if (bytes % sizeof(*rows) || (n > 0 && !kct_symfile_text_is_sane(names, n_names)))
		return KCT_ERR_DAMAGED;
	image->sections = calloc(n + 1, sizeof(*image->sections));
	if (!image->sections)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].name >= n_names)
			return KCT_ERR_DAMAGED;
		image->sections[image->n_sections++] = (struct kct_section){
			.name = names + rows[i].name,
			.address = rows[i].address,
			.size = rows[i].size,
			.flags = rows[i].flags,
			.align = rows[i].align,
			.type = rows[i].type,
			.placed = true,
		};
	}
	return 1;
}

/** What the rest of the library asks the header for. */
static int load_facts(struct kct_image *image, struct kct_symfile *file)
{
	struct kct_facts facts;
	int result = kct_blocks_get_facts(file, &facts);

	if (result <= 0)
		return result;
	image->approximate = (facts.flags & KCT_FACTS_APPROXIMATE) != 0;
	image->relocatable = (facts.flags & KCT_FACTS_RELOCATABLE) != 0;
	image->header.e_machine = (uint16_t)facts.machine;
	image->header.e_ident[EI_CLASS] = facts.flags & KCT_FACTS_64_BIT ? ELFCLASS64 : ELFCLASS32;
	image->header.e_ident[EI_DATA] =
		facts.flags & KCT_FACTS_BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB;
	image->n_build_id = facts.n_build_id;
	memcpy(image->build_id, facts.build_id, facts.n_build_id);
	if (facts.module_name[0]) {
		image->module_name = strdup(facts.module_name);
		if (!image->module_name)
			return KCT_ERR_NO_MEMORY;
	}
	return 1;
}

/** Which addresses can be asked for. */
static int load_kept(struct kct_image *image, struct kct_symfile *file)
{
	const void *block;
	size_t bytes;
	int result = kct_symfile_block(file, KCT_SYMFILE_KEPT, 0, &block, &bytes);

	if (result <= 0)
		return result;
	if (bytes % sizeof(*image->kept))
		return KCT_ERR_DAMAGED;
	image->kept = block;
	image->n_kept = bytes / sizeof(*image->kept);
	return 1;
}

bool kct_image_keeps(const struct kct_image *image, uint64_t address)
{
	return !image->kept || kct_extent_touches(image->kept, image->n_kept, address, address + 1);
}

int kct_portable_load(struct kct_image *image, struct kct_error *error)
{
	struct kct_stored *stored = &image->stored;
	struct kct_symfile *file;
	int result = kct_symfile_new(image->data, image->bytes, &file, error);

	if (result < 0)
		return result;
	stored->parts[0] = file;
	stored->files[0] = TAKE_PTR(image->file);
	stored->n_parts = 1;
	stored->opened = true;
	image->data = NULL;
	image->bytes = 0;
	image->fixed = true;
	image->debug.checked = image->debug.usable = true;
	result = load_facts(image, file);
	if (result > 0)
		result = load_sections(image, file);
	if (result > 0)
		result = load_kept(image, file);
	if (result > 0)
		result = kct_image_load_symbols(image, error) >= 0 && image->symtab.mapped;
	if (result > 0)
		result = kct_image_load_debug(image, error) >= 0 && image->debug.tables;
	if (result == KCT_ERR_NO_MEMORY)
		return kct_fail_code(error, result);
	if (result <= 0)
		return kct_fail(error, KCT_ERR_DAMAGED, "%s: the symbol file is %s", image->name,
				result < 0 ? "damaged" : "not whole, or one of a cache");
	return 0;
}
