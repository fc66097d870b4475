/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether sets can be of one build of a kernel and its modules. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "coverage/pcset.h"

/* What addresses as recorded are of. */
#define KERNEL "vmlinux"

#define SHOWN_BYTES 20 /* as many as a build ID mostly has */

/** The image whose build ID an origin has: that of addresses as recorded is the kernel's. */
static const char *image_of(const struct kct_pc_origin *origin)
{
	return *origin->image ? origin->image : KERNEL;
}

static int compare_images(const void *left, const void *right)
{
	return strcmp(image_of(*(const struct kct_pc_origin *const *)left),
		      image_of(*(const struct kct_pc_origin *const *)right));
}

/** The origins of a set that have a build ID, by image; the caller frees them. */
static const struct kct_pc_origin **origins_by_image(const struct kct_pc_set *set, size_t *ret_n)
{
	const struct kct_pc_origin **origins = calloc(set->n_parts + 1, sizeof(*origins));
	size_t n = 0;

	for (size_t i = 0; origins && i < set->n_parts; i++) {
		if (set->parts[i].origin.build_id_bytes)
			origins[n++] = &set->parts[i].origin;
	}
	if (n)
		qsort(origins, n, sizeof(*origins), compare_images);
	*ret_n = n;
	return origins;
}

static bool is_other_build(const struct kct_pc_origin *a, const struct kct_pc_origin *b)
{
	return a->build_id_bytes != b->build_id_bytes ||
	       memcmp(a->build_id, b->build_id, a->build_id_bytes) != 0;
}

static void hex_of(const struct kct_pc_origin *origin, char ret_text[2 * SHOWN_BYTES + 1])
{
	ret_text[0] = '\0';
	for (size_t i = 0; i < origin->build_id_bytes && i < SHOWN_BYTES; i++)
		snprintf(ret_text + 2 * i, 3, "%02x", origin->build_id[i]);
}

static int other_build(const struct kct_pc_origin *a, const struct kct_pc_origin *b,
		       struct kct_error *error)
{
	char first[2 * SHOWN_BYTES + 1], second[2 * SHOWN_BYTES + 1];

	hex_of(a, first);
	hex_of(b, second);
	return kct_fail(error, KCT_ERR_BUILD, "build %s of %.60s and not %s", second, image_of(b),
			first);
}

/** Walk over both by image. Builds of one image differ exactly if one of them is not the first of the
 *  other set, so that no pair is looked at. */
static int compare_builds(const struct kct_pc_origin **a, size_t n_a,
			  const struct kct_pc_origin **b, size_t n_b, struct kct_error *error)
{
	size_t i = 0, j = 0, first_a, first_b;

	while (i < n_a && j < n_b) {
		int order = compare_images(&a[i], &b[j]);

		if (order != 0) {
			i += order < 0;
			j += order > 0;
			continue;
		}
		first_a = i;
		first_b = j;
		for (; i < n_a && compare_images(&a[i], &b[first_b]) == 0; i++) {
			if (is_other_build(a[i], b[first_b]))
				return other_build(a[i], b[first_b], error);
		}
		for (; j < n_b && compare_images(&a[first_a], &b[j]) == 0; j++) {
			if (is_other_build(a[first_a], b[j]))
				return other_build(a[first_a], b[j], error);
		}
	}
	return 0;
}

int kct_pc_set_check(const struct kct_pc_set *a, const struct kct_pc_set *b,
		     struct kct_error *error)
{
	const struct kct_pc_origin **ours, **theirs;
	size_t n_ours, n_theirs;
	int result = KCT_ERR_NO_MEMORY;

	if (!a || !b)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	ours = origins_by_image(a, &n_ours);
	theirs = origins_by_image(b, &n_theirs);
	if (ours && theirs)
		result = compare_builds(ours, n_ours, theirs, n_theirs, error);
	else
		kct_fail_code(error, result);
	free(ours);
	free(theirs);
	return result;
}
