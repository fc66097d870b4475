/* SPDX-License-Identifier: BSD-2-Clause */
/** @file text.h How functions and places look in text, the same in every command. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <kcovtrace/symbolizer.h>

#include "json.h"
#include "output.h"

/** Long enough for any name that is worth reading; longer ones are cut. */
#define NAME_MAX_BYTES 512

/** A name or path of a file that nobody vouches for: control characters become `?`. */
void text_put(struct output *out, const char *text);

/** Module to show behind a name: NULL for the kernel itself. */
const char *text_module(const struct kct_symbol *symbol);

/**
 * Name of the machine function at `pc`, `name[module]` outside the kernel
 * itself, the address where nothing is known. Returned in `buffer`.
 */
const char *text_name(char buffer[NAME_MAX_BYTES], uint64_t pc, const struct kct_symbol *symbol);

/** `function+0x11/0xd0 [module]`. Nothing and false if the function is unknown. */
bool text_offset(struct output *out, const struct kct_symbol *symbol);

/** `file:line`, `file:?` without a line. Nothing and false without a file. */
bool text_place(struct output *out, const char *file, uint32_t line);

/** The frame of the machine function itself; NULL if nothing is known. */
const struct kct_symbol_frame *text_outer(const struct kct_symbol *symbol);

/** A remark that must not be overlooked. */
void text_mark(struct output *out, const char *remark);

/** `1 word`, `2 words`: a number and a noun that takes an s. */
void text_count(struct output *out, uint64_t n, const char *noun);

/** A cell of CSV, quoted where it must be. */
void text_csv_cell(struct output *out, const char *cell);

/** Keys `file` and `line` as far as they are known. */
void json_place(struct json *json, const char *file, uint32_t line);

/** Whether an operand of a comparison reads better as a negative number, such as an error code:
 *  `*ret_value` is it then. */
bool text_is_negative(const struct kct_record *record, uint64_t operand, int64_t *ret_value);

#endif
