/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types and what they do are facts of the ABI of each machine. Only those are
 * here that assemblers write into sections without code; numbers, because the
 * elf.h of a system may be older than a machine.
 */
#include "image/relocate.h"

enum operation {
	OP_UNKNOWN,
	OP_NONE,
	OP_STORE, /* symbol + addend */
	OP_PLACE, /* the same less the address of the place */
	OP_ADD,	  /* what is there + symbol + addend */
	OP_SUB,
	OP_SET_ULEB, /* as many bytes of ULEB128 as are there */
	OP_ADD_ULEB,
	OP_SUB_ULEB,
};

struct relocation_type {
	uint16_t type;
	uint8_t operation;
	uint8_t bits; /* 6: the lower ones of a byte */
};

static const struct relocation_type x86_64_types[] = {
	{0, OP_NONE, 0},    {1, OP_STORE, 64},	{2, OP_PLACE, 32}, {10, OP_STORE, 32},
	{11, OP_STORE, 32}, {12, OP_STORE, 16}, {14, OP_STORE, 8}, {17, OP_NONE, 64},
	{21, OP_NONE, 32},  {24, OP_PLACE, 64},
};
static const struct relocation_type i386_types[] = {
	{0, OP_NONE, 0},    {1, OP_STORE, 32}, {2, OP_PLACE, 32},
	{20, OP_STORE, 16}, {22, OP_STORE, 8}, {32, OP_NONE, 32},
};
static const struct relocation_type aarch64_types[] = {
	{0, OP_NONE, 0},     {256, OP_NONE, 0},	  {257, OP_STORE, 64}, {258, OP_STORE, 32},
	{259, OP_STORE, 16}, {260, OP_PLACE, 64}, {261, OP_PLACE, 32}, {262, OP_PLACE, 16},
};
static const struct relocation_type arm_types[] = {
	{0, OP_NONE, 0},  {2, OP_STORE, 32},  {3, OP_PLACE, 32},  {5, OP_STORE, 16},
	{8, OP_STORE, 8}, {38, OP_STORE, 32}, {106, OP_NONE, 32},
};
static const struct relocation_type riscv_types[] = {
	{0, OP_NONE, 0},      {1, OP_STORE, 32},  {2, OP_STORE, 64},  {33, OP_ADD, 8},
	{34, OP_ADD, 16},     {35, OP_ADD, 32},	  {36, OP_ADD, 64},   {37, OP_SUB, 8},
	{38, OP_SUB, 16},     {39, OP_SUB, 32},	  {40, OP_SUB, 64},   {43, OP_NONE, 0},
	{51, OP_NONE, 0},     {52, OP_SUB, 6},	  {53, OP_STORE, 6},  {54, OP_STORE, 8},
	{55, OP_STORE, 16},   {56, OP_STORE, 32}, {57, OP_PLACE, 32}, {60, OP_SET_ULEB, 0},
	{61, OP_SUB_ULEB, 0},
};
static const struct relocation_type s390_types[] = {
	{0, OP_NONE, 0},   {1, OP_STORE, 8},   {3, OP_STORE, 16},  {4, OP_STORE, 32},
	{5, OP_PLACE, 32}, {16, OP_PLACE, 16}, {22, OP_STORE, 64}, {23, OP_PLACE, 64},
};
static const struct relocation_type ppc_types[] = {
	{0, OP_NONE, 0},    {1, OP_STORE, 32},	{3, OP_STORE, 16},
	{24, OP_STORE, 32}, {26, OP_PLACE, 32}, {78, OP_NONE, 32},
};
static const struct relocation_type ppc64_types[] = {
	{0, OP_NONE, 0},    {1, OP_STORE, 32},	{3, OP_STORE, 16},
	{24, OP_STORE, 32}, {26, OP_PLACE, 32}, {38, OP_STORE, 64},
	{43, OP_STORE, 64}, {44, OP_PLACE, 64}, {78, OP_NONE, 64},
};
static const struct relocation_type mips_types[] = {
	{0, OP_NONE, 0},   {1, OP_STORE, 16}, {2, OP_STORE, 32},   {18, OP_STORE, 64},
	{39, OP_NONE, 32}, {41, OP_NONE, 64}, {248, OP_PLACE, 32},
};
static const struct relocation_type loongarch_types[] = {
	{0, OP_NONE, 0},       {1, OP_STORE, 32},     {2, OP_STORE, 64},   {47, OP_ADD, 8},
	{48, OP_ADD, 16},      {50, OP_ADD, 32},      {51, OP_ADD, 64},	   {52, OP_SUB, 8},
	{53, OP_SUB, 16},      {55, OP_SUB, 32},      {56, OP_SUB, 64},	   {99, OP_PLACE, 32},
	{100, OP_NONE, 0},     {102, OP_NONE, 0},     {105, OP_ADD, 6},	   {106, OP_SUB, 6},
	{107, OP_ADD_ULEB, 0}, {108, OP_SUB_ULEB, 0}, {109, OP_PLACE, 64},
};

#define EM_LOONGARCH_NUMBER 258

/* A section has one with its relocations; each costs a walk over all sections. */
#define MAX_RELOCATION_SECTIONS 16

static const struct machine {
	uint16_t machine;
	const struct relocation_type *types;
	size_t n;
} machines[] = {
#define MACHINE(number, types)                   \
	{                                        \
		number, types, ARRAY_SIZE(types) \
	}
	MACHINE(EM_X86_64, x86_64_types),   MACHINE(EM_386, i386_types),
	MACHINE(EM_AARCH64, aarch64_types), MACHINE(EM_ARM, arm_types),
	MACHINE(EM_RISCV, riscv_types),	    MACHINE(EM_S390, s390_types),
	MACHINE(EM_PPC, ppc_types),	    MACHINE(EM_PPC64, ppc64_types),
	MACHINE(EM_MIPS, mips_types),	    MACHINE(EM_LOONGARCH_NUMBER, loongarch_types),
#undef MACHINE
};

static const struct machine *find_machine(unsigned number)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machines[i].machine == number)
			return &machines[i];
	}
	return NULL;
}

static struct relocation_type find_type(const struct machine *machine, uint32_t type)
{
	for (size_t i = 0; i < machine->n; i++) {
		if (machine->types[i].type == type)
			return machine->types[i];
	}
	return (struct relocation_type){.operation = OP_UNKNOWN};
}

/* One place of the target section. */
struct place {
	uint8_t *at;
	size_t room; /* to the end of the section */
	bool big;
};

static uint64_t load(const struct place *place, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | place->at[place->big ? i : bytes - 1 - i];
	return value;
}

static void store(const struct place *place, size_t bytes, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++) {
		place->at[place->big ? bytes - 1 - i : i] = (uint8_t)value;
		value >>= 8;
	}
}

/**
 * Change a ULEB128 number without changing its length: the assembler left room for the result of the
 * pair, of which the first half alone may need more. False: it has no end.
 */
static bool change_uleb(const struct place *place, enum operation operation, uint64_t value)
{
	uint64_t old = 0;
	size_t n = 0;

	do {
		if (n >= place->room)
			return false;
		if (n < 10)
			old |= (uint64_t)(place->at[n] & 0x7f) << 7 * n;
	} while (place->at[n++] & 0x80);
	if (operation == OP_ADD_ULEB)
		value = old + value;
	else if (operation == OP_SUB_ULEB)
		value = old - value;
	for (size_t i = 0; i < n; i++) {
		place->at[i] = (uint8_t)((place->at[i] & 0x80) | (value & 0x7f));
		value >>= 7;
	}
	return true;
}

/** Do what a type says with `value`, the symbol and the addend. False: there is no room. */
static bool apply(const struct place *place, struct relocation_type type, uint64_t value)
{
	size_t bytes = type.bits < 8 ? 1 : type.bits / 8;
	uint64_t old, keep;

	if (type.operation == OP_SET_ULEB || type.operation == OP_ADD_ULEB ||
	    type.operation == OP_SUB_ULEB)
		return change_uleb(place, type.operation, value);
	if (bytes > place->room)
		return false;
	old = load(place, bytes);
	keep = type.bits == 6 ? old & 0xc0 : 0;
	if (type.operation == OP_ADD)
		value = old + value;
	else if (type.operation == OP_SUB)
		value = old - value;
	if (type.bits == 6)
		value &= 0x3f;
	store(place, bytes, keep | value);
	return true;
}

/* Relocations of one section. */
struct relocator {
	const struct kct_image *image;
	const struct machine *machine;
	Elf_Data *relocations;
	Elf_Data *symbols;
	Elf_Data *indexes; /* SHT_SYMTAB_SHNDX; may be NULL */
	bool has_addends;
	bool is_mips64el;
};

/** What a relocation adds up to without its addend. False: it names no symbol that is there. */
static bool symbol_value(const struct relocator *relocator, size_t number, uint64_t *ret_value)
{
	const struct kct_section *section;
	Elf32_Word wide = 0;
	GElf_Sym symbol;

	if (number == 0) {
		*ret_value = 0;
		return true;
	}
	if (number > INT32_MAX || !relocator->symbols ||
	    !gelf_getsymshndx(relocator->symbols, relocator->indexes, (int)number, &symbol, &wide))
		return false;
	*ret_value = symbol.st_value;
	if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON)
		*ret_value = 0;
	if (symbol.st_shndx != SHN_XINDEX && symbol.st_shndx >= SHN_LORESERVE)
		return true;
	section = kct_image_section(relocator->image,
				    symbol.st_shndx == SHN_XINDEX ? wide : symbol.st_shndx);
	if (!section)
		return false;
	*ret_value += section->address;
	return true;
}

/** Relocation `i`; one without an addend has it in its place. */
static bool get(const struct relocator *relocator, size_t i, GElf_Rela *ret)
{
	GElf_Rel rel;

	if (relocator->has_addends) {
		if (!gelf_getrela(relocator->relocations, (int)i, ret))
			return false;
	} else {
		if (!gelf_getrel(relocator->relocations, (int)i, &rel))
			return false;
		*ret = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	}
	/* There the type is in the last byte, in whatever order the rest is. */
	if (relocator->is_mips64el)
		ret->r_info = ret->r_info << 32 | ret->r_info >> 56;
	return true;
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	unsigned shift = 64 - bits;

	return bits == 0 || bits >= 64 ? value : (uint64_t)((int64_t)(value << shift) >> shift);
}

static void apply_one(const struct relocator *relocator, const GElf_Rela *rela, uint8_t *data,
		      size_t bytes, struct kct_relocation_faults *faults)
{
	bool wide = relocator->image->header.e_ident[EI_CLASS] == ELFCLASS64;
	uint32_t number = (uint32_t)GELF_R_TYPE(rela->r_info);
	struct relocation_type type;
	struct place place;
	uint64_t value;

	/* MIPS has three types in one word; the upper two are 0 here. */
	if (wide && relocator->machine->machine == EM_MIPS)
		number &= 0xff;
	type = find_type(relocator->machine, number);
	if (type.operation == OP_UNKNOWN && faults->unknown++ == 0)
		faults->type = number;
	if (type.operation == OP_UNKNOWN || type.operation == OP_NONE)
		return;
	if (rela->r_offset >= bytes || !symbol_value(relocator, GELF_R_SYM(rela->r_info), &value)) {
		faults->misplaced++;
		return;
	}
	place = (struct place){data + rela->r_offset, bytes - (size_t)rela->r_offset,
			       relocator->image->header.e_ident[EI_DATA] == ELFDATA2MSB};
	if (relocator->has_addends)
		value += (uint64_t)rela->r_addend;
	else if (type.bits / 8u <= place.room)
		value += sign_extend(load(&place, type.bits / 8u), type.bits);
	/* A section without code lies at 0. */
	if (type.operation == OP_PLACE)
		value -= rela->r_offset;
	faults->misplaced += !apply(&place, type, value);
}

/** Set up to read section `index`, which holds relocations. */
static bool open_relocations(struct relocator *relocator, size_t index)
{
	const struct kct_image *image = relocator->image;
	Elf_Scn *scn = elf_getscn(image->elf, index), *symbols;
	GElf_Shdr header;

	if (!scn || !gelf_getshdr(scn, &header) || (header.sh_flags & SHF_COMPRESSED))
		return false;
	relocator->has_addends = header.sh_type == SHT_RELA;
	relocator->relocations = elf_getdata(scn, NULL);
	symbols = elf_getscn(image->elf, header.sh_link);
	relocator->symbols = symbols ? elf_getdata(symbols, NULL) : NULL;
	relocator->indexes = NULL;
	for (size_t i = 0; i < image->n_sections; i++) {
		Elf_Scn *extra = elf_getscn(image->elf, i);
		GElf_Shdr other;

		if (image->sections[i].type == SHT_SYMTAB_SHNDX && extra &&
		    gelf_getshdr(extra, &other) && other.sh_link == header.sh_link)
			relocator->indexes = elf_getdata(extra, NULL);
	}
	return relocator->relocations != NULL;
}

static void apply_section(struct relocator *relocator, size_t index, uint8_t *data, size_t bytes,
			  struct kct_relocation_faults *faults)
{
	Elf *elf = relocator->image->elf;
	size_t entry, n;

	if (!open_relocations(relocator, index))
		return;
	entry = gelf_fsize(elf, relocator->has_addends ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	n = entry ? relocator->relocations->d_size / entry : 0;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Rela rela;

		if (get(relocator, i, &rela))
			apply_one(relocator, &rela, data, bytes, faults);
	}
}

void kct_relocate(const struct kct_image *image, size_t target, uint8_t *data, size_t bytes,
		  struct kct_relocation_faults *faults)
{
	const unsigned char *ident = image->header.e_ident;
	struct relocator relocator = {
		.image = image,
		.machine = find_machine(image->header.e_machine),
		.is_mips64el = image->header.e_machine == EM_MIPS &&
			       ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB,
	};

	for (size_t i = 0, n = 0; i < image->n_sections && n < MAX_RELOCATION_SECTIONS; i++) {
		const struct kct_section *section = &image->sections[i];

		if ((section->type != SHT_RELA && section->type != SHT_REL) ||
		    section->info != target)
			continue;
		n++;
		if (!relocator.machine)
			faults->no_machine = true;
		else
			apply_section(&relocator, i, data, bytes, faults);
	}
}
