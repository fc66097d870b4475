/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <kcovtrace/pclist.h>
#include <kcovtrace/summary.h>

#include "base/array.h"

struct kct_pclist {
	uint64_t *pcs;
	size_t n_pcs, max_pcs;
	struct kct_pclist_bad *bad;
	size_t n_bad, max_bad;
	uint64_t first_line; /* of the first address; 0 if a bad line was before it */
	uint64_t decimal;    /* the first address read as a decimal number; UINT64_MAX: none */
	uint64_t count_line; /* of the count that was taken from the front; 0: none */
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int kct_parse_address(const char *text, size_t length, uint64_t *ret_address)
{
	uint64_t address = 0;
	size_t at = length >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;

	if (at == length)
		return KCT_ERR_SYNTAX;
	for (; at < length; at++) {
		int digit = hex_digit(text[at]);

		if (digit < 0 || address >> 60 != 0)
			return KCT_ERR_SYNTAX;
		address = address << 4 | (unsigned)digit;
	}
	*ret_address = address;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int list_add_pc(struct kct_pclist *list, uint64_t pc)
{
	if (kct_array_reserve(&list->pcs, &list->max_pcs, list->n_pcs + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	list->pcs[list->n_pcs++] = pc;
	return 0;
}

static int list_add_bad(struct kct_pclist *list, uint64_t line, uint64_t offset)
{
	if (kct_array_reserve(&list->bad, &list->max_bad, list->n_bad + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	list->bad[list->n_bad++] = (struct kct_pclist_bad){.line = line, .offset = offset};
	return 0;
}

/** A number in decimal digits, UINT64_MAX if the text is none or too large. */
static uint64_t parse_decimal(const char *text, size_t length)
{
	uint64_t number = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' ||
		    __builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (unsigned)(text[i] - '0'), &number))
			return UINT64_MAX;
	}
	return number;
}

/**
 * Some tools write how many addresses follow before them. Only a first line that says exactly that
 * is taken for it: a list whose end is missing keeps the odd address.
 */
static void list_take_count(struct kct_pclist *list)
{
	size_t follow = list->n_pcs - 1;

	if (list->n_pcs < 2 || list->first_line == 0 ||
	    kct_classify_pc(list->pcs[0]) == KCT_PC_KERNEL ||
	    (list->pcs[0] != follow && list->decimal != follow))
		return;
	memmove(list->pcs, list->pcs + 1, follow * sizeof(*list->pcs));
	list->n_pcs = follow;
	list->count_line = list->first_line;
}

/** One line without its newline. A comment may also follow an address. */
static int list_add_line(struct kct_pclist *list, const char *text, size_t length, uint64_t line,
			 uint64_t offset)
{
	const char *comment = memchr(text, '#', length);
	uint64_t pc;

	if (comment)
		length = (size_t)(comment - text);
	while (length > 0 && is_blank(text[0])) {
		text++;
		length--;
	}
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	if (length == 0)
		return 0;
	if (kct_parse_address(text, length, &pc) < 0)
		return list_add_bad(list, line, offset);
	if (list->n_pcs == 0) {
		list->first_line = list->n_bad == 0 ? line : 0;
		list->decimal = parse_decimal(text, length);
	}
	return list_add_pc(list, pc);
}

int kct_pclist_parse(const char *text, size_t bytes, struct kct_pclist **ret_list)
{
	struct kct_pclist *list = calloc(1, sizeof(*list));
	uint64_t line = 0;

	if (!list)
		return KCT_ERR_NO_MEMORY;
	for (size_t at = 0; at < bytes;) {
		const char *newline = memchr(text + at, '\n', bytes - at);
		size_t length = newline ? (size_t)(newline - (text + at)) : bytes - at;

		if (list_add_line(list, text + at, length, ++line, at) < 0) {
			kct_pclist_free(list);
			return KCT_ERR_NO_MEMORY;
		}
		at += length + (newline != NULL);
	}
	list_take_count(list);
	*ret_list = list;
	return 0;
}

void kct_pclist_free(struct kct_pclist *list)
{
	if (!list)
		return;
	free(list->pcs);
	free(list->bad);
	free(list);
}

const uint64_t *kct_pclist_pcs(const struct kct_pclist *list, size_t *ret_n)
{
	*ret_n = list->n_pcs;
	return list->pcs;
}

const struct kct_pclist_bad *kct_pclist_bad(const struct kct_pclist *list, size_t *ret_n)
{
	*ret_n = list->n_bad;
	return list->bad;
}

uint64_t kct_pclist_count_line(const struct kct_pclist *list)
{
	return list->count_line;
}
