/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file dwarf.h
 * Flat tables of one image's DWARF: functions, inline trees, line rows.
 *
 * A table of address ranges leads to the compilation unit of an address; a unit is read when an address in it
 * is asked for. Reading is done here; libdw opens files and finds those that an image names (.dwo, dwz).
 * Damage is local: an attribute, an entry or a unit that cannot be read is left out, the rest is there.
 */
#ifndef KCT_DWARF_DWARF_H
#define KCT_DWARF_DWARF_H

#include <elfutils/libdw.h>

#include <kcovtrace/error.h>

#include "base/macros.h"
#include "tables/tables.h"

struct kct_dwarf;

/**
 * Tables for `dwarf` (relocated already, stays the caller's and must outlive
 * them). `linked`: addresses are final, so ranges at 0, -1 and -2 are leftovers
 * of dropped sections; false for an ET_REL image. `mapping` (NULL: none) are `bytes` bytes of a file mapped
 * read-only, which hold the sections as they are in the file: pages that were read are given back.
 */
int kct_dwarf_new(Dwarf *dwarf, bool linked, const void *mapping, size_t bytes,
		  struct kct_dwarf **ret_dwarf, struct kct_error *error);

/** Free the tables; NULL is fine. */
void kct_dwarf_free(struct kct_dwarf *dwarf);

/** The tables for look-ups. Owned by `dwarf`; they read units when they are first needed. */
struct kct_tables *kct_dwarf_tables(struct kct_dwarf *dwarf);

/** Number of units. */
size_t kct_dwarf_units(const struct kct_dwarf *dwarf);

/** The finished tables of a unit, all names in them. Owned by `dwarf`, valid until it is freed. KCT_ERR_NO_MEMORY, KCT_ERR_ARGUMENT for a number out of bounds. */
int kct_dwarf_finish_unit(struct kct_dwarf *dwarf, size_t number, const struct kct_unit **ret_unit);

/** Read units and keep them for kct_dwarf_finish_unit(), in up to `threads` threads. KCT_ERR_NO_MEMORY. */
int kct_dwarf_keep_units(struct kct_dwarf *dwarf, const uint32_t *numbers, size_t n,
			 unsigned threads);

/** Hand out many units, read ahead by threads: see struct kct_unit_source. */
int kct_dwarf_each_unit(struct kct_dwarf *dwarf, const uint32_t *numbers, size_t n,
			unsigned threads, kct_take_unit *take, void *context);

/** The first thing that could not be read, one line, or NULL. Owned by the tables. */
const char *kct_dwarf_complaint(const struct kct_dwarf *dwarf);

/** Whether units were found in .dwo files. */
bool kct_dwarf_has_split(const struct kct_dwarf *tables);

/** Number of units that have a DW_AT_GNU_dwo_name or DW_AT_dwo_name whose file is not there. */
size_t kct_dwarf_missing_split(const struct kct_dwarf *dwarf);

#endif
