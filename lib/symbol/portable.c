/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of all images, cut down to the PCs of traces. */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/options.h"
#include "image/portable.h"
#include "symbol/symbolizer.h"

/* The symbol file of one image. */
struct portable_image {
	char *name;
	void *data;
	size_t bytes;
};

struct kct_portable {
	struct portable_image *images;
	size_t n;
};

void kct_portable_free(struct kct_portable *portable)
{
	if (!portable)
		return;
	for (size_t i = 0; i < portable->n; i++) {
		free(portable->images[i].name);
		free(portable->images[i].data);
	}
	free(portable->images);
	free(portable);
}

static int add_address(struct kct_addresses *to, uint64_t address)
{
	if (kct_array_reserve(&to->at, &to->max, to->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	to->at[to->n++] = address;
	return 0;
}

/** Hand each address to the image that covers it. */
static int sort_out(struct kct_space *space, const struct kct_portable_request *request,
		    struct kct_wanted *members)
{
	int result = 0;

	for (size_t i = 0; i < request->n_pcs && result >= 0; i++) {
		uint64_t lookup = kct_lookup_address(request->pcs[i], KCT_PC_RETURN);
		const struct kct_range *code = kct_ranges_find(&space->code, lookup);

		if (code)
			result = add_address(&members[code->value].code,
					     lookup + space->members[code->value].shift);
	}
	for (size_t i = 0; i < request->n_data && result >= 0; i++) {
		struct kct_data_place place;

		result = kct_space_place_data(space, request->data[i], &place);
		if (result > 0)
			result = add_address(&members[place.member - space->members].data,
					     request->data[i] + place.shift);
	}
	return result;
}

static int cut_member(const struct kct_member *member, const struct kct_wanted *wanted, bool whole,
		      struct kct_portable *portable, struct kct_error *error)
{
	struct portable_image *image = &portable->images[portable->n];

	image->name = strdup(member->name);
	if (!image->name)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	portable->n++;
	return kct_portable_cut(member->image, wanted, whole, &image->data, &image->bytes, error);
}

static int cut_all(struct kct_symbolizer *symbolizer, const struct kct_wanted *members, bool whole,
		   struct kct_portable *portable, struct kct_error *error)
{
	const struct kct_space *space = &symbolizer->space;
	int result = 0;

	portable->images = calloc(space->n_members + 1, sizeof(*portable->images));
	if (!portable->images)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	/* All of them: where a module lies counts even if it knows none of the addresses. */
	for (size_t i = 0; i < space->n_members && result >= 0; i++)
		result = cut_member(&space->members[i], &members[i], whole, portable, error);
	return result;
}

int kct_portable_new(struct kct_symbolizer *symbolizer, const struct kct_portable_request *request,
		     struct kct_portable **ret_portable, struct kct_error *error)
{
	struct kct_portable_request copy;
	struct kct_portable *portable = NULL;
	struct kct_wanted *members = NULL;
	int result;

	if (!symbolizer || !request || !ret_portable ||
	    kct_options_copy(request, sizeof(copy), &copy) < 0 || (copy.n_pcs > 0 && !copy.pcs) ||
	    (copy.n_data > 0 && !copy.data) || (unsigned)copy.kind > KCT_PORTABLE_PCS)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	portable = calloc(1, sizeof(*portable));
	members = calloc(symbolizer->space.n_members + 1, sizeof(*members));
	if (!portable || !members || sort_out(&symbolizer->space, &copy, members) < 0)
		result = kct_fail_code(error, KCT_ERR_NO_MEMORY);
	else
		result = cut_all(symbolizer, members, copy.kind == KCT_PORTABLE_FUNCTIONS, portable,
				 error);
	for (size_t i = 0; members && i < symbolizer->space.n_members; i++) {
		free(members[i].code.at);
		free(members[i].data.at);
	}
	free(members);
	if (result < 0)
		kct_portable_free(portable);
	else
		*ret_portable = portable;
	return result;
}

size_t kct_portable_images(const struct kct_portable *portable)
{
	return portable->n;
}

const char *kct_portable_name(const struct kct_portable *portable, size_t index)
{
	return index < portable->n ? portable->images[index].name : NULL;
}

const void *kct_portable_data(const struct kct_portable *portable, size_t index, size_t *ret_bytes)
{
	if (index >= portable->n)
		return NULL;
	*ret_bytes = portable->images[index].bytes;
	return portable->images[index].data;
}
