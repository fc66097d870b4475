/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "image/image.h"

/* MODULE_NAME_LEN of the kernel: 64 less a long. */
#define MAX_MODULE_NAME 60

/* Name size, descriptor size, type. */
#define NOTE_HEADER 12

uint32_t kct_image_u32(const struct kct_image *image, const uint8_t *at)
{
	if (image->header.e_ident[EI_DATA] == ELFDATA2MSB)
		return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
	return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

/**
 * Take the build ID from the notes at `offset` of the file if there is one. A
 * kernel has other notes, too, in any order. libelf's reader is not used: it
 * refuses a last note that is not padded.
 */
static bool find_build_id(struct kct_image *image, uint64_t offset, uint64_t bytes, uint64_t align,
			  uint64_t *budget)
{
	static const char gnu[] = "GNU";
	uint64_t at = 0;

	if (offset > image->bytes || bytes > image->bytes - offset || bytes > *budget)
		return false;
	*budget -= bytes;
	align = align == 8 ? 8 : 4;
	while (at < bytes && bytes - at >= NOTE_HEADER) {
		const uint8_t *note = image->data + offset + at;
		uint64_t n_name = kct_image_u32(image, note),
			 n_desc = kct_image_u32(image, note + 4);
		uint64_t desc = round_up(NOTE_HEADER + n_name, align);

		if (desc > bytes - at || n_desc > bytes - at - desc)
			return false;
		if (kct_image_u32(image, note + 8) == NT_GNU_BUILD_ID && n_name == sizeof(gnu) &&
		    memcmp(note + NOTE_HEADER, gnu, sizeof(gnu)) == 0 && n_desc > 0 &&
		    n_desc <= KCT_MAX_BUILD_ID) {
			memcpy(image->build_id, note + desc, n_desc);
			image->n_build_id = n_desc;
			return true;
		}
		at += round_up(desc + n_desc, align);
	}
	return false;
}

static void load_build_id(struct kct_image *image)
{
	/* Notes may be listed twice, as a section and in a segment. A file may list them any number
	 * of times. */
	uint64_t budget = 2 * (uint64_t)image->bytes;
	size_t n = 0;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		if (section->type == SHT_NOTE &&
		    find_build_id(image, section->offset, section->size, section->align, &budget))
			return;
	}
	if (elf_getphdrnum(image->elf, &n) < 0)
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(image->elf, (int)i, &header) && header.p_type == PT_NOTE &&
		    find_build_id(image, header.p_offset, header.p_filesz, header.p_align, &budget))
			return;
	}
}

/** The bytes of a section as they are in the file, or NULL. */
static const char *section_bytes(const struct kct_image *image, const char *name, size_t *ret_bytes)
{
	const struct kct_section *section = kct_image_find_section(image, name);

	if (!section || (section->flags & SHF_COMPRESSED))
		return NULL;
	*ret_bytes = section->size;
	return (const char *)kct_section_data(image, section);
}

/** Length of the C string at `text` if it ends within `bytes` and looks like a module's name. */
static size_t module_name_length(const char *text, size_t bytes)
{
	size_t length = strnlen(text, bytes);

	if (length == 0 || length == bytes || length > MAX_MODULE_NAME)
		return 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] <= ' ' || text[i] > '~')
			return 0;
	}
	return length;
}

/** The `name=` entry of .modinfo, which is a list of C strings. */
static const char *name_in_modinfo(const struct kct_image *image, size_t *ret_length)
{
	static const char key[] = "name=";
	size_t bytes, at = 0;
	const char *text;

	text = section_bytes(image, ".modinfo", &bytes);
	while (text && at < bytes) {
		size_t length = strnlen(text + at, bytes - at);

		if (length > strlen(key) && memcmp(text + at, key, strlen(key)) == 0) {
			*ret_length = module_name_length(text + at + strlen(key),
							 bytes - at - strlen(key));
			return text + at + strlen(key);
		}
		at += length + 1;
	}
	return NULL;
}

/** The name in struct module, behind a state (padded to a long) and a list head. */
static const char *name_in_this_module(const struct kct_image *image, size_t *ret_length)
{
	size_t at = 3 * (image->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4);
	size_t bytes;
	const char *text;

	text = section_bytes(image, ".gnu.linkonce.this_module", &bytes);
	if (!text || bytes <= at)
		return NULL;
	*ret_length = module_name_length(text + at, bytes - at);
	return text + at;
}

int kct_image_load_identity(struct kct_image *image)
{
	const char *name;
	size_t length = 0;

	load_build_id(image);
	name = name_in_modinfo(image, &length);
	if (!name || length == 0)
		name = name_in_this_module(image, &length);
	if (!name || length == 0)
		return 0;
	image->module_name = strndup(name, length);
	return image->module_name ? 0 : KCT_ERR_NO_MEMORY;
}
