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
static void fill(struct kct_variable *variable, const struct kct_symtab_entry *symbol,
		 uint64_t shift, const char *module)
{
	variable->name = symbol->name;
	variable->module = module;
	variable->start = symbol->address - shift;
	variable->size = symbol->guessed ? 0 : symbol->size;
	variable->offset = variable->address - variable->start;
}

/** A variable of one CPU: the copies of all CPUs are laid out as the section is. */
static bool find_percpu(struct kct_space *space, struct kct_variable *variable)
{
	const struct kct_range *range = kct_ranges_find(&space->percpu_data, variable->address);
	const struct kct_member *member = space->percpu_member;
	const struct kct_symtab_entry *symbol;
	uint64_t model, base;

	if (!range)
		return false;
	model = kct_image_find_section(member->image, KCT_PERCPU_SECTION)->address;
	base = space->percpu[range->value];
	symbol = kct_symtab_find(&member->image->data_symtab, variable->address - base + model);
	if (!symbol)
		return false;
	fill(variable, symbol, model - base, member->name);
	variable->cpu = (int32_t)range->value;
	return true;
}

static bool find_in_images(struct kct_space *space, struct kct_variable *variable)
{
	const struct kct_range *range = kct_ranges_find(&space->data, variable->address);
	const struct kct_member *member = range ? &space->members[range->value] : NULL;
	const struct kct_symtab_entry *symbol;
	uint64_t shift;

	if (!member)
		return false;
	shift = kct_data_shift(&space->slide, member->image->relocatable);
	symbol = kct_symtab_find(&member->image->data_symtab, variable->address + shift);
	if (symbol)
		fill(variable, symbol, shift, member->name);
	return symbol != NULL;
}

static bool find_in_kallsyms(struct kct_space *space, struct kct_variable *variable)
{
	const struct kct_symtab_entry *symbol;

	/* An image knows where its variables end; kallsyms would only guess. */
	if (kct_ranges_find(&space->data, variable->address) ||
	    kct_ranges_find(&space->code, variable->address))
		return false;
	for (size_t i = 0; i < space->n_kallsyms; i++) {
		symbol = kct_symtab_find(kct_kallsyms_data(space->kallsyms[i]), variable->address);
		if (!symbol)
			continue;
		fill(variable, symbol, 0, symbol->module ? symbol->module : "vmlinux");
		return true;
	}
	return false;
}

int kct_symbolizer_data(struct kct_symbolizer *symbolizer, uint64_t address,
			struct kct_variable *ret_variable, struct kct_error *error)
{
	struct kct_variable variable = {.address = address, .cpu = -1};
	struct kct_space *space;
	int result;

	if (!symbolizer || !ret_variable)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	space = &symbolizer->space;
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	result = prepare(space);
	if (result < 0)
		return kct_fail_code(error, result);
	if (!find_percpu(space, &variable) && !find_in_images(space, &variable) &&
	    !find_in_kallsyms(space, &variable))
		return 0;
	*ret_variable = variable;
	return 1;
}
