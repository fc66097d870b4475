/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines whose instructions say themselves how long they are. No disassembler is needed: what changes
 * the flow of control is told by masks of the architecture manuals.
 */
#include "points/code.h"

static uint32_t get_16(const uint8_t *bytes, bool big)
{
	return big ? (uint32_t)bytes[0] << 8 | bytes[1] : (uint32_t)bytes[1] << 8 | bytes[0];
}

static uint32_t get_32(const uint8_t *bytes, bool big)
{
	return big ? get_16(bytes, big) << 16 | get_16(bytes + 2, big)
		   : get_16(bytes + 2, big) << 16 | get_16(bytes, big);
}

/** Take an instruction of `length` bytes; false if the piece ends before. */
static bool take(struct kct_instruction *insn, const struct kct_piece *piece, uint64_t offset,
		 uint32_t length)
{
	uint64_t left = piece->bytes - offset;

	insn->length = (uint32_t)kct_min_u64(length, left);
	return left >= length;
}

static void go(struct kct_instruction *insn, enum kct_flow flow, uint64_t distance)
{
	insn->flow = (uint8_t)flow;
	insn->target = insn->address + distance;
}

/* arm64: "Branches, Exception Generating and System instructions" */

static void arm64_register_branch(struct kct_instruction *insn, uint32_t word)
{
	switch (word >> 21 & 0xf) {
	case 0: /* br */
	case 8: /* braa */
		insn->flow = KCT_FLOW_JUMP_INDIRECT;
		break;
	case 1: /* blr */
	case 9: /* blraa */
		insn->flow = KCT_FLOW_CALL_INDIRECT;
		break;
	default: /* ret, eret, drps */
		insn->flow = KCT_FLOW_RETURN;
	}
}

static bool arm64_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		       struct kct_instruction *ret)
{
	uint32_t word;

	(void)reader;
	if (!take(ret, piece, offset, 4))
		return false;
	word = get_32(piece->code + offset, false); /* also in big-endian kernels */
	if ((word & 0xfc000000) == 0x94000000)
		go(ret, KCT_FLOW_CALL, kct_sign_extend(word, 26) << 2);
	else if ((word & 0xfc000000) == 0x14000000)
		go(ret, KCT_FLOW_JUMP, kct_sign_extend(word, 26) << 2);
	else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		go(ret, KCT_FLOW_BRANCH, kct_sign_extend(word >> 5, 19) << 2); /* b.cond, cbz */
	else if ((word & 0x7e000000) == 0x36000000)
		go(ret, KCT_FLOW_BRANCH, kct_sign_extend(word >> 5, 14) << 2); /* tbz */
	else if ((word & 0xfe000000) == 0xd6000000)
		arm64_register_branch(ret, word);
	else if ((word & 0xff000000) == 0xd4000000 && (word & 3) == 0 &&
		 ((word >> 21 & 7) == 1 || (word >> 21 & 7) == 2))
		ret->flow = KCT_FLOW_TRAP; /* brk, hlt */
	else if (word == 0xd503201f)
		ret->flow = KCT_FLOW_PADDING; /* nop */
	return word >> 16 != 0;		      /* udf */
}

/* 32-bit ARM: bl, blx, b in ARM and Thumb state */

static bool thumb_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		       struct kct_instruction *ret)
{
	const uint8_t *code = piece->code + offset;
	uint32_t high, low, sign;
	uint64_t distance;

	if (!take(ret, piece, offset, 2))
		return false;
	high = get_16(code, reader->big);
	if (high >> 11 < 0x1d)
		return true;
	if (!take(ret, piece, offset, 4))
		return false;
	low = get_16(code + 2, reader->big);
	if (high >> 11 != 0x1e || (low & 0x8000) == 0)
		return true;
	/* S:I1:I2:imm10:imm11:0, where I = not (J xor S) */
	sign = high >> 10 & 1;
	distance = (uint64_t)sign << 24 | (uint64_t)((low >> 13 & 1) == sign) << 23 |
		   (uint64_t)((low >> 11 & 1) == sign) << 22 | (uint64_t)(high & 0x3ff) << 12 |
		   (uint64_t)(low & 0x7ff) << 1;
	distance = kct_sign_extend(distance, 25) + 4;
	if ((low & 0xd000) == 0xd000) { /* bl */
		go(ret, KCT_FLOW_CALL, distance);
	} else if ((low & 0xd001) == 0xc000) { /* blx: to ARM state, from a whole word */
		go(ret, KCT_FLOW_CALL, distance);
		ret->target &= ~(uint64_t)3;
	} else if ((low & 0xd000) == 0x9000) { /* b.w */
		go(ret, KCT_FLOW_JUMP, distance);
	}
	ret->target = (uint32_t)ret->target;
	return true;
}

static bool arm_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		     struct kct_instruction *ret)
{
	uint64_t distance;
	uint32_t word;

	if (piece->thumb)
		return thumb_read(reader, piece, offset, ret);
	if (!take(ret, piece, offset, 4))
		return false;
	word = get_32(piece->code + offset, reader->big);
	distance = (kct_sign_extend(word, 24) << 2) + 8;
	if (word >> 25 == 0x7d) /* blx: to Thumb state */
		go(ret, KCT_FLOW_CALL, distance + (word >> 23 & 2));
	else if (word >> 28 == 0xf)
		return true;
	else if ((word & 0x0f000000) == 0x0b000000)
		go(ret, KCT_FLOW_CALL, distance);
	else if ((word & 0x0f000000) == 0x0a000000)
		go(ret, word >> 28 == 0xe ? KCT_FLOW_JUMP : KCT_FLOW_BRANCH, distance);
	ret->target = (uint32_t)ret->target;
	return true;
}

/* s390x: brasl, bras and the jumps of the same form; distances count halfwords */

static bool s390x_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		       struct kct_instruction *ret)
{
	/* By the two highest bits. */
	static const uint8_t lengths[] = {2, 4, 4, 6};
	const uint8_t *code = piece->code + offset;
	uint64_t distance;

	(void)reader;
	if (!take(ret, piece, offset, lengths[code[0] >> 6]))
		return false;
	if (ret->length == 6)
		distance = kct_sign_extend(get_32(code + 2, true), 32) << 1;
	else if (ret->length == 4)
		distance = kct_sign_extend(get_16(code + 2, true), 16) << 1;
	else
		return get_16(code, true) != 0;
	if (code[0] != (ret->length == 6 ? 0xc0 : 0xa7))
		return true;
	if ((code[1] & 0xf) == 5) /* brasl, bras */
		go(ret, KCT_FLOW_CALL, distance);
	else if ((code[1] & 0xf) == 4) /* brcl, brc */
		go(ret, code[1] >> 4 == 0xf ? KCT_FLOW_JUMP : KCT_FLOW_BRANCH, distance);
	return true;
}

/* riscv64: jal, and auipc with jalr, which are taken as one */

#define RISCV_OPCODE(word) ((word)&0x7f)
#define RISCV_RD(word)	   ((word) >> 7 & 0x1f)
#define RISCV_RS1(word)	   ((word) >> 15 & 0x1f)

static uint64_t jal_distance(uint32_t word)
{
	return kct_sign_extend((uint64_t)(word >> 31) << 20 | (uint64_t)(word >> 12 & 0xff) << 12 |
				       (uint64_t)(word >> 20 & 1) << 11 |
				       (uint64_t)(word >> 21 & 0x3ff) << 1,
			       21);
}

static void riscv_pair(struct kct_instruction *insn, const struct kct_piece *piece, uint64_t offset,
		       uint32_t auipc)
{
	uint32_t jalr;

	if (piece->bytes - offset < 8)
		return;
	jalr = get_32(piece->code + offset + 4, false);
	if (RISCV_OPCODE(jalr) != 0x67 || (jalr >> 12 & 7) != 0 ||
	    RISCV_RS1(jalr) != RISCV_RD(auipc))
		return;
	insn->length = 8;
	insn->call = 4;
	go(insn, RISCV_RD(jalr) ? KCT_FLOW_CALL : KCT_FLOW_JUMP,
	   kct_sign_extend(auipc & 0xfffff000, 32) + kct_sign_extend(jalr >> 20, 12));
}

static bool riscv_read(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		       struct kct_instruction *ret)
{
	const uint8_t *code = piece->code + offset;
	uint32_t word;

	(void)reader;
	if (!take(ret, piece, offset, 2))
		return false;
	if ((code[0] & 3) != 3)
		return get_16(code, false) != 0;
	if (!take(ret, piece, offset, 4))
		return false;
	word = get_32(code, false);
	if (RISCV_OPCODE(word) == 0x17)
		riscv_pair(ret, piece, offset, word);
	else if (RISCV_OPCODE(word) == 0x6f)
		go(ret, RISCV_RD(word) ? KCT_FLOW_CALL : KCT_FLOW_JUMP, jal_distance(word));
	return true;
}

const struct kct_machine kct_machine_arm64 = {
	.elf = EM_AARCH64,
	.elf_class = ELFCLASS64,
	.has_flow = true,
	.call_length = 4,
	.read = arm64_read,
};

const struct kct_machine kct_machine_arm = {
	.elf = EM_ARM,
	.elf_class = ELFCLASS32,
	.call_length = 4,
	.read = arm_read,
};

const struct kct_machine kct_machine_s390x = {
	.elf = EM_S390,
	.elf_class = ELFCLASS64,
	.call_length = 6,
	.read = s390x_read,
};

const struct kct_machine kct_machine_riscv64 = {
	.elf = EM_RISCV,
	.elf_class = ELFCLASS64,
	.call_length = 4,
	.read = riscv_read,
};
