/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file encoder.h
 * A logical trace, events without words, written in any layout. It is what the decoder is held
 * against, so it shares nothing with lib/decode: it knows the formats from docs/formats.md and puts
 * bytes by shifts, and test_encoder.c compares these with structs whose order gcc knows.
 */
#ifndef KCT_TESTS_ENCODER_H
#define KCT_TESTS_ENCODER_H

#include <kcovtrace/layout.h>
#include <kcovtrace/record.h>

enum enc_kind {
	ENC_PC,
	ENC_CMP,
	ENC_ENTRY,
	ENC_EXIT,
	ENC_EESUM,
	ENC_MEMORY,
	ENC_WAIT,
	ENC_WAKE,
	ENC_RAW, /* one word as it is, in every mode */
	ENC_KINDS,
};

/** What happened. Fields that a kind does not have are zero. */
struct enc_event {
	enum enc_kind kind;
	uint64_t pc; /* full address; RAW: the word */
	uint64_t caller;
	uint64_t type, arg1, arg2; /* CMP */
	int32_t delta, min;	   /* EESUM */
	uint64_t addr, time, value;
	uint32_t size, flags;
	uint16_t bit; /* WAIT, WAKE */
	bool timeout;
};

enum enc_fault_kind {
	ENC_BAD_COUNT,	/* the count word is `number` */
	ENC_CUT_TAIL,	/* the last `number` bytes are missing */
	ENC_ZERO_LAST,	/* counted, but the words of the last record were not written */
	ENC_STALE_LAST, /* ... and hold the first words of the area, of an older run */
	ENC_GARBAGE,	/* `number` words from word `at` on are random, by `seed` */
	ENC_WRONG_MODE, /* events from number `at` on are written as in mode `number` */
	ENC_FAULTS,
};

struct enc_fault {
	enum enc_fault_kind kind;
	uint64_t at, number, seed;
};

/** How to write it. */
struct enc_form {
	struct kct_layout layout;
	uint64_t slide;		/* added to PCs if the layout is slid */
	uint64_t unused_words;	/* zeros behind what the count claims */
	uint64_t unused_events; /* as many of the last events lie behind what the count claims */
	const struct enc_fault *faults;
	size_t n_faults;
};

/** The bytes of an area; free() them. Aborts without memory. The layout must have been checked. */
unsigned char *enc_encode(const struct enc_event *events, size_t n, const struct enc_form *form,
			  size_t *ret_bytes);

/** The records that decoding the area must give, faults left aside; free() them. */
struct kct_record *enc_records(const struct enc_event *events, size_t n,
			       const struct enc_form *form, size_t *ret_n);

/**
 * What a kernel with this layout records of an event: in mode PC an entry is a PC and an exit nothing,
 * four words of MEMORY have no value. False: nothing at all. RAW words stay.
 */
bool enc_project(const struct enc_event *event, const struct kct_layout *layout,
		 struct enc_event *ret_event);

/** Words of a projected event; `ret_words` has room for memory_words, entry_words and 4. */
size_t enc_words(const struct enc_event *event, const struct enc_form *form, uint64_t *ret_words);

/** Store a number of `bytes` bytes. */
void enc_put(unsigned char *to, uint64_t number, size_t bytes, enum kct_endian endian);

/** Load one. */
uint64_t enc_get(const unsigned char *from, size_t bytes, enum kct_endian endian);

/** The event that a record is of; false for LOST and UNKNOWN, and where bits without a meaning are set
 *  that no event has: their words are RAW events. */
bool enc_event_of(const struct kct_record *record, struct enc_event *ret_event);

/** Bytes of a word of the area: Linux has 8 in CMP always. */
size_t enc_word_bytes(const struct kct_layout *layout);

/** Events with every kind in them, calls that nest, places that look like kernel text and
 *  operands that fit their size: the same ones for a seed. free() them. */
struct enc_event *enc_random(uint64_t seed, size_t n);

/** Pages with a function each, from here on: those of enc_random(). */
#define ENC_CODE	UINT64_C(0xffffffff81000000)
#define ENC_FUNCTIONS	26u
#define ENC_AT(f, byte) (ENC_CODE + (uint64_t)(f)*0x1000 + (byte))

/** Parse one line: `pc PC`, `cmp TYPE ARG1 ARG2 PC`, `entry PC CALLER`, `exit PC`, `eesum DELTA MIN`,
 *  `memory PC ADDR SIZE FLAGS TIME VALUE`, `wait BIT`, `timeout BIT`, `wake BIT`, `word WORD`; # starts
 *  a comment. 1, 0 for an empty line, -1. */
int enc_parse_line(const char *line, struct enc_event *ret_event);

/** Parse a fault: `count=N cut=BYTES zero-last stale-last garbage=AT:WORDS:SEED mode=AT:MODE`. */
bool enc_parse_fault(const char *text, struct enc_fault *ret_fault);

#endif
