/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/fail.h"
#include "symbol/space.h"

void kct_space_clear(struct kct_space *space)
{
	free(space->members);
	free(space->kallsyms);
	kct_ranges_clear(&space->code);
	kct_ranges_clear(&space->modules);
	kct_ranges_clear(&space->init);
	kct_ranges_clear(&space->low);
	kct_ranges_clear(&space->data);
	kct_ranges_clear(&space->percpu_data);
	free(space->percpu);
	*space = (struct kct_space){0};
}

/* What kernels are moved by is a multiple of this, on the machines that have modules near by. */
#define SLIDE_STEP ((uint64_t)1 << 21)

/* x86-64 keeps the kernel within 1 GiB. */
#define X86_SLIDE_LIMIT ((uint64_t)1 << 30)

/**
 * Add the code of a section. Several members may be cut down from one image: what one of them keeps
 * comes before what others do not.
 */
static int add_section(struct kct_space *space, const struct kct_section *section, uint32_t rank,
		       uint32_t index)
{
	const struct kct_member *member = &space->members[index];
	const struct kct_image *image = member->image;
	uint64_t first = section->address, last = first + section->size - 1;
	size_t i = kct_extent_find(image->kept, image->n_kept, first);

	for (; i < image->n_kept && image->kept[i].start <= last; i++) {
		uint64_t from = kct_max_u64(image->kept[i].start, first);
		uint64_t to = kct_min_u64(image->kept[i].end - 1, last);

		if (kct_ranges_add(&space->code, from - member->shift, to - member->shift, rank,
				   index) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	if (image->kept)
		rank += 3 * (uint32_t)space->n_members;
	return kct_ranges_add(&space->code, first - member->shift, last - member->shift, rank,
			      index);
}

/** Add a code range of a module to those that show where another image may be meant. */
static int add_module_code(struct kct_space *space, const struct kct_section *section,
			   uint64_t first, uint64_t last, uint32_t index)
{
	struct kct_ranges *ranges = kct_section_is_init(section) ? &space->init : &space->modules;
	uint64_t low = first % SLIDE_STEP, size = last - first;

	if (kct_ranges_add(ranges, first, last, index, index) < 0)
		return KCT_ERR_NO_MEMORY;
	if (!space->doubtful)
		return 0;
	size = kct_min_u64(size, SLIDE_STEP - 1);
	if (kct_ranges_add(&space->low, low, low + size, index, index) < 0)
		return KCT_ERR_NO_MEMORY;
	/* One that spans a multiple goes on at 0. */
	if (low + size >= SLIDE_STEP &&
	    kct_ranges_add(&space->low, 0, low + size - SLIDE_STEP, index, index) < 0)
		return KCT_ERR_NO_MEMORY;
	return 0;
}

/**
 * Add the code sections of a member. Where ranges overlap: what was added first wins, but vmlinux
 * before modules if the slide was subtracted, as a module's PC without it may fall into vmlinux;
 * code that may have been freed and reused comes last.
 */
static int add_code(struct kct_space *space, uint32_t index)
{
	struct kct_member *member = &space->members[index];
	const struct kct_image *image = member->image;
	uint32_t n = (uint32_t)space->n_members;
	bool later = image->relocatable && space->slide.offset != 0 && !space->slide.slid;

	space->thumb |= image->header.e_machine == EM_ARM;
	member->shift = kct_slide_shift(&space->slide, image->relocatable);
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];
		uint64_t first = section->address - member->shift;
		uint64_t last = first + section->size - 1;
		uint32_t rank = later ? index + n : index;

		if (!kct_section_is_code(section))
			continue;
		space->kernel_is_low |= kct_address_is_low(section->address);
		if (image->relocatable && kct_section_is_init(section))
			rank = index + 2 * n;
		if (add_section(space, section, rank, index) < 0)
			return KCT_ERR_NO_MEMORY;
		if (image->relocatable && add_module_code(space, section, first, last, index) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return 0;
}

static int finish_code(struct kct_space *space)
{
	struct kct_ranges *all[] = {&space->code, &space->modules, &space->init, &space->low};
	int result = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all) && result >= 0; i++)
		result = kct_ranges_finish(all[i]);
	return result;
}

int kct_space_prepare(struct kct_space *space, struct kct_error *error)
{
	int result = 0;

	if (space->ready)
		return 0;
	kct_ranges_clear(&space->code);
	kct_ranges_clear(&space->modules);
	kct_ranges_clear(&space->init);
	kct_ranges_clear(&space->low);
	for (size_t i = 0; i < space->n_members && result >= 0; i++) {
		struct kct_image *image = space->members[i].image;

		result = kct_image_load_symbols(image, error);
		if (result < 0)
			return result;
		result = kct_image_load_debug(image, error);
		if (result < 0)
			return result;
		result = add_code(space, (uint32_t)i);
	}
	if (result >= 0)
		result = finish_code(space);
	if (result < 0)
		return kct_fail_code(error, result);
	space->ready = true;
	return 0;
}

/** Whether with another slide, which is not known, a module would cover an address of vmlinux. */
static bool may_be_moved(const struct kct_space *space, const struct kct_image *image,
			 uint64_t lookup)
{
	const struct kct_range *low = kct_ranges_find(&space->low, lookup % SLIDE_STEP);
	const struct kct_image *module = low ? space->members[low->value].image : NULL;

	for (size_t i = 0; module && i < module->n_sections; i++) {
		const struct kct_section *section = &module->sections[i];
		uint64_t distance = section->address - lookup;

		if (!kct_section_is_code(section))
			continue;
		/* A kernel is moved up. Up to the next place that the slide can lead to. */
		if (distance >> 63)
			continue;
		distance += -distance % SLIDE_STEP;
		if (lookup + distance - section->address < section->size && distance != 0 &&
		    (image->header.e_machine != EM_X86_64 || distance < X86_SLIDE_LIMIT))
			return true;
	}
	return false;
}

/** Whether another image than the one that was chosen may be meant. */
static bool is_ambiguous(const struct kct_space *space, const struct kct_member *member,
			 uint64_t lookup)
{
	uint32_t index = (uint32_t)(member - space->members);
	const struct kct_range *other;

	if (space->modules.n + space->init.n == 0)
		return false;
	if (!member->image->relocatable)
		return kct_ranges_find(&space->modules, lookup) ||
		       kct_ranges_find(&space->init, lookup) ||
		       (space->doubtful && may_be_moved(space, member->image, lookup));
	other = kct_ranges_find(&space->init, lookup);
	return other && other->value != index;
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
	uint64_t lookup = kct_lookup_address(pc, kind, space->thumb);
	const struct kct_range *code = kct_ranges_find(&space->code, lookup);
	const struct kct_member *member = code ? &space->members[code->value] : NULL;
	const struct kct_tables *tables = NULL;

	if (member && kct_image_keeps(member->image, lookup + member->shift))
		tables = kct_image_debug(member->image)->tables;
	*ret_unit = tables ? kct_index_find(&tables->index, lookup + member->shift) : UINT32_MAX;
	return member;
}

void kct_space_symbol(struct kct_space *space, uint64_t pc, enum kct_pc_kind kind,
		      struct kct_place *ret_place)
{
	uint64_t lookup = kct_lookup_address(pc, kind, space->thumb);
	const struct kct_range *code = kct_ranges_find(&space->code, lookup);
	struct kct_place place = {.address = lookup};

	if (code) {
		place.member = &space->members[code->value];
		place.shift = place.member->shift;
		place.address = lookup + place.shift;
		place.is_cut = !kct_image_keeps(place.member->image, place.address);
		place.table = &place.member->image->symtab;
		if (!place.is_cut)
			place.symbol = kct_symtab_find(place.table, place.address);
	} else {
		find_in_kallsyms(space, lookup, &place);
	}
	*ret_place = place;
}

int kct_space_find(struct kct_space *space, uint64_t pc, enum kct_pc_kind kind,
		   struct kct_place *ret_place, struct kct_error *error)
{
	uint64_t lookup = kct_lookup_address(pc, kind, space->thumb);
	const struct kct_range *code = kct_ranges_find(&space->code, lookup);
	struct kct_place place = {.address = lookup};
	struct kct_image *image = NULL;

	if (code) {
		place.member = &space->members[code->value];
		place.shift = place.member->shift;
		place.address = lookup + place.shift;
		image = place.member->image;
		place.is_cut = !kct_image_keeps(image, place.address);
		place.ambiguous = is_ambiguous(space, place.member, lookup);
		place.table = &image->symtab;
		/* Of other addresses the tables know some by chance. */
		if (!place.is_cut) {
			struct kct_tables *tables = kct_image_debug(image)->tables;

			if (tables && kct_tables_lookup(tables, place.address, &place.hit) < 0)
				return kct_fail_code(error, KCT_ERR_NO_MEMORY);
			place.symbol = kct_symtab_find(place.table, place.address);
		}
	}
	/* An image with symbols knows where its functions end; kallsyms would only guess. */
	if (!place.symbol && !place.hit.has_function &&
	    (!image || image->symtab.n == 0 || place.is_cut))
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
