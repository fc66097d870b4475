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
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_length_is_obeyed),
		cmocka_unit_test(test_mixed_list),
		cmocka_unit_test(test_empty_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
