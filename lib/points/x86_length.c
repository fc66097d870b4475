/* SPDX-License-Identifier: BSD-2-Clause */
/* From the opcode maps of the Intel manual, volume 2, appendix A. */
#include "points/x86_length.h"

/* What follows an opcode. */
enum {
	NO = 0,	       /* not common */
	ALONE = 1,     /* nothing */
	MODRM = 2,     /* a ModRM byte and what that asks for; flags below */
	IMM8 = 4,      /* a byte */
	IMM32 = 8,     /* four bytes */
	IMM_WIDE = 16, /* four bytes, eight with REX.W */
	GROUP = 32,    /* the reg bits of ModRM choose the instruction: see group_of() */
	MEMORY = 64,   /* ModRM must be of memory */
};

#define ARITHMETIC(at)                                                              \
	[(at)] = MODRM, [(at) + 1] = MODRM, [(at) + 2] = MODRM, [(at) + 3] = MODRM, \
	[(at) + 4] = ALONE | IMM8, [(at) + 5] = ALONE | IMM32

static const uint8_t one_byte[256] = {
	ARITHMETIC(0x00),		/* add */
	ARITHMETIC(0x08),		/* or */
	ARITHMETIC(0x10),		/* adc */
	ARITHMETIC(0x18),		/* sbb */
	ARITHMETIC(0x20),		/* and */
	ARITHMETIC(0x28),		/* sub */
	ARITHMETIC(0x30),		/* xor */
	ARITHMETIC(0x38),		/* cmp */
	[0x50 ... 0x5f] = ALONE,	/* push, pop */
	[0x63] = MODRM,			/* movsxd */
	[0x68] = ALONE | IMM32,		/* push */
	[0x69] = MODRM | IMM32,		/* imul */
	[0x6a] = ALONE | IMM8,		/* push */
	[0x6b] = MODRM | IMM8,		/* imul */
	[0x70 ... 0x7f] = ALONE | IMM8, /* jcc */
	[0x80] = MODRM | IMM8,		/* arithmetic with a number */
	[0x81] = MODRM | IMM32,
	[0x83] = MODRM | IMM8,
	[0x84 ... 0x8b] = MODRM, /* test, xchg, mov */
	[0x8d] = MODRM | MEMORY, /* lea */
	[0x90] = ALONE,		 /* nop */
	[0x98 ... 0x99] = ALONE, /* cwde, cdq */
	[0xa8] = ALONE | IMM8,	 /* test */
	[0xa9] = ALONE | IMM32,
	[0xb0 ... 0xb7] = ALONE | IMM8, /* mov */
	[0xb8 ... 0xbf] = ALONE | IMM_WIDE,
	[0xc0 ... 0xc1] = MODRM | GROUP | IMM8, /* shifts */
	[0xc3] = ALONE,				/* ret */
	[0xc6] = MODRM | GROUP | IMM8,		/* mov */
	[0xc7] = MODRM | GROUP | IMM32,
	[0xc9] = ALONE,			 /* leave */
	[0xcc] = ALONE,			 /* int3 */
	[0xd0 ... 0xd3] = MODRM | GROUP, /* shifts */
	[0xe8 ... 0xe9] = ALONE | IMM32, /* call, jmp */
	[0xeb] = ALONE | IMM8,		 /* jmp */
	[0xf6 ... 0xf7] = MODRM | GROUP, /* test, not, neg, mul, div */
	[0xfe ... 0xff] = MODRM | GROUP, /* inc, dec, call, jmp, push */
};

/* Behind 0f. */
static const uint8_t two_byte[256] = {
	[0x0b] = ALONE,			 /* ud2 */
	[0x1f] = MODRM | GROUP | MEMORY, /* nop */
	[0x40 ... 0x4f] = MODRM,	 /* cmovcc */
	[0x80 ... 0x8f] = ALONE | IMM32, /* jcc */
	[0x90 ... 0x9f] = MODRM,	 /* setcc */
	[0xa3] = MODRM,			 /* bt, bts, btr, btc */
	[0xab] = MODRM,
	[0xaf] = MODRM, /* imul */
	[0xb3] = MODRM,
	[0xb6 ... 0xb7] = MODRM, /* movzx */
	[0xbb] = MODRM,
	[0xbe ... 0xbf] = MODRM, /* movsx */
};

/** Which reg bits are instructions, as a set. */
static unsigned group_of(uint8_t opcode, bool two)
{
	if (two)
		return 1 << 0;
	switch (opcode) {
	case 0xc6:
	case 0xc7:
		return 1 << 0;
	case 0xf6: /* the first has a number, the second is none */
	case 0xf7:
		return 0xfc;
	case 0xfe:
		return 3;
	case 0xff: /* not the far ones */
		return 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 6;
	}
	return 0xff & ~(1 << 6); /* shifts */
}

/** Bytes of ModRM and what it asks for; the byte at `code` is there, one more is looked at if there is. */
static unsigned modrm_length(const uint8_t *code, uint64_t left)
{
	unsigned mod = code[0] >> 6, rm = code[0] & 7, length = 1;

	if (mod == 3)
		return 1;
	if (rm == 4) { /* SIB */
		length = 2;
		if (mod == 0 && left > 1 && (code[1] & 7) == 5)
			return 6;
	}
	if (mod == 1)
		return length + 1;
	return mod == 2 || rm == 5 ? length + 4 : length;
}

unsigned kct_x86_length(const uint8_t *code, uint64_t left)
{
	uint64_t length = 0;
	bool word = false, wide = false, two = false;
	uint8_t opcode, form;

	if (left > 0 && (code[0] == 0x65 || code[0] == 0x66)) { /* %gs:, 16 bits */
		word = code[0] == 0x66;
		length++;
	}
	if (length < left && (code[length] & 0xf0) == 0x40) {
		wide = code[length] & 8; /* REX.W */
		length++;
	}
	if (length < left && code[length] == 0x0f) {
		two = true;
		length++;
	}
	if (length >= left)
		return 0;
	opcode = code[length++];
	form = two ? two_byte[opcode] : one_byte[opcode];
	/* Numbers of 16 bits are rare. */
	if (form == NO || (word && (form & (IMM32 | IMM_WIDE))))
		return 0;
	if (form & MODRM) {
		if (length >= left ||
		    ((form & GROUP) && !(group_of(opcode, two) >> (code[length] >> 3 & 7) & 1)) ||
		    ((form & MEMORY) && code[length] >= 0xc0))
			return 0;
		length += modrm_length(code + length, left - length);
	}
	if (form & IMM8)
		length += 1;
	if (form & IMM32)
		length += 4;
	if (form & IMM_WIDE)
		length += wide ? 8 : 4;
	return length <= left ? (unsigned)length : 0;
}
