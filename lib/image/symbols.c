/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
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
	size_t text; /* where its strings begin in the text of all tables */
	size_t n;
};

/* One symbol; section is NULL if it is in none. */
struct symbol {
	const char *name;
	uint32_t name_offset; /* in the text of all tables, once that is made */
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
	symbol->name_offset = (uint32_t)(reader->text + symbol->elf.st_name);
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

/** The entry of a symbol in a table of addresses. */
static struct kct_symtab_entry make_entry(const struct symbol *symbol)
{
	struct kct_symtab_entry entry = {
		.name = symbol->name_offset,
		.module = KCT_NO_MODULE,
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

/** The string table of a symbol table; NULL: none. */
static const char *strings_of(const struct symbol_reader *reader, size_t *ret_bytes)
{
	const struct kct_section *section = kct_image_section(reader->image, reader->names);
	const uint8_t *data = section ? kct_section_data(reader->image, section) : NULL;

	*ret_bytes = data ? section->size : 0;
	return (const char *)data;
}

/** Let names be offsets into one text: that of the table or, of several, theirs put together. */
static int make_text(struct symbol_tables *tables, struct kct_symtab *symtab)
{
	size_t n_text = 0, max = 0, bytes;
	const char *strings;

	if (tables->n == 1) {
		symtab->text = strings_of(&tables->readers[0], &symtab->n_text);
		return symtab->n_text <= UINT32_MAX ? 0 : KCT_ERR_LIMIT;
	}
	for (size_t i = 0; i < tables->n; i++) {
		strings = strings_of(&tables->readers[i], &bytes);
		if (bytes > UINT32_MAX - n_text)
			return KCT_ERR_LIMIT;
		if (kct_array_reserve(&symtab->own_text, &max, n_text + bytes) < 0)
			return KCT_ERR_NO_MEMORY;
		if (bytes > 0)
			memcpy(symtab->own_text + n_text, strings, bytes);
		tables->readers[i].text = n_text;
		n_text += bytes;
	}
	symtab->text = symtab->own_text;
	symtab->n_text = n_text;
	return 0;
}

const char *const kct_named_symbols[KCT_NAMED] = {"_stext", "_text", "_etext"};

/** Whether a symbol is the better one of a name: the binding decides, then the address. */
static bool is_better(const struct symbol *symbol, const struct kct_named *than)
{
	enum kct_binding binding = symbol_binding(&symbol->elf);

	return !than->found || binding > than->binding ||
	       (binding == than->binding && symbol->address < than->address);
}

static void take_named(const struct symbol *symbol, const char *name, struct kct_named *named)
{
	if (strcmp(symbol->name, name) != 0 || !is_better(symbol, named))
		return;
	named->found = true;
	named->address = symbol->address;
	named->binding = (uint8_t)symbol_binding(&symbol->elf);
}

/** Add a symbol to all that is kept of symbols. */
static int keep_symbol(struct kct_image *image, const struct symbol *symbol)
{
	for (size_t i = 0; i < KCT_NAMED && symbol->name[0] == '_'; i++)
		take_named(symbol, kct_named_symbols[i], &image->named[i]);
	return add_symbol(image, symbol);
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

	if (result >= 0)
		result = make_text(&tables, table);
	for (size_t k = 0; k < tables.n && result >= 0; k++) {
		for (size_t i = 0; i < tables.readers[k].n && result >= 0; i++) {
			struct symbol symbol;

			if (reader_get_named(&tables.readers[k], i, &symbol))
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
	kct_image_fix(image);
	result = kct_stored_variables(image)
			 ? 0
			 : add_symbols(image, add_variable, &image->data_symtab);
	image->has_data_symbols = result >= 0;
	return result;
}

int kct_image_load_symbols(struct kct_image *image, struct kct_error *error)
{
	int result;

	if (image->has_symbols)
		return 0;
	kct_image_fix(image);
	result = kct_stored_symbols(image) ? 0 : add_symbols(image, keep_symbol, &image->symtab);
	if (result < 0)
		return kct_fail_code(error, result);
	image->has_symbols = true;
	return 0;
}

int kct_image_symbol(struct kct_image *image, const char *name, uint64_t *ret_address)
{
	struct symbol_tables tables = {0};
	struct kct_named best = {0};
	struct symbol symbol;

	if (!image || !name || !ret_address)
		return KCT_ERR_ARGUMENT;
	for (size_t i = 0; i < KCT_NAMED && image->has_symbols; i++) {
		if (strcmp(name, kct_named_symbols[i]) == 0)
			best = image->named[i];
	}
	if (!best.found && open_tables(image, &tables) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t k = 0; k < tables.n; k++) {
		for (size_t i = 0; i < tables.readers[k].n; i++) {
			if (reader_get_named(&tables.readers[k], i, &symbol))
				take_named(&symbol, name, &best);
		}
	}
	if (!best.found)
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
	struct symbol_tables tables = {.n = 1};
	int result = 0;

	if (table) {
		kct_image_fix(image);
		if (!reader_open_at(&tables.readers[0], image, table))
			return 0;
	} else {
		result = open_tables(image, &tables);
	}
	for (size_t i = 0; i < tables.n && result >= 0; i++)
		result = visit_all(&tables.readers[i], visit, context);
	return result;
}

/** The symbols that answer for their own address, but no padding in front of a function. */
static void list_functions(struct kct_image *image)
{
	const struct kct_symtab *table = &image->symtab;

	for (size_t i = 0; i < table->n; i++) {
		const struct kct_symtab_entry *entry = &table->entries[i];

		if (!kct_symtab_is_answer(table, i) ||
		    kct_name_is_decoration(kct_symtab_name(table, entry)))
			continue;
		image->functions[image->n_functions++] = (struct kct_image_function){
			.name = kct_symtab_name(table, entry),
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
