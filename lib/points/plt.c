/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "points/code.h"
#include "points/roles.h"

/* A slot of the global offset table that the dynamic linker fills with the address of a function. */
struct slot {
	uint64_t address;
	uint32_t role;
};

struct slots {
	struct slot *items;
	size_t n, max;
	uint32_t *roles; /* by index of the dynamic symbol */
	size_t n_roles, max_roles;
};

static int add_role(void *context, const struct kct_table_symbol *symbol)
{
	struct slots *slots = context;

	if (kct_array_reserve(&slots->roles, &slots->max_roles, symbol->index + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	slots->roles[symbol->index] = kct_role_of_name(symbol->name);
	slots->n_roles = symbol->index + 1;
	return 0;
}

static int add_slots(struct slots *slots, struct kct_image *image, size_t index)
{
	Elf_Scn *scn = elf_getscn(image->elf, index);
	size_t entry = gelf_fsize(image->elf, ELF_T_RELA, 1, EV_CURRENT);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr header;
	int result;

	if (!data || !gelf_getshdr(scn, &header) || header.sh_link == 0 || entry == 0)
		return 0;
	slots->n_roles = 0;
	result = kct_image_visit_symbols(image, header.sh_link, add_role, slots);
	for (size_t i = 0; i < data->d_size / entry && result >= 0; i++) {
		GElf_Rela rela;
		uint32_t role = KCT_ROLE_NONE;

		if (!gelf_getrela(data, (int)i, &rela))
			continue;
		if ((GELF_R_TYPE(rela.r_info) == R_X86_64_JUMP_SLOT ||
		     GELF_R_TYPE(rela.r_info) == R_X86_64_GLOB_DAT) &&
		    GELF_R_SYM(rela.r_info) < slots->n_roles)
			role = slots->roles[GELF_R_SYM(rela.r_info)];
		if (role == KCT_ROLE_NONE)
			continue;
		if (kct_array_reserve(&slots->items, &slots->max, slots->n + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		slots->items[slots->n++] = (struct slot){rela.r_offset, role};
	}
	return result;
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/** Where the stub begins whose jump through a slot is at code[i]: [endbr64] [bnd] jmp *slot(%rip). */
static uint64_t stub_start(const uint8_t *code, uint64_t i)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	if (i >= 1 && code[i - 1] == 0xf2)
		i--;
	if (i >= sizeof(endbr64) &&
	    memcmp(code + i - sizeof(endbr64), endbr64, sizeof(endbr64)) == 0)
		i -= sizeof(endbr64);
	return i;
}

static int add_stubs(struct kct_roles *roles, const struct slots *slots,
		     const struct kct_section *section, const uint8_t *code)
{
	for (uint64_t i = 0; section->size >= 6 && i <= section->size - 6; i++) {
		const struct slot *slot;
		struct slot key;
		int result;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		key.address = section->address + i + 6 + kct_le32_signed(code + i + 2);
		slot = bsearch(&key, slots->items, slots->n, sizeof(key), compare_slots);
		if (!slot)
			continue;
		result = kct_roles_add(roles, section->address + stub_start(code, i), slot->role);
		if (result < 0)
			return result;
	}
	return 0;
}

int kct_plt_load(struct kct_roles *roles, struct kct_image *image)
{
	struct slots slots = {0};
	int result = 0;

	if (image->relocatable || image->header.e_machine != EM_X86_64)
		return 0;
	for (size_t i = 0; i < image->n_sections && result >= 0; i++) {
		const struct kct_section *section = &image->sections[i];

		if (section->type == SHT_RELA && (section->flags & SHF_ALLOC))
			result = add_slots(&slots, image, i);
	}
	if (slots.n)
		qsort(slots.items, slots.n, sizeof(*slots.items), compare_slots);
	for (size_t i = 0; i < image->n_sections && slots.n && result >= 0; i++) {
		const struct kct_section *section = &image->sections[i];
		const uint8_t *code = kct_section_data(image, section);

		if (code && kct_section_is_code(section) && strncmp(section->name, ".plt", 4) == 0)
			result = add_stubs(roles, &slots, section, code);
	}
	free(slots.items);
	free(slots.roles);
	return result;
}
