/* SPDX-License-Identifier: BSD-2-Clause */
/** @file util.h Small helpers of the command line. */
#ifndef CLI_UTIL_H
#define CLI_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/** Exit statuses, also of a part of the work: the worst one wins. */
enum status {
	STATUS_FINE = 0,
	STATUS_PARTLY = 1, /**< something could not be processed */
	STATUS_USAGE = 2,
};

static inline int worst(int a, int b)
{
	return a > b ? a : b;
}

/** As realloc() for `n` elements; ends the program when there is no memory. */
void *grow_bytes(void *array, size_t n, size_t element);

/** Make room for one more element behind `n`: grow(&array, n, &max). */
#define grow(array, n, max)                                                         \
	do {                                                                        \
		if ((n) >= *(max)) {                                                \
			*(max) = (n) < 16 ? 16 : (n)*2;                             \
			*(array) = grow_bytes(*(array), *(max), sizeof(**(array))); \
		}                                                                   \
	} while (0)

/** Zeroed memory for `n` elements of a type; ends the program when there is none. */
void *zeroed_bytes(size_t n, size_t element);
#define zeroed(type, n) ((type *)zeroed_bytes((n), sizeof(type)))

#endif
