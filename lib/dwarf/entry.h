/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file entry.h
 * Units and entries (DIEs) of .debug_info.
 *
 * An abbreviation declaration is turned into steps: step over so many bytes, then read the value of an
 * attribute that counts here. What lies between two such attributes is one addition, as long as its
 * forms have fixed sizes. A second list of steps only gets over the entry.
 */
#ifndef KCT_DWARF_ENTRY_H
#define KCT_DWARF_ENTRY_H

#include <kcovtrace/error.h>

#include "base/array.h"
#include "dwarf/cursor.h"

/** Attributes of a declaration: DWARF has not as many in all. */
#define KCT_MAX_ATTRIBUTES 256

/** Attributes that count. */
enum kct_slot {
	KCT_SLOT_NONE,
	KCT_SLOT_SIBLING,
	KCT_SLOT_NAME,
	KCT_SLOT_LINKAGE_NAME,
	KCT_SLOT_LOW_PC,
	KCT_SLOT_HIGH_PC,
	KCT_SLOT_RANGES,
	KCT_SLOT_ORIGIN,
	KCT_SLOT_SPECIFICATION,
	KCT_SLOT_CALL_FILE,
	KCT_SLOT_CALL_LINE,
	KCT_SLOT_CALL_COLUMN,
	KCT_SLOT_COMP_DIR,
	KCT_SLOT_LINES,
	KCT_SLOT_LANGUAGE,
	KCT_SLOT_STR_OFFSETS_BASE,
	KCT_SLOT_ADDR_BASE,
	KCT_SLOT_RNGLISTS_BASE,
	KCT_SLOT_GNU_RANGES_BASE,
	KCT_SLOT_DWO_NAME,
	KCT_SLOTS
};

/** What can lie below an entry. */
enum kct_kind {
	KCT_KIND_OTHER, /**< no code */
	KCT_KIND_FUNCTION,
	KCT_KIND_INLINE,
	KCT_KIND_BLOCK, /**< code */
	KCT_KIND_TYPE,	/**< code, in languages whose types have methods */
};

/** Go `skip` bytes on, then read or step over a value of `form`. */
struct kct_step {
	uint64_t constant; /* of DW_FORM_implicit_const */
	uint16_t skip;
	uint16_t form;
	int8_t bytes; /* of the value, or what kct_form_bytes() says */
	uint8_t slot;
};

struct kct_abbrev {
	uint64_t code;
	uint16_t tag; /* 0xffff: none that has a name */
	uint8_t kind;
	bool has_children;
	bool unreadable; /* a form of unknown size, an unknown flag, or too many attributes */
	uint16_t tail;	 /* bytes behind the last step */
	uint16_t skip_tail;
	uint16_t n_steps;
	uint16_t n_skips;
	uint32_t first_step;
	uint32_t first_skip;
};

/** What the sizes of forms depend on. */
struct kct_encoding {
	uint8_t version;
	uint8_t address_bytes; /* 2, 4 or 8 */
	uint8_t offset_bytes;  /* 4 or 8 */
};

/** One abbreviation table, for units of one encoding. */
struct kct_abbrevs {
	bool valid;
	uint64_t offset; /* in its section */
	const uint8_t *section;
	struct kct_encoding encoding;
	struct kct_abbrev *all; /* by code */
	size_t n, max;
	struct kct_step *steps;
	size_t n_steps, max_steps;
};

/** Header of a unit. */
struct kct_cu {
	uint64_t start; /* of the header in .debug_info */
	uint64_t root;	/* of its entry */
	uint64_t end;
	uint64_t abbrevs;
	struct kct_encoding encoding;
	uint8_t type; /* DW_UT_* */
};

/** A value as it is in the file. */
struct kct_value {
	uint64_t number; /* of DW_FORM_string: a pointer to it */
	uint16_t form;
};

struct kct_entry {
	uint64_t offset; /* in .debug_info */
	const struct kct_abbrev *abbrev;
	uint32_t present; /* bits: slots that have values */
	struct kct_value values[KCT_SLOTS];
};

static inline bool kct_entry_has(const struct kct_entry *entry, enum kct_slot slot)
{
	return entry->present & 1u << slot;
}

/** Read a unit header and step to the next one. 1: fine, 0: not a unit that can be read, < 0: the end,
 *  or nothing that can be stepped over. `section` is the start of .debug_info. */
int kct_cu_read(struct kct_cursor *c, const uint8_t *section, struct kct_cu *ret_cu);

/**
 * Read an abbreviation table, or only the declaration with the code `last` (UINT64_MAX: all, and then the
 * table counts as valid). `*ret_n` is the number of declarations that were read, at most `max_n`. 1: fine, 0: there are more,
 * or there is no such table, KCT_ERR_NO_MEMORY.
 */
int kct_abbrevs_read(struct kct_abbrevs *abbrevs, struct kct_cursor section, uint64_t offset,
		     struct kct_encoding encoding, uint64_t last, uint64_t max_n, uint64_t *ret_n);

/** Free the memory. */
void kct_abbrevs_clear(struct kct_abbrevs *abbrevs);

/** The declaration with a code, or NULL. */
const struct kct_abbrev *kct_abbrevs_find(const struct kct_abbrevs *abbrevs, uint64_t code);

/** Read the values of an entry whose code was read. False: it cannot be read. */
bool kct_entry_read(const struct kct_abbrevs *abbrevs, const struct kct_abbrev *abbrev,
		    struct kct_cursor *c, struct kct_entry *entry);

/** Step over an entry whose code was read; its sibling attribute (if it has one, and the abbreviation says
 *  that there are children) is left in `*ret_sibling`, form 0: none. False: it cannot be done. */
bool kct_entry_skip(const struct kct_abbrevs *abbrevs, const struct kct_abbrev *abbrev,
		    struct kct_cursor *c, struct kct_value *ret_sibling);

/** Read a value of a form whose kct_form_bytes() are given. False: a form of unknown size. */
bool kct_value_read(struct kct_cursor *c, const struct kct_encoding *encoding, uint64_t form,
		    int bytes, uint64_t constant, struct kct_value *ret_value);

/** A number, if the value is a constant or an offset. */
bool kct_value_number(const struct kct_value *value, uint64_t *ret_number);

#endif
