/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of all images, cut down to the PCs of traces. */
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
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

/* Addresses in one image. */
struct addresses {
	uint64_t *at;
	size_t n, max;
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

/** Hand each PC to the image that covers it. */
static int sort_out(const struct kct_space *space, const uint64_t *pcs, size_t n,
		    struct addresses *members)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t lookup = kct_lookup_address(pcs[i], KCT_PC_RETURN);
		const struct kct_range *code = kct_ranges_find(&space->code, lookup);
		struct addresses *to = code ? &members[code->value] : NULL;

		if (!to)
			continue;
		if (kct_array_reserve(&to->at, &to->max, to->n + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		to->at[to->n++] = lookup + space->members[code->value].shift;
	}
	return 0;
}

static int cut_member(const struct kct_member *member, const struct addresses *addresses,
		      bool whole, struct kct_portable *portable, struct kct_error *error)
{
	struct portable_image *image = &portable->images[portable->n];
	int result;

	image->name = strdup(member->name);
	if (!image->name)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	portable->n++;
	result = kct_portable_cut(member->image, addresses->at, addresses->n, whole, &image->data,
				  &image->bytes, error);
	return result;
}

static int cut_all(struct kct_symbolizer *symbolizer, const struct addresses *members, bool whole,
		   struct kct_portable *portable, struct kct_error *error)
{
	const struct kct_space *space = &symbolizer->space;
	int result = 0;

	portable->images = calloc(space->n_members + 1, sizeof(*portable->images));
	if (!portable->images)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	for (size_t i = 0; i < space->n_members && result >= 0; i++) {
		if (members[i].n > 0)
			result =
				cut_member(&space->members[i], &members[i], whole, portable, error);
	}
	return result;
}

int kct_portable_new(struct kct_symbolizer *symbolizer, const uint64_t *pcs, size_t n,
		     enum kct_portable_kind kind, struct kct_portable **ret_portable,
		     struct kct_error *error)
{
	struct kct_portable *portable = NULL;
	struct addresses *members = NULL;
	int result;

	if (!symbolizer || (n > 0 && !pcs) || !ret_portable || (unsigned)kind > KCT_PORTABLE_PCS)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	portable = calloc(1, sizeof(*portable));
	members = calloc(symbolizer->space.n_members + 1, sizeof(*members));
	if (!portable || !members || sort_out(&symbolizer->space, pcs, n, members) < 0)
		result = kct_fail_code(error, KCT_ERR_NO_MEMORY);
	else
		result = cut_all(symbolizer, members, kind == KCT_PORTABLE_FUNCTIONS, portable,
				 error);
	for (size_t i = 0; members && i < symbolizer->space.n_members; i++)
		free(members[i].at);
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
