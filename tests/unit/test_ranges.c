/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "base/macros.h"
#include "image/ranges.h"

#define NONE 0xffffffffu

struct input {
	uint64_t first, last;
	uint32_t rank, value;
};

static uint32_t value_at(const struct kct_ranges *ranges, uint64_t address)
{
	const struct kct_range *range = kct_ranges_find(ranges, address);

	return range ? range->value : NONE;
}

static void add_all(struct kct_ranges *ranges, const struct input *input, size_t n, bool reverse)
{
	for (size_t i = 0; i < n; i++) {
		const struct input *in = &input[reverse ? n - 1 - i : i];

		assert_int_equal(kct_ranges_add(ranges, in->first, in->last, in->rank, in->value),
				 0);
	}
	assert_int_equal(kct_ranges_finish(ranges), 0);
}

static void test_overlaps(void **state)
{
	static const struct input input[] = {
		{10, 99, 5, 1},
		{20, 29, 1, 2},	  /* inside and better */
		{40, 59, 9, 3},	  /* inside and worse: never seen */
		{90, 120, 3, 4},  /* over the end, better */
		{120, 130, 4, 5}, /* over the end, worse */
		{200, 210, 1, 6},
		{200, 205, 0, 7},
		{300, 299, 0, 8}, /* empty */
		{UINT64_MAX - 1, UINT64_MAX, 2, 9},
	};
	static const struct {
		const char *name;
		uint64_t address;
		uint32_t value;
	} rows[] = {
		{"below", 9, NONE},
		{"first of the outer", 10, 1},
		{"before the inner", 19, 1},
		{"inner", 20, 2},
		{"last of the inner", 29, 2},
		{"outer again", 30, 1},
		{"worse inside", 50, 1},
		{"before the overlap", 89, 1},
		{"overlap", 90, 4},
		{"tail of the better", 120, 4},
		{"then the worse", 121, 5},
		{"last", 130, 5},
		{"hole", 131, NONE},
		{"same start, better", 205, 7},
		{"same start, rest", 206, 6},
		{"empty range", 300, NONE},
		{"last but one address", UINT64_MAX - 1, 9},
		{"last address", UINT64_MAX, 9},
	};

	(void)state;
	for (int reverse = 0; reverse < 2; reverse++) {
		struct kct_ranges ranges = {0};

		add_all(&ranges, input, ARRAY_SIZE(input), reverse);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			CHECK_EQ(rows[i].name, value_at(&ranges, rows[i].address), rows[i].value);
		kct_ranges_clear(&ranges);
	}
}

/* Against the definition: the best rank of all that hold the address. */
static void test_against_definition(void **state)
{
	enum { N = 60, SPACE = 200 };
	struct input input[N];
	uint32_t seed = 12345;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct kct_ranges ranges = {0};

		for (uint32_t i = 0; i < N; i++) {
			seed = seed * 1103515245 + 12345;
			input[i].first = seed >> 16 & 127;
			input[i].last = input[i].first + (seed >> 8 & 63);
			input[i].rank = seed >> 4 & 7;
			input[i].value = i;
		}
		add_all(&ranges, input, N, round & 1);
		for (uint64_t at = 0; at < SPACE; at++) {
			uint32_t best = NONE;

			for (uint32_t i = 0; i < N; i++) {
				if (at < input[i].first || at > input[i].last)
					continue;
				if (best == NONE || input[i].rank < input[best].rank)
					best = i;
			}
			assert_int_equal(value_at(&ranges, at), best);
		}
		kct_ranges_clear(&ranges);
	}
}

/* Deep nesting must cost no more than sorting. */
static void test_nested_many(void **state)
{
	enum { N = 200000 };
	struct kct_ranges ranges = {0};

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(kct_ranges_add(&ranges, i, 2u * N - i, N - i, i), 0);
	assert_int_equal(kct_ranges_finish(&ranges), 0);
	assert_true(ranges.n <= 2u * N);
	for (uint32_t i = 0; i < N; i += 1000) {
		assert_int_equal(value_at(&ranges, i), i);
		assert_int_equal(value_at(&ranges, 2u * N - i), i);
	}
	kct_ranges_clear(&ranges);
}

static void test_empty(void **state)
{
	struct kct_ranges ranges = {0};

	(void)state;
	assert_int_equal(kct_ranges_finish(&ranges), 0);
	assert_null(kct_ranges_find(&ranges, 0));
	kct_ranges_clear(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_against_definition),
		cmocka_unit_test(test_nested_many),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
