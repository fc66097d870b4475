/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "image/rebuild.h"

/* What places of variables and unwinding need is left out: it can be the larger part. */
static const char *const wanted[] = {
	".debug_info",	   ".debug_types",   ".debug_abbrev",	   ".debug_line",
	".debug_line_str", ".debug_str",     ".debug_addr",	   ".debug_rnglists",
	".debug_ranges",   ".debug_aranges", ".debug_str_offsets",
};

/* The old header of packed sections: "ZLIB" and the size in big-endian order. */
#define OLD_HEADER 12

/* Of zstd in the header of a packed section; an older elf.h does not have it. */
#define ZSTD_METHOD 2

const struct kct_section *kct_debug_section(const struct kct_image *image, const char *name)
{
	const struct kct_section *section = kct_image_find_section(image, name);
	char old[40];

	if (section)
		return section;
	snprintf(old, sizeof(old), ".z%s", name + 1);
	return kct_image_find_section(image, old);
}

/** The bytes of a section with those of its header, NULL if there is not even that. */
static const uint8_t *packed_data(const struct kct_image *image, const struct kct_section *section,
				  size_t header)
{
	const uint8_t *data = kct_section_data(image, section);

	return data && section->size >= header ? data : NULL;
}

static bool is_old_packing(const struct kct_section *section)
{
	return strncmp(section->name, ".zdebug_", strlen(".zdebug_")) == 0;
}

const char *kct_section_packing(const struct kct_image *image, const struct kct_section *section,
				uint64_t *ret_size, size_t *ret_header)
{
	bool wide = image->header.e_ident[EI_CLASS] == ELFCLASS64;
	size_t header = wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint64_t size = 0;
	const uint8_t *data;
	GElf_Chdr chdr;
	Elf_Scn *scn;

	if (section->flags & SHF_COMPRESSED) {
		scn = elf_getscn(image->elf, (size_t)(section - image->sections));
		if (!packed_data(image, section, header) || !scn || !gelf_getchdr(scn, &chdr))
			return "";
		*ret_size = chdr.ch_size;
		*ret_header = header;
		return chdr.ch_type == ELFCOMPRESS_ZLIB ? kct_packing_zlib
		       : chdr.ch_type == ZSTD_METHOD	? kct_packing_zstd
							: "";
	}
	data = packed_data(image, section, OLD_HEADER);
	if (!is_old_packing(section) || !data || memcmp(data, "ZLIB", 4) != 0)
		return NULL;
	for (size_t i = 4; i < OLD_HEADER; i++)
		size = size << 8 | data[i];
	*ret_size = size;
	*ret_header = OLD_HEADER;
	return kct_packing_zlib;
}

bool kct_image_needs_rebuild(const struct kct_image *image)
{
	for (size_t i = 0; i < image->n_sections && image->relocatable; i++) {
		if (image->sections[i].type == SHT_RELA || image->sections[i].type == SHT_REL)
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct kct_section *section = kct_debug_section(image, wanted[i]);

		if (section && ((section->flags & SHF_COMPRESSED) || is_old_packing(section)))
			return true;
	}
	return false;
}

/* A file as it grows. */
struct builder {
	const struct kct_image *image;
	struct kct_bytes out;
	bool wide;
	bool big;
	size_t headers; /* where the section headers are */
	size_t entry;	/* bytes of one */
	size_t names;	/* where their names are */
};

/** Write a number of `n` bytes in the byte order of the file. */
static void put_number(const struct builder *builder, size_t at, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++) {
		builder->out.data[at + (builder->big ? n - 1 - i : i)] = (uint8_t)value;
		value >>= 8;
	}
}

/* Fields of both classes have the same names. */
#define PUT(builder, base, type, field, value)                                 \
	put_number(builder,                                                    \
		   (base) + ((builder)->wide ? offsetof(Elf64_##type, field)   \
					     : offsetof(Elf32_##type, field)), \
		   (builder)->wide ? sizeof(((Elf64_##type *)0)->field)        \
				   : sizeof(((Elf32_##type *)0)->field),       \
		   value)
#define PUT_SECTION(builder, index, field, value) \
	PUT(builder, (builder)->headers + (index) * (builder)->entry, Shdr, field, value)

static int append(struct builder *builder, const void *data, size_t bytes)
{
	struct kct_bytes *out = &builder->out;
	size_t padding = -out->n % 8, want;

	if (kct_add_overflows(out->n + padding, bytes, &want) ||
	    kct_array_reserve(&out->data, &out->max, want) < 0)
		return KCT_ERR_NO_MEMORY;
	memset(out->data + out->n, 0, padding);
	if (bytes)
		memcpy(out->data + out->n + padding, data, bytes);
	out->n = want;
	return 0;
}

/** Append what is packed in a section, and see that it is as long as it should be. */
static int append_unpacked(struct builder *builder, const struct kct_section *section,
			   const char *packing, uint64_t size, size_t header,
			   struct kct_error *error)
{
	const uint8_t *data = kct_section_data(builder->image, section);
	struct kct_error detail;
	size_t before;
	int result;

	result = append(builder, NULL, 0);
	if (result < 0)
		return kct_fail_code(error, result);
	before = builder->out.n;
	result = kct_unpack(packing, data + header, section->size - header, size, &builder->out,
			    &detail);
	if (result == KCT_ERR_NO_MEMORY || result == KCT_ERR_UNSUPPORTED)
		return kct_fail(error, result, "section %.64s cannot be unpacked: %s",
				section->name, detail.text);
	if (result == 0 && builder->out.n - before != size)
		return kct_fail(error, KCT_ERR_DWARF,
				"section %.64s cannot be unpacked: %zu bytes instead of %llu",
				section->name, builder->out.n - before, (unsigned long long)size);
	if (result != 0)
		return kct_fail(error, KCT_ERR_DWARF, "section %.64s cannot be unpacked: %s",
				section->name, detail.text);
	return 0;
}

/** Add the bytes of a section and point its header at them. */
static int add_section(struct builder *builder, const struct kct_section *section,
		       struct kct_relocation_faults *faults, struct kct_error *error)
{
	const struct kct_image *image = builder->image;
	const uint8_t *data = kct_section_data(image, section);
	size_t index = (size_t)(section - image->sections), header, start;
	const char *packing;
	uint64_t size;
	int result;

	if (!data)
		return 0;
	packing = kct_section_packing(image, section, &size, &header);
	if (packing)
		result = append_unpacked(builder, section, packing, size, header, error);
	else
		result = append(builder, data, section->size);
	if (result == KCT_ERR_NO_MEMORY)
		return kct_fail_code(error, result);
	if (result < 0)
		return result;
	if (!packing)
		size = section->size;
	start = builder->out.n - size;
	if (image->relocatable && section->type != SHT_STRTAB)
		kct_relocate(image, index, builder->out.data + start, size, faults);
	PUT_SECTION(builder, index, sh_type, section->type);
	PUT_SECTION(builder, index, sh_offset, start);
	PUT_SECTION(builder, index, sh_size, size);
	PUT_SECTION(builder, index, sh_addralign, 1);
	return 0;
}

/** In the copy of the names, make `.zdebug_x` end in `.debug_x`, which becomes the name. */
static void rename_section(struct builder *builder, const struct kct_section *section,
			   const struct kct_section *names)
{
	const char *first = (const char *)kct_section_data(builder->image, names);
	size_t at;

	if (!first || !is_old_packing(section))
		return;
	at = (size_t)(section->name - first) + 1;
	builder->out.data[builder->names + at] = '.';
	PUT_SECTION(builder, (size_t)(section - builder->image->sections), sh_name, at);
}

/** Copy the ELF header and the section headers, none of which has contents so far. */
static int add_headers(struct builder *builder)
{
	const struct kct_image *image = builder->image;
	size_t header = builder->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	size_t bytes = image->n_sections * builder->entry;

	if (image->header.e_shoff > image->bytes || bytes > image->bytes - image->header.e_shoff)
		return KCT_ERR_DWARF;
	if (append(builder, image->data, header) < 0)
		return KCT_ERR_NO_MEMORY;
	builder->headers = builder->out.n + -builder->out.n % 8;
	if (append(builder, image->data + image->header.e_shoff, bytes) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 1; i < image->n_sections; i++) {
		PUT_SECTION(builder, i, sh_type, SHT_NOBITS);
		PUT_SECTION(builder, i, sh_flags,
			    image->sections[i].flags & ~(uint64_t)SHF_COMPRESSED);
	}
	PUT(builder, 0, Ehdr, e_shoff, builder->headers);
	PUT(builder, 0, Ehdr, e_shentsize, builder->entry);
	PUT(builder, 0, Ehdr, e_phoff, 0);
	PUT(builder, 0, Ehdr, e_phnum, 0);
	return 0;
}

static int build(struct builder *builder, struct kct_relocation_faults *faults,
		 struct kct_error *error)
{
	const struct kct_image *image = builder->image;
	const struct kct_section *names, *section;
	size_t n_names = 0;
	int result = add_headers(builder);

	if (elf_getshdrstrndx(image->elf, &n_names) < 0 || n_names >= image->n_sections)
		result = KCT_ERR_DWARF;
	if (result < 0)
		return kct_fail(error, result, "unusable section headers");
	names = &image->sections[n_names];
	result = add_section(builder, names, faults, error);
	builder->names = builder->out.n - names->size;
	for (size_t i = 0; i < ARRAY_SIZE(wanted) && result >= 0; i++) {
		section = kct_debug_section(image, wanted[i]);
		if (!section || section == names)
			continue;
		result = add_section(builder, section, faults, error);
		rename_section(builder, section, names);
	}
	return result;
}

int kct_image_rebuild(const struct kct_image *image, struct kct_bytes *ret_bytes,
		      struct kct_relocation_faults *faults, struct kct_error *error)
{
	struct builder builder = {
		.image = image,
		.wide = image->header.e_ident[EI_CLASS] == ELFCLASS64,
		.big = image->header.e_ident[EI_DATA] == ELFDATA2MSB,
	};
	int result;

	builder.entry = builder.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	result = build(&builder, faults, error);
	if (result < 0) {
		free(builder.out.data);
		return result;
	}
	*ret_bytes = builder.out;
	return 0;
}
