/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cmocka.h
 * The few forms of cmocka that the tests of captures use, so that they can be built for a machine
 * for which there is no cmocka: 32 bits on a 64-bit one. The first failure ends the program.
 */
#ifndef KCT_TESTS_MINI_CMOCKA_H
#define KCT_TESTS_MINI_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
	const char *name;
	void (*run)(void **state);
};

#define cmocka_unit_test(function)  \
	{                           \
#function, function \
	}

#define fail_msg(...)                                  \
	do {                                           \
		printf("%s:%d: ", __FILE__, __LINE__); \
		printf(__VA_ARGS__);                   \
		printf("\n");                          \
		exit(1);                               \
	} while (0)

/** Only part of a test may be left out here, not all of one. */
#define skip() exit(77)

#define assert_true(condition)                      \
	do {                                        \
		if (!(condition))                   \
			fail_msg("%s", #condition); \
	} while (0)
#define assert_non_null(pointer)   assert_true((pointer) != NULL)
#define assert_null(pointer)	   assert_true((pointer) == NULL)
#define assert_int_not_equal(a, b) assert_true((long long)(a) != (long long)(b))
#define assert_ptr_equal(a, b)	   assert_true((a) == (b))
#define assert_string_equal(a, b)  assert_true(strcmp((a), (b)) == 0)
#define assert_int_equal(a, b)                                                 \
	do {                                                                   \
		long long a_ = (long long)(a), b_ = (long long)(b);            \
		if (a_ != b_)                                                  \
			fail_msg("%s is %lld, not %s = %lld", #a, a_, #b, b_); \
	} while (0)

#define cmocka_run_group_tests(tests, setup, teardown) \
	mini_run(tests, sizeof(tests) / sizeof((tests)[0]))

static inline int mini_run(const struct CMUnitTest *tests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *state = NULL;

		printf("%s\n", tests[i].name);
		tests[i].run(&state);
	}
	return 0;
}

#endif
