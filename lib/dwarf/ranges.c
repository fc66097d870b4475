/* SPDX-License-Identifier: BSD-2-Clause */
/* Address ranges of entries, and the lists that hold them. */
#include <dwarf.h>

#include "dwarf/reader.h"

/* A range list while it is read. */
struct list {
	struct kct_reader *reader;
	const struct kct_scope *scope;
	struct kct_spans *spans;
	uint32_t id;
	uint32_t rank;
	uint64_t base;
};

bool kct_range_is_real(bool linked, uint64_t start, uint64_t end, unsigned address_bytes)
{
	uint64_t top = address_bytes >= 8 ? UINT64_MAX : (1ull << 8 * address_bytes) - 1;

	if (start >= end)
		return false;
	/* What linkers write for addresses in sections that are not in the output. */
	return !linked || (start != 0 && start != top && start != top - 1);
}

/* Add a range. 1: go on, 0: no more, KCT_ERR_NO_MEMORY. */
static int add(struct list *list, uint64_t start, uint64_t end)
{
	/* Many entries may name one long list. */
	if (!kct_reader_work(list->reader, KCT_WORK_RANGE)) {
		kct_reader_complain(list->reader, "too many address ranges");
		return 0;
	}
	if (!kct_range_is_real(list->reader->dwarf->linked, start, end,
			       list->scope->cu->encoding.address_bytes))
		return 1;
	return kct_spans_add(list->spans, start, end, list->id, list->rank) < 0 ? KCT_ERR_NO_MEMORY
										: 1;
}

/* An index into .debug_addr. */
static bool indexed(const struct list *list, struct kct_cursor *c, uint64_t *ret_address)
{
	return kct_scope_indexed_address(list->scope, kct_cursor_uleb(c), ret_address);
}

/* One entry of a list of DWARF 5. 1: go on, 0: the end, KCT_ERR_NO_MEMORY. */
static int read_entry(struct list *list, struct kct_cursor *c)
{
	unsigned bytes = list->scope->cu->encoding.address_bytes;
	uint64_t start = 0, end;

	switch (kct_cursor_u8(c)) {
	case DW_RLE_base_addressx:
		if (!indexed(list, c, &list->base))
			c->bad = true;
		return kct_reader_work(list->reader, 1);
	case DW_RLE_startx_endx:
		if (!indexed(list, c, &start) || !indexed(list, c, &end))
			c->bad = true;
		return c->bad ? 0 : add(list, start, end);
	case DW_RLE_startx_length:
		if (!indexed(list, c, &start))
			c->bad = true;
		end = start + kct_cursor_uleb(c);
		break;
	case DW_RLE_offset_pair:
		start = list->base + kct_cursor_uleb(c);
		end = list->base + kct_cursor_uleb(c);
		break;
	case DW_RLE_base_address:
		list->base = kct_cursor_uint(c, bytes);
		return kct_reader_work(list->reader, 1);
	case DW_RLE_start_end:
		start = kct_cursor_uint(c, bytes);
		end = kct_cursor_uint(c, bytes);
		break;
	case DW_RLE_start_length:
		start = kct_cursor_uint(c, bytes);
		end = start + kct_cursor_uleb(c);
		break;
	case DW_RLE_end_of_list:
		return 0;
	default:
		c->bad = true;
	}
	return c->bad ? 0 : add(list, start, end);
}

/* A list of DWARF 5. */
static int read_list(struct list *list, struct kct_cursor *c)
{
	int result;

	do
		result = read_entry(list, c);
	while (result > 0 && !c->bad);
	return result;
}

/* A list of DWARF 2 to 4: pairs, of which some are a new base, until one of zeros. */
static int read_old_list(struct list *list, struct kct_cursor *c)
{
	unsigned bytes = list->scope->cu->encoding.address_bytes;
	uint64_t top = UINT64_MAX >> (64 - 8 * bytes), start, end;
	int result = 1;

	while (result > 0) {
		start = kct_cursor_uint(c, bytes);
		end = kct_cursor_uint(c, bytes);
		if (c->bad || (start == 0 && end == 0))
			return 0;
		if (start == top) {
			list->base = end;
			result = kct_reader_work(list->reader, 1);
		} else {
			result = add(list, (list->base + start) & top, (list->base + end) & top);
		}
	}
	return result;
}

/* Go to where a list begins. */
static void seek(const struct kct_scope *scope, const struct kct_value *value, struct kct_cursor *c)
{
	unsigned bytes = scope->cu->encoding.offset_bytes;
	struct kct_cursor offsets;
	uint64_t offset = 0;

	if (scope->cu->encoding.version < 5) {
		*c = scope->image->ranges;
		if (!kct_value_number(value, &offset))
			c->bad = true;
		kct_cursor_skip(c, scope->file->is_split ? scope->ranges_base : 0);
	} else {
		*c = scope->file->rnglists;
		if (value->form == DW_FORM_rnglistx) {
			kct_cursor_skip(c, scope->rnglists_base);
			offsets = *c;
			if (value->number > UINT32_MAX)
				c->bad = true;
			kct_cursor_skip(&offsets, value->number * bytes);
			offset = kct_cursor_uint(&offsets, bytes);
			c->bad |= offsets.bad;
		} else if (!kct_value_number(value, &offset)) {
			c->bad = true;
		}
	}
	kct_cursor_skip(c, offset);
}

static int list_ranges(struct list *list, const struct kct_entry *entry)
{
	struct kct_cursor c;
	int result = 0;

	seek(list->scope, &entry->values[KCT_SLOT_RANGES], &c);
	if (!c.bad)
		result = list->scope->cu->encoding.version < 5 ? read_old_list(list, &c)
							       : read_list(list, &c);
	if (c.bad)
		kct_reader_complain(list->reader, "ranges of the entry at %#llx cannot be read",
				    (unsigned long long)entry->offset);
	return result < 0 ? result : 0;
}

int kct_entry_ranges(struct kct_reader *reader, const struct kct_scope *scope,
		     const struct kct_entry *entry, uint32_t id, uint32_t rank,
		     struct kct_spans *ret_spans)
{
	const struct kct_value *high = &entry->values[KCT_SLOT_HIGH_PC];
	struct list list = {reader, scope, ret_spans, id, rank, scope->low_pc};
	uint64_t start, end, length;

	if (!kct_entry_has(entry, KCT_SLOT_HIGH_PC))
		return kct_entry_has(entry, KCT_SLOT_RANGES) ? list_ranges(&list, entry) : 0;
	if (!kct_entry_has(entry, KCT_SLOT_LOW_PC) ||
	    !kct_scope_address(scope, &entry->values[KCT_SLOT_LOW_PC], &start)) {
		kct_reader_complain(reader, "start address of the entry at %#llx cannot be read",
				    (unsigned long long)entry->offset);
		return 0;
	}
	/* An address, or since DWARF 4 a length. */
	if (!kct_scope_address(scope, high, &end)) {
		if (!kct_value_number(high, &length)) {
			kct_reader_complain(reader,
					    "end address of the entry at %#llx cannot be read",
					    (unsigned long long)entry->offset);
			return 0;
		}
		end = start + length;
	}
	return add(&list, start, end) < 0 ? KCT_ERR_NO_MEMORY : 0;
}
