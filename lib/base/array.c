/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"

int kct_array_reserve_bytes(void **array, size_t *max, size_t want, size_t element)
{
	size_t grown = *max < 16 ? 16 : *max;
	size_t bytes;
	void *moved;

	if (want <= *max)
		return 0;
	while (grown < want) {
		if (kct_add_overflows(grown, grown / 2, &grown))
			return KCT_ERR_NO_MEMORY;
	}
	if (kct_mul_overflows(grown, element, &bytes))
		return KCT_ERR_NO_MEMORY;
	moved = realloc(*array, bytes);
	if (!moved)
		return KCT_ERR_NO_MEMORY;
	*array = moved;
	*max = grown;
	return 0;
}
