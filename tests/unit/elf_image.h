/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file elf_image.h
 * ELF files made in memory, byte by byte from the ELF specification, for any
 * class and byte order: a header, sections (number 0 is made for you), a symbol
 * table, section names, and the section headers at the end.
 */
#ifndef KCT_TESTS_ELF_IMAGE_H
#define KCT_TESTS_ELF_IMAGE_H

#include <elf.h>

#include "check.h"

struct elf_section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t size; /* of the section; the bytes are zeros if `data` is NULL */
	const void *data;
	uint64_t claimed_size; /* if not 0: what the section header says instead */
};

struct elf_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t bind;
	uint8_t type;
	uint16_t section;
};

struct elf_image {
	uint8_t class; /* 0: ELFCLASS64 */
	uint8_t order; /* 0: ELFDATA2LSB */
	uint16_t type; /* 0: ET_EXEC */
	uint16_t machine;
	const struct elf_section *sections; /* up to one without a name */
	const struct elf_symbol *symbols;   /* up to one without a name; NULL: no table */
};

struct elf_bytes {
	uint8_t *data;
	size_t n;
	size_t headers; /* where the section headers begin */
};

static void elf_put(struct elf_bytes *out, const struct elf_image *image, uint64_t value, size_t n)
{
	out->data = realloc(out->data, out->n + n);
	assert_non_null(out->data);
	for (size_t i = 0; i < n; i++) {
		size_t shift = image->order == ELFDATA2MSB ? n - 1 - i : i;

		out->data[out->n + i] = (uint8_t)(value >> 8 * shift);
	}
	out->n += n;
}

static void elf_put_bytes(struct elf_bytes *out, const void *data, size_t n)
{
	out->data = realloc(out->data, out->n + n + 1);
	assert_non_null(out->data);
	if (data)
		memcpy(out->data + out->n, data, n);
	else
		memset(out->data + out->n, 0, n);
	out->n += n;
}

/** Add a string with its NUL; returns where it begins. */
static uint64_t elf_put_string(struct elf_bytes *out, const char *text)
{
	uint64_t at = out->n;

	elf_put_bytes(out, text, strlen(text) + 1);
	return at;
}

static bool elf_is_64(const struct elf_image *image)
{
	return image->class != ELFCLASS32;
}

/** A word of the class. */
static void elf_put_word(struct elf_bytes *out, const struct elf_image *image, uint64_t value)
{
	elf_put(out, image, value, elf_is_64(image) ? 8 : 4);
}

static void elf_put_section_header(struct elf_bytes *out, const struct elf_image *image,
				   const struct elf_section *section, uint64_t name,
				   uint64_t offset, uint32_t link, uint64_t entry)
{
	elf_put(out, image, name, 4);
	elf_put(out, image, section->type, 4);
	elf_put_word(out, image, section->flags);
	elf_put_word(out, image, section->address);
	elf_put_word(out, image, offset);
	elf_put_word(out, image, section->claimed_size ? section->claimed_size : section->size);
	elf_put(out, image, link, 4);
	elf_put(out, image, 0, 4);
	elf_put_word(out, image, 4);
	elf_put_word(out, image, entry);
}

static void elf_put_header(struct elf_bytes *out, const struct elf_image *image, uint64_t headers,
			   uint16_t n_sections)
{
	bool wide = elf_is_64(image);
	uint8_t ident[EI_NIDENT] = {0x7f,
				    'E',
				    'L',
				    'F',
				    wide ? ELFCLASS64 : ELFCLASS32,
				    image->order ? image->order : ELFDATA2LSB,
				    EV_CURRENT};

	elf_put_bytes(out, ident, sizeof(ident));
	elf_put(out, image, image->type ? image->type : ET_EXEC, 2);
	elf_put(out, image, image->machine ? image->machine : EM_X86_64, 2);
	elf_put(out, image, EV_CURRENT, 4);
	elf_put_word(out, image, 0);
	elf_put_word(out, image, 0);
	elf_put_word(out, image, headers);
	elf_put(out, image, 0, 4);
	elf_put(out, image, wide ? 64 : 52, 2);
	elf_put(out, image, 0, 2);
	elf_put(out, image, 0, 2);
	elf_put(out, image, wide ? 64 : 40, 2);
	elf_put(out, image, n_sections, 2);
	elf_put(out, image, n_sections - 1u, 2);
}

/** The symbol table and its strings. */
static void elf_put_symbols(const struct elf_image *image, struct elf_bytes *table,
			    struct elf_bytes *strings)
{
	bool wide = elf_is_64(image);

	elf_put_string(strings, "");
	elf_put_bytes(table, NULL, wide ? 24 : 16);
	for (const struct elf_symbol *s = image->symbols; s->name; s++) {
		uint64_t info = (uint64_t)s->bind << 4 | s->type;

		elf_put(table, image, elf_put_string(strings, s->name), 4);
		if (!wide) {
			elf_put(table, image, s->value, 4);
			elf_put(table, image, s->size, 4);
		}
		elf_put(table, image, info, 1);
		elf_put(table, image, 0, 1);
		elf_put(table, image, s->section, 2);
		if (wide) {
			elf_put(table, image, s->value, 8);
			elf_put(table, image, s->size, 8);
		}
	}
}

#define ELF_MAX_SECTIONS 24

/** Make the file; free(bytes.data) afterwards. */
static struct elf_bytes elf_make(const struct elf_image *image)
{
	struct elf_section all[ELF_MAX_SECTIONS] = {{.name = ""}};
	uint64_t offsets[ELF_MAX_SECTIONS] = {0}, names[ELF_MAX_SECTIONS];
	struct elf_bytes out = {0}, table = {0}, strings = {0}, section_names = {0};
	uint16_t n = 1, symtab = 0;

	for (const struct elf_section *s = image->sections; s->name; s++)
		all[n++] = *s;
	if (image->symbols) {
		elf_put_symbols(image, &table, &strings);
		symtab = n;
		all[n++] = (struct elf_section){".symtab", SHT_SYMTAB, .size = table.n,
						.data = table.data};
		all[n++] = (struct elf_section){".strtab", SHT_STRTAB, .size = strings.n,
						.data = strings.data};
	}
	for (size_t i = 0; i < n; i++)
		names[i] = elf_put_string(&section_names, all[i].name);
	names[n] = elf_put_string(&section_names, ".shstrtab");
	all[n++] = (struct elf_section){".shstrtab", SHT_STRTAB, .size = section_names.n,
					.data = section_names.data};
	elf_put_header(&out, image, 0, n);
	for (size_t i = 1; i < n; i++) {
		elf_put_bytes(&out, NULL, -out.n % 8);
		offsets[i] = out.n;
		if (all[i].type != SHT_NOBITS)
			elf_put_bytes(&out, all[i].data, all[i].size);
	}
	elf_put_bytes(&out, NULL, -out.n % 8);
	out.headers = out.n;
	for (size_t i = 0; i < n; i++)
		elf_put_section_header(&out, image, &all[i], names[i], offsets[i],
				       i == symtab ? symtab + 1u : 0,
				       i == symtab && i ? (elf_is_64(image) ? 24 : 16) : 0);
	/* e_shoff was not known before. */
	{
		struct elf_bytes header = {0};

		elf_put_header(&header, image, out.headers, n);
		memcpy(out.data, header.data, header.n);
		free(header.data);
	}
	free(table.data);
	free(strings.data);
	free(section_names.data);
	return out;
}

#endif
