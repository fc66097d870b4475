/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef KCT_HAVE_ZSTD
#include <zstd.h>
#endif

#include "symfile/pack.h"

/* Portable symbols are small and are sent around: some milliseconds are well spent. */
#define LEVEL 15

#ifdef KCT_HAVE_ZSTD
int kct_pack(void **data, size_t *bytes)
{
	size_t max = ZSTD_compressBound(*bytes), n;
	void *packed = malloc(max ? max : 1);

	if (!packed)
		return KCT_ERR_NO_MEMORY;
	n = ZSTD_compress(packed, max, *data, *bytes, LEVEL);
	if (ZSTD_isError(n) || n >= *bytes) {
		free(packed);
		return 0;
	}
	free(*data);
	*data = packed;
	*bytes = n;
	return 0;
}
#else
int kct_pack(void **data, size_t *bytes)
{
	(void)data;
	(void)bytes;
	return 0;
}
#endif
