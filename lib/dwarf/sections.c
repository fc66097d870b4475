/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug sections of an ELF file, as libdw has unpacked them, and the units in .debug_info. */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "dwarf/reader.h"

/* The name of a section without its dot, without the z of the older kind of compression (libdw has
 * unpacked it), without .dwo. */
static void plain_name(const char *name, char plain[32])
{
	size_t length;

	if (strncmp(name, ".zdebug", 7) == 0)
		name += 2;
	else if (*name == '.')
		name++;
	length = strnlen(name, 31);
	memcpy(plain, name, length);
	plain[length] = '\0';
	if (length > 4 && strcmp(plain + length - 4, ".dwo") == 0)
		plain[length - 4] = '\0';
}

static void take_section(struct kct_debug_file *file, const char *name, Elf_Scn *section, bool big)
{
	const struct {
		const char *name;
		struct kct_cursor *cursor;
	} wanted[] = {
		{"debug_info", &file->info},	 {"debug_abbrev", &file->abbrev},
		{"debug_line", &file->line},	 {"debug_line_str", &file->line_str},
		{"debug_str", &file->str},	 {"debug_str_offsets", &file->str_offsets},
		{"debug_addr", &file->addr},	 {"debug_rnglists", &file->rnglists},
		{"debug_ranges", &file->ranges},
	};
	char plain[32];
	Elf_Data *data;

	plain_name(name, plain);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (strcmp(plain, wanted[i].name) != 0)
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf && !wanted[i].cursor->at)
			*wanted[i].cursor = (struct kct_cursor){
				data->d_buf, (const uint8_t *)data->d_buf + data->d_size, big,
				false};
		return;
	}
}

static int find_sections(Dwarf *dwarf, struct kct_debug_file *file)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *section = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	const char *name;
	size_t names;

	if (!elf || !gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) != 0)
		return KCT_ERR_ELF;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (!gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name)
			take_section(file, name, section, ehdr.e_ident[EI_DATA] == ELFDATA2MSB);
	}
	return 0;
}

/* Headers of all units, also of those without code: references lead there. */
static int find_cus(struct kct_debug_file *file, struct kct_reader *reader)
{
	struct kct_cursor c = file->info;
	struct kct_cu cu;
	int result;

	while ((result = kct_cu_read(&c, file->info.at, &cu)) >= 0) {
		if (c.bad)
			kct_reader_complain(reader,
					    "unit %zu is cut: it ends past the end of "
					    ".debug_info",
					    file->n_cus);
		else if (result == 0)
			kct_reader_complain(reader, "unit %zu cannot be read: its header",
					    file->n_cus);
		if (result == 0)
			continue;
		if (file->n_cus >= KCT_NO_INDEX)
			return 0;
		if (kct_array_reserve(&file->cus, &file->max_cus, file->n_cus + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		file->cus[file->n_cus++] = cu;
	}
	if (c.at < c.end || c.bad)
		kct_reader_complain(reader, "units after number %zu cannot be read", file->n_cus);
	return 0;
}

int kct_debug_file_open(Dwarf *dwarf, struct kct_debug_file *file, struct kct_reader *reader)
{
	int result = find_sections(dwarf, file);

	file->dwarf = dwarf;
	return result < 0 ? result : find_cus(file, reader);
}

void kct_debug_file_clear(struct kct_debug_file *file)
{
	free(file->cus);
	file->cus = NULL;
	file->n_cus = file->max_cus = 0;
}
