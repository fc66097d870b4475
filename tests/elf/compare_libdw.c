/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_libdw FILE: the units of a file as libdw reads them, entry by entry and row by row, against the
 * tables that are read of it. Fails if one differs.
 */
#include <stdio.h>
#include <string.h>

#include "elf/reference.h"
#include "image/image.h"

int main(int argc, char **argv)
{
	struct reference result = {.log = stdout};
	struct kct_image *image;
	struct kct_error error;
	bool whole;

	if (argc != 2) {
		fprintf(stderr, "usage: compare_libdw FILE\n");
		return 2;
	}
	if (kct_image_open(argv[1], &image, &error) < 0 ||
	    kct_image_load_debug(image, &error) < 0) {
		fprintf(stderr, "compare_libdw: %s\n", error.text);
		return 1;
	}
	if (image->debug.status == KCT_DEBUG_ABSENT) {
		printf("SKIP: %s has no debug information in this build\n", argv[1]);
		kct_image_free(image);
		return 77;
	}
	if (!image->debug.reader) {
		fprintf(stderr, "compare_libdw: %s: %s\n", argv[1], image->debug.reason);
		return 1;
	}
	whole = reference_compare(image->debug.dwarf, image->debug.reader, !image->relocatable,
				  &result);
	printf("%zu units, %zu functions, %zu inlined calls, %zu rows (%zu in no sequence): "
	       "%zu differences%s\n",
	       result.units, result.functions, result.inlines, result.lines, result.lines_lost,
	       result.differences, whole ? "" : "; not all could be compared");
	kct_image_free(image);
	if (!whole || result.differences > 0 || result.functions == 0 || result.lines == 0)
		return 1;
	return result.lines_lost > result.lines / 100;
}
