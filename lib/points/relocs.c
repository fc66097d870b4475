/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "points/code.h"
#include "points/relocs.h"

/* Elf32_Rel of 32-bit ARM has its addend in the instruction. Nothing here needs it: of such machines only
 * the symbol's name counts. That of i386 is in the field. */

struct form {
	uint16_t machine;
	uint32_t type;
	int8_t to_target; /* add to symbol + addend for where a jump goes */
	bool is_jump;	  /* where the type says so, else the opcode does */
	uint8_t before;	  /* bytes of the instruction before the field */
	uint8_t after;	  /* bytes from the field to the return address */
	uint8_t call;	  /* bytes from there back to the calling instruction */
};

static const struct form forms[] = {
	{EM_X86_64, R_X86_64_PC32, 4, false, 1, 4, 5},
	{EM_X86_64, R_X86_64_PLT32, 4, false, 1, 4, 5},
	{EM_X86_64, R_X86_64_GOTPCREL, 4, false, 2, 4, 6},
	{EM_X86_64, R_X86_64_GOTPCRELX, 4, false, 2, 4, 6},
	{EM_386, R_386_PC32, 4, false, 1, 4, 5},
	{EM_386, R_386_PLT32, 4, false, 1, 4, 5},
	{EM_AARCH64, R_AARCH64_CALL26, 0, false, 0, 4, 4},
	{EM_AARCH64, R_AARCH64_JUMP26, 0, true, 0, 4, 4},
	{EM_AARCH64, R_AARCH64_CONDBR19, 0, true, 0, 4, 4},
	{EM_AARCH64, R_AARCH64_TSTBR14, 0, true, 0, 4, 4},
	{EM_ARM, R_ARM_CALL, 0, false, 0, 4, 4},
	{EM_ARM, R_ARM_PC24, 0, false, 0, 4, 4},
	{EM_ARM, R_ARM_PLT32, 0, false, 0, 4, 4},
	{EM_ARM, R_ARM_THM_PC22, 0, false, 0, 4, 4}, /* THM_CALL today */
	{EM_ARM, R_ARM_JUMP24, 0, false, 0, 4, 4},   /* also a call under a condition */
	{EM_ARM, R_ARM_THM_JUMP24, 0, true, 0, 4, 4},
	{EM_S390, R_390_PC32DBL, -2, false, 2, 4, 6},
	{EM_S390, R_390_PLT32DBL, -2, false, 2, 4, 6},
	{EM_RISCV, R_RISCV_CALL, 0, false, 0, 8, 4},
	{EM_RISCV, R_RISCV_CALL_PLT, 0, false, 0, 8, 4},
	{EM_RISCV, R_RISCV_JAL, 0, false, 0, 4, 4},
};

static const struct form *form_of(unsigned machine, uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].machine == machine && forms[i].type == type)
			return &forms[i];
	}
	return NULL;
}

/* What a relocation can point to, by the index of its symbol. */
struct pointee {
	uint64_t address;
	uint8_t role;
	bool known;
};

struct loading {
	struct kct_relocs *relocs;
	struct pointee *pointees;
	size_t n, max;
	size_t table; /* section of the symbols that are loaded; 0: none */
};

void kct_relocs_clear(struct kct_relocs *relocs)
{
	free(relocs->items);
	*relocs = (struct kct_relocs){0};
}

static int add_pointee(void *context, const struct kct_table_symbol *symbol)
{
	struct loading *loading = context;

	if (kct_array_reserve(&loading->pointees, &loading->max, symbol->index + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	loading->pointees[symbol->index] = (struct pointee){
		.address = symbol->address,
		.role = (uint8_t)kct_role_of_name(symbol->name),
		.known = symbol->known,
	};
	loading->n = symbol->index + 1;
	return 0;
}

/** Read entry `i`, whatever form the section has; an addend in the field is left out. */
static bool get_entry(Elf_Data *data, uint32_t type, size_t i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (type == SHT_RELA)
		return gelf_getrela(data, (int)i, rela) != NULL;
	if (!gelf_getrel(data, (int)i, &rel))
		return false;
	*rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

static int add_entry(struct loading *loading, const struct kct_image *image, size_t section,
		     GElf_Rela *rela, bool implicit)
{
	const struct kct_section *code = &image->sections[section];
	const uint8_t *bytes = kct_section_data(image, code);
	const struct form *form =
		form_of(image->header.e_machine, (uint32_t)GELF_R_TYPE(rela->r_info));
	struct kct_relocs *relocs = loading->relocs;
	const struct pointee *pointee;
	struct kct_reloc *reloc;

	if (!form || GELF_R_SYM(rela->r_info) >= loading->n || !bytes || code->size < 4 ||
	    rela->r_offset > code->size - 4)
		return 0;
	if (kct_array_reserve(&relocs->items, &relocs->max, relocs->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	if (implicit && image->header.e_machine == EM_386)
		rela->r_addend = (int64_t)kct_le32_signed(bytes + rela->r_offset);
	pointee = &loading->pointees[GELF_R_SYM(rela->r_info)];
	reloc = &relocs->items[relocs->n++];
	*reloc = (struct kct_reloc){
		.at = code->address + rela->r_offset,
		.section = (uint32_t)section,
		.type = form->type,
		.role = pointee->role,
	};
	if (pointee->known)
		reloc->target = pointee->address + (uint64_t)rela->r_addend +
				(uint64_t)(int64_t)form->to_target;
	return 0;
}

static int load_section(struct loading *loading, struct kct_image *image, size_t index)
{
	uint32_t type = image->sections[index].type;
	Elf_Scn *scn = elf_getscn(image->elf, index);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t entry =
		gelf_fsize(image->elf, type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	GElf_Shdr header;
	int result = 0;

	if (!data || entry == 0 || !gelf_getshdr(scn, &header) || header.sh_link == 0 ||
	    header.sh_info >= image->n_sections ||
	    !kct_section_is_code(&image->sections[header.sh_info]))
		return 0;
	if (loading->table != header.sh_link) {
		loading->n = 0;
		loading->table = header.sh_link;
		result = kct_image_visit_symbols(image, header.sh_link, add_pointee, loading);
	}
	for (size_t i = 0; i < data->d_size / entry && result >= 0; i++) {
		GElf_Rela rela;

		if (get_entry(data, type, i, &rela))
			result = add_entry(loading, image, header.sh_info, &rela, type == SHT_REL);
	}
	return result;
}

static int compare_relocs(const void *left, const void *right)
{
	const struct kct_reloc *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->type > b->type) - (a->type < b->type);
}

int kct_relocs_load(struct kct_relocs *relocs, struct kct_image *image)
{
	struct loading loading = {.relocs = relocs};
	int result = 0;

	kct_image_fix(image);
	for (size_t i = 0; i < image->n_sections && result >= 0; i++) {
		uint32_t type = image->sections[i].type;

		if (type == SHT_RELA || type == SHT_REL)
			result = load_section(&loading, image, i);
	}
	if (relocs->n)
		qsort(relocs->items, relocs->n, sizeof(*relocs->items), compare_relocs);
	free(loading.pointees);
	return result;
}

const struct kct_reloc *kct_relocs_find(const struct kct_relocs *relocs, uint64_t start,
					uint64_t end)
{
	size_t low = 0, high = relocs->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (relocs->items[middle].at < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < relocs->n && relocs->items[low].at < end ? &relocs->items[low] : NULL;
}

/** x86: the bytes before the field say what the instruction is. */
static enum kct_reloc_use x86_use(const uint8_t *field, uint64_t offset, const struct form *form)
{
	if (form->before == 2) { /* through the global offset table: ff 15, ff 25 */
		if (offset < 2 || field[-2] != 0xff)
			return KCT_RELOC_OTHER;
		return field[-1] == 0x15   ? KCT_RELOC_CALL
		       : field[-1] == 0x25 ? KCT_RELOC_JUMP
					   : KCT_RELOC_OTHER;
	}
	if (offset >= 1 && field[-1] == 0xe8)
		return KCT_RELOC_CALL;
	if ((offset >= 1 && field[-1] == 0xe9) ||
	    (offset >= 2 && field[-2] == 0x0f && (field[-1] & 0xf0) == 0x80))
		return KCT_RELOC_JUMP;
	return KCT_RELOC_OTHER;
}

enum kct_reloc_use kct_reloc_use(struct kct_image *image, const struct kct_reloc *reloc,
				 uint64_t *ret_start, uint64_t *ret_end)
{
	const struct kct_section *section = &image->sections[reloc->section];
	const struct form *form = form_of(image->header.e_machine, reloc->type);
	uint64_t offset = reloc->at - section->address;
	const uint8_t *field = kct_section_data(image, section) + offset;
	bool big = image->header.e_ident[EI_DATA] == ELFDATA2MSB;

	*ret_end = reloc->at + form->after;
	*ret_start = *ret_end - form->call;
	if (form->is_jump)
		return KCT_RELOC_JUMP;
	switch (form->machine) {
	case EM_X86_64:
	case EM_386:
		return x86_use(field, offset, form);
	case EM_S390: /* brasl, brcl, and larl, which is neither */
		if (offset < 2 || field[-2] != 0xc0)
			return KCT_RELOC_OTHER;
		return (field[-1] & 0xf) == 5	? KCT_RELOC_CALL
		       : (field[-1] & 0xf) == 4 ? KCT_RELOC_JUMP
						: KCT_RELOC_OTHER;
	case EM_ARM: /* R_ARM_JUMP24 is also that of bl under a condition */
		if (form->type == R_ARM_JUMP24 || form->type == R_ARM_PC24)
			return field[big ? 0 : 3] & 1 ? KCT_RELOC_CALL : KCT_RELOC_JUMP;
		return KCT_RELOC_CALL;
	case EM_RISCV: /* the register that gets the return address: of jal, or of jalr behind auipc */
		if (form->type == R_RISCV_JAL)
			return field[0] >> 7 | (field[1] & 0xf) ? KCT_RELOC_CALL : KCT_RELOC_JUMP;
		if (section->size - offset < 8)
			return KCT_RELOC_OTHER;
		return field[4] >> 7 | (field[5] & 0xf) ? KCT_RELOC_CALL : KCT_RELOC_JUMP;
	}
	return KCT_RELOC_CALL;
}
