/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "symbol/image.h"

/* MODULE_NAME_LEN of the kernel: 64 less a long. */
#define MAX_MODULE_NAME 60

/** Take the build ID from the notes in `data` if there is one. Notes of a kernel hold others, too,
 *  in any order. */
static bool find_build_id(struct kct_image *image, Elf_Data *data)
{
	size_t offset = 0, next, name_at, desc_at;
	GElf_Nhdr note;

	if (!data || !data->d_buf)
		return false;
	while ((next = gelf_getnote(data, offset, &note, &name_at, &desc_at)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(bytes + name_at, "GNU", sizeof("GNU")) == 0 && note.n_descsz > 0 &&
		    note.n_descsz <= KCT_MAX_BUILD_ID) {
			memcpy(image->build_id, bytes + desc_at, note.n_descsz);
			image->n_build_id = note.n_descsz;
			return true;
		}
		offset = next;
	}
	return false;
}

static void load_build_id(struct kct_image *image)
{
	size_t n = 0;

	for (size_t i = 0; i < image->n_sections; i++) {
		Elf_Scn *scn;

		if (image->sections[i].type != SHT_NOTE)
			continue;
		scn = elf_getscn(image->elf, i);
		if (scn && find_build_id(image, elf_getdata(scn, NULL)))
			return;
	}
	if (elf_getphdrnum(image->elf, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;
		Elf_Type type;

		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_NOTE ||
		    header.p_offset > image->bytes ||
		    header.p_filesz > image->bytes - header.p_offset)
			continue;
		type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
		if (find_build_id(image, elf_getdata_rawchunk(image->elf, (int64_t)header.p_offset,
							      header.p_filesz, type)))
			return;
	}
}

/** The bytes of a section as they are in the file, or NULL. */
static const char *section_bytes(const struct kct_image *image, const char *name, size_t *ret_bytes)
{
	const struct kct_section *section = kct_image_find_section(image, name);

	if (!section || section->type == SHT_NOBITS || (section->flags & SHF_COMPRESSED) ||
	    !kct_section_in_file(image, section))
		return NULL;
	*ret_bytes = section->size;
	return (const char *)image->data + section->offset;
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
