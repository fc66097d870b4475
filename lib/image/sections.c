/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "base/limits.h"
#include "image/image.h"
#include "image/names.h"

/* Where invented addresses begin: user space, which holds no kernel text. */
#define INVENTED_START 0x10000u

/** Whether the section header table lies within the file. */
static int check_table(const struct kct_image *image, struct kct_error *error)
{
	const GElf_Ehdr *header = &image->header;
	uint64_t bytes = (uint64_t)header->e_shnum * header->e_shentsize;

	if (header->e_shoff == 0)
		return kct_fail(error, KCT_ERR_ELF, "%s: no section headers", image->name);
	if (header->e_shoff >= image->bytes || bytes > image->bytes - header->e_shoff)
		return kct_fail_at(error, KCT_ERR_ELF, header->e_shoff,
				   "%s: the section headers at byte %llu lie past the end at %zu: "
				   "the file is cut off",
				   image->name, (unsigned long long)header->e_shoff, image->bytes);
	return 0;
}

static void section_init(struct kct_section *section, const GElf_Shdr *header, bool relocatable)
{
	section->address = relocatable ? 0 : header->sh_addr;
	section->offset = header->sh_offset;
	section->size = header->sh_size;
	section->flags = header->sh_flags;
	section->align = header->sh_addralign;
	section->type = header->sh_type;
	section->info = header->sh_info;
	section->placed = !relocatable;
}

/** Once all headers are known, that of the string table among them. */
static void name_sections(struct kct_image *image, size_t names)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn)) != NULL) {
		size_t index = elf_ndxscn(scn);
		const char *name = NULL;
		GElf_Shdr header;

		if (index < image->n_sections && gelf_getshdr(scn, &header))
			name = kct_image_string(image, names, header.sh_name);
		if (name)
			image->sections[index].name = name;
	}
}

int kct_image_load_sections(struct kct_image *image, struct kct_error *error)
{
	size_t n = 0, names = 0;
	Elf_Scn *scn = NULL;
	int result;

	result = check_table(image, error);
	if (result < 0)
		return result;
	if (elf_getshdrnum(image->elf, &n) < 0 || n == 0)
		return kct_fail(error, KCT_ERR_ELF, "%s: unusable section headers: %s", image->name,
				elf_errmsg(-1));
	if (elf_getshdrstrndx(image->elf, &names) < 0)
		names = 0;
	image->sections = calloc(n, sizeof(*image->sections));
	if (!image->sections)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	image->n_sections = n;
	for (size_t i = 0; i < n; i++)
		image->sections[i].name = "";
	while ((scn = elf_nextscn(image->elf, scn)) != NULL) {
		size_t index = elf_ndxscn(scn);
		GElf_Shdr header;

		if (index < n && gelf_getshdr(scn, &header))
			section_init(&image->sections[index], &header, image->relocatable);
	}
	name_sections(image, names);
	return 0;
}

struct kct_section *kct_image_find_section(const struct kct_image *image, const char *name)
{
	for (size_t i = 0; i < image->n_sections; i++) {
		if (strcmp(image->sections[i].name, name) == 0)
			return &image->sections[i];
	}
	return NULL;
}

const struct kct_section *kct_image_section(const struct kct_image *image, size_t index)
{
	return index < image->n_sections ? &image->sections[index] : NULL;
}

const char *kct_image_string(const struct kct_image *image, size_t table, uint64_t offset)
{
	const struct kct_section *section = kct_image_section(image, table);
	const uint8_t *data = section ? kct_section_data(image, section) : NULL;
	const char *text;

	if (!data || section->type != SHT_STRTAB || (section->flags & SHF_COMPRESSED) ||
	    offset >= section->size)
		return NULL;
	text = (const char *)data + offset;
	if (!memchr(text, '\0', (size_t)kct_min_u64(section->size - offset, KCT_MAX_NAME + 1)))
		return NULL;
	return text;
}

bool kct_section_in_file(const struct kct_image *image, const struct kct_section *section)
{
	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return true;
	return section->offset <= image->bytes && section->size <= image->bytes - section->offset;
}

const uint8_t *kct_section_data(const struct kct_image *image, const struct kct_section *section)
{
	if (section->type == SHT_NOBITS || section->type == SHT_NULL || section->size == 0 ||
	    !kct_section_in_file(image, section))
		return NULL;
	return image->data + section->offset;
}

bool kct_section_is_code(const struct kct_section *section)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	return section->placed && section->size > 0 && (section->flags & code) == code;
}

int kct_image_set_section(struct kct_image *image, const char *section, uint64_t address)
{
	bool found = false;

	if (!image || !section || !image->relocatable || image->fixed)
		return KCT_ERR_ARGUMENT;
	/* Of sections of one name (in groups) the loader keeps the first; so do we. */
	for (size_t i = 0; i < image->n_sections && !found; i++) {
		struct kct_section *candidate = &image->sections[i];

		if (!(candidate->flags & SHF_ALLOC) || strcmp(candidate->name, section) != 0)
			continue;
		candidate->address = address;
		candidate->placed = true;
		found = true;
	}
	return found ? 0 : KCT_ERR_NOT_FOUND;
}

bool kct_section_is_init(const struct kct_section *section)
{
	return strncmp(section->name, ".init", strlen(".init")) == 0;
}

int kct_image_set_base(struct kct_image *image, uint64_t address)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	bool found = false;

	if (!image || !image->relocatable || image->fixed || address == 0)
		return KCT_ERR_ARGUMENT;
	for (size_t i = 0; i < image->n_sections; i++) {
		struct kct_section *section = &image->sections[i];
		uint64_t align = section->align ? section->align : 1;

		if ((section->flags & code) != code || kct_section_is_init(section))
			continue;
		if (address % align)
			address += align - address % align;
		section->address = address;
		section->placed = true;
		address += section->size;
		found |= section->size > 0;
	}
	image->approximate |= found;
	return found ? 0 : KCT_ERR_NOT_FOUND;
}

bool kct_image_is_approximate(const struct kct_image *image)
{
	return image->approximate;
}

/** Room for a section whose address is invented, with space between it and the next. */
static uint64_t invented_room(const struct kct_image *image, const struct kct_section *section)
{
	uint64_t size = section->size;

	/* A size that cannot be true is not believed; no look-up ever gets there. */
	if (!kct_section_in_file(image, section) || size > UINT32_MAX / 2)
		size = 0;
	return (size + 0x1000) & ~(uint64_t)0xfff;
}

static bool needs_address(const struct kct_section *section)
{
	return !section->placed && (section->flags & SHF_ALLOC);
}

/** Give all sections without an address one, from `next` on. */
static void place_rest(struct kct_image *image, uint64_t next)
{
	for (size_t i = 0; i < image->n_sections; i++) {
		struct kct_section *section = &image->sections[i];

		if (!needs_address(section))
			continue;
		section->address = next;
		next += invented_room(image, section);
	}
}

int kct_image_place_sections(struct kct_image *image, uint64_t base)
{
	if (!image || !image->relocatable || image->fixed)
		return KCT_ERR_ARGUMENT;
	/* Code first: then a module's .text is at `base`. */
	for (int code = 1; code >= 0; code--) {
		for (size_t i = 0; i < image->n_sections; i++) {
			struct kct_section *section = &image->sections[i];

			if (!needs_address(section) ||
			    ((section->flags & SHF_EXECINSTR) != 0) != code)
				continue;
			section->address = base;
			section->placed = true;
			base += invented_room(image, section);
		}
	}
	return 0;
}

/** An address with `room` bytes behind it that no placed section uses. */
static uint64_t find_room(const struct kct_image *image, uint64_t room)
{
	struct kct_ranges placed = {0};
	uint64_t start = INVENTED_START;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		/* Out of memory: the worst is an overlap with what is never looked up. */
		if (section->placed && section->size > 0 &&
		    kct_ranges_add(&placed, section->address, section->address + section->size - 1,
				   0, 0) < 0)
			break;
	}
	if (kct_ranges_finish(&placed) == 0) {
		for (size_t i = 0; i < placed.n; i++) {
			const struct kct_range *range = &placed.items[i];

			if (range->first < start + room && range->last >= start)
				start = (range->last + 0x1000) & ~(uint64_t)0xfff;
		}
	}
	kct_ranges_clear(&placed);
	return start;
}

void kct_image_fix(struct kct_image *image)
{
	uint64_t room = 0;

	if (image->fixed)
		return;
	image->fixed = true;
	if (!image->relocatable)
		return;
	for (size_t i = 0; i < image->n_sections; i++) {
		if (needs_address(&image->sections[i]))
			room += invented_room(image, &image->sections[i]);
	}
	place_rest(image, find_room(image, room));
}
