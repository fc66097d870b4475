/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file dwarf.h
 * Flat tables of one image's DWARF: functions, inline trees, line rows.
 *
 * A table of address ranges leads to the compilation unit of an address; a unit
 * is read, once, when an address in it is first asked for. libdw reads the DIEs,
 * but its look-up calls (which trust .debug_aranges) are not used, and line
 * programs are run here, sequence by sequence. Damage is local: an attribute, a
 * DIE or a unit that cannot be read is left out, the rest is there.
 */
#ifndef KCT_DWARF_DWARF_H
#define KCT_DWARF_DWARF_H

#include <elfutils/libdw.h>

#include <kcovtrace/error.h>

#include "base/macros.h"

struct kct_dwarf;

/** One frame, strings owned by the tables or by libdw's data; all may be NULL. */
struct kct_dwarf_frame {
	const char *name;     /**< DW_AT_linkage_name, else DW_AT_name; through origins */
	const char *file;     /**< as in the line table, with its directory; may be relative */
	const char *comp_dir; /**< to join a relative file with */
	uint32_t line;	      /**< 0 = none */
	uint32_t column;
};

/** What the tables know of one address. */
struct kct_dwarf_hit {
	bool has_function;
	bool has_line;	     /**< a row covers the address; its line may be 0 */
	uint64_t identity;   /**< of the machine function, the same for all its ranges; not 0 */
	uint64_t part_start; /**< the range of the function that holds the address */
	uint64_t part_end;
	uint64_t entry; /**< lowest address of its first range (where it is entered) */
	const struct kct_dwarf_frame *frames; /**< innermost first, the machine function last;
					       *   valid until the next look-up */
	size_t n_frames;		      /**< 0 if there is neither function nor line */
};

/**
 * Tables for `dwarf` (relocated already, stays the caller's and must outlive
 * them). `linked`: addresses are final, so ranges at 0, -1 and -2 are leftovers
 * of dropped sections; false for an ET_REL image.
 */
int kct_dwarf_new(Dwarf *dwarf, bool linked, struct kct_dwarf **ret_tables,
		  struct kct_error *error);

/** Free the tables; NULL is fine. */
void kct_dwarf_free(struct kct_dwarf *tables);

/** Look an address up as it is (the caller has stepped back from a return address). 1: something
 *  was found, 0: nothing, < 0: out of memory. */
int kct_dwarf_lookup(struct kct_dwarf *tables, uint64_t address, struct kct_dwarf_hit *ret_hit);

/** The first address after one that was looked up for which kct_dwarf_lookup() may say anything else. */
uint64_t kct_dwarf_run_end(struct kct_dwarf *tables, uint64_t address);

/** The first thing that could not be read, one line, or NULL. Owned by the tables. */
const char *kct_dwarf_complaint(const struct kct_dwarf *tables);

/** Number of units that have a DW_AT_GNU_dwo_name or DW_AT_dwo_name whose file is not there. */
size_t kct_dwarf_missing_split(const struct kct_dwarf *tables);

#endif
