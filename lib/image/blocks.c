/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "image/blocks.h"
#include "symfile/tables.h"

/* Blocks of type SYMBOLS. */
enum { SYMBOL_ENTRIES, SYMBOL_RANGES, SYMBOL_TEXT, SYMBOL_BLOCKS };

/* Of block NAMED. */
struct named_row {
	char name[16];
	uint64_t address;
	uint64_t found;
};

_Static_assert(sizeof(struct kct_symtab_entry) == 40, "entries have no gaps");
_Static_assert(sizeof(struct kct_range) == 24, "ranges have no gaps");

int kct_blocks_add_key(struct kct_symfile_writer *writer, const struct kct_key *key,
		       const struct kct_stamps *stamps, struct kct_error *error)
{
	const struct iovec parts[] = {
		{(void *)(uintptr_t)stamps, sizeof(*stamps)},
		{(void *)(uintptr_t)key->text, strlen(key->text)},
	};

	return kct_symfile_add_parts(writer, KCT_SYMFILE_KEY, 0, parts, 2, error);
}

int kct_blocks_match_key(struct kct_symfile *file, const struct kct_key *key,
			 struct kct_stamps *ret_stamps)
{
	const char *block;
	size_t bytes;
	int result = kct_symfile_block(file, KCT_SYMFILE_KEY, 0, (const void **)&block, &bytes);

	if (result <= 0)
		return result;
	if (bytes < sizeof(*ret_stamps))
		return KCT_ERR_DAMAGED;
	memcpy(ret_stamps, block, sizeof(*ret_stamps));
	bytes -= sizeof(*ret_stamps);
	return bytes == strlen(key->text) &&
	       memcmp(block + sizeof(*ret_stamps), key->text, bytes) == 0;
}

int kct_blocks_add_facts(struct kct_symfile_writer *writer, struct kct_image *image, uint32_t flags,
			 struct kct_error *error)
{
	const struct kct_debug *debug = kct_image_debug(image);
	const char *reason = image->stored.reason[0] ? image->stored.reason : debug->reason;
	struct kct_facts facts = {
		.debug_status = debug->status,
		.machine = image->header.e_machine,
		.flags = flags,
		.n_build_id = (uint32_t)image->n_build_id,
	};

	if (image->approximate)
		facts.flags |= KCT_FACTS_APPROXIMATE;
	if (image->relocatable)
		facts.flags |= KCT_FACTS_RELOCATABLE;
	if (image->header.e_ident[EI_CLASS] == ELFCLASS64)
		facts.flags |= KCT_FACTS_64_BIT;
	if (image->header.e_ident[EI_DATA] == ELFDATA2MSB)
		facts.flags |= KCT_FACTS_BIG_ENDIAN;
	memcpy(facts.build_id, image->build_id, image->n_build_id);
	/* The rest stays NUL. */
	memcpy(facts.reason, reason, strnlen(reason, sizeof(facts.reason) - 1));
	if (image->module_name)
		memcpy(facts.module_name, image->module_name,
		       strnlen(image->module_name, sizeof(facts.module_name) - 1));
	return kct_symfile_add(writer, KCT_SYMFILE_IMAGE, 0, &facts, sizeof(facts), error);
}

int kct_blocks_get_facts(struct kct_symfile *file, struct kct_facts *ret_facts)
{
	struct kct_facts facts;
	const void *block;
	size_t bytes;
	int result = kct_symfile_block(file, KCT_SYMFILE_IMAGE, 0, &block, &bytes);

	if (result <= 0)
		return result;
	if (bytes != sizeof(facts))
		return KCT_ERR_DAMAGED;
	memcpy(&facts, block, sizeof(facts));
	if (facts.n_build_id > sizeof(facts.build_id) || facts.debug_status > KCT_DEBUG_BROKEN ||
	    facts.reason[sizeof(facts.reason) - 1] ||
	    facts.module_name[sizeof(facts.module_name) - 1])
		return KCT_ERR_DAMAGED;
	kct_clean_text(facts.reason);
	kct_clean_text(facts.module_name);
	*ret_facts = facts;
	return 1;
}

/** Copy entries so that their names are offsets into a text of these names alone. Neighbours often
 *  share a name. */
static int pack_entries(const struct kct_symtab *table, struct kct_symtab_entry *entries,
			char **text, size_t *n_text)
{
	size_t max = 0, last = 0;

	for (size_t i = 0; i < table->n; i++) {
		const char *name = kct_symtab_name(table, &table->entries[i]);
		size_t bytes = strlen(name) + 1;

		entries[i] = table->entries[i];
		entries[i].module = KCT_NO_MODULE;
		if (i == 0 || strcmp(*text + last, name) != 0) {
			if (*n_text + bytes > UINT32_MAX)
				return KCT_ERR_LIMIT;
			if (kct_array_reserve(text, &max, *n_text + bytes) < 0)
				return KCT_ERR_NO_MEMORY;
			memcpy(*text + *n_text, name, bytes);
			last = *n_text;
			*n_text += bytes;
		}
		entries[i].name = (uint32_t)last;
	}
	return 0;
}

int kct_blocks_add_symbols(struct kct_symfile_writer *writer, enum kct_symbol_kind kind,
			   const struct kct_symtab *table, struct kct_error *error)
{
	uint32_t first = (uint32_t)kind * SYMBOL_BLOCKS;
	struct kct_symtab_entry *entries KCT_AUTO_FREE = calloc(table->n + 1, sizeof(*entries));
	char *text KCT_AUTO_FREE = NULL;
	size_t n_text = 0;
	int result;

	if (!entries)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	result = pack_entries(table, entries, &text, &n_text);
	if (result < 0)
		return kct_fail_code(error, result);
	result = kct_symfile_add(writer, KCT_SYMFILE_SYMBOLS, first + SYMBOL_ENTRIES, entries,
				 table->n * sizeof(*entries), error);
	if (result >= 0)
		result = kct_symfile_add(writer, KCT_SYMFILE_SYMBOLS, first + SYMBOL_RANGES,
					 table->ranges.items,
					 table->ranges.n * sizeof(*table->ranges.items), error);
	if (result >= 0)
		result = kct_symfile_add(writer, KCT_SYMFILE_SYMBOLS, first + SYMBOL_TEXT, text,
					 n_text, error);
	return result;
}

/** An array that fills a block. As kct_symfile_block(). */
static int get_array(struct kct_symfile *file, uint32_t id, size_t element, const void **ret_array,
		     size_t *ret_n)
{
	size_t bytes;
	int result = kct_symfile_block(file, KCT_SYMFILE_SYMBOLS, id, ret_array, &bytes);

	if (result <= 0)
		return result;
	*ret_n = bytes / element;
	return bytes % element == 0 && *ret_n <= UINT32_MAX / 2 ? 1 : KCT_ERR_DAMAGED;
}

int kct_blocks_get_symbols(struct kct_symfile *file, enum kct_symbol_kind kind,
			   struct kct_symtab *ret_table)
{
	uint32_t first = (uint32_t)kind * SYMBOL_BLOCKS;
	struct kct_symtab table = {.mapped = true};
	const void *entries, *ranges, *text;
	int result =
		get_array(file, first + SYMBOL_ENTRIES, sizeof(*table.entries), &entries, &table.n);

	if (result > 0)
		result = get_array(file, first + SYMBOL_RANGES, sizeof(*table.ranges.items),
				   &ranges, &table.ranges.n);
	if (result > 0)
		result = get_array(file, first + SYMBOL_TEXT, 1, &text, &table.n_text);
	if (result <= 0)
		return result;
	if (table.n_text > 0 && !kct_symfile_text_is_sane(text, table.n_text))
		return KCT_ERR_DAMAGED;
	table.text = text;
	/* Nothing writes to a mapped table. */
	table.entries = (struct kct_symtab_entry *)(uintptr_t)entries;
	table.ranges.items = (struct kct_range *)(uintptr_t)ranges;
	*ret_table = table;
	return 1;
}

int kct_blocks_add_named(struct kct_symfile_writer *writer, const struct kct_image *image,
			 struct kct_error *error)
{
	struct named_row rows[KCT_NAMED] = {0};

	for (size_t i = 0; i < KCT_NAMED; i++) {
		strcpy(rows[i].name, kct_named_symbols[i]);
		rows[i].found = image->named[i].found;
		rows[i].address = image->named[i].address;
	}
	return kct_symfile_add(writer, KCT_SYMFILE_NAMED, 0, rows, sizeof(rows), error);
}

int kct_blocks_get_named(struct kct_symfile *file, struct kct_named ret_named[KCT_NAMED])
{
	const struct named_row *rows;
	const void *block;
	size_t bytes;
	int result = kct_symfile_block(file, KCT_SYMFILE_NAMED, 0, &block, &bytes);

	if (result <= 0)
		return result;
	if (bytes != KCT_NAMED * sizeof(*rows))
		return KCT_ERR_DAMAGED;
	rows = block;
	for (size_t i = 0; i < KCT_NAMED; i++) {
		if (strncmp(rows[i].name, kct_named_symbols[i], sizeof(rows[i].name)) != 0)
			return KCT_ERR_DAMAGED;
		ret_named[i] =
			(struct kct_named){.address = rows[i].address, .found = rows[i].found != 0};
	}
	return 1;
}
