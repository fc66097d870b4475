/* SPDX-License-Identifier: BSD-2-Clause */
/** @file image.h The inside of a struct kct_image, shared by the files that fill it. */
#ifndef KCT_IMAGE_IMAGE_H
#define KCT_IMAGE_IMAGE_H

#include <gelf.h>
#include <elfutils/libdwfl.h>

#include <kcovtrace/file.h>
#include <kcovtrace/image.h>

#include "base/limits.h"
#include "base/macros.h"
#include "dwarf/dwarf.h"
#include "image/symtab.h"

#define KCT_MAX_BUILD_ID 64

struct kct_section {
	const char *name; /* in the file; never NULL */
	uint64_t address; /* final once the image is fixed */
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
	uint64_t align;
	uint32_t type;
	bool placed; /* the address is real: of a linked image, or given */
};

/* The debug information of an image, read when first needed. */
struct kct_debug {
	bool checked; /* status and reason say what the section headers show */
	bool usable;  /* they show something that libdw can be asked for */
	bool loaded;  /* the rest is valid and they say what reading it showed */
	enum kct_debug_status status;
	char reason[192];
	void *copy; /* of the bytes, if libdw must write: to relocate or to unpack */
	Elf *elf;   /* on the copy; NULL once libdwfl owns it */
	Dwfl *dwfl; /* relocates a module's debug sections; owns its Dwarf */
	Dwarf *dwarf;
	struct kct_dwarf *tables; /* NULL: no debug information can be used */
};

struct kct_image {
	char *name;
	struct kct_file *file; /* NULL: the bytes are the caller's, or `owned` */
	void *owned;
	const uint8_t *data;
	size_t bytes;
	Elf *elf;
	GElf_Ehdr header;
	struct kct_section *sections; /* by ELF section index */
	size_t n_sections;
	bool relocatable;
	bool fixed; /* section addresses are final */
	bool has_symbols;
	uint8_t build_id[KCT_MAX_BUILD_ID];
	size_t n_build_id;
	char *module_name;
	struct kct_symtab symtab;
	struct kct_image_function *functions;
	size_t n_functions;
	struct kct_debug debug;
};

/** Read the section headers. KCT_ERR_ELF if they cannot be. */
int kct_image_load_sections(struct kct_image *image, struct kct_error *error);

/** The first section of a name, or NULL. */
struct kct_section *kct_image_find_section(const struct kct_image *image, const char *name);

/** The section of an ELF section index, or NULL. */
const struct kct_section *kct_image_section(const struct kct_image *image, size_t index);

/** A string of at most KCT_MAX_NAME bytes in the string table with a section index; NULL if there is
 *  none. Owned by the image. (libelf looks through the table for its end at each string.) */
const char *kct_image_string(const struct kct_image *image, size_t table, uint64_t offset);

/** Whether all bytes of a section lie within the file; true for one without any. */
bool kct_section_in_file(const struct kct_image *image, const struct kct_section *section);

/** The bytes of a section as they are in the file, NULL if it has none there. */
const uint8_t *kct_section_data(const struct kct_image *image, const struct kct_section *section);

/** Whether a section holds code whose address is known. */
bool kct_section_is_code(const struct kct_section *section);

/** Find the build ID and the module name; what cannot be read is left out. KCT_ERR_NO_MEMORY. */
int kct_image_load_identity(struct kct_image *image);

/** Make the section addresses final: those not given are invented. */
void kct_image_fix(struct kct_image *image);

/** Fix the image and read its symbols, once. */
int kct_image_load_symbols(struct kct_image *image, struct kct_error *error);

/* A symbol as a table has it. */
struct kct_table_symbol {
	const char *name; /* never NULL */
	uint64_t
		address; /* in the image, of Thumb code with its lowest bit; 0 if it is not known */
	uint64_t size;
	size_t index;
	const struct kct_section *section; /* NULL: none */
	uint8_t type;			   /* STT_* */
	bool known;			   /* the address is */
};

/** Fix the image and call `visit` with each symbol, unnamed and undefined ones too, of the table in section
 *  `table`, or of the best one if that is 0. A negative return of it ends the work. */
int kct_image_visit_symbols(struct kct_image *image, size_t table,
			    int (*visit)(void *context, const struct kct_table_symbol *symbol),
			    void *context);

/** Fix the image and open its debug information, once. Fails only when out of memory. */
int kct_image_load_debug(struct kct_image *image, struct kct_error *error);

/** Close what kct_image_load_debug() opened. */
void kct_image_close_debug(struct kct_image *image);

#endif
