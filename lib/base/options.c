/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/options.h"

int kct_options_copy(const void *options, size_t known, void *ret_copy)
{
	const unsigned char *bytes = options;
	size_t size;

	memcpy(&size, options, sizeof(size));
	if (size < sizeof(size))
		return KCT_ERR_ARGUMENT;
	for (size_t i = known; i < size; i++) {
		if (bytes[i] != 0)
			return KCT_ERR_ARGUMENT;
	}
	memset(ret_copy, 0, known);
	memcpy(ret_copy, options, size < known ? size : known);
	return 0;
}

int kct_options_give(void *ret, const void *from, size_t known)
{
	size_t size;

	memcpy(&size, ret, sizeof(size));
	if (size < sizeof(size) || size > known)
		return KCT_ERR_ARGUMENT;
	memcpy((char *)ret + sizeof(size), (const char *)from + sizeof(size), size - sizeof(size));
	return 0;
}
