/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "image/names.h"
#include "image/symtab.h"

void kct_symtab_clear(struct kct_symtab *table)
{
	free(table->by_name);
	free(table->own_text);
	if (!table->mapped) {
		free(table->entries);
		kct_ranges_clear(&table->ranges);
	}
	*table = (struct kct_symtab){0};
}

const char *kct_symtab_name(const struct kct_symtab *table, const struct kct_symtab_entry *entry)
{
	return entry->name < table->n_text ? table->text + entry->name : "";
}

const char *kct_symtab_module(const struct kct_symtab *table, const struct kct_symtab_entry *entry)
{
	return entry->module < table->n_text ? table->text + entry->module : NULL;
}

int kct_symtab_add(struct kct_symtab *table, const struct kct_symtab_entry *entry)
{
	if (kct_name_is_label(kct_symtab_name(table, entry)))
		return 0;
	if (table->n >= UINT32_MAX / 2)
		return KCT_ERR_LIMIT;
	if (kct_array_reserve(&table->entries, &table->max, table->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	table->entries[table->n] = *entry;
	table->entries[table->n++].guessed = entry->size == 0;
	return 0;
}

/** What a symbol is worth as the answer for its own address. */
static unsigned worth(const struct kct_symtab *table, const struct kct_symtab_entry *entry)
{
	return (unsigned)entry->is_code << 5 |
	       (unsigned)!kct_name_is_decoration(kct_symtab_name(table, entry)) << 4 |
	       (unsigned)entry->is_function << 3 | (unsigned)entry->binding << 1 |
	       (unsigned)(entry->size != 0);
}

/** Among equals, the name somebody would look for: fewer underscores in front, then by letter. */
static int compare_names(const char *a, const char *b)
{
	size_t a_scores = strspn(a, "_"), b_scores = strspn(b, "_");

	if (a_scores != b_scores)
		return a_scores < b_scores ? -1 : 1;
	return strcmp(a, b);
}

static int compare_entries(const void *left, const void *right, void *context)
{
	const struct kct_symtab_entry *a = left, *b = right;
	const struct kct_symtab *table = context;
	const char *a_module, *b_module;
	unsigned a_worth, b_worth;
	int order;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	a_worth = worth(table, a);
	b_worth = worth(table, b);
	if (a_worth != b_worth)
		return a_worth > b_worth ? -1 : 1;
	order = compare_names(kct_symtab_name(table, a), kct_symtab_name(table, b));
	if (order == 0 && a->size != b->size)
		order = a->size > b->size ? -1 : 1;
	a_module = kct_symtab_module(table, a);
	b_module = kct_symtab_module(table, b);
	return order != 0 ? order : strcmp(a_module ? a_module : "", b_module ? b_module : "");
}

/** Index behind the last entry with the address of entry `i`. */
static size_t group_end(const struct kct_symtab *table, size_t i)
{
	size_t end = i + 1;

	while (end < table->n && table->entries[end].address == table->entries[i].address)
		end++;
	return end;
}

/** The best name of an address takes the size of an alias if it has none of its own. */
static void adopt_size(struct kct_symtab_entry *group, size_t n)
{
	for (size_t i = 1; i < n && group[0].size == 0; i++) {
		if (!group[i].is_code)
			break;
		group[0].size = group[i].size;
		group[0].guessed = group[i].size == 0;
	}
}

/** Ranges of the symbols with a size. A symbol inside another one wins: it begins later. */
static int add_sized(struct kct_symtab *table)
{
	for (size_t i = 0; i < table->n; i = group_end(table, i)) {
		struct kct_symtab_entry *best = &table->entries[i];
		uint64_t last;

		adopt_size(best, group_end(table, i) - i);
		if (!best->is_code || best->guessed || best->address > best->limit)
			continue;
		if (__builtin_add_overflow(best->address, best->size - 1, &last))
			last = UINT64_MAX;
		last = kct_min_u64(last, best->limit);
		if (kct_ranges_add(&table->ranges, best->address, last, (uint32_t)(table->n - i),
				   (uint32_t)i) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return kct_ranges_finish(&table->ranges);
}

/** Ranges of those without: up to the next symbol, and nothing inside a symbol with a size. */
static int add_guessed(struct kct_symtab *table)
{
	struct kct_ranges guesses = {0};
	int result = 0;
	size_t end;

	for (size_t i = 0; i < table->n && result == 0; i = end) {
		struct kct_symtab_entry *best = &table->entries[i];
		uint64_t last = best->limit;

		end = group_end(table, i);
		if (!best->is_code || !best->guessed || best->address > best->limit ||
		    kct_ranges_find(&table->ranges, best->address))
			continue;
		if (end < table->n)
			last = kct_min_u64(last, table->entries[end].address - 1);
		best->size = last - best->address + 1;
		result = kct_ranges_add(&guesses, best->address, last, 0, (uint32_t)i);
	}
	for (size_t i = 0; i < guesses.n && result == 0; i++)
		result = kct_ranges_add(&table->ranges, guesses.items[i].first,
					guesses.items[i].last, 0, guesses.items[i].value);
	kct_ranges_clear(&guesses);
	return result < 0 ? result : kct_ranges_finish(&table->ranges);
}

int kct_symtab_finish(struct kct_symtab *table)
{
	int result;

	if (table->n == 0)
		return 0;
	qsort_r(table->entries, table->n, sizeof(*table->entries), compare_entries, table);
	result = add_sized(table);
	return result < 0 ? result : add_guessed(table);
}

const struct kct_symtab_entry *kct_symtab_find(const struct kct_symtab *table, uint64_t address)
{
	const struct kct_range *range = kct_ranges_find(&table->ranges, address);

	return range && range->value < table->n ? &table->entries[range->value] : NULL;
}

bool kct_symtab_is_answer(const struct kct_symtab *table, size_t index)
{
	const struct kct_range *range;

	range = kct_ranges_find(&table->ranges, table->entries[index].address);
	return range && range->value == index;
}

static int compare_by_name(const void *left, const void *right, void *context)
{
	const struct kct_symtab *table = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return strcmp(kct_symtab_name(table, &table->entries[a]),
		      kct_symtab_name(table, &table->entries[b]));
}

static int make_by_name(struct kct_symtab *table)
{
	if (table->by_name)
		return 0;
	table->by_name = malloc((table->n ? table->n : 1) * sizeof(*table->by_name));
	if (!table->by_name)
		return KCT_ERR_NO_MEMORY;
	table->n_by_name = 0;
	for (size_t i = 0; i < table->n; i++) {
		if (table->entries[i].is_code)
			table->by_name[table->n_by_name++] = (uint32_t)i;
	}
	qsort_r(table->by_name, table->n_by_name, sizeof(*table->by_name), compare_by_name, table);
	return 0;
}

/** As strcmp(), of stem[0..length) with the name of number `i` by name. */
static int compare_stem(const struct kct_symtab *table, const char *stem, size_t length, size_t i)
{
	const char *name = kct_symtab_name(table, &table->entries[table->by_name[i]]);
	int order = strncmp(stem, name, length);

	return order != 0 ? order : name[length] == '\0' ? 0 : -1;
}

int kct_symtab_cold_bases(struct kct_symtab *table, const struct kct_symtab_entry *entry,
			  uint32_t ret_bases[2])
{
	const char *name = kct_symtab_name(table, entry);
	size_t length = kct_name_cold_stem(name);
	size_t low = 0, high;
	int n = 0;

	if (length == 0)
		return 0;
	if (make_by_name(table) < 0)
		return KCT_ERR_NO_MEMORY;
	high = table->n_by_name;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_stem(table, name, length, middle) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* Two are as bad as many, of which there may be any number. */
	for (; low < table->n_by_name && n < 2; low++) {
		if (compare_stem(table, name, length, low) != 0)
			break;
		ret_bases[n++] = table->by_name[low];
	}
	return n;
}

int kct_symtab_cold_base(struct kct_symtab *table, const struct kct_symtab_entry *entry,
			 const struct kct_symtab_entry **ret_base)
{
	uint32_t bases[2];
	int n = kct_symtab_cold_bases(table, entry, bases);

	if (n != 1)
		return n < 0 ? n : 0;
	*ret_base = &table->entries[bases[0]];
	return 1;
}
