/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file check.h
 * cmocka with the headers it needs, and a way to name the row of a table that
 * failed: CHECK_ROW(row->name) at the top of a loop's body prints it on failure.
 */
#ifndef KCT_TESTS_CHECK_H
#define KCT_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Skip the rest of a test; ./run test shows the reason. */
#define SKIP(reason)                          \
	do {                                  \
		printf("SKIP: %s\n", reason); \
		skip();                       \
	} while (0)

/** assert_*() of cmocka say file and line; this says which row of a table as well. */
#define CHECK(row_name, condition)                                        \
	do {                                                              \
		if (!(condition))                                         \
			fail_msg("row '%s': %s", (row_name), #condition); \
	} while (0)

#define CHECK_EQ(row_name, actual, expected)                                                   \
	do {                                                                                   \
		uint64_t actual_ = (uint64_t)(actual), expected_ = (uint64_t)(expected);       \
		if (actual_ != expected_)                                                      \
			fail_msg("row '%s': %s is %#llx, expected %#llx", (row_name), #actual, \
				 (unsigned long long)actual_, (unsigned long long)expected_);  \
	} while (0)

#define CHECK_STR(row_name, actual, expected)                                                \
	do {                                                                                 \
		const char *actual_ = (actual), *expected_ = (expected);                     \
		if (!actual_ || strcmp(actual_, expected_) != 0)                             \
			fail_msg("row '%s': %s is '%s', expected '%s'", (row_name), #actual, \
				 actual_ ? actual_ : "(null)", expected_);                   \
	} while (0)

#endif
