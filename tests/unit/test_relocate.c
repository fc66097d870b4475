/* SPDX-License-Identifier: BSD-2-Clause */
/* Relocations of a debug section, one at a time: types of each machine, both byte orders, damage. */
#include "check.h"

#include <kcovtrace/image.h>

#include "elf_image.h"
#include "image/relocate.h"

/* Section numbers of the images below. */
enum { TEXT = 1, INFO, RELOCATIONS, SYMTAB };

#define TEXT_ADDRESS 0x1122334455660000u

/* Symbol numbers: the first is the empty one. */
enum { NO_SYMBOL, IN_TEXT, ABSOLUTE, UNDEFINED, OF_INFO };

static const struct elf_symbol symbols[] = {
	{"in_text", 0x7788, 4, STB_LOCAL, STT_FUNC, TEXT},
	{"absolute", 0x99, 0, STB_LOCAL, STT_NOTYPE, SHN_ABS},
	{"undefined", 0, 0, STB_GLOBAL, STT_NOTYPE, SHN_UNDEF},
	{"info", 0, 0, STB_LOCAL, STT_SECTION, INFO},
	{NULL, 0, 0, 0, 0, 0},
};

struct row {
	const char *name;
	uint16_t machine;
	uint8_t class, order;
	uint32_t type, symbol;
	uint64_t offset, addend;
	const char *before, *after; /* 8 bytes at the offset 4 of a section of 12 */
	int unknown, misplaced;
};

#define LE ELFCLASS64, ELFDATA2LSB
#define BE ELFCLASS64, ELFDATA2MSB

static const struct row rows[] = {
	{"x86-64 64", EM_X86_64, LE, 1, IN_TEXT, 4, 1, "........",
	 "\x89\x77\x66\x55\x44\x33\x22\x11", 0, 0},
	{"x86-64 32", EM_X86_64, LE, 10, ABSOLUTE, 4, 2, "........", "\x9b\0\0\0....", 0, 0},
	{"x86-64 PC32", EM_X86_64, LE, 2, ABSOLUTE, 4, 0, "........", "\x95\0\0\0....", 0, 0},
	{"section", EM_X86_64, LE, 10, OF_INFO, 4, 0x123, "........", "\x23\x01\0\0....", 0, 0},
	{"undefined counts as 0", EM_X86_64, LE, 10, UNDEFINED, 4, 5, "........", "\5\0\0\0....", 0,
	 0},
	{"none", EM_X86_64, LE, 0, IN_TEXT, 4, 5, "........", "........", 0, 0},
	{"unknown", EM_X86_64, LE, 250, IN_TEXT, 4, 5, "........", "........", 1, 0},
	{"past the end", EM_X86_64, LE, 1, IN_TEXT, 5, 5, "........", "........", 0, 1},
	{"far past the end", EM_X86_64, LE, 1, IN_TEXT, UINT64_MAX, 5, "........", "........", 0,
	 1},
	{"no such symbol", EM_X86_64, LE, 1, 77, 4, 5, "........", "........", 0, 1},
	{"arm64", EM_AARCH64, LE, 258, ABSOLUTE, 4, 0x100, "........", "\x99\1\0\0....", 0, 0},
	{"s390x", EM_S390, BE, 22, IN_TEXT, 4, 0, "........", "\x11\x22\x33\x44\x55\x66\x77\x88", 0,
	 0},
	{"powerpc64", EM_PPC64, BE, 1, ABSOLUTE, 4, 1, "........", "\0\0\0\x9a....", 0, 0},
	{"RISC-V ADD32", EM_RISCV, LE, 35, ABSOLUTE, 4, 1, "\1\0\0\0....", "\x9b\0\0\0....", 0, 0},
	{"RISC-V SUB16", EM_RISCV, LE, 38, ABSOLUTE, 4, 1, "\x9b\0......", "\1\0......", 0, 0},
	{"RISC-V SET8", EM_RISCV, LE, 54, ABSOLUTE, 4, 1, "........", "\x9a.......", 0, 0},
	/* Two bits of the byte are not the number's. */
	{"RISC-V SET6", EM_RISCV, LE, 53, ABSOLUTE, 4, 0, "\x80.......", "\x99.......", 0, 0},
	{"RISC-V SUB6", EM_RISCV, LE, 52, ABSOLUTE, 4, 0, "\x5a.......", "\x41.......", 0, 0},
	/* 0x99 in three bytes, as the assembler has left room for. */
	{"RISC-V SET_ULEB128", EM_RISCV, LE, 60, ABSOLUTE, 4, 0, "\x80\x80\0.....",
	 "\x99\x81\0.....", 0, 0},
	/* 0x199 less 0x99: 0x100 */
	{"RISC-V SUB_ULEB128", EM_RISCV, LE, 61, ABSOLUTE, 4, 0, "\x99\x83\0.....",
	 "\x80\x82\0.....", 0, 0},
	/* Up to the end of the section all bytes go on; they are left as they are. */
	{"number without an end", EM_RISCV, LE, 60, ABSOLUTE, 4, 0,
	 "\x80\x80\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80\x80\x80\x80", 0, 1},
	{"LoongArch SUB_ULEB128", 258, LE, 108, ABSOLUTE, 4, 0, "\x99\x83\0.....",
	 "\x80\x82\0.....", 0, 0},
	{"MIPS64", EM_MIPS, BE, 18, IN_TEXT, 4, 0, "........", "\x11\x22\x33\x44\x55\x66\x77\x88",
	 0, 0},
};

static void put_relocation(struct elf_bytes *out, const struct elf_image *image,
			   const struct row *row)
{
	elf_put(out, image, row->offset, 8);
	elf_put(out, image, (uint64_t)row->symbol << 32 | row->type, 8);
	elf_put(out, image, row->addend, 8);
}

/** Write sh_link and sh_info of the relocations, which elf_make() does not know. */
static void link_relocations(const struct elf_bytes *bytes, bool big)
{
	uint8_t *header = bytes->data + bytes->headers + RELOCATIONS * sizeof(Elf64_Shdr);

	header[offsetof(Elf64_Shdr, sh_link) + (big ? 3 : 0)] = SYMTAB;
	header[offsetof(Elf64_Shdr, sh_info) + (big ? 3 : 0)] = INFO;
}

static void check_row(const struct row *row)
{
	struct elf_bytes relocations = {0}, bytes;
	struct elf_section sections[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0x8000, NULL, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, 12, NULL, 0},
		{".rela.debug_info", SHT_RELA, 0, 0, 24, NULL, 0},
		{NULL, 0, 0, 0, 0, NULL, 0},
	};
	const struct elf_image description = {.class = row->class,
					      .order = row->order,
					      .type = ET_REL,
					      .machine = row->machine,
					      .sections = sections,
					      .symbols = symbols};
	struct kct_relocation_faults faults = {0};
	struct kct_image *image = NULL;
	uint8_t data[12] = "....________";

	put_relocation(&relocations, &description, row);
	sections[RELOCATIONS - 1].data = relocations.data;
	bytes = elf_make(&description);
	link_relocations(&bytes, row->order == ELFDATA2MSB);
	assert_int_equal(kct_image_open_memory(bytes.data, bytes.n, "test", &image, NULL), 0);
	assert_int_equal(kct_image_set_section(image, ".text", TEXT_ADDRESS), 0);
	memcpy(data + 4, row->before, 8);
	kct_relocate(image, INFO, data, sizeof(data), &faults);
	CHECK(row->name, memcmp(data + 4, row->after, 8) == 0);
	CHECK(row->name, memcmp(data, "....", 4) == 0);
	CHECK_EQ(row->name, faults.unknown, row->unknown);
	CHECK_EQ(row->name, faults.misplaced, row->misplaced);
	CHECK(row->name, !faults.no_machine);
	kct_image_free(image);
	free(bytes.data);
	free(relocations.data);
}

static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_types)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
