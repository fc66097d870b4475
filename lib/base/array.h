/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file array.h
 * A growable array as three fields of any struct:
 *
 *     struct row *rows; size_t n_rows, max_rows;
 *     ...
 *     if (kct_array_reserve(&t->rows, &t->max_rows, t->n_rows + 1) < 0)
 *             return KCT_ERR_NO_MEMORY;
 *     t->rows[t->n_rows++] = row;
 */
#ifndef KCT_BASE_ARRAY_H
#define KCT_BASE_ARRAY_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/** Make room for `want` elements of `element` bytes. KCT_ERR_NO_MEMORY, then nothing changed. */
int kct_array_reserve_bytes(void **array, size_t *max, size_t want, size_t element);

/** kct_array_reserve(&pointer, &max, want): `pointer` is a pointer to the elements. */
#define kct_array_reserve(array, max, want) \
	kct_array_reserve_bytes((void **)(array), (max), (want), sizeof(**(array)))

#endif
