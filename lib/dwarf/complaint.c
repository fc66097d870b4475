/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "dwarf/reader.h"

void kct_dwarf_complain(struct kct_dwarf *tables, const char *format, ...)
{
	va_list arguments;

	if (tables->complaint[0])
		return;
	va_start(arguments, format);
	vsnprintf(tables->complaint, sizeof(tables->complaint), format, arguments);
	va_end(arguments);
}

const char *kct_dwarf_complaint(const struct kct_dwarf *tables)
{
	return tables && tables->complaint[0] ? tables->complaint : NULL;
}
