/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a file names or holds: what dwz moved to a common one, and packed symbols. */
#include <stdio.h>
#include <string.h>

#include "image/separate.h"

/* Symbols of a whole kernel are a tenth of it. */
#define KCT_PACKED_LIMIT ((uint64_t)256 << 20)

const char *kct_common_file_link(const struct kct_image *image, struct kct_match *ret_match)
{
	const struct kct_section *section = kct_image_find_section(image, ".gnu_debugaltlink");
	const uint8_t *data = section ? kct_section_data(image, section) : NULL;
	size_t length;

	if (!data || (section->flags & SHF_COMPRESSED))
		return NULL;
	length = strnlen((const char *)data, section->size);
	if (length == 0 || length > KCT_MAX_NAME || length == section->size)
		return NULL;
	*ret_match = (struct kct_match){.any_type = true, .must_have_id = true};
	ret_match->n_build_id = section->size - length - 1;
	if (ret_match->n_build_id > 0 && ret_match->n_build_id <= KCT_MAX_BUILD_ID)
		ret_match->build_id = data + length + 1;
	return (const char *)data;
}

void kct_find_common_file(struct kct_image *image, struct kct_search *search)
{
	struct kct_match match;
	const char *link = kct_common_file_link(image, &match);
	char *directory, *path = NULL;

	if (!link || image->common)
		return;
	search->image = image;
	search->found = NULL;
	if (link[0] == '/') {
		kct_search_try(search, &match, link);
	} else {
		/* Relative to where the file really is, not to a link to it. */
		directory = kct_image_directory(image);
		if (directory && asprintf(&path, "%s/%s", directory, link) >= 0) {
			kct_search_try(search, &match, path);
			free(path);
		}
		free(directory);
	}
	kct_search_by_build_id(search, &match);
	image->common = TAKE_PTR(search->found);
}

int kct_image_open_packed(struct kct_image *image)
{
	const struct kct_section *section = kct_image_find_section(image, ".gnu_debugdata");
	const uint8_t *data = section ? kct_section_data(image, section) : NULL;
	struct kct_bytes bytes = {0};
	int result;

	if (image->packed_checked)
		return 0;
	image->packed_checked = true;
	if (!data || kct_packing_of(data, section->size) != kct_packing_xz)
		return 0;
	/* Without it there are less symbols, which is no failure. */
	result = kct_unpack(kct_packing_xz, data, section->size, KCT_PACKED_LIMIT, &bytes, NULL);
	if (result == 0)
		result = kct_image_open_memory(bytes.data, bytes.n, image->name, &image->packed,
					       NULL);
	if (result < 0 || !image->packed) {
		free(bytes.data);
		return result == KCT_ERR_NO_MEMORY ? result : 0;
	}
	image->packed->owned = bytes.data;
	kct_image_fix(image->packed);
	return 0;
}
