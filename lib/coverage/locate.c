/* SPDX-License-Identifier: BSD-2-Clause */
/* From PCs as recorded to parts of images. */
#include <string.h>

#include "base/fail.h"
#include "coverage/coverage.h"

const struct kct_member *kct_cover_member(const struct kct_symbolizer *symbolizer,
					  const struct kct_image *image, const char *name)
{
	const struct kct_space *space = &symbolizer->space;

	for (size_t i = 0; i < space->n_members; i++) {
		const struct kct_member *member = &space->members[i];

		if (image ? member->image == image : strcmp(member->name, name) == 0)
			return member;
	}
	return NULL;
}

const struct kct_member *kct_cover_member_at(const struct kct_symbolizer *symbolizer, uint64_t pc,
					     enum kct_pc_kind kind)
{
	const struct kct_space *space = &symbolizer->space;
	const struct kct_range *code =
		kct_ranges_find(&space->code, kct_lookup_address(pc, kind, space->thumb));

	return code ? &space->members[code->value] : NULL;
}

/** The section of a module that holds the code of an image address. */
static const struct kct_section *section_at(const struct kct_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		if (kct_section_is_code(section) && address >= section->address &&
		    address - section->address < section->size)
			return section;
	}
	return NULL;
}

/** The part of a set for a PC of a member, and what to take off the PC as recorded. */
static int part_of(struct kct_pc_set *set, const struct kct_symbolizer *symbolizer,
		   const struct kct_member *member, uint64_t pc, size_t *ret_part,
		   uint64_t *ret_base)
{
	uint64_t address =
		kct_lookup_address(pc, set->kind, symbolizer->space.thumb) + member->shift;
	struct kct_pc_origin origin = {.image = member->name, .section = ""};
	const struct kct_section *section = NULL;

	origin.build_id = kct_image_build_id(member->image, &origin.build_id_bytes);
	if (member->image->relocatable)
		section = section_at(member->image, address);
	if (section)
		origin.section = section->name;
	*ret_base = (section ? section->address : 0) - member->shift;
	return kct_pc_set_part(set, &origin, ret_part);
}

/** Move the rows of one part. Those that stay are packed at its front. */
static int locate_part(struct kct_pc_set *set, const struct kct_symbolizer *symbolizer, size_t from)
{
	struct kct_counts rows = set->parts[from].counts;
	const struct kct_member *member;
	uint64_t base;
	size_t kept = 0, to;
	int result = 0;

	/* Out of the set while parts are made, which may move. */
	set->parts[from].counts = (struct kct_counts){0};
	for (size_t i = 0; i < rows.n && result >= 0; i++) {
		struct kct_pc_count row = rows.rows[i];

		member = kct_cover_member_at(symbolizer, row.pc, set->kind);
		if (!member) {
			rows.rows[kept++] = row;
			continue;
		}
		result = part_of(set, symbolizer, member, row.pc, &to, &base);
		if (result >= 0)
			result = kct_counts_add(&set->parts[to].counts, row.pc - base, row.count);
	}
	rows.n = kept;
	set->parts[from].counts = rows;
	return result;
}

int kct_pc_set_locate(struct kct_pc_set *set, struct kct_symbolizer *symbolizer,
		      struct kct_error *error)
{
	size_t n;
	int result;

	if (!set || !symbolizer)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	result = kct_pc_set_seal(set);
	n = set->n_parts;
	for (size_t i = 0; i < n && result >= 0; i++) {
		if (!*set->parts[i].origin.image)
			result = locate_part(set, symbolizer, i);
	}
	return result < 0 ? kct_fail_code(error, result) : 0;
}
