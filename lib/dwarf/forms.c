/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of attributes: how long they are, and what they hold. */
#include <dwarf.h>

#include "dwarf/forms.h"

/* Whether a value tells its own size. */
static bool varies(uint64_t form)
{
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
	case DW_FORM_string:
	case DW_FORM_block:
	case DW_FORM_exprloc:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_indirect:
		return true;
	default:
		return false;
	}
}

int kct_form_bytes(uint64_t form, const struct kct_encoding *encoding)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return encoding->address_bytes;
	case DW_FORM_ref_addr:
		return encoding->version <= 2 ? encoding->address_bytes : encoding->offset_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return encoding->offset_bytes;
	default:
		return varies(form) ? KCT_FORM_VARIES : KCT_FORM_UNKNOWN;
	}
}

/* A value of a form whose size varies. */
static uint64_t read_varying(struct kct_cursor *c, uint64_t form)
{
	switch (form) {
	case DW_FORM_sdata:
		return (uint64_t)kct_cursor_sleb(c);
	case DW_FORM_string:
		return (uintptr_t)kct_cursor_string(c);
	case DW_FORM_block:
	case DW_FORM_exprloc:
		kct_cursor_skip(c, kct_cursor_uleb(c));
		return 0;
	case DW_FORM_block1:
		kct_cursor_skip(c, kct_cursor_u8(c));
		return 0;
	case DW_FORM_block2:
		kct_cursor_skip(c, kct_cursor_uint(c, 2));
		return 0;
	case DW_FORM_block4:
		kct_cursor_skip(c, kct_cursor_uint(c, 4));
		return 0;
	default:
		return kct_cursor_uleb(c);
	}
}

bool kct_value_read(struct kct_cursor *c, const struct kct_encoding *encoding, uint64_t form,
		    int bytes, uint64_t constant, struct kct_value *ret_value)
{
	/* Its form is in front of the value. An indirect implicit constant would have none. */
	if (unlikely(form == DW_FORM_indirect)) {
		form = kct_cursor_uleb(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			return false;
		bytes = kct_form_bytes(form, encoding);
	}
	ret_value->form = (uint16_t)form;
	if (bytes > 8) {
		kct_cursor_skip(c, (uint64_t)bytes);
		ret_value->number = 0;
	} else if (bytes > 0) {
		ret_value->number = kct_cursor_uint(c, (unsigned)bytes);
	} else if (bytes == 0) {
		ret_value->number = form == DW_FORM_implicit_const ? constant : 1;
	} else if (bytes == KCT_FORM_VARIES) {
		ret_value->number = read_varying(c, form);
	} else {
		return false;
	}
	return true;
}

bool kct_value_number(const struct kct_value *value, uint64_t *ret_number)
{
	switch (value->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
	case DW_FORM_sec_offset:
		*ret_number = value->number;
		return true;
	default:
		return false;
	}
}

bool kct_form_is_elsewhere(uint64_t form)
{
	return form == DW_FORM_strp_sup || form == DW_FORM_GNU_strp_alt ||
	       form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 || form == DW_FORM_GNU_ref_alt;
}
