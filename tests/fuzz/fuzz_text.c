/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that is read as text: kallsyms, lists of PCs, `--layout` arguments, symbol names. The
 * first byte chooses which, the rest is the text. What must hold:
 * - kallsyms answer the same whatever the order of their lines
 * - every line of a PC list is an address, bad, or blank; writing the addresses and reading
 *   them again gives the same; one address is what strtoull() says it is
 * - a layout that was parsed passes the check; a refusal is one line
 * - a base name is the front of the name, ends before a dot and has no other base name
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "fuzz.h"

#define MAX_LOOKUPS 64u

static char *text_alloc(size_t bytes)
{
	char *text = malloc(bytes ? bytes : 1);

	FUZZ_CHECK(text);
	return text;
}

static void check_error(const struct kct_error *error, int result)
{
	FUZZ_CHECK(error->code == result && error->text[0] != '\0');
	FUZZ_CHECK(memchr(error->text, '\0', sizeof(error->text)) && !strchr(error->text, '\n'));
}

/** The lines in reverse order, each with a newline. */
static char *reverse_lines(const char *text, size_t bytes, size_t *ret_bytes)
{
	char *reversed = text_alloc(bytes + 1);
	size_t n = 0;

	if (bytes > 0 && text[bytes - 1] == '\n')
		bytes--;
	for (size_t end = bytes, start = bytes;; start--) {
		if (start > 0 && text[start - 1] != '\n')
			continue;
		memcpy(reversed + n, text + start, end - start);
		n += end - start;
		reversed[n++] = '\n';
		if (start == 0)
			break;
		end = start - 1;
	}
	*ret_bytes = n;
	return reversed;
}

static struct kct_symbolizer *symbolizer_of(struct kct_kallsyms *kallsyms)
{
	struct kct_symbolizer *symbolizer;

	FUZZ_CHECK(kct_symbolizer_new(&symbolizer) == 0);
	FUZZ_CHECK(kct_symbolizer_add_kallsyms(symbolizer, kallsyms) == 0);
	return symbolizer;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void check_same_symbol(struct kct_symbolizer *one, struct kct_symbolizer *other, uint64_t pc)
{
	const struct kct_symbol *a, *b;

	FUZZ_CHECK(kct_symbolizer_lookup(one, pc, KCT_PC_CALL, &a, NULL) == 0);
	FUZZ_CHECK(kct_symbolizer_lookup(other, pc, KCT_PC_CALL, &b, NULL) == 0);
	FUZZ_CHECK(same_text(a->symbol, b->symbol) && same_text(a->function, b->function) &&
		   same_text(a->module, b->module));
	FUZZ_CHECK(a->start == b->start && a->size == b->size && a->guessed == b->guessed &&
		   a->identity == b->identity && a->reason == b->reason);
	FUZZ_CHECK((a->symbol != NULL) ==
		   (a->reason != KCT_SYMBOL_NO_IMAGE && a->reason != KCT_SYMBOL_TINY &&
		    a->reason != KCT_SYMBOL_USER && a->reason != KCT_SYMBOL_SUSPECT));
	if (a->symbol) {
		FUZZ_CHECK(a->module && a->function && a->n_frames == 1 && a->identity != 0);
		FUZZ_CHECK(pc - a->start == a->offset && a->offset < a->size);
	}
}

/** Look the numbers of the text up, and their neighbours. */
static void check_lookups(struct kct_kallsyms *kallsyms, struct kct_kallsyms *other,
			  const char *text, size_t bytes)
{
	struct kct_symbolizer *one = symbolizer_of(kallsyms), *two = symbolizer_of(other);
	unsigned lookups = 0;

	for (size_t at = 0; at < bytes && lookups < MAX_LOOKUPS; at++) {
		size_t length = 0;
		uint64_t address;

		while (at + length < bytes && strchr("0123456789abcdefABCDEF", text[at + length]) &&
		       text[at + length] != '\0')
			length++;
		if (length == 0 || kct_parse_address(text + at, length, &address) < 0)
			continue;
		at += length;
		lookups++;
		check_same_symbol(one, two, address - 1);
		check_same_symbol(one, two, address);
		check_same_symbol(one, two, address + 1);
		check_same_symbol(one, two, address + (1 << 20));
	}
	kct_symbolizer_free(one);
	kct_symbolizer_free(two);
}

static void check_kallsyms(const char *text, size_t bytes)
{
	struct kct_kallsyms *kallsyms = NULL, *other = NULL;
	struct kct_error error = {0};
	size_t n_reversed;
	char *reversed = reverse_lines(text, bytes, &n_reversed);
	int result = kct_kallsyms_parse(text, bytes, &kallsyms, &error);

	FUZZ_CHECK((kct_kallsyms_parse(reversed, n_reversed, &other, NULL) == 0) == (result == 0));
	if (result < 0)
		check_error(&error, result);
	else
		check_lookups(kallsyms, other, text, bytes);
	kct_kallsyms_free(kallsyms);
	kct_kallsyms_free(other);
	free(reversed);
}

/* Whether a number's hexadecimal digits are those of a count in decimal ones. */
static bool list_says(uint64_t number, size_t count)
{
	char digits[24], expected[24];

	snprintf(digits, sizeof(digits), "%" PRIx64, number);
	snprintf(expected, sizeof(expected), "%zu", count);
	return strcmp(digits, expected) == 0;
}

static void check_again(const uint64_t *pcs, size_t n)
{
	char *text = text_alloc(n * 20 + 1);
	struct kct_pclist *list;
	const uint64_t *again;
	size_t used = 0, n_again;

	for (size_t i = 0; i < n; i++)
		used += (size_t)sprintf(text + used, "%s%" PRIx64 "\n", i % 2 ? "0x" : "", pcs[i]);
	FUZZ_CHECK(kct_pclist_parse(text, used, &list) == 0);
	again = kct_pclist_pcs(list, &n_again);
	/* Where a bad line stood before an address, that can now be the count of the others. */
	if (kct_pclist_count_line(list) != 0) {
		FUZZ_CHECK(n >= 2 && (pcs[0] == n - 1 || list_says(pcs[0], n - 1)));
		pcs++;
		n--;
	}
	FUZZ_CHECK(n_again == n && (n == 0 || memcmp(again, pcs, n * sizeof(*pcs)) == 0));
	kct_pclist_bad(list, &n_again);
	FUZZ_CHECK(n_again == 0);
	kct_pclist_free(list);
	free(text);
}

static void check_pclist(const char *text, size_t bytes)
{
	const struct kct_pclist_bad *bad;
	size_t n_pcs, n_bad, n_lines = bytes > 0;
	struct kct_pclist *list;
	const uint64_t *pcs;

	for (size_t i = 0; i + 1 < bytes; i++)
		n_lines += text[i] == '\n';
	FUZZ_CHECK(kct_pclist_parse(text, bytes, &list) == 0);
	pcs = kct_pclist_pcs(list, &n_pcs);
	bad = kct_pclist_bad(list, &n_bad);
	FUZZ_CHECK(n_pcs + n_bad <= n_lines);
	for (size_t i = 0; i < n_bad; i++) {
		FUZZ_CHECK(bad[i].line >= 1 && bad[i].line <= n_lines && bad[i].offset < bytes);
		FUZZ_CHECK(bad[i].offset == 0 || text[bad[i].offset - 1] == '\n');
		FUZZ_CHECK(i == 0 || bad[i].line > bad[i - 1].line);
	}
	check_again(pcs, n_pcs);
	kct_pclist_free(list);
}

/** `text` ends with a NUL. */
static void check_address(const char *text)
{
	size_t length = strlen(text);
	uint64_t address, expected;
	char *end;

	if (kct_parse_address(text, length, &address) == 0) {
		errno = 0;
		expected = strtoull(text, &end, 16);
		FUZZ_CHECK(*end == '\0' && errno == 0 && expected == address);
	} else {
		/* Something that is no digit, too many of them, or none. */
		FUZZ_CHECK(strspn(text, "0123456789abcdefABCDEFxX") != length || length == 0 ||
			   length > 16 || strchr(text, 'x') || strchr(text, 'X'));
	}
}

static void check_layout(const char *text)
{
	struct kct_error error = {0};
	struct kct_layout layout;
	int result = kct_layout_parse(text, &layout, &error);

	if (result < 0) {
		FUZZ_CHECK(result == KCT_ERR_LAYOUT);
		check_error(&error, result);
		return;
	}
	FUZZ_CHECK(kct_layout_check(&layout, NULL) == 0);
	FUZZ_CHECK(strncmp(text, layout.preset, strlen(layout.preset)) == 0);
}

static void check_name(const char *text)
{
	size_t length = kct_base_name_length(text);
	char *base = strndup(text, length);

	FUZZ_CHECK(base && length <= strlen(text));
	FUZZ_CHECK(text[length] == '\0' || text[length] == '.');
	FUZZ_CHECK(length > 0 || text[0] == '\0');
	FUZZ_CHECK(kct_base_name_length(base) == length);
	free(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text, *ended;

	if (bytes == 0)
		return -1;
	bytes--;
	/* Exactly as long as it is, and once more with a NUL. */
	text = text_alloc(bytes);
	memcpy(text, data + 1, bytes);
	ended = text_alloc(bytes + 1);
	memcpy(ended, data + 1, bytes);
	ended[bytes] = '\0';
	switch (data[0] % 5) {
	case 0:
		check_kallsyms(text, bytes);
		break;
	case 1:
		check_pclist(text, bytes);
		break;
	case 2:
		check_address(ended);
		break;
	case 3:
		check_layout(ended);
		break;
	default:
		check_name(ended);
	}
	free(ended);
	free(text);
	return 0;
}
