/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "capture.h"
#include "embedded.h"
#include "text.h"

#define LABEL_WIDTH 14

/** An item of metadata; false if there is none. */
static bool find(const struct kct_tracefile *file, uint32_t capture, const char *name,
		 enum kct_meta_type type, struct kct_meta *ret_meta)
{
	*ret_meta = (struct kct_meta){.size = sizeof(*ret_meta)};
	return kct_tracefile_find_meta(file, capture, name, type, ret_meta) >= 0;
}

void capture_facts(const struct kct_tracefile *file, uint32_t capture,
		   struct capture_facts *ret_facts)
{
	struct kct_meta meta;

	*ret_facts = (struct capture_facts){.known = true, .file = file, .capture = capture};
	if (find(file, capture, KCT_META_KASLR, KCT_META_NUMBERS, &meta))
		ret_facts->has_kaslr = kct_meta_number(&meta, 0, &ret_facts->kaslr) >= 0;
	if (find(file, capture, KCT_META_MODULE_SECTIONS, KCT_META_TEXT, &meta))
		ret_facts->module_sections = meta.data;
	if (find(file, capture, KCT_META_PROC_MODULES, KCT_META_TEXT, &meta))
		ret_facts->proc_modules = meta.data;
	if (find(file, capture, KCT_META_KALLSYMS, KCT_META_TEXT, &meta))
		ret_facts->kallsyms = meta.data;
	if (find(file, capture, KCT_META_PERCPU, KCT_META_NUMBERS, &meta))
		ret_facts->percpu = meta;
	if (find(file, capture, KCT_META_BUILD_ID, KCT_META_BYTES, &meta) && meta.bytes) {
		ret_facts->build_id = meta.data;
		ret_facts->build_id_bytes = meta.bytes;
	}
}

/** Whether a line, up to `end`, is of the kernel itself and not of a module. */
static bool is_kernel_line(const char *line, const char *end)
{
	return line < end && !memchr(line, '\t', (size_t)(end - line));
}

char *capture_symbol_lines(const char *kallsyms, bool *ret_whole)
{
	char *lines = zeroed(char, strlen(kallsyms) + 1), *to = lines;
	const char *line, *end;
	size_t kernel = 0;

	for (line = kallsyms; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (is_kernel_line(line, end)) {
			kernel++;
			continue;
		}
		memcpy(to, line, (size_t)(end - line) + (*end != '\0'));
		to += end - line + (*end != '\0');
	}
	/* An extract has _text and _stext. */
	*ret_whole = kernel > 2;
	if (*ret_whole)
		memcpy(lines, kallsyms, strlen(kallsyms) + 1);
	if (!*lines) {
		free(lines);
		return NULL;
	}
	return lines;
}

void hex_of(const uint8_t *bytes, size_t n, char ret_text[2 * 64 + 1])
{
	size_t i;

	ret_text[0] = '\0';
	for (i = 0; i < n && i < 64; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", bytes[i]);
}

/* What is shown of a capture, in this order. */
static const struct {
	const char *name, *label, *key;
	enum kct_meta_type type;
} shown[] = {
	{KCT_META_TOOL, "written by", "tool", KCT_META_TEXT},
	{KCT_META_COMMAND, "command", "command", KCT_META_TEXT},
	{KCT_META_KERNEL_RELEASE, "kernel", "kernel", KCT_META_TEXT},
	{KCT_META_ARCHITECTURE, "architecture", "architecture", KCT_META_TEXT},
	{KCT_META_BUILD_ID, "build ID", "build_id", KCT_META_BYTES},
	{KCT_META_KASLR, "KASLR offset", "kaslr", KCT_META_NUMBERS},
};

/** Images that a capture has symbols of, in one line. */
static void write_symbols(struct output *out, const struct kct_tracefile *file, uint32_t capture)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	size_t at = 0, n = 0;

	while (kct_tracefile_next_meta(file, capture, &at, &meta) > 0) {
		if (!embedded_counts(file, &meta))
			continue;
		if (n++)
			output_string(out, ", ");
		else
			output_printf(out, "  %-*s", LABEL_WIDTH, "symbols");
		text_put(out, embedded_name(&meta));
		output_printf(out, " (%zu bytes)", meta.bytes);
	}
	if (n)
		output_char(out, '\n');
}

void capture_write_text(struct output *out, const char *path, const struct kct_tracefile *file,
			uint32_t capture)
{
	struct kct_meta meta;
	char hex[2 * 64 + 1];
	uint64_t number = 0;
	size_t i;

	output_printf(out, "%s: capture ", path);
	output_hex(out, kct_tracefile_capture_id(file, capture), 16);
	output_char(out, '\n');
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		if (!find(file, capture, shown[i].name, shown[i].type, &meta))
			continue;
		output_printf(out, "  %-*s", LABEL_WIDTH, shown[i].label);
		switch (meta.type) {
		case KCT_META_TEXT:
			text_put(out, meta.data);
			break;
		case KCT_META_NUMBERS:
			kct_meta_number(&meta, 0, &number);
			output_hex(out, number, 1);
			break;
		case KCT_META_BYTES:
			hex_of(meta.data, meta.bytes, hex);
			output_string(out, hex);
		}
		output_char(out, '\n');
	}
	write_symbols(out, file, capture);
}

void capture_write_json(struct json *json, const struct kct_tracefile *file, uint32_t capture)
{
	struct kct_meta meta;
	char hex[2 * 64 + 1];
	uint64_t number = 0;
	bool any = false;
	size_t i, at = 0;

	json_key_hex(json, "capture", kct_tracefile_capture_id(file, capture));
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		if (!find(file, capture, shown[i].name, shown[i].type, &meta))
			continue;
		json_key(json, shown[i].key);
		switch (meta.type) {
		case KCT_META_TEXT:
			json_string(json, meta.data);
			break;
		case KCT_META_NUMBERS:
			kct_meta_number(&meta, 0, &number);
			json_hex(json, number);
			break;
		case KCT_META_BYTES:
			hex_of(meta.data, meta.bytes, hex);
			json_string(json, hex);
		}
	}
	meta.size = sizeof(meta);
	while (kct_tracefile_next_meta(file, capture, &at, &meta) > 0) {
		if (!embedded_counts(file, &meta))
			continue;
		if (!any) {
			json_key(json, "symbols");
			json_open(json, '[');
		}
		any = true;
		json_string(json, embedded_name(&meta));
	}
	if (any)
		json_close(json, ']');
}
