/* SPDX-License-Identifier: BSD-2-Clause */
/** @file places.h Where modules were, read from text: /proc/modules, or a list of their sections. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include "util.h"

enum places_form {
	PLACES_SECTIONS,     /**< lines MODULE SECTION ADDRESS, `#` begins a comment */
	PLACES_PROC_MODULES, /**< NAME SIZE USERS NAMES STATE ADDRESS, perhaps taints */
};

struct place {
	char *module;  /**< the start of the line, which the other pointers point into */
	char *section; /**< NULL: the memory of the module */
	uint64_t address;
};

/** All zero is empty. */
struct places {
	struct place *places; /**< in the order of the lines */
	size_t n, max;
	const struct place **by_name; /**< those of a module in their order */
	size_t *bad;		      /**< numbers of lines that are not of the form, from 1 */
	size_t n_bad, max_bad;
	bool hidden; /**< addresses were zeros, as who may not see them gets them; left out */
	char *text;  /**< that they point into */
};

/** Read text that ends with a NUL, which is changed and kept until places_clear(). Once. */
void places_read(struct places *places, enum places_form form, char *text);

/** Number in `by_name` of the first place of a module; the others follow it. `n` if there is none. `-` and
 *  `_` are the same in names. */
size_t places_find(const struct places *places, const char *name, size_t length);

/** Names of the fields of a line. Static. */
const char *places_form_text(enum places_form form);

/** Free all, the text too. */
void places_clear(struct places *places);

#endif
