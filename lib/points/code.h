/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file code.h
 * Machine code as the rest of points sees it: instructions with a length and what they do to the flow of
 * control. Each family of machines has a file that makes these of bytes, and nothing else knows opcodes.
 */
#ifndef KCT_POINTS_CODE_H
#define KCT_POINTS_CODE_H

#include <kcovtrace/error.h>

#include "base/macros.h"
#include "points/roles.h"

enum kct_flow {
	KCT_FLOW_ON = 0,	/* to the next instruction */
	KCT_FLOW_PADDING,	/* the same, and it does nothing */
	KCT_FLOW_JUMP,		/* to the target */
	KCT_FLOW_BRANCH,	/* to the target or the next instruction */
	KCT_FLOW_CALL,		/* calls the target */
	KCT_FLOW_CALL_INDIRECT, /* calls something */
	KCT_FLOW_JUMP_INDIRECT, /* to somewhere */
	KCT_FLOW_RETURN,	/* out of the function */
	KCT_FLOW_TRAP,		/* a trap: perhaps handled, perhaps the end */
};

struct kct_instruction {
	uint64_t address;
	uint64_t target; /* of JUMP, BRANCH, CALL */
	uint32_t length;
	uint32_t call; /* of CALL: bytes from `address` to the instruction that calls */
	uint8_t flow;  /* enum kct_flow */
	uint8_t role;  /* of the target, once somebody has looked */
};

/* A run of bytes that are code, or thought to be. */
struct kct_piece {
	const uint8_t *code;
	uint64_t bytes;
	uint64_t address;
	bool thumb; /* 32-bit ARM */
};

struct kct_machine;

/* Reads instructions; one a thread. */
struct kct_reader {
	const struct kct_machine *machine;
	const struct kct_roles *roles;
	bool big;      /* byte order of code */
	size_t handle; /* of the disassembler */
	void *scratch;
};

struct kct_machine {
	uint16_t elf; /* e_machine */
	uint8_t elf_class;
	bool needs_capstone; /* to tell where instructions begin */
	bool has_flow;	     /* all jumps are known, not only calls */
	uint8_t call_length; /* usual bytes from a call to its return address */
	/**
	 * The instruction at `offset` of a piece. False: no known instruction; its length then says
	 * how many bytes to skip.
	 */
	bool (*read)(struct kct_reader *reader, const struct kct_piece *piece, uint64_t offset,
		     struct kct_instruction *ret);
	/** How many bytes of a piece have to be read to see all calls of callbacks, 0 for none. May
	 *  be NULL: all. */
	uint64_t (*extent)(const struct kct_reader *reader, const struct kct_piece *piece);
};

/** The machine of an image, NULL if it is not known. */
const struct kct_machine *kct_machine_find(unsigned elf, unsigned elf_class);

/** Whether this build can read code of a machine. */
bool kct_machine_is_readable(const struct kct_machine *machine);

/** Set up a reader. KCT_ERR_NO_MEMORY, KCT_ERR_UNSUPPORTED without the disassembler. */
int kct_reader_open(struct kct_reader *reader, const struct kct_machine *machine,
		    const struct kct_roles *roles, bool big);

/** Free what it holds; all zero is fine. */
void kct_reader_close(struct kct_reader *reader);

/** Read the instruction at `offset` < piece->bytes. As kct_machine.read. */
static inline bool kct_read(struct kct_reader *reader, const struct kct_piece *piece,
			    uint64_t offset, struct kct_instruction *ret)
{
	*ret = (struct kct_instruction){.address = piece->address + offset};
	return reader->machine->read(reader, piece, offset, ret);
}

extern const struct kct_machine kct_machine_x86_64, kct_machine_i386, kct_machine_arm64,
	kct_machine_arm, kct_machine_s390x, kct_machine_riscv64;

/** A 32-bit number of code, little-endian, widened with its sign for sums of addresses. */
static inline uint64_t kct_le32_signed(const uint8_t *bytes)
{
	uint32_t value = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			 (uint32_t)bytes[3] << 24;

	return (uint64_t)(int64_t)(int32_t)value;
}

/** The lowest `bits` bits of a number as a signed one. */
static inline uint64_t kct_sign_extend(uint64_t value, unsigned bits)
{
	return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

#endif
