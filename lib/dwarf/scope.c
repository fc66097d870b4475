/* SPDX-License-Identifier: BSD-2-Clause */
/* What values mean in a unit: strings, addresses, references. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/reader.h"

const char *kct_dwarf_text(const char *text)
{
	return text && strnlen(text, KCT_MAX_NAME + 1) <= KCT_MAX_NAME ? text : NULL;
}

const char *kct_section_string(struct kct_cursor section, uint64_t offset)
{
	const char *text;

	if (!kct_cursor_skip(&section, offset))
		return NULL;
	section.end = section.at + kct_min_u64(kct_cursor_left(&section), KCT_MAX_NAME + 1);
	text = kct_cursor_string(&section);
	return section.bad ? NULL : text;
}

/* A string of an index in .debug_str_offsets. */
static const char *indexed_string(const struct kct_scope *scope, uint64_t index)
{
	unsigned bytes = scope->cu->encoding.offset_bytes;
	struct kct_cursor c = scope->file->str_offsets;
	uint64_t offset;

	if (index > UINT32_MAX || scope->str_offsets_base > kct_cursor_left(&c) ||
	    !kct_cursor_skip(&c, scope->str_offsets_base + index * bytes))
		return NULL;
	offset = kct_cursor_uint(&c, bytes);
	return c.bad ? NULL : kct_section_string(scope->file->str, offset);
}

const char *kct_scope_string(const struct kct_scope *scope, const struct kct_value *value)
{
	switch (value->form) {
	case DW_FORM_string:
		return kct_dwarf_text((const char *)(uintptr_t)value->number);
	case DW_FORM_strp:
		return kct_section_string(scope->file->str, value->number);
	case DW_FORM_line_strp:
		return kct_section_string(scope->file->line_str, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(scope, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return scope->file->alternate
			       ? kct_section_string(scope->file->alternate->str, value->number)
			       : NULL;
	default:
		return NULL;
	}
}

bool kct_scope_indexed_address(const struct kct_scope *scope, uint64_t index, uint64_t *ret_address)
{
	unsigned bytes = scope->cu->encoding.address_bytes;
	struct kct_cursor c = scope->image->addr;
	uint64_t address;

	if (index > UINT32_MAX || scope->addr_base > kct_cursor_left(&c) ||
	    !kct_cursor_skip(&c, scope->addr_base + index * bytes))
		return false;
	address = kct_cursor_uint(&c, bytes);
	if (c.bad)
		return false;
	*ret_address = address;
	return true;
}

bool kct_scope_address(const struct kct_scope *scope, const struct kct_value *value,
		       uint64_t *ret_address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*ret_address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return kct_scope_indexed_address(scope, value->number, ret_address);
	default:
		return false;
	}
}

bool kct_scope_reference(const struct kct_scope *scope, const struct kct_value *value,
			 const struct kct_debug_file **ret_file, uint64_t *ret_offset)
{
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*ret_file = scope->file;
		return !__builtin_add_overflow(scope->cu->start, value->number, ret_offset);
	case DW_FORM_ref_addr:
		*ret_file = scope->file;
		*ret_offset = value->number;
		return true;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		*ret_file = scope->file->alternate;
		*ret_offset = value->number;
		return *ret_file != NULL;
	default:
		return false;
	}
}
