/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

static void separate(struct json *json)
{
	if (json->comma)
		output_char(json->out, ',');
	json->comma = true;
}

void json_open(struct json *json, char bracket)
{
	separate(json);
	output_char(json->out, bracket);
	json->comma = false;
}

void json_close(struct json *json, char bracket)
{
	output_char(json->out, bracket);
	json->comma = true;
}

void json_line(struct json *json)
{
	output_char(json->out, '\n');
	json->comma = false;
}

void json_key(struct json *json, const char *key)
{
	separate(json);
	output_char(json->out, '"');
	output_string(json->out, key);
	output_bytes(json->out, "\":", 2);
	json->comma = false;
}

/**
 * Length of the well-formed UTF-8 sequence at `text`, 0 if there is none: no
 * overlong forms, no surrogates, nothing above U+10FFFF. Stops at the NUL.
 */
static size_t utf8_length(const unsigned char *text)
{
	unsigned char lead = text[0], low = 0x80, high = 0xbf;
	size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2, i;

	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	if (lead == 0xe0)
		low = 0xa0;
	else if (lead == 0xed)
		high = 0x9f;
	else if (lead == 0xf0)
		low = 0x90;
	else if (lead == 0xf4)
		high = 0x8f;
	for (i = 1; i < length; i++) {
		if (text[i] < low || text[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

static void escape_control(struct output *out, unsigned char byte)
{
	static const char names[] = "btn\0fr"; /* 8 to 13; 11 has no short form */

	output_char(out, '\\');
	if (byte >= 8 && byte <= 13 && byte != 11) {
		output_char(out, names[byte - 8]);
		return;
	}
	output_string(out, "u00");
	output_char(out, "0123456789abcdef"[byte >> 4]);
	output_char(out, "0123456789abcdef"[byte & 15]);
}

/** Whether a byte stands for itself in a string, whatever is around it. */
static inline bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/** Write what is not plain at `at`. Returns its length. */
static size_t escape(struct output *out, const unsigned char *at)
{
	size_t length = utf8_length(at);

	if (*at == '"' || *at == '\\') {
		output_char(out, '\\');
		output_char(out, (char)*at);
	} else if (*at < 0x20 || *at == 0x7f) {
		escape_control(out, *at);
	} else if (length) {
		output_bytes(out, at, length);
	} else { /* names and paths are bytes; JSON is Unicode: U+FFFD */
		output_string(out, "\xef\xbf\xbd");
	}
	return length ? length : 1;
}

void json_string(struct json *json, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *plain;

	separate(json);
	output_char(json->out, '"');
	while (*at) {
		for (plain = at; is_plain(*at); at++)
			;
		output_bytes(json->out, plain, (size_t)(at - plain));
		if (*at)
			at += escape(json->out, at);
	}
	output_char(json->out, '"');
}

void json_number(struct json *json, uint64_t number)
{
	separate(json);
	output_decimal(json->out, number, 0);
}

void json_signed(struct json *json, int64_t number)
{
	separate(json);
	if (number < 0)
		output_char(json->out, '-');
	output_decimal(json->out, number < 0 ? -(uint64_t)number : (uint64_t)number, 0);
}

void json_bool(struct json *json, bool value)
{
	separate(json);
	output_string(json->out, value ? "true" : "false");
}

void json_null(struct json *json)
{
	separate(json);
	output_string(json->out, "null");
}

void json_hex(struct json *json, uint64_t number)
{
	separate(json);
	output_char(json->out, '"');
	output_hex(json->out, number, 1);
	output_char(json->out, '"');
}

void json_fraction(struct json *json, double number)
{
	separate(json);
	output_printf(json->out, "%.2f", number);
}

void json_input(struct json *json)
{
	if (json->out->input)
		json_key_string(json, "input", json->out->input);
}
