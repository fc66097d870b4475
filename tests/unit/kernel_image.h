/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kernel_image.h
 * A made vmlinux and a made module for the tests of images: sections, notes, symbols.
 */
#ifndef KCT_TESTS_KERNEL_IMAGE_H
#define KCT_TESTS_KERNEL_IMAGE_H

#include <kcovtrace/image.h>

#include "elf_image.h"

#define CODE (SHF_ALLOC | SHF_EXECINSTR)

/* Section numbers of `kernel`. */
enum { TEXT = 1, NOTES, INIT, DATA };

/* Two foreign notes in front of the build ID, one with a name that needs padding. */
static const uint8_t notes[] = {
	6,   0,	  0,   0,   4,	  0,	0,    0,    1,	  1,	0,    0, /* "Linux", type 0x101 */
	'L', 'i', 'n', 'u', 'x',  0,	0,    0,    0x11, 0x22, 0x33, 0x44, 4,
	0,   0,	  0,   2,   0,	  0,	0,    5,    0,	  0,	0, /* "GNU", but no build ID */
	'G', 'N', 'U', 0,   9,	  9,	0,    0,    4,	  0,	0,    0,    5,
	0,   0,	  0,   3,   0,	  0,	0, /* the build ID, 5 bytes */
	'G', 'N', 'U', 0,   0xca, 0xfe, 0x01, 0x02, 0x03, 0,	0,    0,
};

static const struct elf_section kernel_sections[] = {
	{".text", SHT_PROGBITS, CODE, 0xffffffff81000000, 0x1000, NULL, 0},
	{".notes", SHT_NOTE, SHF_ALLOC, 0xffffffff81002000, sizeof(notes), notes, 0},
	{".init.text", SHT_PROGBITS, CODE, 0xffffffff81003000, 0x100, NULL, 0},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0xffffffff81004000, 0x100, NULL, 0},
	{NULL, 0, 0, 0, 0, NULL, 0},
};

static const struct elf_symbol kernel_symbols[] = {
	{"_stext", 0xffffffff81000000, 0, STB_GLOBAL, STT_NOTYPE, TEXT},
	{"second", 0xffffffff81000100, 0x40, STB_LOCAL, STT_FUNC, TEXT},
	{"first", 0xffffffff81000000, 0x20, STB_GLOBAL, STT_FUNC, TEXT},
	{"__pfx_second", 0xffffffff810000f0, 0x10, STB_LOCAL, STT_FUNC, TEXT},
	{"asm_code", 0xffffffff81000200, 0, STB_GLOBAL, STT_NOTYPE, TEXT},
	{"start_up", 0xffffffff81003000, 0x10, STB_LOCAL, STT_FUNC, INIT},
	{"variable", 0xffffffff81004010, 8, STB_GLOBAL, STT_OBJECT, DATA},
	{"constant", 0x1234, 0, STB_GLOBAL, STT_NOTYPE, SHN_ABS},
	{"elsewhere", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF},
	{"twice", 0xffffffff81000300, 0x10, STB_LOCAL, STT_FUNC, TEXT},
	{"twice", 0xffffffff81000400, 0x10, STB_WEAK, STT_FUNC, TEXT},
	{NULL, 0, 0, 0, 0, 0},
};

static const struct elf_image kernel = {.sections = kernel_sections, .symbols = kernel_symbols};

static const struct elf_section module_sections[] = {
	{".text", SHT_PROGBITS, CODE, 0, 0x100, NULL, 0},
	{".init.text", SHT_PROGBITS, CODE, 0, 0x100, NULL, 0},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 0x100, NULL, 0},
	{".comment", SHT_PROGBITS, 0, 0, 4, NULL, 0},
	{".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, UINT64_C(1) << 63, NULL, 0},
	{NULL, 0, 0, 0, 0, NULL, 0},
};

/* All at 0x10 of their section. */
static const struct elf_symbol module_symbols[] = {
	{"run", 0x10, 0x20, STB_LOCAL, STT_FUNC, 1},
	{"start", 0x10, 0x20, STB_LOCAL, STT_FUNC, 2},
	{"data", 0x10, 8, STB_LOCAL, STT_OBJECT, 3},
	{NULL, 0, 0, 0, 0, 0},
};

static const struct elf_image module = {
	.type = ET_REL, .sections = module_sections, .symbols = module_symbols};

#endif
