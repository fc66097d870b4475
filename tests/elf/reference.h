/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference.h What libdw says of a file's units, against the tables that were read of it. */
#ifndef KCT_TESTS_ELF_REFERENCE_H
#define KCT_TESTS_ELF_REFERENCE_H

#include <stdio.h>

#include "dwarf/dwarf.h"

/** What was compared. */
struct reference {
	size_t units;
	size_t functions;
	size_t inlines;
	size_t lines;	    /* rows of libdw whose address has a row here */
	size_t lines_lost;  /* that have none */
	size_t differences; /* each is one line of `log`, up to some */
	FILE *log;	    /* NULL: nothing is printed */
};

/**
 * Compare entry by entry, in the order of the file: functions with name and entry, inlined calls with
 * name, place and depth, line rows. `dwarf` is what `tables` was made of; `linked` as there. False if libdw could
 * not read something, or nests too deep to be followed.
 */
bool reference_compare(Dwarf *dwarf, struct kct_dwarf *tables, bool linked,
		       struct reference *result);

#endif
