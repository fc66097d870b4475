/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables by the addresses of memory records, which are never shifted. */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "symbol/symbolizer.h"

int kct_symbolizer_set_percpu(struct kct_symbolizer *symbolizer, const uint64_t *bases, size_t n)
{
	struct kct_space *space;
	uint64_t *copy;

	if (!symbolizer || (n > 0 && !bases) || n > INT32_MAX || symbolizer->started)
		return KCT_ERR_ARGUMENT;
	copy = calloc(n ? n : 1, sizeof(*copy));
	if (!copy)
		return KCT_ERR_NO_MEMORY;
	if (n > 0)
		memcpy(copy, bases, n * sizeof(*copy));
	space = &symbolizer->space;
	free(space->percpu);
	space->percpu = copy;
	space->n_percpu = n;
	return 0;
}

/** Whether a section holds data that keeps its address. */
static bool is_data(const struct kct_section *section)
{
	return section->placed && section->size > 0 && (section->flags & SHF_ALLOC) &&
	       !(section->flags & SHF_EXECINSTR) && strcmp(section->name, KCT_PERCPU_SECTION) != 0;
}

/** Lay out the variables of each CPU, which the first image has that has any. */
static int prepare_percpu(struct kct_space *space)
{
	const struct kct_section *section = NULL;

	for (size_t k = 0; k < space->n_members && !section; k++) {
		space->percpu_member = &space->members[k];
		if (!space->percpu_member->image->relocatable)
			section = kct_image_find_section(space->percpu_member->image,
							 KCT_PERCPU_SECTION);
	}
	for (size_t cpu = 0; section && section->size > 0 && cpu < space->n_percpu; cpu++) {
		uint64_t base = space->percpu[cpu];

		if (kct_ranges_add(&space->percpu_data, base, base + section->size - 1,
				   (uint32_t)cpu, (uint32_t)cpu) < 0)
			return KCT_ERR_NO_MEMORY;
	}
	return kct_ranges_finish(&space->percpu_data);
}

/** Lay out the data of all members; once. */
static int prepare(struct kct_space *space)
{
	int result = 0;

	if (space->data_ready)
		return 0;
	kct_ranges_clear(&space->data);
	kct_ranges_clear(&space->percpu_data);
	for (size_t k = 0; k < space->n_members && result >= 0; k++) {
		struct kct_image *image = space->members[k].image;
		uint64_t shift = kct_data_shift(&space->slide, image->relocatable);

		result = kct_image_load_data(image);
		for (size_t i = 0; i < image->n_sections && result >= 0; i++) {
			const struct kct_section *section = &image->sections[i];
			uint64_t first = section->address - shift;

			if (is_data(section))
				result = kct_ranges_add(&space->data, first,
							first + section->size - 1, (uint32_t)k,
							(uint32_t)k);
		}
	}
	if (result >= 0)
		result = kct_ranges_finish(&space->data);
	if (result >= 0)
		result = prepare_percpu(space);
	space->data_ready = result >= 0;
	return result;
}

/** Fill the result from a symbol; `shift` makes image addresses of recorded ones. */
static void fill(struct kct_variable *variable, const struct kct_symtab *table,
		 const struct kct_symtab_entry *symbol, uint64_t shift, const char *module)
{
	variable->name = kct_symtab_name(table, symbol);
	variable->module = module;
	variable->start = symbol->address - shift;
	variable->size = symbol->guessed ? 0 : symbol->size;
	variable->offset = variable->address - variable->start;
}

/** Where the variable of one CPU is in the image: the copies of all CPUs are laid out as the section is. */
static bool place_percpu(const struct kct_space *space, uint64_t address,
			 struct kct_data_place *ret_place)
{
	const struct kct_range *range = kct_ranges_find(&space->percpu_data, address);
	const struct kct_member *member = space->percpu_member;

	if (!range)
		return false;
	ret_place->member = member;
	ret_place->shift = kct_image_find_section(member->image, KCT_PERCPU_SECTION)->address -
			   space->percpu[range->value];
	ret_place->cpu = (int32_t)range->value;
	return true;
}

int kct_space_place_data(struct kct_space *space, uint64_t address,
			 struct kct_data_place *ret_place)
{
	const struct kct_range *range;
	int result = prepare(space);

	if (result < 0)
		return result;
	if (place_percpu(space, address, ret_place))
		return 1;
	range = kct_ranges_find(&space->data, address);
	if (!range)
		return 0;
	ret_place->member = &space->members[range->value];
	ret_place->shift = kct_data_shift(&space->slide, ret_place->member->image->relocatable);
	ret_place->cpu = -1;
	return 1;
}

/** Ask one image; several may be cut down from one. */
static bool find_in_member(const struct kct_member *member, const struct kct_data_place *place,
			   struct kct_variable *variable)
{
	const struct kct_symtab *table = &member->image->data_symtab;
	const struct kct_symtab_entry *symbol;

	symbol = kct_symtab_find(table, variable->address + place->shift);
	if (!symbol)
		return false;
	fill(variable, table, symbol, place->shift, member->name);
	variable->cpu = place->cpu;
	return true;
}

static bool find_in_images(struct kct_space *space, const struct kct_data_place *place,
			   struct kct_variable *variable)
{
	if (find_in_member(place->member, place, variable))
		return true;
	for (size_t i = 0; i < space->n_members && place->member->image->kept; i++) {
		const struct kct_member *other = &space->members[i];

		if (other->image->kept && strcmp(other->name, place->member->name) == 0 &&
		    find_in_member(other, place, variable))
			return true;
	}
	return false;
}

static bool find_in_kallsyms(struct kct_space *space, struct kct_variable *variable)
{
	const struct kct_symtab_entry *symbol;
	const struct kct_symtab *table;
	const char *module;

	/* An image knows where its variables end; kallsyms would only guess. */
	if (kct_ranges_find(&space->data, variable->address) ||
	    kct_ranges_find(&space->code, variable->address))
		return false;
	for (size_t i = 0; i < space->n_kallsyms; i++) {
		table = kct_kallsyms_data(space->kallsyms[i]);
		symbol = kct_symtab_find(table, variable->address);
		if (!symbol)
			continue;
		module = kct_symtab_module(table, symbol);
		fill(variable, table, symbol, 0, module ? module : "vmlinux");
		return true;
	}
	return false;
}

int kct_symbolizer_data(struct kct_symbolizer *symbolizer, uint64_t address,
			struct kct_variable *ret_variable, struct kct_error *error)
{
	struct kct_variable variable = {.address = address, .cpu = -1};
	struct kct_data_place place;
	struct kct_space *space;
	bool found;
	int result;

	if (!symbolizer || !ret_variable)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	space = &symbolizer->space;
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	result = kct_space_place_data(space, address, &place);
	if (result < 0)
		return kct_fail_code(error, result);
	found = result > 0 && find_in_images(space, &place, &variable);
	if (!found && !find_in_kallsyms(space, &variable))
		return 0;
	*ret_variable = variable;
	return 1;
}
