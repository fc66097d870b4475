/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit headers and entries. */
#include <dwarf.h>

#include "dwarf/forms.h"

int kct_cu_read(struct kct_cursor *c, const uint8_t *section, struct kct_cu *ret_cu)
{
	struct kct_cu cu = {.start = (uint64_t)(c->at - section), .type = DW_UT_compile};
	struct kct_cursor unit;
	uint64_t length;

	if (c->at >= c->end)
		return -1;
	cu.encoding.offset_bytes = 4;
	length = kct_cursor_uint(c, 4);
	if (length == 0xffffffff) {
		cu.encoding.offset_bytes = 8;
		length = kct_cursor_uint(c, 8);
	}
	if (c->bad)
		return -1;
	/* What a cut section still holds can be read. */
	unit = *c;
	unit.end = c->at + kct_min_u64(length, kct_cursor_left(c));
	cu.end = (uint64_t)(unit.end - section);
	cu.encoding.version = (uint8_t)kct_min_u64(kct_cursor_uint(&unit, 2), 255);
	if (cu.encoding.version >= 5) {
		cu.type = kct_cursor_u8(&unit);
		cu.encoding.address_bytes = kct_cursor_u8(&unit);
		cu.abbrevs = kct_cursor_uint(&unit, cu.encoding.offset_bytes);
		if (cu.type == DW_UT_skeleton || cu.type == DW_UT_split_compile)
			kct_cursor_skip(&unit, 8); /* ID of the split unit */
		else if (cu.type == DW_UT_type || cu.type == DW_UT_split_type)
			kct_cursor_skip(&unit, 8 + cu.encoding.offset_bytes);
	} else {
		cu.abbrevs = kct_cursor_uint(&unit, cu.encoding.offset_bytes);
		cu.encoding.address_bytes = kct_cursor_u8(&unit);
	}
	cu.root = (uint64_t)(unit.at - section);
	kct_cursor_skip(c, length);
	*ret_cu = cu;
	return !unit.bad && cu.encoding.version >= 2 && cu.encoding.version <= 5 &&
	       kct_address_bytes_are_valid(cu.encoding.address_bytes);
}

bool kct_entry_read(const struct kct_abbrevs *abbrevs, const struct kct_abbrev *abbrev,
		    struct kct_cursor *c, struct kct_entry *entry)
{
	const struct kct_step *step = abbrevs->steps + abbrev->first_step;
	const struct kct_step *end = step + abbrev->n_steps;
	struct kct_value value;

	entry->abbrev = abbrev;
	entry->present = 0;
	if (unlikely(abbrev->unreadable))
		return false;
	for (; step < end; step++) {
		kct_cursor_skip(c, step->skip);
		if (!kct_value_read(c, &abbrevs->encoding, step->form, step->bytes, step->constant,
				    &value))
			return false;
		if (step->slot == KCT_SLOT_NONE || kct_entry_has(entry, step->slot))
			continue;
		entry->present |= 1u << step->slot;
		entry->values[step->slot] = value;
	}
	kct_cursor_skip(c, abbrev->tail);
	return !c->bad;
}

bool kct_entry_skip(const struct kct_abbrevs *abbrevs, const struct kct_abbrev *abbrev,
		    struct kct_cursor *c, struct kct_value *ret_sibling)
{
	const struct kct_step *step = abbrevs->steps + abbrev->first_skip;
	const struct kct_step *end = step + abbrev->n_skips;
	struct kct_value value;

	ret_sibling->form = 0;
	if (unlikely(abbrev->unreadable))
		return false;
	for (; step < end; step++) {
		kct_cursor_skip(c, step->skip);
		if (!kct_value_read(c, &abbrevs->encoding, step->form, step->bytes, step->constant,
				    &value))
			return false;
		if (step->slot == KCT_SLOT_SIBLING)
			*ret_sibling = value;
	}
	kct_cursor_skip(c, abbrev->skip_tail);
	return !c->bad;
}
