/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread's workplace: abbreviations, entries, scopes of units, and how much work is too much. */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/reader.h"

/* Work that the bytes of a unit explain: so much at least, and so much for each byte. */
#define LEAST_FAIR_WORK	   4096
#define FAIR_WORK_PER_BYTE 64

struct kct_reader *kct_reader_new(struct kct_dwarf *dwarf)
{
	struct kct_reader *reader = calloc(1, sizeof(*reader));

	if (reader) {
		reader->dwarf = dwarf;
		reader->spare_work = dwarf->spare_work;
	}
	return reader;
}

void kct_reader_free(struct kct_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < KCT_KEPT_ABBREVS; i++)
		kct_abbrevs_clear(&reader->others[i]);
	kct_abbrevs_clear(&reader->own);
	kct_abbrevs_clear(&reader->root);
	kct_build_clear(&reader->build);
	kct_walk_clear(&reader->walk);
	kct_lines_clear(&reader->lines);
	kct_map_clear(&reader->names);
	free(reader);
}

void kct_reader_complain(struct kct_reader *reader, const char *format, ...)
{
	va_list arguments;

	if (reader->complaint[0])
		return;
	va_start(arguments, format);
	vsnprintf(reader->complaint, sizeof(reader->complaint), format, arguments);
	va_end(arguments);
	reader->complaint_unit = reader->unit;
}

void kct_readers_settle(struct kct_dwarf *dwarf, struct kct_reader *const *readers, size_t n)
{
	const struct kct_reader *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (readers[i] && readers[i]->complaint[0] &&
		    (!first || readers[i]->complaint_unit < first->complaint_unit))
			first = readers[i];
	if (first && !dwarf->complaint[0])
		memcpy(dwarf->complaint, first->complaint, sizeof(dwarf->complaint));
}

void kct_reader_begin(struct kct_reader *reader, uint32_t unit, uint64_t bytes)
{
	reader->unit = unit;
	reader->fair_work = LEAST_FAIR_WORK + FAIR_WORK_PER_BYTE * bytes;
}

bool kct_reader_work(struct kct_reader *reader, uint64_t amount)
{
	uint64_t fair = kct_min_u64(amount, reader->fair_work);

	reader->fair_work -= fair;
	amount -= fair;
	if (amount > reader->spare_work) {
		reader->spare_work = 0;
		return false;
	}
	reader->spare_work -= amount;
	return true;
}

static bool same_encoding(const struct kct_encoding *a, const struct kct_encoding *b)
{
	return a->version == b->version && a->address_bytes == b->address_bytes &&
	       a->offset_bytes == b->offset_bytes;
}

static bool is_table_of(const struct kct_abbrevs *abbrevs, const struct kct_debug_file *file,
			const struct kct_cu *cu)
{
	return abbrevs->valid && abbrevs->offset == cu->abbrevs &&
	       abbrevs->section == file->abbrev.at &&
	       same_encoding(&abbrevs->encoding, &cu->encoding);
}

/* Have a table in `abbrevs`, up to a code. 1: it is there, 0: it cannot be read, KCT_ERR_NO_MEMORY. */
static int load_abbrevs(struct kct_reader *reader, const struct kct_debug_file *file,
			const struct kct_cu *cu, uint64_t last, struct kct_abbrevs *abbrevs)
{
	uint64_t n = 0;
	int result;

	if (last == UINT64_MAX && is_table_of(abbrevs, file, cu))
		return 1;
	result = kct_abbrevs_read(abbrevs, file->abbrev, cu->abbrevs, cu->encoding, last,
				  (reader->fair_work + reader->spare_work) / KCT_WORK_ABBREV, &n);
	if (!kct_reader_work(reader, n * KCT_WORK_ABBREV) && result > 0)
		result = 0;
	if (result == 0) {
		abbrevs->valid = false;
		kct_reader_complain(reader, "abbreviations at %#llx: cut, or absurdly many",
				    (unsigned long long)cu->abbrevs);
	}
	return result;
}

int kct_reader_own_abbrevs(struct kct_reader *reader, const struct kct_debug_file *file,
			   const struct kct_cu *cu, const struct kct_abbrevs **ret_abbrevs)
{
	int result = load_abbrevs(reader, file, cu, UINT64_MAX, &reader->own);

	*ret_abbrevs = result > 0 ? &reader->own : NULL;
	return result < 0 ? result : 0;
}

/* The table to read the entry with a code with; of a unit's own entry no more than is needed. */
static int abbrevs_for(struct kct_reader *reader, const struct kct_debug_file *file,
		       const struct kct_cu *cu, bool is_root, uint64_t code,
		       const struct kct_abbrevs **ret_abbrevs)
{
	size_t place = kct_hash_u64(cu->abbrevs ^ (uintptr_t)file) % KCT_KEPT_ABBREVS;
	struct kct_abbrevs *abbrevs = &reader->others[place];

	if (is_table_of(&reader->own, file, cu))
		abbrevs = &reader->own;
	*ret_abbrevs = abbrevs;
	if (is_table_of(abbrevs, file, cu))
		return 1;
	if (is_root)
		*ret_abbrevs = abbrevs = &reader->root;
	return load_abbrevs(reader, file, cu, is_root ? code : UINT64_MAX, abbrevs);
}

int kct_reader_entry(struct kct_reader *reader, const struct kct_debug_file *file,
		     const struct kct_cu *cu, uint64_t offset, struct kct_entry *entry)
{
	const struct kct_abbrevs *abbrevs;
	const struct kct_abbrev *abbrev;
	struct kct_cursor c = file->info;
	uint64_t code;
	int result;

	c.end = c.at + kct_min_u64(cu->end, kct_cursor_left(&c));
	if (!kct_cursor_skip(&c, offset))
		return 0;
	code = kct_cursor_uleb(&c);
	if (code == 0)
		return 0;
	result = abbrevs_for(reader, file, cu, offset == cu->root, code, &abbrevs);
	if (result <= 0)
		return result;
	abbrev = kct_abbrevs_find(abbrevs, code);
	if (abbrev && abbrev->unreadable)
		kct_reader_complain(reader,
				    "abbreviation %llu of the table at %#llx has a form of unknown "
				    "size, an unknown flag of children, or more than %d attributes",
				    (unsigned long long)code, (unsigned long long)cu->abbrevs,
				    KCT_MAX_ATTRIBUTES);
	if (!abbrev || !kct_entry_read(abbrevs, abbrev, &c, entry))
		return 0;
	entry->offset = offset;
	return 1;
}

static bool types_hold_code(const struct kct_entry *root)
{
	uint64_t language = 0;

	if (kct_entry_has(root, KCT_SLOT_LANGUAGE))
		kct_value_number(&root->values[KCT_SLOT_LANGUAGE], &language);
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return false;
	default:
		return true;
	}
}

static void take_number(const struct kct_entry *root, enum kct_slot slot, uint64_t *number)
{
	if (kct_entry_has(root, slot))
		kct_value_number(&root->values[slot], number);
}

/* Where the tables of a unit begin if it does not say: behind a header of their own. Addresses of several
 * units share a section, and without a word from the unit none can be told. */
static void set_bases(struct kct_scope *scope)
{
	bool wide = scope->cu->encoding.offset_bytes == 8;

	if (scope->cu->encoding.version < 5)
		return;
	scope->str_offsets_base = wide ? 16 : 8;
	scope->addr_base = UINT64_MAX;
	scope->rnglists_base = wide ? 20 : 12;
}

int kct_scope_open(struct kct_reader *reader, const struct kct_debug_file *file,
		   const struct kct_cu *cu, const struct kct_scope *skeleton,
		   struct kct_scope *ret_scope, struct kct_entry *ret_root)
{
	struct kct_scope scope = {.file = file, .image = file, .cu = cu};
	int result = kct_reader_entry(reader, file, cu, cu->root, ret_root);

	if (result <= 0)
		return result;
	set_bases(&scope);
	if (skeleton) {
		scope.image = skeleton->image;
		scope.low_pc = skeleton->low_pc;
		scope.addr_base = skeleton->addr_base;
		scope.ranges_base = skeleton->ranges_base;
	}
	take_number(ret_root, KCT_SLOT_STR_OFFSETS_BASE, &scope.str_offsets_base);
	take_number(ret_root, KCT_SLOT_ADDR_BASE, &scope.addr_base);
	take_number(ret_root, KCT_SLOT_RNGLISTS_BASE, &scope.rnglists_base);
	take_number(ret_root, KCT_SLOT_GNU_RANGES_BASE, &scope.ranges_base);
	if (kct_entry_has(ret_root, KCT_SLOT_LOW_PC))
		kct_scope_address(&scope, &ret_root->values[KCT_SLOT_LOW_PC], &scope.low_pc);
	if (kct_entry_has(ret_root, KCT_SLOT_LINES))
		scope.has_lines = kct_value_number(&ret_root->values[KCT_SLOT_LINES], &scope.lines);
	if (kct_entry_has(ret_root, KCT_SLOT_COMP_DIR))
		scope.comp_dir = kct_scope_string(&scope, &ret_root->values[KCT_SLOT_COMP_DIR]);
	scope.types_hold_code = types_hold_code(ret_root);
	*ret_scope = scope;
	return 1;
}
