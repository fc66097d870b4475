/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/fail.h"
#include "symbol/space.h"

void kct_space_clear(struct kct_space *space)
{
	free(space->members);
	free(space->kallsyms);
	kct_ranges_clear(&space->code);
	*space = (struct kct_space){0};
}

/** Add the code sections of a member. */
static int add_code(struct kct_space *space, size_t index, uint32_t rank)
{
	struct kct_member *member = &space->members[index];
	const struct kct_image *image = member->image;

	member->shift = kct_slide_shift(&space->slide, image->relocatable);
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];
		uint64_t first = section->address - member->shift;
		uint64_t last = first + section->size - 1;

		if (!kct_section_is_code(section))
			continue;
		space->kernel_is_low |= kct_address_is_low(section->address);
		if (kct_ranges_add(&space->code, first, last, rank, (uint32_t)index) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return 0;
}

int kct_space_prepare(struct kct_space *space, struct kct_error *error)
{
	int result = 0;

	if (space->ready)
		return 0;
	kct_ranges_clear(&space->code);
	for (size_t i = 0; i < space->n_members && result >= 0; i++) {
		struct kct_image *image = space->members[i].image;
		/* A module's PC without the slide may fall into vmlinux; then vmlinux it is. */
		bool later = image->relocatable && space->slide.offset != 0 && !space->slide.slid;

		result = kct_image_load_symbols(image, error);
		if (result < 0)
			return result;
		result = kct_image_load_debug(image, error);
		if (result < 0)
			return result;
		result = add_code(space, i, (uint32_t)(later ? i + space->n_members : i));
	}
	if (result >= 0)
		result = kct_ranges_finish(&space->code);
	if (result < 0)
		return kct_fail_code(error, result);
	space->ready = true;
	return 0;
}

/** Look for a function that no image knows. */
static void find_in_kallsyms(struct kct_space *space, uint64_t lookup, struct kct_place *place)
{
	uint64_t shift = kct_slide_shift(&space->slide, true);

	for (size_t i = 0; i < space->n_kallsyms && !place->symbol; i++) {
		place->table = kct_kallsyms_table(space->kallsyms[i]);
		place->symbol = kct_symtab_find(place->table, lookup + shift);
	}
	if (place->symbol) {
		place->shift = shift;
		place->address = lookup + shift;
	}
}

const struct kct_member *kct_space_unit(const struct kct_space *space, uint64_t pc,
					enum kct_pc_kind kind, uint32_t *ret_unit)
{
	uint64_t lookup = kct_lookup_address(pc, kind);
	const struct kct_range *code = kct_ranges_find(&space->code, lookup);
	const struct kct_member *member = code ? &space->members[code->value] : NULL;
	const struct kct_tables *tables = member ? member->image->debug.tables : NULL;

	*ret_unit = tables ? kct_index_find(&tables->index, lookup + member->shift) : UINT32_MAX;
	return member;
}

int kct_space_find(struct kct_space *space, uint64_t pc, enum kct_pc_kind kind,
		   struct kct_place *ret_place, struct kct_error *error)
{
	uint64_t lookup = kct_lookup_address(pc, kind);
	const struct kct_range *code = kct_ranges_find(&space->code, lookup);
	struct kct_place place = {.address = lookup};
	struct kct_image *image = NULL;

	if (code) {
		place.member = &space->members[code->value];
		place.shift = place.member->shift;
		place.address = lookup + place.shift;
		image = place.member->image;
		if (image->debug.tables &&
		    kct_tables_lookup(image->debug.tables, place.address, &place.hit) < 0)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		place.table = &image->symtab;
		place.symbol = kct_symtab_find(place.table, place.address);
	}
	/* An image with symbols knows where its functions end; kallsyms would only guess. */
	if (!place.symbol && !place.hit.has_function && (!image || image->symtab.n == 0))
		find_in_kallsyms(space, lookup, &place);
	*ret_place = place;
	return 0;
}

bool kct_place_extent(const struct kct_place *place, uint64_t *ret_start, uint64_t *ret_size)
{
	if (place->hit.has_function) {
		*ret_start = place->hit.part_start;
		*ret_size = place->hit.part_end - place->hit.part_start;
		return true;
	}
	if (!place->symbol)
		return false;
	*ret_start = place->symbol->address;
	*ret_size = place->symbol->size;
	return true;
}

int kct_place_identity(const struct kct_place *place, uint64_t *ret_identity)
{
	const struct kct_symtab_entry *symbol = place->symbol;
	uint64_t entry;
	int result;

	if (place->hit.has_function) {
		entry = place->hit.entry;
	} else if (symbol) {
		result = kct_symtab_cold_base(place->table, symbol, &symbol);
		if (result < 0)
			return result;
		entry = symbol->address;
	} else {
		*ret_identity = 0;
		return 0;
	}
	/* Where a function is entered is unique over all images, as recorded addresses are. */
	entry -= place->shift;
	*ret_identity = entry != 0 ? entry : UINT64_MAX;
	return 0;
}
