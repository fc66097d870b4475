/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file code_image.h
 * A linked ELF image around hand-made code: `.text` at CODE_BASE with the function `f` first, and the symbols
 * that a test wants besides, such as callbacks.
 */
#ifndef KCT_TESTS_CODE_IMAGE_H
#define KCT_TESTS_CODE_IMAGE_H

#include <kcovtrace/points.h>

#include "elf_image.h"

#define CODE_BASE  0x10000u
#define CODE_BYTES 0x400u
#define DATA_BASE  0x20000u

struct code_image {
	struct elf_bytes file;
	struct kct_image *image;
	struct kct_points *points;
	struct kct_error error;
	int result; /* of kct_points_new() */
};

/** Open an image with `code` (CODE_BYTES) and `data` (256 bytes, may be NULL); `symbols` end with one without
 *  a name and lie in section 1 if they are code. */
static void code_open_image(struct code_image *self, uint16_t machine, uint8_t class, uint8_t order,
			    const uint8_t *code, const uint8_t *data,
			    const struct elf_symbol *symbols)
{
	struct elf_section sections[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_BASE, CODE_BYTES, code, 0},
		{".rodata", SHT_PROGBITS, SHF_ALLOC, DATA_BASE, 256, data, 0},
		{0},
	};

	*self = (struct code_image){0};
	self->file = elf_make(&(struct elf_image){.class = class,
						  .order = order,
						  .machine = machine,
						  .sections = sections,
						  .symbols = symbols});
	if (kct_image_open_memory(self->file.data, self->file.n, "image", &self->image,
				  &self->error) < 0)
		fail_msg("%s", self->error.text);
}

/** The same, and look for its points. */
static inline void code_open(struct code_image *self, uint16_t machine, uint8_t class,
			     uint8_t order, const uint8_t *code, const uint8_t *data,
			     const struct elf_symbol *symbols)
{
	code_open_image(self, machine, class, order, code, data, symbols);
	self->result = kct_points_new(self->image, NULL, &self->points, &self->error);
}

static void code_close(struct code_image *self)
{
	kct_points_free(self->points);
	kct_image_free(self->image);
	free(self->file.data);
}

/** An x86 instruction of `opcode` (1 or 2 bytes) and the distance to `target` at code[at]. */
static inline size_t x86_jump(uint8_t *code, size_t at, unsigned opcode, uint64_t target)
{
	uint32_t distance;

	if (opcode > 0xff)
		code[at++] = (uint8_t)(opcode >> 8);
	code[at++] = (uint8_t)opcode;
	distance = (uint32_t)(target - (CODE_BASE + at + 4));
	for (unsigned i = 0; i < 4; i++)
		code[at++] = (uint8_t)(distance >> 8 * i);
	return at;
}

#endif
