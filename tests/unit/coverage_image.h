/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file coverage_image.h
 * A small arm64 image with coverage points, lines and an inlined call, made byte by byte from the ELF, DWARF 4 and
 * Arm manuals.
 *
 *     address  instruction      line
 *     f + 0    bl  pc           a.c 10    point 0
 *     f + 4    cbz x0, f + 18   a.c 11
 *     f + 8    bl  pc           a.c 12    point 1
 *     f + c    nop              a.c 13
 *     f + 10   nop              h.h 5     leaf(), inlined by a call in a.c 17
 *     f + 14   b   f + 20       a.c 14
 *     f + 18   bl  pc           a.c 16    point 2
 *     f + 1c   nop              a.c 13    as before
 *     f + 20   nop              a.c 18
 *     f + 24   ret              a.c 19
 *     g + 0    bl  pc           a.c 30    point 3
 *     g + 4    bl  exit         a.c 31    no coverage point
 *     g + 8    ret              a.c 32
 *     n + 0    bl  pc           a.c 40    point 4; n has no symbol, and so no graph
 *     n + 4    nop              a.c 41
 *     n + 8    ret              a.c 42
 */
#ifndef KCT_TESTS_COVERAGE_IMAGE_H
#define KCT_TESTS_COVERAGE_IMAGE_H

#include <kcovtrace/points.h>

#include "elf_image.h"

/* Offsets in the code. */
enum {
	F = 0,
	G = 0x28,
	N_AT = 0x34,
	END = 0x40,
	PC_CALLBACK = 0x40,
	EXIT_CALLBACK = 0x48,
	ALL = 0x50
};

/* Call and return address of the points; the exit is at G + 4. */
static const uint64_t point_calls[] = {F, F + 8, F + 0x18, G, N_AT};
#define POINT_PC(base, i) ((base) + point_calls[i] + 4)

#define NOP	      0xd503201fu
#define RET	      0xd65f03c0u
#define BL(from, to)  (0x94000000u | ((((uint32_t)(to) - (uint32_t)(from)) / 4) & 0x03ffffffu))
#define B(from, to)   (0x14000000u | ((((uint32_t)(to) - (uint32_t)(from)) / 4) & 0x03ffffffu))
#define CBZ(from, to) (0xb4000000u | ((uint32_t)(to) - (uint32_t)(from)) / 4 << 5)

static const uint32_t coverage_code[] = {
	BL(F, PC_CALLBACK),
	CBZ(F + 4, F + 0x18),
	BL(F + 8, PC_CALLBACK),
	NOP,
	NOP,
	B(F + 0x14, F + 0x20),
	BL(F + 0x18, PC_CALLBACK),
	NOP,
	NOP,
	RET,
	BL(G, PC_CALLBACK),
	BL(G + 4, EXIT_CALLBACK),
	RET,
	BL(N_AT, PC_CALLBACK),
	NOP,
	RET,
	RET,
	NOP,
	RET,
	NOP,
};

/* Where a row of the line table begins; the file is 1 (a.c) or 2 (h.h). */
static const struct {
	uint8_t offset, file, line;
} coverage_rows[] = {
	{F, 1, 10},	   {F + 4, 1, 11},    {F + 8, 1, 12},	 {F + 0xc, 1, 13},
	{F + 0x10, 2, 5},  {F + 0x14, 1, 14}, {F + 0x18, 1, 16}, {F + 0x1c, 1, 13},
	{F + 0x20, 1, 18}, {F + 0x24, 1, 19}, {G, 1, 30},	 {G + 4, 1, 31},
	{G + 8, 1, 32},	   {N_AT, 1, 40},     {N_AT + 4, 1, 41}, {N_AT + 8, 1, 42},
};

static const struct elf_image coverage_plain = {0};

static void coverage_put_lines(struct elf_bytes *line, uint64_t base)
{
	/* Version 4; the header goes on for 34 bytes; opcodes up to 13 are standard ones. */
	static const uint8_t header[] = {4, 0, 34, 0, 0,   0,	1,   1, 1, 0xfb, 14, 13,  0,   1,
					 1, 1, 1,  0, 0,   0,	1,   0, 0, 1,	 0,  'a', '.', 'c',
					 0, 0, 0,  0, 'h', '.', 'h', 0, 0, 0,	 0,  0};
	struct elf_bytes b = {0};
	uint8_t at = 0;
	int now = 1;

	elf_put_bytes(&b, header, sizeof(header));
	elf_put(&b, &coverage_plain, 0x020900, 3); /* set_address */
	elf_put(&b, &coverage_plain, base, 8);
	for (size_t i = 0; i < sizeof(coverage_rows) / sizeof(coverage_rows[0]); i++) {
		/* Distances are below 64, so that each number is one byte. */
		const uint8_t row[] = {2, (uint8_t)(coverage_rows[i].offset - at), /* advance_pc */
				       4, coverage_rows[i].file,		   /* set_file */
				       3, (coverage_rows[i].line - now) & 0x7f, /* advance_line */
				       1};					/* copy */

		elf_put_bytes(&b, row, sizeof(row));
		at = coverage_rows[i].offset;
		now = coverage_rows[i].line;
	}
	elf_put(&b, &coverage_plain, 2 | (uint64_t)(END - at) << 8, 2);
	elf_put(&b, &coverage_plain, 0x010100, 3); /* end_sequence */
	elf_put(line, &coverage_plain, b.n, 4);
	elf_put_bytes(line, b.data, b.n);
	free(b.data);
}

/** An entry with a name, an address and a size. */
static void coverage_put_function(struct elf_bytes *info, uint8_t code, char name, uint64_t start,
				  uint32_t bytes)
{
	elf_put(info, &coverage_plain, code, 1);
	elf_put(info, &coverage_plain, (uint8_t)name, 2); /* and its NUL */
	elf_put(info, &coverage_plain, start, 8);
	elf_put(info, &coverage_plain, bytes, 4);
}

static void coverage_put_info(struct elf_bytes *info, uint64_t base)
{
	uint32_t origin, length;

	elf_put(info, &coverage_plain, 0, 4); /* the length, later */
	elf_put(info, &coverage_plain, 4, 2);
	elf_put(info, &coverage_plain, 0, 4);
	elf_put(info, &coverage_plain, 8, 1);
	coverage_put_function(info, 1, 'u', base, END); /* the unit looks the same */
	elf_put(info, &coverage_plain, 0, 4);		/* lines */
	elf_put(info, &coverage_plain, 0x0c, 1);	/* C99 */
	origin = (uint32_t)info->n;
	elf_put(info, &coverage_plain, 2, 1);
	elf_put(info, &coverage_plain, 'l', 2);
	coverage_put_function(info, 3, 'f', base + F, G - F);
	elf_put(info, &coverage_plain, 4, 1); /* the call of leaf */
	elf_put(info, &coverage_plain, origin, 4);
	elf_put(info, &coverage_plain, base + F + 0x10, 8);
	elf_put(info, &coverage_plain, 4, 4);
	elf_put(info, &coverage_plain, 1, 1); /* file and line of the call */
	elf_put(info, &coverage_plain, 17, 1);
	elf_put(info, &coverage_plain, 0, 1);
	coverage_put_function(info, 5, 'g', base + G, N_AT - G);
	coverage_put_function(info, 5, 'n', base + N_AT, END - N_AT);
	elf_put(info, &coverage_plain, 0, 1);
	length = (uint32_t)info->n - 4;
	memcpy(info->data, &length, 4);
}

/** An image whose code begins at `base` and whose build ID is the four bytes of `build_id`. */
static struct elf_bytes coverage_make(uint64_t base, const uint8_t build_id[4])
{
	/* By code: tag, children, pairs of attribute and form (name string, low_pc addr, high_pc data4,
	 * stmt_list sec_offset, language data1, inline data1, abstract_origin ref4, call file and line data1). */
	static const uint8_t abbrev[] = {
		1, 0x11, 1,    0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0x13, 0x0b,
		0, 0,	 2,    0x2e, 0,	   0x03, 0x08, 0,    0, /* an abstract function */
		3, 0x2e, 1,    0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0,	 0,    4,    0x1d,
		0, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0b, 0,    0,
		5, 0x2e, 0,    0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0,	 0,    0};
	uint8_t note[] = {4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0, 0, 0, 0};
	const struct elf_symbol symbols[] = {
		{"f", base + F, G - F, STB_GLOBAL, STT_FUNC, 1},
		{"g", base + G, N_AT - G, STB_GLOBAL, STT_FUNC, 1},
		{"__sanitizer_cov_trace_pc", base + PC_CALLBACK, 8, STB_GLOBAL, STT_FUNC, 1},
		{"__sanitizer_cov_trace_pc_exit", base + EXIT_CALLBACK, 8, STB_GLOBAL, STT_FUNC, 1},
		{0}};
	struct elf_bytes line = {0}, info = {0}, file;

	memcpy(note + 16, build_id, 4);
	coverage_put_lines(&line, base);
	coverage_put_info(&info, base);
	{
		const struct elf_section sections[] = {
			{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, base, ALL, coverage_code,
			 0},
			{".notes", SHT_NOTE, SHF_ALLOC, base + 0x1000, sizeof(note), note, 0},
			{".debug_info", SHT_PROGBITS, 0, 0, info.n, info.data, 0},
			{".debug_abbrev", SHT_PROGBITS, 0, 0, sizeof(abbrev), abbrev, 0},
			{".debug_line", SHT_PROGBITS, 0, 0, line.n, line.data, 0},
			{0}};

		file = elf_make(&(struct elf_image){
			.machine = EM_AARCH64, .sections = sections, .symbols = symbols});
	}
	free(line.data);
	free(info.data);
	return file;
}

#endif
