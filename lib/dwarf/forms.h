/* SPDX-License-Identifier: BSD-2-Clause */
/** @file forms.h Sizes of the values of attributes. */
#ifndef KCT_DWARF_FORMS_H
#define KCT_DWARF_FORMS_H

#include "dwarf/entry.h"

#define KCT_FORM_VARIES	 (-1)
#define KCT_FORM_UNKNOWN (-2)

/** Bytes of a value of a form: a number, 0 too, or one of the above. */
int kct_form_bytes(uint64_t form, const struct kct_encoding *encoding);

/** Whether addresses of any machine have so many bytes. */
static inline bool kct_address_bytes_are_valid(unsigned bytes)
{
	return bytes == 2 || bytes == 4 || bytes == 8;
}

/** Whether what a form names lies in a common file of dwz, which may be missing. */
bool kct_form_is_elsewhere(uint64_t form);

#endif
