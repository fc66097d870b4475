/* SPDX-License-Identifier: BSD-2-Clause */
/* Address ranges as numbers; expectations by hand or by brute force. */
#include "unit/check.h"

#include "dwarf/reader.h"

struct span_case {
	const char *name;
	struct kct_span items[4];
	size_t n_items;
	struct kct_span flat[6]; /* rank is not compared */
	size_t n_flat;
	int result;
};

static const struct span_case span_cases[] = {
	{"none", {{0}}, 0, {{0}}, 0, 0},
	{"apart, in the wrong order",
	 {{30, 40, 0, 0}, {10, 20, 1, 0}},
	 2,
	 {{10, 20, 1, 0}, {30, 40, 0, 0}},
	 2,
	 0},
	{"touching", {{10, 20, 0, 0}, {20, 30, 1, 0}}, 2, {{10, 20, 0, 0}, {20, 30, 1, 0}}, 2, 0},
	{"narrow in wide",
	 {{10, 50, 0, 0}, {20, 30, 1, 0}},
	 2,
	 {{10, 20, 0, 0}, {20, 30, 1, 0}, {30, 50, 0, 0}},
	 3,
	 1},
	{"rank before width", {{20, 30, 0, 1}, {22, 24, 1, 0}}, 2, {{20, 30, 0, 0}}, 1, 1},
	{"equal: the lowest id", {{10, 20, 7, 0}, {10, 20, 3, 0}}, 2, {{10, 20, 3, 0}}, 1, 1},
	{"staggered, narrow second",
	 {{10, 20, 0, 0}, {15, 24, 1, 0}},
	 2,
	 {{10, 15, 0, 0}, {15, 24, 1, 0}},
	 2,
	 1},
	{"staggered, wide second",
	 {{10, 20, 0, 0}, {15, 40, 1, 0}},
	 2,
	 {{10, 20, 0, 0}, {20, 40, 1, 0}},
	 2,
	 1},
	{"gap below a wide one",
	 {{10, 20, 0, 0}, {12, 14, 1, 1}, {13, 15, 2, 2}, {30, 31, 3, 0}},
	 4,
	 {{10, 12, 0, 0}, {12, 13, 1, 0}, {13, 15, 2, 0}, {15, 20, 0, 0}, {30, 31, 3, 0}},
	 5,
	 1},
	{"at the top of the address space",
	 {{UINT64_MAX - 4, UINT64_MAX, 0, 0}, {UINT64_MAX - 2, UINT64_MAX, 1, 0}},
	 2,
	 {{UINT64_MAX - 4, UINT64_MAX - 2, 0, 0}, {UINT64_MAX - 2, UINT64_MAX, 1, 0}},
	 2,
	 1},
};

static void test_flatten(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(span_cases); i++) {
		const struct span_case *row = &span_cases[i];
		struct kct_span items[4];
		struct kct_spans flat = {0};

		memcpy(items, row->items, sizeof(items));
		CHECK_EQ(row->name, kct_spans_flatten(items, row->n_items, &flat), row->result);
		CHECK_EQ(row->name, flat.n, row->n_flat);
		for (size_t j = 0; j < flat.n; j++) {
			CHECK_EQ(row->name, flat.at[j].start, row->flat[j].start);
			CHECK_EQ(row->name, flat.at[j].end, row->flat[j].end);
			CHECK_EQ(row->name, flat.at[j].id, row->flat[j].id);
		}
		kct_spans_clear(&flat);
	}
}

/* The winner by looking at every span. */
static const struct kct_span *winner(const struct kct_span *items, size_t n, uint64_t address)
{
	const struct kct_span *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct kct_span *it = &items[i];

		if (address < it->start || address >= it->end)
			continue;
		if (!best || it->rank > best->rank ||
		    (it->rank == best->rank &&
		     (it->end - it->start < best->end - best->start ||
		      (it->end - it->start == best->end - best->start && it->id < best->id))))
			best = it;
	}
	return best;
}

static void test_flatten_random(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct kct_span items[12];
		struct kct_spans flat = {0};
		size_t n = 1 + (size_t)round % ARRAY_SIZE(items);

		for (size_t i = 0; i < n; i++) {
			random = random * 1664525 + 1013904223;
			items[i].start = random >> 24 & 63;
			items[i].end = items[i].start + 1 + (random >> 16 & 31);
			items[i].rank = random >> 12 & 1;
			items[i].id = (uint32_t)i;
		}
		assert_true(kct_spans_flatten(items, n, &flat) >= 0);
		for (uint64_t address = 0; address < 100; address++) {
			const struct kct_span *want = winner(items, n, address);
			const struct kct_span *found = kct_span_find(flat.at, flat.n, address);

			assert_int_equal(found != NULL, want != NULL);
			if (found)
				assert_int_equal(found->id, want->id);
		}
		kct_spans_clear(&flat);
	}
}

static void test_range_is_real(void **state)
{
	static const struct {
		const char *name;
		uint64_t start, end;
		unsigned bytes;
		bool linked, relocatable;
	} rows[] = {
		{"usual", 0x1000, 0x1010, 8, true, true},
		{"empty", 0x1000, 0x1000, 8, false, false},
		{"turned round", 0x1010, 0x1000, 8, false, false},
		{"at 0", 0, 0x10, 8, false, true},
		{"at -1, end wrapped", UINT64_MAX, 0xf, 8, false, false},
		{"at -2", UINT64_MAX - 1, UINT64_MAX, 8, false, true},
		{"at -1 in 32 bits", UINT32_MAX, UINT32_MAX + 16ull, 4, false, true},
		{"at -2 in 32 bits", UINT32_MAX - 1, UINT32_MAX + 16ull, 4, false, true},
		{"at 2^32 - 1 in 64 bits", UINT32_MAX, UINT32_MAX + 16ull, 8, true, true},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].name,
			 kct_range_is_real(true, rows[i].start, rows[i].end, rows[i].bytes),
			 rows[i].linked);
		CHECK_EQ(rows[i].name,
			 kct_range_is_real(false, rows[i].start, rows[i].end, rows[i].bytes),
			 rows[i].relocatable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flatten),
		cmocka_unit_test(test_flatten_random),
		cmocka_unit_test(test_range_is_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
