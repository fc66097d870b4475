/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pclist.h
 * Lists of addresses as text: one a line, hexadecimal with or without `0x`,
 * blank lines and `#` comments skipped, CR LF accepted. A first line that is the number of
 * the addresses after it, in decimal or hexadecimal, is a count and no address.
 */
#ifndef KCOVTRACE_PCLIST_H
#define KCOVTRACE_PCLIST_H

#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A line that holds no address. */
struct kct_pclist_bad {
	uint64_t line;	 /**< from 1 */
	uint64_t offset; /**< byte offset of the line */
};

struct kct_pclist;

/**
 * Parse `bytes` bytes of text. Bad lines are kept apart, they do not fail the
 * call. KCT_ERR_NO_MEMORY only.
 */
KCT_API int kct_pclist_parse(const char *text, size_t bytes, struct kct_pclist **ret_list);

/** Free a list; NULL is fine. */
KCT_API void kct_pclist_free(struct kct_pclist *list);

/** The addresses in the order of the text; owned by the list. */
KCT_API const uint64_t *kct_pclist_pcs(const struct kct_pclist *list, size_t *ret_n);

/** The bad lines; owned by the list. */
KCT_API const struct kct_pclist_bad *kct_pclist_bad(const struct kct_pclist *list, size_t *ret_n);

/** The line of the count that was skipped, from 1; 0 if the list has none. */
KCT_API uint64_t kct_pclist_count_line(const struct kct_pclist *list);

/** One address: hexadecimal with or without `0x`, nothing else. KCT_ERR_SYNTAX. */
KCT_API int kct_parse_address(const char *text, size_t length, uint64_t *ret_address);

#ifdef __cplusplus
}
#endif
#endif
