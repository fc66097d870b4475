/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "image/image.h"
#include "image/names.h"
#include "image/rebuild.h"
#include "image/separate.h"

/* The sections that functions, inlines and lines come from; nothing works without the first two. */
static const char *const debug_sections[] = {
	".debug_info", ".debug_abbrev",	  ".debug_line",
	".debug_str",  ".debug_line_str", ".debug_str_offsets",
	".debug_addr", ".debug_rnglists", ".debug_ranges",
};
#define N_ESSENTIAL 2

/** Keep the first thing that is wrong. */
static void set_status(struct kct_debug *debug, enum kct_debug_status status, const char *format,
		       ...) KCT_PRINTF(3, 4);

static void set_status(struct kct_debug *debug, enum kct_debug_status status, const char *format,
		       ...)
{
	va_list args;

	if (debug->status != KCT_DEBUG_DWARF)
		return;
	debug->status = status;
	va_start(args, format);
	vsnprintf(debug->reason, sizeof(debug->reason), format, args);
	va_end(args);
	kct_clean_text(debug->reason);
}

void kct_image_note(struct kct_image *image, const char *format, ...)
{
	struct kct_debug *debug = &image->debug;
	va_list args;

	if (debug->status != KCT_DEBUG_DWARF || debug->reason[0])
		return;
	va_start(args, format);
	vsnprintf(debug->reason, sizeof(debug->reason), format, args);
	va_end(args);
	kct_clean_text(debug->reason);
}

/** Add up the bytes of the sections. Honest ones lie apart; libdw reads each for itself. */
static bool check_overlap(struct kct_image *image)
{
	uint64_t budget = 2 * (uint64_t)image->bytes;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		if (!kct_section_data(image, section))
			continue;
		if (section->size > budget) {
			set_status(&image->debug, KCT_DEBUG_BROKEN, "sections lie in each other");
			return false;
		}
		budget -= section->size;
	}
	return true;
}

/** Whether string tables end as they must: libelf looks for that end at each string. */
static bool check_string_tables(struct kct_image *image)
{
	size_t names = 0;

	if (elf_getshdrstrndx(image->elf, &names) < 0)
		names = 0;
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];
		const uint8_t *data = kct_section_data(image, section);

		/* Those of symbols are read to relocate a module. */
		if (section->type != SHT_STRTAB || (i != names && !image->relocatable) || !data ||
		    data[section->size - 1] == '\0')
			continue;
		set_status(&image->debug, KCT_DEBUG_BROKEN, "string table %zu has no end", i);
		return false;
	}
	return true;
}

/** Whether what packed sections claim to hold fits into memory. */
static bool check_unpacked_size(struct kct_image *image)
{
	uint64_t room = KCT_UNPACK_LIMIT;

	for (size_t i = 0; i < image->n_sections; i++) {
		uint64_t size = 0;
		size_t header;

		kct_section_packing(image, &image->sections[i], &size, &header);
		if (size > room) {
			set_status(&image->debug, KCT_DEBUG_UNSUPPORTED,
				   "section %.64s and those before unpack to more than %llu bytes",
				   image->sections[i].name, (unsigned long long)KCT_UNPACK_LIMIT);
			return false;
		}
		room -= size;
	}
	return true;
}

/** Whether the file can be handed to libelf and libdw for more than its headers. */
static bool check_file(struct kct_image *image)
{
	return check_overlap(image) && check_string_tables(image) && check_unpacked_size(image);
}

/** Whether the header of a packed section can be used. */
static bool check_compression(struct kct_image *image, const struct kct_section *section)
{
	Elf_Scn *scn = elf_getscn(image->elf, (size_t)(section - image->sections));
	const char *packing;
	GElf_Chdr header;
	uint64_t size;
	size_t bytes;

	packing = kct_section_packing(image, section, &size, &bytes);
	if (packing && packing[0] != '\0')
		return true;
	if (!scn || !gelf_getchdr(scn, &header))
		set_status(&image->debug, KCT_DEBUG_BROKEN,
			   "section %.64s has a broken compression header", section->name);
	else
		set_status(&image->debug, KCT_DEBUG_UNSUPPORTED,
			   "section %.64s is compressed with an unknown method (type %u)",
			   section->name, (unsigned)header.ch_type);
	return false;
}

/** Whether a section is all there; says in the status what is not. */
static bool check_section(struct kct_image *image, const struct kct_section *section)
{
	if (section->type == SHT_NOBITS) {
		set_status(&image->debug, KCT_DEBUG_STRIPPED,
			   "section %s has no contents: they were moved to another file",
			   section->name);
		return false;
	}
	if (!kct_section_in_file(image, section)) {
		set_status(&image->debug, KCT_DEBUG_TRUNCATED,
			   "section %s (%llu bytes at %llu) ends past the end of the file at %zu",
			   section->name, (unsigned long long)section->size,
			   (unsigned long long)section->offset, image->bytes);
		return false;
	}
	if (section->flags & SHF_COMPRESSED)
		return check_compression(image, section);
	return true;
}

/** Why there is no .debug_info: what else is there tells. */
static void explain_absence(struct kct_image *image)
{
	static const struct {
		const char *section;
		const char *reason;
	} signs[] = {
		{".gnu_debuglink", "there is no .debug_info: it was moved to another file, see "
				   ".gnu_debuglink"},
		{".debug_line", "there is .debug_line but no .debug_info: stripped"},
		{".debug_str", "there is .debug_str but no .debug_info: stripped"},
		{".BTF", "there is .BTF, which is made from debug information, but no "
			 ".debug_info: stripped"},
	};
	bool has_symbols = false;

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (kct_image_find_section(image, signs[i].section)) {
			set_status(&image->debug, KCT_DEBUG_STRIPPED, "%s", signs[i].reason);
			return;
		}
	}
	for (size_t i = 0; i < image->n_sections; i++)
		has_symbols |= image->sections[i].type == SHT_SYMTAB;
	if (has_symbols)
		set_status(&image->debug, KCT_DEBUG_ABSENT,
			   "there is no .debug_info: built without debug information "
			   "(CONFIG_DEBUG_INFO), or it was removed");
	else
		set_status(&image->debug, KCT_DEBUG_STRIPPED,
			   "there is neither .debug_info nor .symtab: stripped");
}

bool kct_image_check_debug(struct kct_image *image)
{
	bool usable = true;

	if (image->debug.checked)
		return image->debug.usable;
	image->debug.checked = true;
	if (!kct_debug_section(image, debug_sections[0])) {
		explain_absence(image);
		return false;
	}
	if (!check_file(image))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(debug_sections); i++) {
		const struct kct_section *section = kct_debug_section(image, debug_sections[i]);

		if (!section && i < N_ESSENTIAL)
			set_status(&image->debug, KCT_DEBUG_STRIPPED, "there is no section %s",
				   debug_sections[i]);
		if (i < N_ESSENTIAL)
			usable &= section && check_section(image, section);
		else if (section)
			check_section(image, section);
	}
	image->debug.usable = usable;
	return usable;
}

/** Say what could not be relocated. */
static void note_faults(struct kct_image *image, const struct kct_relocation_faults *faults)
{
	if (faults->no_machine)
		set_status(&image->debug, KCT_DEBUG_UNSUPPORTED,
			   "relocations of ELF machine %u are not known",
			   (unsigned)image->header.e_machine);
	else if (faults->unknown)
		kct_image_note(image, "%zu relocations are of unknown types, such as %u",
			       faults->unknown, (unsigned)faults->type);
	else if (faults->misplaced)
		kct_image_note(image, "%zu relocations lie outside of their sections",
			       faults->misplaced);
}

/** The Elf for libdw: of the file, or of its debug sections unpacked and relocated. NULL: the status
 *  says why not. */
static int open_elf(struct kct_image *image, Elf **ret_elf)
{
	struct kct_debug *debug = &image->debug;
	struct kct_relocation_faults faults = {0};
	struct kct_match match;
	struct kct_error error;
	int result;

	*ret_elf = image->elf;
	/* Relocations that a linker kept (--emit-relocs) are applied already. Without the link to
	 * it libdw does not look for the common file itself, which it opens whatever it is. */
	if (!kct_image_needs_rebuild(image) &&
	    (image->common || !kct_common_file_link(image, &match)))
		return 0;
	*ret_elf = NULL;
	result = kct_image_rebuild(image, &debug->rebuilt, &faults, &error);
	if (result == KCT_ERR_NO_MEMORY)
		return result;
	if (result < 0) {
		set_status(debug,
			   result == KCT_ERR_UNSUPPORTED ? KCT_DEBUG_UNSUPPORTED : KCT_DEBUG_BROKEN,
			   "%s", error.text);
		return 0;
	}
	note_faults(image, &faults);
	debug->elf = elf_memory((char *)debug->rebuilt.data, debug->rebuilt.n);
	*ret_elf = debug->elf;
	return debug->elf ? 0 : KCT_ERR_NO_MEMORY;
}

static int open_dwarf(struct kct_image *image);

/** Open what dwz moved to another file. */
static int open_common(struct kct_image *image)
{
	struct kct_search search = {.image = image};
	struct kct_match match;
	const char *link = kct_common_file_link(image, &match);
	int result;

	if (!link)
		return 0;
	/* Who did not look for it gets it all the same where the link says that it is. */
	kct_find_common_file(image, &search);
	free(search.log);
	if (!image->common) {
		kct_image_note(image,
			       "%.100s, the common file of dwz, is not there: its names are "
			       "missing",
			       link);
		return 0;
	}
	kct_image_fix(image->common);
	result = open_dwarf(image->common);
	if (result == 0 && !image->common->debug.dwarf)
		kct_image_note(image, "the common file of dwz: %.100s",
			       image->common->debug.reason);
	return result;
}

/** Get a Dwarf with final addresses in debug->dwarf, or say in the status why not. */
static int open_dwarf(struct kct_image *image)
{
	struct kct_debug *debug = &image->debug;
	Elf *elf;
	int result = open_elf(image, &elf);

	if (result < 0 || !elf)
		return result;
	debug->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!debug->dwarf)
		set_status(debug, KCT_DEBUG_BROKEN, "libdw cannot read it: %s", dwarf_errmsg(-1));
	return 0;
}

int kct_image_open_reader(struct kct_image *image)
{
	struct kct_debug *debug = &image->debug;
	struct kct_error detail;
	int result = 0;

	if (debug->opened || !image->elf)
		return debug->reader != NULL;
	debug->opened = true; /* once, also when memory runs out */
	if (kct_image_check_debug(image))
		result = open_common(image);
	if (result >= 0 && debug->usable)
		result = open_dwarf(image);
	if (debug->dwarf && image->common && image->common->debug.dwarf)
		dwarf_setalt(debug->dwarf, image->common->debug.dwarf);
	if (debug->dwarf)
		result = kct_dwarf_new(debug->dwarf, !image->relocatable,
				       image->file && kct_file_is_mapped(image->file) ? image->data
										      : NULL,
				       image->bytes, &debug->reader, &detail);
	if (result == KCT_ERR_NO_MEMORY)
		return result;
	if (result < 0)
		set_status(debug, KCT_DEBUG_BROKEN, "%s", detail.text);
	return debug->reader != NULL;
}

int kct_image_load_debug(struct kct_image *image, struct kct_error *error)
{
	struct kct_image *owner = kct_image_with_debug(image);
	struct kct_debug *debug = &owner->debug;
	int result;

	if (debug->loaded)
		return 0;
	kct_image_fix(image);
	kct_image_place_separate(image);
	if (!kct_stored_debug(image)) {
		result = kct_image_open_reader(owner);
		if (result < 0) {
			kct_image_close_debug(owner);
			return kct_fail_code(error, result);
		}
		if (debug->reader)
			debug->tables = kct_dwarf_tables(debug->reader);
		/* To know which units are worth to be kept. */
		if (debug->reader && image->stored.directory)
			kct_stored_begin(image, &debug->tables->index);
	}
	debug->loaded = true;
	return 0;
}

void kct_image_close_debug(struct kct_image *image)
{
	struct kct_debug *debug = &image->debug;

	kct_dwarf_free(debug->reader);
	if (debug->dwarf)
		dwarf_end(debug->dwarf);
	if (debug->elf)
		elf_end(debug->elf);
	free(debug->rebuilt.data);
	*debug = (struct kct_debug){0};
}

/** Say where the units are that were moved to other files. A .dwp file is a package of those. */
static void explain_split(struct kct_image *owner, size_t missing)
{
	struct stat stat_buffer;
	char *package = NULL;

	if (!owner->file || asprintf(&package, "%s.dwp", owner->name) < 0)
		package = NULL; /* undefined after a failure */
	if (package && stat(package, &stat_buffer) == 0)
		set_status(
			&owner->debug, KCT_DEBUG_SPLIT,
			"%zu units lie in %.120s, a package that cannot be read, or in .dwo files "
			"that are not there",
			missing, package);
	else
		set_status(&owner->debug, KCT_DEBUG_SPLIT,
			   "%zu units lie in .dwo files that are not there", missing);
	free(package);
}

enum kct_debug_status kct_image_debug_status(struct kct_image *image, const char **ret_reason)
{
	struct kct_debug *debug = &kct_image_with_debug(image)->debug;
	size_t missing;
	int result = 0;

	/* Reading a module's debug information fixes its addresses; asking must not. */
	if (!image->relocatable || image->fixed)
		result = kct_image_load_debug(image, NULL);
	else
		kct_image_check_debug(kct_image_with_debug(image));
	if (result < 0) {
		if (ret_reason)
			*ret_reason = kct_strerror(result);
		return KCT_DEBUG_BROKEN;
	}
	missing = debug->reader ? kct_dwarf_missing_split(debug->reader) : 0;
	if (missing > 0)
		explain_split(kct_image_with_debug(image), missing);
	if (ret_reason) {
		*ret_reason = debug->reason;
		if (debug->status == KCT_DEBUG_DWARF && !debug->reason[0] && debug->reader &&
		    kct_dwarf_complaint(debug->reader))
			*ret_reason = kct_dwarf_complaint(debug->reader);
	}
	return debug->status;
}
