/* SPDX-License-Identifier: BSD-2-Clause */
/** @file macros.h Small helpers that every file of the library may use. */
#ifndef KCT_BASE_MACROS_H
#define KCT_BASE_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* No more is unpacked to memory. The largest area that a kernel makes has 2 GiB, and a vmlinux with
 * all its debug information is smaller than this; a packed file of a few MiB may be larger. */
#define KCT_UNPACK_LIMIT ((uint64_t)8 << 30)

/** Hand a pointer over: the variable is NULL afterwards, the value goes on. */
#define TAKE_PTR(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

/** Run `function(&variable)` when the variable goes out of scope. */
#define KCT_CLEANUP(function) __attribute__((cleanup(function)))

#define KCT_PRINTF(text, first) __attribute__((format(printf, text, first)))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline void kct_free_cleanup(void *pointer)
{
	free(*(void **)pointer);
}

/** A variable whose heap memory is freed at the end of its scope. */
#define KCT_AUTO_FREE KCT_CLEANUP(kct_free_cleanup)

/** a + b and a * b into *sum or *product; true when it did not fit. */
static inline bool kct_add_overflows(size_t a, size_t b, size_t *sum)
{
	return __builtin_add_overflow(a, b, sum);
}

static inline bool kct_mul_overflows(size_t a, size_t b, size_t *product)
{
	return __builtin_mul_overflow(a, b, product);
}

static inline uint64_t kct_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t kct_max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
