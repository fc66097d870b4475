/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <kcovtrace/pclist.h>

#include "base/macros.h"

static void test_addresses(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t address;
	} rows[] = {
		{"0xffffffff81000010", 0, 0xffffffff81000010u},
		{"FFFFFFFF81000010", 0, 0xffffffff81000010u},
		{"0X1f", 0, 0x1f},
		{"0", 0, 0},
		{"00000000000000000001", 0, 1},
		{"", KCT_ERR_SYNTAX, 0},
		{"0x", KCT_ERR_SYNTAX, 0},
		{"10000000000000000", KCT_ERR_SYNTAX, 0}, /* 2^64 */
		{"12g", KCT_ERR_SYNTAX, 0},
		{" 12", KCT_ERR_SYNTAX, 0},
		{"-1", KCT_ERR_SYNTAX, 0},
		{"0x0x1", KCT_ERR_SYNTAX, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t address = 77;
		int result = kct_parse_address(rows[i].text, strlen(rows[i].text), &address);

		CHECK_EQ(rows[i].text, result, rows[i].result);
		CHECK_EQ(rows[i].text, address, result < 0 ? 77 : rows[i].address);
	}
}

static void test_length_is_obeyed(void **state)
{
	uint64_t address;

	(void)state;
	assert_int_equal(kct_parse_address("0x1234", 4, &address), 0);
	assert_int_equal(address, 0x12);
	assert_int_equal(kct_parse_address("0x12", 1, &address), 0);
	assert_int_equal(address, 0);
}

static void test_mixed_list(void **state)
{
	static const char text[] = "# a list\r\n"		  /* line 1 */
				   "0xffffffff81000010\r\n"	  /* 2 */
				   "\n"				  /* 3 */
				   "  ffffffff81000020\t\n"	  /* 4 */
				   "main.c:12\n"		  /* 5: bad */
				   "0xffffffff81000010 # again\n" /* 6 */
				   "1 2\n"			  /* 7: bad */
				   "ff";			  /* 8, no newline */
	static const uint64_t pcs[] = {0xffffffff81000010u, 0xffffffff81000020u,
				       0xffffffff81000010u, 0xff};
	const struct kct_pclist_bad *bad;
	struct kct_pclist *list;
	const uint64_t *found;
	size_t n;

	(void)state;
	assert_int_equal(kct_pclist_parse(text, sizeof(text) - 1, &list), 0);
	found = kct_pclist_pcs(list, &n);
	assert_int_equal(n, ARRAY_SIZE(pcs));
	assert_memory_equal(found, pcs, sizeof(pcs));
	bad = kct_pclist_bad(list, &n);
	assert_int_equal(n, 2);
	assert_int_equal(bad[0].line, 5);
	assert_int_equal(bad[0].offset, strstr(text, "main.c") - text);
	assert_int_equal(bad[1].line, 7);
	kct_pclist_free(list);
}

#define P1 "0xffffffff81000010\n"
#define P8 P1 P1 P1 P1 P1 P1 P1 P1

static void test_counts(void **state)
{
	static const struct {
		const char *name, *text;
		size_t n;      /* addresses */
		uint64_t line; /* of the count */
	} rows[] = {
		{"decimal and hexadecimal are the same", "2\n" P1 P1, 2, 1},
		{"decimal", "16\n" P8 P8, 16, 1},
		{"hexadecimal", "10\n" P8 P8, 16, 1},
		{"0x", "0x10\n" P8 P8, 16, 1},
		{"0x is not decimal", "0x10\n" P8 P1 P1, 11, 0},
		{"decimal 10", "10\n" P8 P1 P1, 10, 1},
		{"leading zeros", "0002\r\n" P1 P1, 2, 1},
		{"after comments", "# trace\n\n2 # PCs\n" P1 P1, 2, 3},
		{"before comments", "2\n\n# PCs\n" P1 P1, 2, 1},
		{"too large", "3\n" P1 P1, 3, 0},
		{"too small", "1\n" P1 P1, 3, 0},
		{"not the first line", P1 "1\n" P1, 3, 0},
		{"after a bad line", "count:\n2\n" P1 P1, 3, 0},
		{"bad lines are no addresses", "2\n" P1 "none\n" P1, 2, 1},
		{"of small addresses", "2\n1\n2\n", 2, 1},
		{"nothing follows", "0\n", 1, 0},
		{"one address", P1, 1, 0},
		{"2^64 + 1", "18446744073709551617\n" P1, 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_pclist *list;
		const uint64_t *pcs;
		size_t n;

		assert_int_equal(kct_pclist_parse(rows[i].text, strlen(rows[i].text), &list), 0);
		pcs = kct_pclist_pcs(list, &n);
		CHECK_EQ(rows[i].name, n, rows[i].n);
		CHECK_EQ(rows[i].name, kct_pclist_count_line(list), rows[i].line);
		CHECK(rows[i].name, pcs[n - 1] >= 0xffffffff81000010u || pcs[n - 1] < 3);
		kct_pclist_free(list);
	}
}

static void test_empty_lists(void **state)
{
	struct kct_pclist *list;
	size_t n;

	(void)state;
	assert_int_equal(kct_pclist_parse("", 0, &list), 0);
	kct_pclist_pcs(list, &n);
	assert_int_equal(n, 0);
	kct_pclist_free(list);
	assert_int_equal(kct_pclist_parse("\0\n\n", 3, &list), 0);
	kct_pclist_pcs(list, &n);
	assert_int_equal(n, 0);
	kct_pclist_bad(list, &n); /* a NUL is no address */
	assert_int_equal(n, 1);
	kct_pclist_free(list);
	kct_pclist_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),   cmocka_unit_test(test_length_is_obeyed),
		cmocka_unit_test(test_mixed_list),  cmocka_unit_test(test_counts),
		cmocka_unit_test(test_empty_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
