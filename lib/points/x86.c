/* SPDX-License-Identifier: BSD-2-Clause */
/* x86: capstone says how long an instruction is if it is not a common one, its opcode what it does to the
 * flow of control. */
#include <string.h>

#ifdef KCT_HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "points/code.h"
#include "points/x86_length.h"

/* Bytes of a jump or call with a 32-bit displacement, which comes last. */
#define REL32 4

static bool is_prefix(uint8_t byte, bool is_64)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	}
	return is_64 && (byte & 0xf0) == 0x40;
}

/** Opcodes behind 0f. */
static enum kct_flow flow_0f(const uint8_t *opcode, size_t left)
{
	if (left < 2)
		return KCT_FLOW_ON;
	if ((opcode[1] & 0xf0) == 0x80)
		return KCT_FLOW_BRANCH;
	switch (opcode[1]) {
	case 0x0b: /* ud2 */
	case 0xb9: /* ud1 */
	case 0xff: /* ud0 */
		return KCT_FLOW_TRAP;
	case 0x07: /* sysret */
	case 0x35: /* sysexit */
		return KCT_FLOW_RETURN;
	case 0x1f: /* nop with an operand */
		return KCT_FLOW_PADDING;
	}
	return KCT_FLOW_ON;
}

/** Group ff: the middle bits of the next byte say what it is. */
static enum kct_flow flow_ff(const uint8_t *opcode, size_t left)
{
	switch (left > 1 ? opcode[1] >> 3 & 7 : 0) {
	case 2:
	case 3:
		return KCT_FLOW_CALL_INDIRECT;
	case 4:
	case 5:
		return KCT_FLOW_JUMP_INDIRECT;
	}
	return KCT_FLOW_ON;
}

static enum kct_flow flow_of(const uint8_t *opcode, size_t left)
{
	if ((opcode[0] & 0xf0) == 0x70)
		return KCT_FLOW_BRANCH;
	switch (opcode[0]) {
	case 0x0f:
		return flow_0f(opcode, left);
	case 0xff:
		return flow_ff(opcode, left);
	case 0x90: /* nop, pause */
	case 0xcc: /* int3, which fills gaps */
		return KCT_FLOW_PADDING;
	case 0xe0: /* loopne */
	case 0xe1: /* loope */
	case 0xe2: /* loop */
	case 0xe3: /* jrcxz */
		return KCT_FLOW_BRANCH;
	case 0x9a: /* far, in 32-bit code */
		return KCT_FLOW_CALL_INDIRECT;
	case 0xea:
		return KCT_FLOW_JUMP_INDIRECT;
	case 0xe8:
		return KCT_FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return KCT_FLOW_JUMP;
	case 0xc2: /* ret, lret, iret */
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return KCT_FLOW_RETURN;
	case 0xf4: /* hlt */
		return KCT_FLOW_TRAP;
	case 0xc7: /* xbegin: the target is taken when the transaction fails */
		return left > 1 && opcode[1] == 0xf8 ? KCT_FLOW_BRANCH : KCT_FLOW_ON;
	}
	return KCT_FLOW_ON;
}

/** Where a jump or call goes, whose displacement is the end of the instruction. */
static uint64_t target_of(const struct kct_instruction *insn, const uint8_t *bytes,
			  const uint8_t *opcode, bool is_64)
{
	const uint8_t *end = bytes + insn->length;
	bool is_short = (*opcode & 0xf0) == 0x70 || *opcode == 0xeb || (*opcode & 0xfc) == 0xe0;
	uint64_t target = insn->address + insn->length;

	if (is_short)
		target += (uint64_t)(int64_t)(int8_t)end[-1];
	else if (end - opcode > REL32)
		target += kct_le32_signed(end - REL32);
	else /* a 16-bit displacement, in 32-bit code with a prefix */
		target = (target + end[-2] + ((uint64_t)end[-1] << 8)) & 0xffff;
	return is_64 ? target : (uint32_t)target;
}

static void classify(const struct kct_reader *reader, const uint8_t *bytes,
		     struct kct_instruction *insn)
{
	bool is_64 = reader->machine->elf_class == ELFCLASS64;
	size_t skip = 0;

	while (skip + 1 < insn->length && is_prefix(bytes[skip], is_64))
		skip++;
	insn->flow = (uint8_t)flow_of(bytes + skip, insn->length - skip);
	if (insn->flow != KCT_FLOW_JUMP && insn->flow != KCT_FLOW_BRANCH &&
	    insn->flow != KCT_FLOW_CALL)
		return;
	insn->target = target_of(insn, bytes, bytes + skip, is_64);
}

#ifdef KCT_HAVE_CAPSTONE

static bool x86_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		     struct kct_instruction *ret)
{
	const uint8_t *code = piece->code + offset;
	size_t left = (size_t)(piece->bytes - offset);
	uint64_t address = ret->address;
	cs_insn *insn = reader->scratch;

	if (reader->machine->elf_class == ELFCLASS64)
		ret->length = kct_x86_length(code, left);
	if (ret->length) {
		classify(reader, code, ret);
		return true;
	}
	if (!cs_disasm_iter(reader->handle, &code, &left, &address, insn) || insn->size == 0) {
		ret->length = 1;
		return false;
	}
	ret->length = insn->size;
	classify(reader, piece->code + offset, ret);
	return true;
}

#else

static bool x86_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		     struct kct_instruction *ret)
{
	(void)classify;
	(void)reader;
	(void)piece;
	(void)offset;
	ret->length = 1;
	return false;
}

#endif

/** The byte before a displacement is that of a call, a jump or a conditional jump. */
static bool is_jump_opcode(const uint8_t *code, uint64_t i)
{
	return (code[i - 1] & 0xfe) == 0xe8 ||
	       (i > 1 && code[i - 2] == 0x0f && (code[i - 1] & 0xf0) == 0x80);
}

/* Most code holds no such bytes by chance, and what holds none need not be disassembled. */
static uint64_t x86_extent(const struct kct_reader *reader, const struct kct_piece *piece)
{
	uint64_t mask = reader->machine->elf_class == ELFCLASS64 ? UINT64_MAX : UINT32_MAX;
	const uint8_t *code = piece->code;

	if (piece->bytes < 1 + REL32)
		return 0;
	/* From the end: the last one says how far to read. */
	for (uint64_t i = piece->bytes - REL32; i >= 1; i--) {
		uint64_t target;

		if (!is_jump_opcode(code, i))
			continue;
		target = (piece->address + i + REL32 + kct_le32_signed(code + i)) & mask;
		if (kct_roles_find_point(reader->roles, target) != KCT_ROLE_NONE)
			return i + REL32;
	}
	return 0;
}

const struct kct_machine kct_machine_x86_64 = {
	.elf = EM_X86_64,
	.elf_class = ELFCLASS64,
	.needs_capstone = true,
	.has_flow = true,
	.call_length = 5,
	.read = x86_read,
	.extent = x86_extent,
};

const struct kct_machine kct_machine_i386 = {
	.elf = EM_386,
	.elf_class = ELFCLASS32,
	.needs_capstone = true,
	.has_flow = true,
	.call_length = 5,
	.read = x86_read,
	.extent = x86_extent,
};
