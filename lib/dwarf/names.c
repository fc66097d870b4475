/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a function, which may be several references away. */
#include <dwarf.h>
#include <string.h>

#include "base/limits.h"
#include "dwarf/reader.h"

/* Inlined instance, abstract instance, declaration: three are usual. A reference can lead
 * back to where it came from. */
#define MAX_HOPS 16

const char *kct_dwarf_text(const char *text)
{
	return text && strnlen(text, KCT_MAX_NAME + 1) <= KCT_MAX_NAME ? text : NULL;
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr(die, name, &attribute))
		return NULL;
	return kct_dwarf_text(dwarf_formstring(&attribute));
}

/* Step to the DIE that a DIE refers to, in whichever unit. */
static bool follow(Dwarf_Die *die)
{
	static const unsigned references[] = {DW_AT_abstract_origin, DW_AT_specification};
	Dwarf_Attribute attribute;
	Dwarf_Die target;

	for (size_t i = 0; i < ARRAY_SIZE(references); i++) {
		if (!dwarf_attr(die, references[i], &attribute) ||
		    !dwarf_formref_die(&attribute, &target))
			continue;
		*die = target;
		return true;
	}
	return false;
}

const char *kct_die_name(Dwarf_Die *die)
{
	const char *name = NULL, *linkage;
	Dwarf_Die at = *die;

	for (int hop = 0; hop < MAX_HOPS; hop++) {
		linkage = string_of(&at, DW_AT_linkage_name);
		if (!linkage)
			linkage = string_of(&at, DW_AT_MIPS_linkage_name);
		if (linkage)
			return linkage;
		if (!name)
			name = string_of(&at, DW_AT_name);
		if (!follow(&at))
			break;
	}
	return name;
}
