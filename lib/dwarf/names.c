/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a function, which may be several references away. */
#include <string.h>

#include "dwarf/forms.h"
#include "dwarf/reader.h"

/* Inlined instance, abstract instance, declaration: three are usual. A reference can lead
 * back to where it came from. */
#define MAX_HOPS 16

/* The unit that an offset lies in, or NULL. */
static const struct kct_cu *find_cu(const struct kct_debug_file *file, uint64_t offset)
{
	size_t low = 0, high = file->n_cus;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->cus[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || offset < file->cus[low - 1].root || offset >= file->cus[low - 1].end)
		return NULL;
	return &file->cus[low - 1];
}

/* Where a reference of an entry leads. */
static bool target_of(const struct kct_scope *scope, const struct kct_entry *entry,
		      const struct kct_debug_file **ret_file, uint64_t *ret_offset)
{
	static const enum kct_slot references[] = {KCT_SLOT_ORIGIN, KCT_SLOT_SPECIFICATION};

	for (size_t i = 0; i < ARRAY_SIZE(references); i++)
		if (kct_entry_has(entry, references[i]) &&
		    kct_scope_reference(scope, &entry->values[references[i]], ret_file, ret_offset))
			return true;
	return false;
}

static const char *text_of(struct kct_reader *reader, const struct kct_scope *scope,
			   const struct kct_entry *entry, enum kct_slot slot)
{
	const struct kct_value *value = &entry->values[slot];
	const char *text;

	if (!kct_entry_has(entry, slot))
		return NULL;
	text = kct_scope_string(scope, value);
	if (unlikely(!text) && !kct_form_is_elsewhere(value->form))
		kct_reader_complain(reader, "a name of the entry at %#llx cannot be read",
				    (unsigned long long)entry->offset);
	return text;
}

/*
 * Step to the entry at an offset, in whichever unit: the entry, and its scope if that is another one
 * (in `*room`). 1: done, 0: there is none, KCT_ERR_NO_MEMORY.
 */
static int step_to(struct kct_reader *reader, const struct kct_debug_file *file, uint64_t offset,
		   const struct kct_scope **scope, struct kct_scope *room, struct kct_entry *entry)
{
	const struct kct_cu *cu = (*scope)->cu;
	int result;

	if (file != (*scope)->file || offset < cu->root || offset >= cu->end) {
		cu = find_cu(file, offset);
		if (!cu)
			return 0;
		result = kct_scope_open(reader, file, cu, NULL, room, entry);
		if (result <= 0)
			return result;
		*scope = room;
	}
	return kct_reader_entry(reader, file, cu, offset, entry);
}

/* The name by way of references. */
static int follow(struct kct_reader *reader, const struct kct_scope *scope,
		  const struct kct_debug_file *file, uint64_t offset, const char **ret_name)
{
	struct kct_scope room;
	const char *name = *ret_name, *linkage;
	struct kct_entry entry;
	int result = 1;

	for (int hop = 0; hop < MAX_HOPS; hop++) {
		result = step_to(reader, file, offset, &scope, &room, &entry);
		if (result == 0)
			kct_reader_complain(reader, "a reference leads to %#llx, where no entry is",
					    (unsigned long long)offset);
		if (result <= 0)
			break;
		linkage = text_of(reader, scope, &entry, KCT_SLOT_LINKAGE_NAME);
		if (linkage) {
			*ret_name = linkage;
			return 0;
		}
		if (!name)
			name = text_of(reader, scope, &entry, KCT_SLOT_NAME);
		if (!target_of(scope, &entry, &file, &offset))
			break;
	}
	*ret_name = name;
	return result < 0 ? result : 0;
}

int kct_entry_name(struct kct_reader *reader, const struct kct_scope *scope,
		   const struct kct_entry *entry, uint32_t *ret_string)
{
	const char *name = text_of(reader, scope, entry, KCT_SLOT_LINKAGE_NAME);
	uint64_t offset, own, *known = &own;
	const struct kct_debug_file *file;
	int result = 0;

	*ret_string = 0;
	if (!name) {
		name = text_of(reader, scope, entry, KCT_SLOT_NAME);
		if (target_of(scope, entry, &file, &offset)) {
			/* Most inlined calls are of functions that were met before. */
			if (!name)
				result = kct_map_put(&reader->names, offset << 1 | file->number,
						     &known);
			if (result == 0 && known != &own)
				*ret_string = (uint32_t)*known;
			if (result < 0 || (result == 0 && known != &own))
				return result;
			result = follow(reader, scope, file, offset, &name);
		}
	}
	if (result >= 0 && name)
		result = kct_build_string(&reader->build, name, strlen(name), ret_string);
	*known = *ret_string;
	return result < 0 ? result : 0;
}
