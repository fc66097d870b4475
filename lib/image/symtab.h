/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file symtab.h
 * Symbols by address: of an ELF symbol table or of kallsyms. Which of several
 * symbols answers for an address is decided here and nowhere else
 * (docs/symbols.md), independent of the order they were added in.
 *
 * Once finished, entries and ranges are arrays of numbers, which may as well lie in a file that is
 * mapped: names are offsets into a text that the table does not own.
 */
#ifndef KCT_IMAGE_SYMTAB_H
#define KCT_IMAGE_SYMTAB_H

#include <kcovtrace/error.h>

#include "base/macros.h"
#include "image/ranges.h"

enum kct_binding {
	KCT_BIND_LOCAL = 0,
	KCT_BIND_WEAK = 1,
	KCT_BIND_GLOBAL = 2,
};

/* "No module": there is one only. */
#define KCT_NO_MODULE UINT32_MAX

struct kct_symtab_entry {
	uint64_t address;
	uint64_t size;	 /* once finished: up to the next symbol if guessed */
	uint64_t limit;	 /* last address it may reach: of its section */
	uint32_t name;	 /* offset in the text */
	uint32_t module; /* the same, or KCT_NO_MODULE */
	uint8_t binding;
	bool is_function; /* has a function's type, as against no type */
	bool is_code;	  /* may answer; other symbols only end the one before */
	bool guessed;	  /* has no size of its own */
	uint32_t zero;
};

/** All zero is an empty table. */
struct kct_symtab {
	const char *text; /* of the names, set before the first is added */
	size_t n_text;	  /* bytes; each name ends within */
	char *own_text;	  /* the same if it is the table's own */
	bool mapped; /* entries and ranges are not owned, and what they say is not to be believed */
	struct kct_symtab_entry *entries; /* by address, the best name first */
	size_t n, max;
	struct kct_ranges ranges; /* value: index in entries */
	uint32_t *by_name;	  /* indexes of the code entries; made when first needed */
	size_t n_by_name;
};

/** Free the memory; the table is empty afterwards. */
void kct_symtab_clear(struct kct_symtab *table);

/** Add a symbol. Labels and mapping symbols are left out. KCT_ERR_NO_MEMORY, KCT_ERR_LIMIT. */
int kct_symtab_add(struct kct_symtab *table, const struct kct_symtab_entry *entry);

/** Sort and rank; once, after the last symbol. */
int kct_symtab_finish(struct kct_symtab *table);

/** The name of an entry; never NULL. */
const char *kct_symtab_name(const struct kct_symtab *table, const struct kct_symtab_entry *entry);

/** The module of an entry, NULL if there is one only. */
const char *kct_symtab_module(const struct kct_symtab *table, const struct kct_symtab_entry *entry);

/** The symbol that covers an address, or NULL. */
const struct kct_symtab_entry *kct_symtab_find(const struct kct_symtab *table, uint64_t address);

/** Whether an entry is the best of its address and answers somewhere. */
bool kct_symtab_is_answer(const struct kct_symtab *table, size_t index);

/** The indexes of code entries with the name that `entry`, a `.cold` part, was split from: at most two
 *  are stored. Their number, 0 if it is no such part; KCT_ERR_NO_MEMORY. */
int kct_symtab_cold_bases(struct kct_symtab *table, const struct kct_symtab_entry *entry,
			  uint32_t ret_bases[2]);

/**
 * The symbol that `entry`, a `.cold` part, was split from: the only one of that
 * name. 1: stored, 0: it is no such part or the name is not there exactly once,
 * KCT_ERR_NO_MEMORY.
 */
int kct_symtab_cold_base(struct kct_symtab *table, const struct kct_symtab_entry *entry,
			 const struct kct_symtab_entry **ret_base);

#endif
