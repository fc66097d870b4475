/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in files of their own (.dwo), which libdw finds and opens. */
#include <dwarf.h>
#include <stdio.h>
#include <sys/stat.h>

#include "dwarf/reader.h"

/* Whether what a unit names is a regular file: libdw opens it, and to open anything else, such as a
 * pipe, may never end. */
static bool has_split_file(const struct kct_scope *scope, const struct kct_entry *root)
{
	const char *name = kct_scope_string(scope, &root->values[KCT_SLOT_DWO_NAME]);
	KCT_AUTO_FREE char *joined = NULL;
	struct stat stat_buffer;

	if (!name)
		return false;
	if (name[0] != '/' && scope->comp_dir) {
		if (asprintf(&joined, "%s/%s", scope->comp_dir, name) < 0) {
			joined = NULL; /* undefined after a failure */
			return false;
		}
		name = joined;
	}
	return stat(name, &stat_buffer) == 0 && S_ISREG(stat_buffer.st_mode);
}

/* The file that was opened as `dwarf`, or NULL when out of memory. */
static struct kct_debug_file *file_of(struct kct_reader *reader, Dwarf *dwarf)
{
	struct kct_debug_file *file;

	for (file = reader->dwarf->splits; file; file = file->next)
		if (file->dwarf == dwarf)
			return file;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->is_split = true;
	/* One whose sections cannot be found has no units. */
	if (kct_debug_file_open(dwarf, file, reader) == KCT_ERR_NO_MEMORY) {
		free(file);
		return NULL;
	}
	file->next = reader->dwarf->splits;
	reader->dwarf->splits = file;
	return file;
}

int kct_split_find(struct kct_reader *reader, const struct kct_scope *scope,
		   const struct kct_entry *root, struct kct_dwarf_unit *unit)
{
	const struct kct_debug_file *file;
	Dwarf_Die skeleton, split;

	reader->dwarf->missing_split++;
	if (!has_split_file(scope, root) ||
	    !dwarf_offdie(reader->dwarf->dwarf, root->offset, &skeleton) ||
	    dwarf_cu_info(skeleton.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) != 0 ||
	    dwarf_tag(&split) != DW_TAG_compile_unit)
		return 0;
	file = file_of(reader, dwarf_cu_getdwarf(split.cu));
	if (!file)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < file->n_cus; i++) {
		if (file->cus[i].root != dwarf_dieoffset(&split))
			continue;
		unit->split = file;
		unit->split_cu = (uint32_t)i;
		reader->dwarf->missing_split--;
		return 0;
	}
	return 0;
}
