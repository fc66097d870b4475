/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "stack/functions.h"

int kct_functions_new(const struct kct_function_source *source,
		      struct kct_functions **ret_functions)
{
	struct kct_functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return KCT_ERR_NO_MEMORY;
	functions->source = *source;
	if (kct_array_reserve(&functions->entries, &functions->max_entries, 1) < 0) {
		kct_functions_free(functions);
		return KCT_ERR_NO_MEMORY;
	}
	functions->entries[functions->n_entries++] = (struct kct_function_entry){0};
	*ret_functions = functions;
	return 0;
}

void kct_functions_free(struct kct_functions *functions)
{
	if (!functions)
		return;
	kct_map_clear(&functions->number_of_pc);
	kct_map_clear(&functions->number_of_identity);
	free(functions->entries);
	free(functions);
}

/** The number of an identity, a new one if it was never seen. */
static int identity_number(struct kct_functions *functions, uint64_t identity, uint64_t *ret_number)
{
	uint64_t *number;
	int result;

	result = kct_array_reserve(&functions->entries, &functions->max_entries,
				   functions->n_entries + 1);
	if (result < 0)
		return result;
	result = kct_map_put(&functions->number_of_identity, identity, &number);
	if (result < 0)
		return result;
	if (result > 0) {
		*number = functions->n_entries;
		functions->entries[functions->n_entries++] = (struct kct_function_entry){
			.identity = identity,
		};
	}
	*ret_number = *number;
	return 0;
}

/** Ask the source about a new PC and remember the answer. */
static int ask(struct kct_functions *functions, uint64_t pc, uint64_t *ret_number)
{
	uint64_t identity = 0, number = 0, *memo;
	int result;

	result = functions->source.function_of(functions->source.context, pc, &identity);
	if (result < 0)
		return result;
	if (result > 0 && identity != 0) {
		result = identity_number(functions, identity, &number);
		if (result < 0)
			return result;
	}
	result = kct_map_put(&functions->number_of_pc, pc, &memo);
	if (result < 0)
		return result;
	*memo = number;
	*ret_number = number;
	return 0;
}

int kct_functions_number(struct kct_functions *functions, uint64_t pc, uint64_t *ret_number)
{
	const uint64_t *number = kct_map_find(&functions->number_of_pc, pc);

	if (!number)
		return ask(functions, pc, ret_number);
	*ret_number = *number;
	return 0;
}

uint64_t kct_functions_recall(struct kct_functions *functions, uint64_t pc)
{
	const uint64_t *number = kct_map_find(&functions->number_of_pc, pc);

	return number ? *number : 0;
}

void kct_functions_close_all(struct kct_functions *functions)
{
	for (size_t i = 0; i < functions->n_entries; i++)
		functions->entries[i].open = 0;
}
