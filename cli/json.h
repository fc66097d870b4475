/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file json.h
 * Writing JSON value by value. Commas are its business; nesting is the
 * caller's. 64-bit numbers are written as hexadecimal strings, because readers
 * keep only 53 bits of a number.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "output.h"

struct json {
	struct output *out;
	bool comma; /**< a value stands before the next one */
};

/** `{` or `[`. */
void json_open(struct json *json, char bracket);

/** `}` or `]`. */
void json_close(struct json *json, char bracket);

/** The end of a line of JSON. */
void json_line(struct json *json);

void json_key(struct json *json, const char *key);
void json_string(struct json *json, const char *text);
void json_number(struct json *json, uint64_t number);
void json_signed(struct json *json, int64_t number);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/** `"0x..."`. */
void json_hex(struct json *json, uint64_t number);

/** Two decimals, for scores. */
void json_fraction(struct json *json, double number);

/** Key `input` first in an object, where those of several files follow each other. */
void json_input(struct json *json);

static inline void json_key_string(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_string(json, text);
}

static inline void json_key_number(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	json_number(json, number);
}

static inline void json_key_hex(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	json_hex(json, number);
}

static inline void json_key_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

#endif
