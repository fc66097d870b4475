/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "image/image.h"
#include "image/names.h"

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

/** Set up to read the table in section `table`. 1: it can be read, 0: it cannot. */
static int reader_open_at(struct symbol_reader *reader, const struct kct_image *image, size_t table)
{
	Elf_Scn *scn = elf_getscn(image->elf, table);
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Shdr header;

	*reader = (struct symbol_reader){.image = image};
	if (!scn || !gelf_getshdr(scn, &header) || entry == 0)
		return 0;
	reader->symbols = elf_getdata(scn, NULL);
	reader->names = header.sh_link;
	reader->n = reader->symbols ? reader->symbols->d_size / entry : 0;
	for (size_t i = 0; reader->symbols && i < image->n_sections; i++) {
		Elf_Scn *extra = elf_getscn(image->elf, i);

		if (image->sections[i].type == SHT_SYMTAB_SHNDX && extra &&
		    gelf_getshdr(extra, &header) && header.sh_link == table)
			reader->indexes = elf_getdata(extra, NULL);
	}
	return reader->n > 0;
}

/** Set up to read the table of a section type. 1: there is one, 0: none that can be read. */
static int reader_open(struct symbol_reader *reader, const struct kct_image *image, uint32_t type)
{
	*reader = (struct symbol_reader){.image = image};
	for (size_t i = 0; i < image->n_sections && !reader->symbols; i++) {
		if (image->sections[i].type == type)
			reader_open_at(reader, image, i);
	}
	return reader->n > 0;
}

static int reader_open_any(struct symbol_reader *reader, const struct kct_image *image)
{
	return reader_open(reader, image, SHT_SYMTAB) || reader_open(reader, image, SHT_DYNSYM);
}

/** Read symbol `i`. False if it has no name or lies in no section whose address is known; its name
 *  and `elf` are set all the same if `elf.st_name` could be read. */
static bool reader_get(const struct symbol_reader *reader, size_t i, struct symbol *symbol)
{
	Elf32_Word wide = 0;
	size_t index;

	*symbol = (struct symbol){.elf.st_shndx = SHN_UNDEF};
	if (!gelf_getsymshndx(reader->symbols, reader->indexes, (int)i, &symbol->elf, &wide))
		return false;
	symbol->name = kct_image_string(reader->image, reader->names, symbol->elf.st_name);
	if (symbol->elf.st_shndx == SHN_UNDEF || symbol->elf.st_shndx == SHN_COMMON)
		return false;
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

static bool reader_get_named(const struct symbol_reader *reader, size_t i, struct symbol *symbol)
{
	return reader_get(reader, i, symbol) && symbol->name && symbol->name[0] != '\0';
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

/** Add a symbol of a code section to the table. */
static int add_symbol(struct kct_image *image, const struct symbol *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->elf.st_info);
	struct kct_symtab_entry entry = {
		.name = symbol->name,
		.address = symbol->address,
		.size = symbol->elf.st_size,
		.binding = (uint8_t)symbol_binding(&symbol->elf),
		.is_function = type == STT_FUNC || type == STT_GNU_IFUNC,
	};

	if (!symbol->section || !kct_section_is_code(symbol->section) || type == STT_SECTION ||
	    type == STT_FILE || type == STT_TLS)
		return 0;
	entry.is_code = entry.is_function || type == STT_NOTYPE;
	/* On 32-bit ARM the lowest bit of a function's address says Thumb. */
	if (image->header.e_machine == EM_ARM && entry.is_function)
		entry.address &= ~(uint64_t)1;
	if (__builtin_add_overflow(symbol->section->address, symbol->section->size - 1,
				   &entry.limit))
		entry.limit = UINT64_MAX;
	return kct_symtab_add(&image->symtab, &entry);
}

int kct_image_load_symbols(struct kct_image *image, struct kct_error *error)
{
	struct symbol_reader reader;
	int result = 0;

	if (image->has_symbols)
		return 0;
	kct_image_fix(image);
	if (reader_open_any(&reader, image)) {
		for (size_t i = 0; i < reader.n && result >= 0; i++) {
			struct symbol symbol;

			if (reader_get_named(&reader, i, &symbol))
				result = add_symbol(image, &symbol);
		}
	}
	if (result >= 0)
		result = kct_symtab_finish(&image->symtab);
	if (result < 0) {
		kct_symtab_clear(&image->symtab);
		return kct_fail_code(error, result);
	}
	image->has_symbols = true;
	return 0;
}

int kct_image_symbol(struct kct_image *image, const char *name, uint64_t *ret_address)
{
	struct symbol_reader reader;
	struct symbol symbol, best = {0};
	bool found = false;

	if (!image || !name || !ret_address)
		return KCT_ERR_ARGUMENT;
	kct_image_fix(image);
	if (!reader_open_any(&reader, image))
		return KCT_ERR_NOT_FOUND;
	for (size_t i = 0; i < reader.n; i++) {
		if (!reader_get_named(&reader, i, &symbol) || strcmp(symbol.name, name) != 0)
			continue;
		if (!found || symbol_binding(&symbol.elf) > symbol_binding(&best.elf) ||
		    (symbol_binding(&symbol.elf) == symbol_binding(&best.elf) &&
		     symbol.address < best.address))
			best = symbol;
		found = true;
	}
	if (!found)
		return KCT_ERR_NOT_FOUND;
	*ret_address = best.address;
	return 0;
}

static int visit_all(const struct symbol_reader *reader,
		     int (*visit)(void *context, const struct kct_table_symbol *symbol),
		     void *context)
{
	int result = 0;

	for (size_t i = 0; i < reader->n && result >= 0; i++) {
		struct symbol symbol;
		bool known = reader_get(reader, i, &symbol);

		result = visit(context, &(struct kct_table_symbol){
						.name = symbol.name ? symbol.name : "",
						.address = known ? symbol.address : 0,
						.size = symbol.elf.st_size,
						.index = i,
						.section = symbol.section,
						.type = GELF_ST_TYPE(symbol.elf.st_info),
						.known = known,
					});
	}
	return result;
}

int kct_image_visit_symbols(struct kct_image *image, size_t table,
			    int (*visit)(void *context, const struct kct_table_symbol *symbol),
			    void *context)
{
	struct symbol_reader reader;

	kct_image_fix(image);
	if (table ? !reader_open_at(&reader, image, table) : !reader_open_any(&reader, image))
		return 0;
	return visit_all(&reader, visit, context);
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
