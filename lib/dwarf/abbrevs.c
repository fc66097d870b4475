/* SPDX-License-Identifier: BSD-2-Clause */
/* Abbreviation tables, as steps for reading the entries that use them. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/forms.h"

static enum kct_slot slot_of(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_sibling:
		return KCT_SLOT_SIBLING;
	case DW_AT_name:
		return KCT_SLOT_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return KCT_SLOT_LINKAGE_NAME;
	case DW_AT_low_pc:
		return KCT_SLOT_LOW_PC;
	case DW_AT_high_pc:
		return KCT_SLOT_HIGH_PC;
	case DW_AT_ranges:
		return KCT_SLOT_RANGES;
	case DW_AT_abstract_origin:
		return KCT_SLOT_ORIGIN;
	case DW_AT_specification:
		return KCT_SLOT_SPECIFICATION;
	case DW_AT_call_file:
		return KCT_SLOT_CALL_FILE;
	case DW_AT_call_line:
		return KCT_SLOT_CALL_LINE;
	case DW_AT_call_column:
		return KCT_SLOT_CALL_COLUMN;
	case DW_AT_comp_dir:
		return KCT_SLOT_COMP_DIR;
	case DW_AT_stmt_list:
		return KCT_SLOT_LINES;
	case DW_AT_language:
		return KCT_SLOT_LANGUAGE;
	case DW_AT_str_offsets_base:
		return KCT_SLOT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return KCT_SLOT_ADDR_BASE;
	case DW_AT_rnglists_base:
		return KCT_SLOT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return KCT_SLOT_GNU_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return KCT_SLOT_DWO_NAME;
	default:
		return KCT_SLOT_NONE;
	}
}

static enum kct_kind kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return KCT_KIND_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return KCT_KIND_INLINE;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return KCT_KIND_BLOCK;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return KCT_KIND_TYPE;
	default:
		return KCT_KIND_OTHER;
	}
}

struct attribute {
	uint64_t name;
	uint64_t form;
	uint64_t constant;
};

static int add_step(struct kct_abbrevs *abbrevs, uint16_t *n, uint16_t *gap,
		    const struct attribute *attribute, int bytes, enum kct_slot slot)
{
	if (kct_array_reserve(&abbrevs->steps, &abbrevs->max_steps, abbrevs->n_steps + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	abbrevs->steps[abbrevs->n_steps++] = (struct kct_step){
		attribute->constant, *gap, (uint16_t)attribute->form, (int8_t)bytes, (uint8_t)slot};
	*gap = 0;
	++*n;
	return 0;
}

/* Read the attributes of a declaration; their number, < 0: too many. */
static int read_attributes(struct kct_cursor *c, struct attribute attributes[KCT_MAX_ATTRIBUTES])
{
	for (int n = 0; n <= KCT_MAX_ATTRIBUTES; n++) {
		struct attribute a = {.name = kct_cursor_uleb(c)};

		a.form = kct_cursor_uleb(c);
		if (a.form == DW_FORM_implicit_const)
			a.constant = (uint64_t)kct_cursor_sleb(c);
		if (c->bad || (a.name == 0 && a.form == 0))
			return n;
		if (n < KCT_MAX_ATTRIBUTES)
			attributes[n] = a;
	}
	return -1;
}

/* One of the two lists of steps. */
static int add_steps(struct kct_abbrevs *abbrevs, struct kct_abbrev *abbrev,
		     const struct attribute *attributes, int n, bool skip)
{
	uint16_t gap = 0, n_steps = 0;
	size_t first = abbrevs->n_steps;

	for (int i = 0; i < n; i++) {
		int bytes = kct_form_bytes(attributes[i].form, &abbrevs->encoding);
		enum kct_slot slot = slot_of(attributes[i].name);

		if (bytes == KCT_FORM_UNKNOWN) {
			abbrev->unreadable = true;
			return 0;
		}
		if (skip && (slot != KCT_SLOT_SIBLING || !abbrev->has_children))
			slot = KCT_SLOT_NONE;
		if (bytes >= 0 && slot == KCT_SLOT_NONE)
			gap = (uint16_t)(gap + bytes);
		else if (add_step(abbrevs, &n_steps, &gap, &attributes[i], bytes, slot) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	if (skip) {
		abbrev->first_skip = (uint32_t)first;
		abbrev->n_skips = n_steps;
		abbrev->skip_tail = gap;
	} else {
		abbrev->first_step = (uint32_t)first;
		abbrev->n_steps = n_steps;
		abbrev->tail = gap;
	}
	return 0;
}

/* Keep a declaration, or only step over it. */
static int read_declaration(struct kct_abbrevs *abbrevs, struct kct_cursor *c, uint64_t code,
			    bool keep)
{
	uint64_t tag = kct_cursor_uleb(c);
	unsigned children = kct_cursor_u8(c);
	struct kct_abbrev abbrev = {
		.code = code,
		.tag = (uint16_t)(tag < 0xffff ? tag : 0xffff),
		.has_children = children != DW_CHILDREN_no,
	};
	struct attribute attributes[KCT_MAX_ATTRIBUTES];
	int n = read_attributes(c, attributes);

	if (!keep)
		return n < 0;
	abbrev.kind = (uint8_t)kind_of(tag);
	abbrev.unreadable = n < 0 || children > DW_CHILDREN_yes ||
			    abbrevs->n_steps > UINT32_MAX - 2 * KCT_MAX_ATTRIBUTES;
	if (!abbrev.unreadable && (add_steps(abbrevs, &abbrev, attributes, n, false) < 0 ||
				   add_steps(abbrevs, &abbrev, attributes, n, true) < 0))
		return KCT_ERR_NO_MEMORY;
	if (kct_array_reserve(&abbrevs->all, &abbrevs->max, abbrevs->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	abbrevs->all[abbrevs->n++] = abbrev;
	return n < 0;
}

static int compare_codes(const void *left, const void *right)
{
	const struct kct_abbrev *a = left, *b = right;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->first_step < b->first_step ? -1 : a->first_step > b->first_step;
}

int kct_abbrevs_read(struct kct_abbrevs *abbrevs, struct kct_cursor section, uint64_t offset,
		     struct kct_encoding encoding, uint64_t last, uint64_t max_n, uint64_t *ret_n)
{
	struct kct_cursor c = section;
	bool all = last == UINT64_MAX, sorted = true;
	uint64_t code = 0, n = 0;
	int result = 0;

	abbrevs->valid = false;
	abbrevs->section = section.at;
	abbrevs->offset = offset;
	abbrevs->encoding = encoding;
	abbrevs->n = abbrevs->n_steps = 0;
	*ret_n = 0;
	/* There is an array, even if no declaration has a step. */
	if (kct_array_reserve(&abbrevs->steps, &abbrevs->max_steps, 1) < 0)
		return KCT_ERR_NO_MEMORY;
	if (!kct_cursor_skip(&c, offset))
		return 0;
	/* Behind a declaration that has no end there is nothing to be found. */
	while (result == 0 && code != last && (code = kct_cursor_uleb(&c)) != 0 && !c.bad) {
		if (n++ >= max_n)
			return 0;
		sorted &= abbrevs->n == 0 || code > abbrevs->all[abbrevs->n - 1].code;
		result = read_declaration(abbrevs, &c, code, all || code == last);
	}
	*ret_n = n;
	if (result < 0)
		return result;
	if (!sorted)
		qsort(abbrevs->all, abbrevs->n, sizeof(*abbrevs->all), compare_codes);
	abbrevs->valid = all;
	return 1;
}

void kct_abbrevs_clear(struct kct_abbrevs *abbrevs)
{
	free(abbrevs->all);
	free(abbrevs->steps);
	*abbrevs = (struct kct_abbrevs){0};
}

const struct kct_abbrev *kct_abbrevs_find(const struct kct_abbrevs *abbrevs, uint64_t code)
{
	size_t low = 0, high = abbrevs->n;

	/* As a rule they are numbered from 1 on. */
	if (likely(code - 1 < abbrevs->n && abbrevs->all[code - 1].code == code))
		return &abbrevs->all[code - 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (abbrevs->all[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < abbrevs->n && abbrevs->all[low].code == code ? &abbrevs->all[low] : NULL;
}
