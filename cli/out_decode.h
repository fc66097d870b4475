/* SPDX-License-Identifier: BSD-2-Clause */
/** @file out_decode.h Writing records, one a line. */
#ifndef CLI_OUT_DECODE_H
#define CLI_OUT_DECODE_H

#include "input.h"

/** A record with what is known of it. */
struct decode_row {
	const struct kct_record *record;
	const struct input *input;
	const struct kct_symbol *symbol;     /**< of its PC; NULL: none */
	const struct kct_symbol *caller;     /**< of an ENTRY's caller; NULL: none */
	const struct kct_variable *variable; /**< that a MEMORY record is about; NULL: none */
	bool segment_columns;		     /**< CSV has them: see decode_begin() */
	bool has_depth;
	uint64_t depth; /**< of the call that an ENTRY began, 0 = root */
};

/**
 * What stands before the first record of an input, NULL if there is none at all.
 * The header of CSV comes before the `first` one, with columns for segments
 * if that is one.
 */
void decode_begin(struct output *out, const struct options *options, const struct input *input,
		  bool first);

/** Write a record in the format of the options. */
void decode_write(struct output *out, const struct options *options, const struct decode_row *row);

/** As text; part of decode_write(). */
void decode_write_text(struct output *out, const struct options *options,
		       const struct decode_row *row);

/**
 * Whether a comparison may be a case of a switch: FreeBSD sets the bit of a constant in the switched
 * value, which comes first, and not in the type, so that value and type are both off by that bit.
 */
bool decode_maybe_switch(const struct decode_row *row);

/** Names of the flags of a MEMORY record, up to `max`, each at most 15 bytes; unknown bits in
 *  hexadecimal. VALUE is none: the value itself is there. */
size_t memory_flag_names(uint32_t flags, char (*ret_names)[16], size_t max);

#define MEMORY_FLAGS_MAX 32

#endif
