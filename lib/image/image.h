/* SPDX-License-Identifier: BSD-2-Clause */
/** @file image.h The inside of a struct kct_image, shared by the files that fill it. */
#ifndef KCT_IMAGE_IMAGE_H
#define KCT_IMAGE_IMAGE_H

#include <gelf.h>

#include <kcovtrace/file.h>
#include <kcovtrace/image.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/unpack.h"
#include "dwarf/dwarf.h"
#include "image/stored.h"
#include "image/symtab.h"
#include "symfile/cut.h"

#define KCT_MAX_BUILD_ID 64

struct kct_section {
	const char *name; /* in the file; never NULL */
	uint64_t address; /* final once the image is fixed */
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
	uint64_t align;
	uint32_t type;
	uint32_t info;
	bool placed; /* the address is real: of a linked image, or given */
};

/* The debug information of an image, read when first needed. */
struct kct_debug {
	bool checked; /* status and reason say what the section headers show */
	bool usable;  /* they show something that libdw can be asked for */
	bool loaded;  /* they say what reading it showed; tables are valid */
	bool opened;  /* the rest is valid */
	enum kct_debug_status status;
	char reason[192];	  /* with KCT_DEBUG_DWARF: what is missing all the same */
	struct kct_bytes rebuilt; /* a file of the debug sections, unpacked and relocated */
	Elf *elf;		  /* on that; NULL: the sections are used as they are */
	Dwarf *dwarf;
	struct kct_dwarf *reader;  /* NULL: no debug information can be used */
	struct kct_tables *tables; /* for look-ups; of the reader */
};

/* One of the few symbols that are asked for by name, found while all are read. */
struct kct_named {
	uint64_t address;
	bool found;
	uint8_t binding;
};

#define KCT_NAMED 3

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
	bool approximate; /* placed by kct_image_set_base() */
	bool fixed;	  /* section addresses are final */
	bool has_symbols;
	uint8_t build_id[KCT_MAX_BUILD_ID];
	size_t n_build_id;
	char *module_name;
	struct kct_symtab symtab;
	struct kct_named named[KCT_NAMED]; /* kct_named_symbols, once has_symbols */
	struct kct_symtab data_symtab;	   /* of variables */
	bool has_data_symbols;
	struct kct_image_function *functions;
	size_t n_functions;
	struct kct_debug debug;
	struct kct_stored stored;
	const struct kct_extent *kept; /* the addresses it can be asked for, sorted; NULL: all */
	size_t n_kept;
	struct kct_image *separate; /* a file with the debug information that is not in this one */
	struct kct_image *common;   /* what dwz moved out of the debug information */
	struct kct_image *packed;   /* symbols in .gnu_debugdata */
	bool packed_checked;
	char *searched; /* where debug information was looked for in vain; may be NULL */
};

/** Names of those in image->named: they tell where a kernel was moved to. */
extern const char *const kct_named_symbols[KCT_NAMED];

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

/** Whether an address can be asked for: not if the symbols were cut down to others. */
bool kct_image_keeps(const struct kct_image *image, uint64_t address);
/** Whether the loader puts a section into the memory that is freed after initialisation. */
bool kct_section_is_init(const struct kct_section *section);

/** Find the build ID and the module name; what cannot be read is left out. KCT_ERR_NO_MEMORY. */
int kct_image_load_identity(struct kct_image *image);

/** Make the section addresses final: those not given are invented. */
void kct_image_fix(struct kct_image *image);

/** Fix the image and read its symbols, once. */
int kct_image_load_symbols(struct kct_image *image, struct kct_error *error);

/** Fix the image and read the symbols of its data, once. */
int kct_image_load_data(struct kct_image *image);

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
 *  `table`, or if that is 0 of the tables that symbols are taken from. A negative return of it ends the
 *  work. KCT_ERR_NO_MEMORY. */
int kct_image_visit_symbols(struct kct_image *image, size_t table,
			    int (*visit)(void *context, const struct kct_table_symbol *symbol),
			    void *context);

/** Fix the image and open its debug information, once. Fails only when out of memory. */
int kct_image_load_debug(struct kct_image *image, struct kct_error *error);

/** Open the reader of the debug information, once. 1: there is one, 0: there is nothing to read, which
 *  the status explains; KCT_ERR_NO_MEMORY. */
int kct_image_open_reader(struct kct_image *image);
/** Whether the section headers show debug information that can be used. */
bool kct_image_check_debug(struct kct_image *image);

/** The image itself or the file that was found for it: whose debug information counts. */
struct kct_image *kct_image_with_debug(struct kct_image *image);

/** The debug information of an image, wherever it is. */
struct kct_debug *kct_image_debug(struct kct_image *image);

/** A 32-bit number in the byte order of the file. */
uint32_t kct_image_u32(const struct kct_image *image, const uint8_t *at);

/** Keep the first thing that debug information lacks that can be used all the same. */
void kct_image_note(struct kct_image *image, const char *format, ...) KCT_PRINTF(2, 3);

/** Close what kct_image_load_debug() opened. */
void kct_image_close_debug(struct kct_image *image);

#endif
