/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "stack/siblings.h"

static uint32_t next(struct kct_siblings *siblings, uint64_t parent, uint64_t pc, bool memory)
{
	assert_int_equal(kct_siblings_reserve(siblings), 0);
	return kct_siblings_next(siblings, parent, pc, memory);
}

static void test_counts_for_each_activation(void **state)
{
	struct kct_siblings siblings = {0};

	(void)state;
	assert_int_equal(next(&siblings, 0, 7, false), 0);
	assert_int_equal(next(&siblings, 0, 7, false), 1);
	assert_int_equal(next(&siblings, 0, 7, true), 0);
	assert_int_equal(next(&siblings, 1, 7, false), 0);
	assert_int_equal(next(&siblings, 1, 8, false), 0);
	assert_int_equal(next(&siblings, 1, 7, false), 1);
	kct_siblings_leave(&siblings, 1); /* the activation with one frame open is still there */
	assert_int_equal(next(&siblings, 1, 7, false), 2);
	kct_siblings_leave(&siblings, 0);
	assert_int_equal(siblings.n_log, 2);
	assert_int_equal(next(&siblings, 1, 7, false), 0);
	assert_int_equal(next(&siblings, 0, 7, true), 1);
	kct_siblings_reset(&siblings);
	assert_int_equal(siblings.n_log, 0);
	assert_int_equal(next(&siblings, 0, 7, false), 0);
	kct_siblings_clear(&siblings);
}

/* Growing the table keeps the newest counter at the head of its chain. */
static void test_many_counters_come_and_go(void **state)
{
	enum { DEPTH = 200, PCS = 60 };
	struct kct_siblings siblings = {0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint64_t parent = 0; parent < DEPTH; parent++) {
			for (uint64_t pc = 0; pc < PCS; pc++)
				assert_int_equal(next(&siblings, parent, pc, false), 0);
		}
		for (uint64_t parent = DEPTH; parent-- > 0;) {
			for (uint64_t pc = 0; pc < PCS; pc++)
				assert_int_equal(next(&siblings, parent, pc, false), 1);
			if (parent > 0)
				kct_siblings_leave(&siblings, parent - 1);
			assert_int_equal(siblings.n_log, parent > 0 ? parent * PCS : PCS);
		}
		kct_siblings_reset(&siblings);
	}
	for (size_t i = 0; i < siblings.n_heads; i++)
		assert_true(siblings.heads[i] == 0);
	kct_siblings_clear(&siblings);
}

static void test_numbers_saturate(void **state)
{
	struct kct_siblings siblings = {0};

	(void)state;
	next(&siblings, 0, 7, false);
	siblings.log[0].count = UINT32_MAX - 1;
	assert_true(next(&siblings, 0, 7, false) == UINT32_MAX - 1);
	assert_true(next(&siblings, 0, 7, false) == UINT32_MAX);
	assert_true(next(&siblings, 0, 7, false) == UINT32_MAX);
	kct_siblings_clear(&siblings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_for_each_activation),
		cmocka_unit_test(test_many_counters_come_and_go),
		cmocka_unit_test(test_numbers_saturate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
