/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "image/image.h"
#include "image/names.h"
#include "image/separate.h"

/* The symbol table of an image while it is read. */
struct symbol_reader {
	const struct kct_image *image;
	Elf_Data *symbols;
	Elf_Data *indexes; /* SHT_SYMTAB_SHNDX; may be NULL */
	size_t names;
	size_t n;
};

/* One symbol; section is NULL if it is in none. */
struct symbol {
	const char *name;
	GElf_Sym elf;
	const struct kct_section *section;
	uint64_t address;
};

/** Set up to read the table of a section type. 1: there is one, 0: none that can be read. */
static int reader_open(struct symbol_reader *reader, const struct kct_image *image, uint32_t type)
{
	*reader = (struct symbol_reader){.image = image};
	for (size_t i = 0; i < image->n_sections && !reader->symbols; i++) {
		Elf_Scn *scn = elf_getscn(image->elf, i);
		size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
		GElf_Shdr header;

		if (image->sections[i].type != type || !scn || !gelf_getshdr(scn, &header) ||
		    entry == 0)
			continue;
		reader->symbols = elf_getdata(scn, NULL);
		reader->names = header.sh_link;
		reader->n = reader->symbols ? reader->symbols->d_size / entry : 0;
		for (size_t k = 0; reader->symbols && k < image->n_sections; k++) {
			Elf_Scn *extra = elf_getscn(image->elf, k);

			if (image->sections[k].type == SHT_SYMTAB_SHNDX && extra &&
			    gelf_getshdr(extra, &header) && header.sh_link == i)
				reader->indexes = elf_getdata(extra, NULL);
		}
	}
	return reader->n > 0;
}

/* Tables that may hold the symbols of an image. */
struct symbol_tables {
	struct symbol_reader readers[3];
	size_t n;
};

static void add_table(struct symbol_tables *tables, const struct kct_image *image, uint32_t type)
{
	if (image && reader_open(&tables->readers[tables->n], image, type))
		tables->n++;
}

/** Find the tables: the full one, here or in the debug file, else those that are left when it was
 *  removed. */
static int open_tables(struct kct_image *image, struct symbol_tables *tables)
{
	*tables = (struct symbol_tables){0};
	kct_image_fix(image);
	kct_image_place_separate(image);
	add_table(tables, image, SHT_SYMTAB);
	if (tables->n == 0)
		add_table(tables, image->separate, SHT_SYMTAB);
	if (tables->n > 0)
		return 0;
	add_table(tables, image, SHT_DYNSYM);
	if (kct_image_open_packed(image) < 0)
		return KCT_ERR_NO_MEMORY;
	add_table(tables, image->packed, SHT_SYMTAB);
	return 0;
}

/** Read symbol `i`. False if it is undefined, unreadable or without a name or a known address. */
static bool reader_get(const struct symbol_reader *reader, size_t i, struct symbol *symbol)
{
	Elf32_Word wide = 0;
	size_t index;

	if (!gelf_getsymshndx(reader->symbols, reader->indexes, (int)i, &symbol->elf, &wide) ||
	    symbol->elf.st_shndx == SHN_UNDEF || symbol->elf.st_shndx == SHN_COMMON)
		return false;
	symbol->name = kct_image_string(reader->image, reader->names, symbol->elf.st_name);
	if (!symbol->name || symbol->name[0] == '\0')
		return false;
	symbol->section = NULL;
	symbol->address = symbol->elf.st_value;
	index = symbol->elf.st_shndx == SHN_XINDEX ? wide : symbol->elf.st_shndx;
	if (symbol->elf.st_shndx >= SHN_LORESERVE && symbol->elf.st_shndx != SHN_XINDEX)
		return symbol->elf.st_shndx == SHN_ABS;
	symbol->section = kct_image_section(reader->image, index);
	if (!symbol->section || !symbol->section->placed)
		return false;
	if (reader->image->relocatable)
		symbol->address += symbol->section->address;
	return true;
}

static enum kct_binding symbol_binding(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return KCT_BIND_GLOBAL;
	case STB_WEAK:
		return KCT_BIND_WEAK;
	default:
		return KCT_BIND_LOCAL;
	}
}

/** The entry of a symbol in a table of addresses. */
static struct kct_symtab_entry make_entry(const struct symbol *symbol)
{
	struct kct_symtab_entry entry = {
		.name = symbol->name,
		.address = symbol->address,
		.size = symbol->elf.st_size,
		.binding = (uint8_t)symbol_binding(&symbol->elf),
	};

	if (__builtin_add_overflow(symbol->section->address, symbol->section->size - 1,
				   &entry.limit))
		entry.limit = UINT64_MAX;
	return entry;
}

/** Whether a symbol is the name of something in a section. */
static bool is_name(unsigned type)
{
	return type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

/** Add a symbol of a code section to the table. */
static int add_symbol(struct kct_image *image, const struct symbol *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->elf.st_info);
	struct kct_symtab_entry entry;

	if (!symbol->section || !kct_section_is_code(symbol->section) || !is_name(type))
		return 0;
	entry = make_entry(symbol);
	entry.is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
	entry.is_code = entry.is_function || type == STT_NOTYPE;
	/* On 32-bit ARM the lowest bit of a function's address says Thumb. */
	if (image->header.e_machine == EM_ARM && entry.is_function)
		entry.address &= ~(uint64_t)1;
	return kct_symtab_add(&image->symtab, &entry);
}

/** Add a symbol of a data section. */
static int add_variable(struct kct_image *image, const struct symbol *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->elf.st_info);
	struct kct_symtab_entry entry;

	if (!symbol->section || !symbol->section->placed || symbol->section->size == 0 ||
	    (symbol->section->flags & SHF_EXECINSTR) || !(symbol->section->flags & SHF_ALLOC) ||
	    !is_name(type))
		return 0;
	entry = make_entry(symbol);
	entry.is_function = type == STT_OBJECT;
	entry.is_code = true;
	return kct_symtab_add(&image->data_symtab, &entry);
}

/** Add all symbols with `add` to `table`, which is empty again after a failure. */
static int add_symbols(struct kct_image *image,
		       int (*add)(struct kct_image *image, const struct symbol *symbol),
		       struct kct_symtab *table)
{
	struct symbol_tables tables;
	int result = open_tables(image, &tables);

	for (size_t k = 0; k < tables.n && result >= 0; k++) {
		for (size_t i = 0; i < tables.readers[k].n && result >= 0; i++) {
			struct symbol symbol;

			if (reader_get(&tables.readers[k], i, &symbol))
				result = add(image, &symbol);
		}
	}
	if (result >= 0)
		result = kct_symtab_finish(table);
	if (result < 0)
		kct_symtab_clear(table);
	return result;
}

int kct_image_load_data(struct kct_image *image)
{
	int result;

	if (image->has_data_symbols)
		return 0;
	result = add_symbols(image, add_variable, &image->data_symtab);
	image->has_data_symbols = result >= 0;
	return result;
}

int kct_image_load_symbols(struct kct_image *image, struct kct_error *error)
{
	int result;

	if (image->has_symbols)
		return 0;
	result = add_symbols(image, add_symbol, &image->symtab);
	if (result < 0)
		return kct_fail_code(error, result);
	image->has_symbols = true;
	return 0;
}

/** Whether symbol `a` is the better one of two with a name. */
static bool is_better(const struct symbol *a, const struct symbol *b)
{
	enum kct_binding ours = symbol_binding(&a->elf), theirs = symbol_binding(&b->elf);

	return ours > theirs || (ours == theirs && a->address < b->address);
}

int kct_image_symbol(struct kct_image *image, const char *name, uint64_t *ret_address)
{
	struct symbol_tables tables;
	struct symbol symbol, best = {0};
	bool found = false;

	if (!image || !name || !ret_address)
		return KCT_ERR_ARGUMENT;
	if (open_tables(image, &tables) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t k = 0; k < tables.n; k++) {
		for (size_t i = 0; i < tables.readers[k].n; i++) {
			if (!reader_get(&tables.readers[k], i, &symbol) ||
			    strcmp(symbol.name, name) != 0)
				continue;
			if (!found || is_better(&symbol, &best))
				best = symbol;
			found = true;
		}
	}
	if (!found)
		return KCT_ERR_NOT_FOUND;
	*ret_address = best.address;
	return 0;
}

/** The symbols that answer for their own address, but no padding in front of a function. */
static void list_functions(struct kct_image *image)
{
	const struct kct_symtab *table = &image->symtab;

	for (size_t i = 0; i < table->n; i++) {
		const struct kct_symtab_entry *entry = &table->entries[i];

		if (!kct_symtab_is_answer(table, i) || kct_name_is_decoration(entry->name))
			continue;
		image->functions[image->n_functions++] = (struct kct_image_function){
			.name = entry->name,
			.address = entry->address,
			.size = entry->guessed ? 0 : entry->size,
		};
	}
}

int kct_image_functions(struct kct_image *image, const struct kct_image_function **ret_functions,
			size_t *ret_n, struct kct_error *error)
{
	int result;

	if (!image || !ret_functions || !ret_n)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_image_load_symbols(image, error);
	if (result < 0)
		return result;
	if (!image->functions) {
		image->functions = calloc(image->symtab.n + 1, sizeof(*image->functions));
		if (!image->functions)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		list_functions(image);
	}
	*ret_functions = image->functions;
	*ret_n = image->n_functions;
	return 0;
}
