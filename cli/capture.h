/* SPDX-License-Identifier: BSD-2-Clause */
/** @file capture.h What a `.kct` file says of the machine that it was recorded on. */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include <kcovtrace/tracefile.h>

#include "json.h"

/** What symbols depend on. Pointers belong to the file; all zero: nothing is known. */
struct capture_facts {
	bool known; /**< there is a capture: what is missing was not recorded */
	bool has_kaslr;
	uint64_t kaslr;
	const char *module_sections; /**< lines MODULE SECTION ADDRESS; NULL unknown */
	const char *proc_modules;    /**< of /proc/modules; NULL unknown */
	const char *kallsyms;	     /**< of /proc/kallsyms; NULL unknown */
	struct kct_meta percpu;	     /**< base of each CPU's variables; no bytes: unknown */
	const uint8_t *build_id;     /**< of the kernel; NULL unknown */
	size_t build_id_bytes;
	const struct kct_tracefile *file; /**< that says so; NULL: none */
	uint32_t capture;		  /**< its number there */
	const char *path;		  /**< of the file, for messages */
};

void capture_facts(const struct kct_tracefile *file, uint32_t capture,
		   struct capture_facts *ret_facts);

/**
 * The lines of a capture's kallsyms that can name functions: all, or the modules' alone of an extract as
 * `record` makes it, which has of the kernel only where it begins; the nearest symbol would be that for
 * every address. `*ret_whole` says which. NULL if there are none; freed by the caller.
 */
char *capture_symbol_lines(const char *kallsyms, bool *ret_whole);

/** Lines about a capture, as `info` shows them. */
void capture_write_text(struct output *out, const char *path, const struct kct_tracefile *file,
			uint32_t capture);

/** Keys about a capture. */
void capture_write_json(struct json *json, const struct kct_tracefile *file, uint32_t capture);

/** A build ID in hexadecimal. */
void hex_of(const uint8_t *bytes, size_t n, char ret_text[2 * 64 + 1]);

#endif
