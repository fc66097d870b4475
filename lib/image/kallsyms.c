/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "image/kallsyms.h"

/* No symbol says where it ends. The last one before a hole is not believed to be larger. */
#define MAX_FUNCTION_BYTES (1u << 20)

struct kct_kallsyms {
	char *text; /* the names point into it */
	struct kct_symtab table;
	struct kct_symtab data; /* of variables */
	bool any_address;	/* one that is not zero */
	bool any_line;
};

/* The rest of the text. */
struct cursor {
	char *at;
	char *end;
};

void kct_kallsyms_free(struct kct_kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	kct_symtab_clear(&kallsyms->table);
	kct_symtab_clear(&kallsyms->data);
	free(kallsyms->text);
	free(kallsyms);
}

static void kallsyms_cleanup(struct kct_kallsyms **kallsyms)
{
	kct_kallsyms_free(*kallsyms);
}

/** Cut the next line off and end it with a NUL. NULL: there is none. */
static char *next_line(struct cursor *cursor)
{
	char *line = cursor->at, *end;

	if (line >= cursor->end)
		return NULL;
	end = memchr(line, '\n', (size_t)(cursor->end - line));
	if (!end)
		end = cursor->end; /* the copy has a byte more */
	cursor->at = end + 1;
	*end = '\0';
	return line;
}

/** Cut the next word off. NULL: there is none. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t\r");
	char *end = word + strcspn(word, " \t\r");

	if (word == end)
		return NULL;
	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/** Read a hexadecimal number that fills the word. */
static bool parse_hex(const char *word, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t n = strlen(word);

	if (n == 0 || n > 16)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = word[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			value = value << 4 | (uint64_t)((c | 32) - 'a' + 10);
		else
			return false;
	}
	*ret_value = value;
	return true;
}

/** The name in `[name]`; NULL if that is not what the word is. */
static const char *module_in_brackets(char *word)
{
	size_t n = word ? strlen(word) : 0;

	if (n < 3 || word[0] != '[' || word[n - 1] != ']')
		return NULL;
	word[n - 1] = '\0';
	return word + 1;
}

/** Parse `address type name [module]`, which lies in `text`. False if it is not such a line. */
static bool parse_line(const char *text, char *line, struct kct_symtab_entry *ret_entry,
		       bool *ret_is_data)
{
	const char *module;
	char *address = next_word(&line), *type = next_word(&line), *name = next_word(&line);
	struct kct_symtab_entry entry = {0};

	if (!address || !type || !name || type[1] != '\0' || !parse_hex(address, &entry.address))
		return false;
	entry.name = (uint32_t)(name - text);
	module = module_in_brackets(next_word(&line));
	entry.module = module ? (uint32_t)(module - text) : KCT_NO_MODULE;
	entry.is_code = entry.is_function = strchr("tTwW", type[0]) != NULL;
	entry.binding = strchr("wWvV", type[0])		   ? KCT_BIND_WEAK
			: type[0] >= 'a' && type[0] <= 'z' ? KCT_BIND_LOCAL
							   : KCT_BIND_GLOBAL;
	if (__builtin_add_overflow(entry.address, MAX_FUNCTION_BYTES - 1, &entry.limit))
		entry.limit = UINT64_MAX;
	*ret_is_data = strchr("dDbBrR", type[0]) != NULL;
	*ret_entry = entry;
	return true;
}

/** Add a line to the table of functions, where all others only end the one before, or of variables. */
static int add_line(struct kct_kallsyms *kallsyms, struct kct_symtab_entry *entry, bool is_data)
{
	int result = kct_symtab_add(&kallsyms->table, entry);

	if (result < 0 || !is_data)
		return result;
	entry->is_code = entry->is_function = true;
	return kct_symtab_add(&kallsyms->data, entry);
}

/** Parse all lines. A line that is none is skipped; the number of the first is stored. */
static int parse_lines(struct kct_kallsyms *kallsyms, size_t bytes, size_t *ret_bad_line)
{
	struct cursor cursor = {kallsyms->text, kallsyms->text + bytes};
	size_t n_line = 0;
	char *line;

	*ret_bad_line = 0;
	while ((line = next_line(&cursor)) != NULL) {
		struct kct_symtab_entry entry;
		bool is_data;
		int result;

		n_line++;
		if (!parse_line(kallsyms->text, line, &entry, &is_data)) {
			if (*ret_bad_line == 0 && line[strspn(line, " \t\r")] != '\0')
				*ret_bad_line = n_line;
			continue;
		}
		kallsyms->any_line = true;
		/* Some versions print per-CPU offsets from zero; they are no places in memory. */
		if (entry.address == 0)
			continue;
		kallsyms->any_address = true;
		result = add_line(kallsyms, &entry, is_data);
		if (result < 0)
			return result;
	}
	if (kct_symtab_finish(&kallsyms->table) < 0)
		return KCT_ERR_NO_MEMORY;
	return kct_symtab_finish(&kallsyms->data);
}

int kct_kallsyms_parse(const char *text, size_t bytes, struct kct_kallsyms **ret_kallsyms,
		       struct kct_error *error)
{
	struct kct_kallsyms *kallsyms KCT_CLEANUP(kallsyms_cleanup) = NULL;
	size_t bad_line;
	int result;

	if ((!text && bytes > 0) || !ret_kallsyms || bytes == SIZE_MAX)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	/* Names are offsets of 32 bits. */
	if (bytes >= UINT32_MAX)
		return kct_fail(error, KCT_ERR_LIMIT, "kallsyms has more than 4 GiB");
	kallsyms = calloc(1, sizeof(*kallsyms));
	if (!kallsyms)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	kallsyms->text = malloc(bytes + 1);
	if (!kallsyms->text)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	if (bytes > 0)
		memcpy(kallsyms->text, text, bytes);
	kallsyms->table.text = kallsyms->text;
	kallsyms->table.n_text = bytes;
	kallsyms->data.text = kallsyms->text;
	kallsyms->data.n_text = bytes;
	result = parse_lines(kallsyms, bytes, &bad_line);
	if (result < 0)
		return kct_fail_code(error, result);
	if (!kallsyms->any_line && bad_line > 0)
		return kct_fail(error, KCT_ERR_SYNTAX,
				"kallsyms line %zu: expected an address, a type and a name",
				bad_line);
	if (!kallsyms->any_line)
		return kct_fail(error, KCT_ERR_SYNTAX, "kallsyms is empty");
	if (!kallsyms->any_address)
		return kct_fail(error, KCT_ERR_SYNTAX,
				"all addresses of kallsyms are zero: it was read without the "
				"right to see them (kernel.kptr_restrict); read it as root");
	*ret_kallsyms = TAKE_PTR(kallsyms);
	return 0;
}

int kct_kallsyms_symbol(const struct kct_kallsyms *kallsyms, const char *name,
			uint64_t *ret_address)
{
	const struct kct_symtab_entry *first = NULL;

	if (!kallsyms || !name || !ret_address)
		return KCT_ERR_ARGUMENT;
	for (size_t i = 0; i < kallsyms->table.n; i++) {
		const struct kct_symtab_entry *entry = &kallsyms->table.entries[i];

		/* Names are places in the text: the lowest is the first line. */
		if (!kct_symtab_module(&kallsyms->table, entry) &&
		    strcmp(kct_symtab_name(&kallsyms->table, entry), name) == 0 &&
		    (!first || entry->name < first->name))
			first = entry;
	}
	if (!first)
		return KCT_ERR_NOT_FOUND;
	*ret_address = first->address;
	return 0;
}

struct kct_symtab *kct_kallsyms_table(struct kct_kallsyms *kallsyms)
{
	return &kallsyms->table;
}

struct kct_symtab *kct_kallsyms_data(struct kct_kallsyms *kallsyms)
{
	return &kallsyms->data;
}
