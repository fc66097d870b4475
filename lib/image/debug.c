/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "image/image.h"
#include "image/names.h"

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

/** A section by its name or, compressed the old way, as .zdebug_*. */
static const struct kct_section *find_debug_section(const struct kct_image *image, const char *name)
{
	const struct kct_section *section = kct_image_find_section(image, name);
	char old[40];

	if (section)
		return section;
	snprintf(old, sizeof(old), ".z%s", name + 1);
	return kct_image_find_section(image, old);
}

/** Whether libelf or libdw would write to the bytes, which are read-only or not ours. */
static bool needs_copy(const struct kct_image *image)
{
	if (image->relocatable)
		return true;
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		if ((section->flags & SHF_COMPRESSED) || strncmp(section->name, ".zdebug", 7) == 0)
			return true;
	}
	return false;
}

/** Make a copy that may be written to, if one is needed. */
static int prepare_elf(struct kct_image *image)
{
	struct kct_debug *debug = &image->debug;

	if (!needs_copy(image))
		return 0;
	debug->copy = malloc(image->bytes);
	if (!debug->copy)
		return KCT_ERR_NO_MEMORY;
	memcpy(debug->copy, image->data, image->bytes);
	debug->elf = elf_memory(debug->copy, image->bytes);
	return debug->elf ? 0 : KCT_ERR_NO_MEMORY;
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

/** Size of a section once it is unpacked, 0 if it is not packed. */
static uint64_t unpacked_size(const struct kct_image *image, size_t index)
{
	const struct kct_section *section = &image->sections[index];
	const uint8_t *data = kct_section_data(image, section);
	GElf_Chdr header;
	Elf_Scn *scn;
	uint64_t size = 0;

	if (!data)
		return 0;
	if (section->flags & SHF_COMPRESSED) {
		scn = elf_getscn(image->elf, index);
		return scn && gelf_getchdr(scn, &header) ? header.ch_size : 0;
	}
	/* The old way: "ZLIB" and the size in big-endian order. */
	if (strncmp(section->name, ".zdebug", 7) != 0 || section->size < 12)
		return 0;
	for (size_t i = 4; i < 12; i++)
		size = size << 8 | data[i];
	return size;
}

/** libelf makes room for whatever size a packed section claims to have. */
static bool check_unpacked_size(struct kct_image *image)
{
	uint64_t room = KCT_UNPACK_LIMIT;

	for (size_t i = 0; i < image->n_sections; i++) {
		uint64_t size = unpacked_size(image, i);

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

/** libdw opens the file that dwz moved entries to; to open what is no file, like a pipe, may never
 *  end. */
static bool check_link(struct kct_image *image)
{
	const struct kct_section *section = kct_image_find_section(image, ".gnu_debugaltlink");
	const char *path = NULL;
	struct stat stat_buffer;

	if (section && !(section->flags & SHF_COMPRESSED))
		path = (const char *)kct_section_data(image, section);
	if (!path || !memchr(path, '\0', section->size) || stat(path, &stat_buffer) < 0 ||
	    S_ISREG(stat_buffer.st_mode))
		return true;
	set_status(&image->debug, KCT_DEBUG_BROKEN,
		   ".gnu_debugaltlink names %.100s, which is no file", path);
	return false;
}

/** Whether the file can be handed to libelf and libdw for more than its headers. */
static bool check_file(struct kct_image *image)
{
	return check_overlap(image) && check_string_tables(image) && check_unpacked_size(image) &&
	       check_link(image);
}

/**
 * Unpack a compressed section in the Elf handle, where libdw finds it unpacked: only trying tells
 * what this libelf can read. False if it cannot.
 */
static bool check_compression(struct kct_image *image, const struct kct_section *section)
{
	Elf_Scn *scn = elf_getscn(image->debug.elf, (size_t)(section - image->sections));
	GElf_Chdr header;

	if (!scn || !gelf_getchdr(scn, &header)) {
		set_status(&image->debug, KCT_DEBUG_BROKEN,
			   "section %s has a broken compression header", section->name);
		return false;
	}
	if (elf_compress(scn, 0, 0) >= 0)
		return true;
	if (header.ch_type == ELFCOMPRESS_ZLIB)
		set_status(&image->debug, KCT_DEBUG_BROKEN, "section %s cannot be unpacked: %s",
			   section->name, elf_errmsg(-1));
	else
		set_status(&image->debug, KCT_DEBUG_UNSUPPORTED,
			   "section %s is compressed with %s (type %u), which this libelf cannot "
			   "read",
			   section->name, header.ch_type == 2 ? "zstd" : "an unknown method",
			   (unsigned)header.ch_type);
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

/** Judge by the section headers. 1: libdw can be asked, 0: no, KCT_ERR_NO_MEMORY. */
static int check_sections(struct kct_image *image)
{
	bool usable = true;

	if (image->debug.checked)
		return image->debug.usable;
	if (prepare_elf(image) < 0) {
		kct_image_close_debug(image);
		return KCT_ERR_NO_MEMORY;
	}
	image->debug.checked = true;
	if (!find_debug_section(image, debug_sections[0])) {
		explain_absence(image);
		return 0;
	}
	if (!check_file(image))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(debug_sections); i++) {
		const struct kct_section *section = find_debug_section(image, debug_sections[i]);

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

/** Hand libdwfl the ELF file of the module, which it owns from now on. */
static int find_elf(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	struct kct_image *image = *context;

	(void)module;
	(void)name;
	(void)base;
	(void)file_name;
	*elf = TAKE_PTR(image->debug.elf);
	return -1;
}

/** No other file is looked for. */
static int find_no_debuginfo(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
			     const char *file_name, const char *link, GElf_Word crc, char **path)
{
	(void)module;
	(void)context;
	(void)name;
	(void)base;
	(void)file_name;
	(void)link;
	(void)crc;
	(void)path;
	return -1;
}

static int section_address(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
			   const char *section_name, GElf_Word index, const GElf_Shdr *header,
			   Dwarf_Addr *address)
{
	const struct kct_image *image = *context;
	const struct kct_section *section = kct_image_section(image, index);

	(void)module;
	(void)name;
	(void)base;
	(void)section_name;
	(void)header;
	*address = section ? section->address : (Dwarf_Addr)-1;
	return 0;
}

static const Dwfl_Callbacks module_callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_no_debuginfo,
	.section_address = section_address,
};

/** A Dwarf of a module with its debug sections relocated. NULL: `*ret_cause` says why. */
static Dwarf *open_module(struct kct_image *image, const char **ret_cause)
{
	struct kct_debug *debug = &image->debug;
	Dwfl_Module *module;
	void **context = NULL;
	Dwarf_Addr bias = 0;
	Dwarf *dwarf = NULL;

	debug->dwfl = dwfl_begin(&module_callbacks);
	if (debug->dwfl) {
		/* The bounds play no part: nothing is looked up through libdwfl. */
		dwfl_report_begin(debug->dwfl);
		module = dwfl_report_module(debug->dwfl, "module", 1, UINT64_MAX - 1);
		if (module && dwfl_report_end(debug->dwfl, NULL, NULL) == 0 &&
		    dwfl_module_info(module, &context, NULL, NULL, NULL, NULL, NULL, NULL) &&
		    context) {
			*context = image;
			dwarf = dwfl_module_getdwarf(module, &bias);
		}
	}
	if (!dwarf)
		*ret_cause = dwfl_errmsg(-1);
	return dwarf;
}

/** Get a Dwarf with final addresses in debug->dwarf, or say in the status why not. */
static void open_dwarf(struct kct_image *image)
{
	struct kct_debug *debug = &image->debug;
	const char *cause = NULL;

	if (image->relocatable) {
		debug->dwarf = open_module(image, &cause);
	} else {
		/* Relocations that a linker kept (--emit-relocs) are applied already. */
		debug->dwarf =
			dwarf_begin_elf(debug->elf ? debug->elf : image->elf, DWARF_C_READ, NULL);
		if (!debug->dwarf)
			cause = dwarf_errmsg(-1);
	}
	if (!debug->dwarf)
		set_status(debug, KCT_DEBUG_BROKEN, "libdw cannot read it: %s",
			   cause ? cause : "no cause given");
}

int kct_image_load_debug(struct kct_image *image, struct kct_error *error)
{
	struct kct_debug *debug = &image->debug;
	struct kct_error detail;
	int result;

	if (debug->loaded)
		return 0;
	kct_image_fix(image);
	result = check_sections(image);
	if (result > 0)
		open_dwarf(image);
	if (debug->dwarf)
		result = kct_dwarf_new(debug->dwarf, !image->relocatable,
				       image->file && kct_file_is_mapped(image->file) ? image->data
										      : NULL,
				       image->bytes, &debug->reader, &detail);
	if (debug->reader)
		debug->tables = kct_dwarf_tables(debug->reader);
	if (result == KCT_ERR_NO_MEMORY) {
		kct_image_close_debug(image);
		return kct_fail_code(error, result);
	}
	if (result < 0)
		set_status(debug, KCT_DEBUG_BROKEN, "%s", detail.text);
	debug->loaded = true;
	return 0;
}

void kct_image_close_debug(struct kct_image *image)
{
	struct kct_debug *debug = &image->debug;

	kct_dwarf_free(debug->reader);
	if (debug->dwfl)
		dwfl_end(debug->dwfl);
	else if (debug->dwarf)
		dwarf_end(debug->dwarf);
	if (debug->elf)
		elf_end(debug->elf);
	free(debug->copy);
	*debug = (struct kct_debug){0};
}

enum kct_debug_status kct_image_debug_status(struct kct_image *image, const char **ret_reason)
{
	struct kct_debug *debug = &image->debug;
	size_t missing;
	int result;

	/* Reading a module's debug information fixes its addresses; asking must not. */
	if (!image->relocatable || image->fixed)
		result = kct_image_load_debug(image, NULL);
	else
		result = check_sections(image);
	if (result < 0) {
		if (ret_reason)
			*ret_reason = kct_strerror(result);
		return KCT_DEBUG_BROKEN;
	}
	missing = debug->reader ? kct_dwarf_missing_split(debug->reader) : 0;
	if (missing > 0)
		set_status(debug, KCT_DEBUG_SPLIT, "%zu units lie in .dwo files that are not there",
			   missing);
	if (ret_reason) {
		*ret_reason = debug->reason;
		if (debug->status == KCT_DEBUG_DWARF && debug->reader &&
		    kct_dwarf_complaint(debug->reader))
			*ret_reason = kct_dwarf_complaint(debug->reader);
	}
	return debug->status;
}
