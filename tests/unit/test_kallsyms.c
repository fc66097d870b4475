/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "image/kallsyms.h"

static struct kct_kallsyms *parse(const char *text)
{
	struct kct_kallsyms *kallsyms = NULL;
	struct kct_error error;

	if (kct_kallsyms_parse(text, strlen(text), &kallsyms, &error) < 0)
		fail_msg("%s", error.text);
	return kallsyms;
}

/* Unsorted, with a module, data, an alias, CRLF, blanks and lines that are none. */
static const char mixed[] = "ffffffff81000200 t third\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T start_here\n"
			    "not a symbol line\n"
			    "ffffffff81000100 W second\r\n"
			    "\n"
			    "ffffffff81000300 D some_data\n"
			    "ffffffffc0000000 t loop_open\t[loop]\n"
			    "ffffffffc0000040 t loop_ioctl\t[loop]\n"
			    "ffffffffc0001000 r table\t[loop]\n"
			    "ffffffffc0400000 t loop_open [loop2]\n"
			    "ffffffffd0000000 t far_away\n"
			    "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000250 U undefined_kind\n"
			    "ffffffff81000280 w weak_last";

static void test_functions(void **state)
{
	static const struct {
		const char *name;
		uint64_t address;
		const char *symbol, *module;
		uint64_t size;
	} rows[] = {
		{"below all", 0xffffffff80ffffff, NULL, NULL, 0},
		{"fewest underscores of two names", 0xffffffff81000000, "start_here", NULL, 0x100},
		{"up to the next", 0xffffffff810000ff, "start_here", NULL, 0x100},
		{"weak, with a carriage return", 0xffffffff81000100, "second", NULL, 0x100},
		{"ended by another kind", 0xffffffff8100024f, "third", NULL, 0x50},
		{"not a function's kind", 0xffffffff81000250, NULL, NULL, 0},
		{"no newline at the end", 0xffffffff81000280, "weak_last", NULL, 0x80},
		{"data", 0xffffffff81000300, NULL, NULL, 0},
		{"module", 0xffffffffc0000010, "loop_open", "loop", 0x40},
		{"module, ended by data", 0xffffffffc0000fff, "loop_ioctl", "loop", 0xfc0},
		{"data of a module", 0xffffffffc0001000, NULL, NULL, 0},
		{"the same name elsewhere", 0xffffffffc0400000, "loop_open", "loop2", 0x100000},
		{"not for ever", 0xffffffffd0100000, NULL, NULL, 0},
		{"per-CPU offset", 0x10, NULL, NULL, 0},
	};
	struct kct_kallsyms *kallsyms = parse(mixed);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kct_symtab *table = kct_kallsyms_table(kallsyms);
		const struct kct_symtab_entry *entry = kct_symtab_find(table, rows[i].address);
		const char *module;

		CHECK(rows[i].name, !entry == !rows[i].symbol);
		if (!entry)
			continue;
		CHECK_STR(rows[i].name, kct_symtab_name(table, entry), rows[i].symbol);
		module = kct_symtab_module(table, entry);
		CHECK(rows[i].name, !module == !rows[i].module);
		if (module)
			CHECK_STR(rows[i].name, module, rows[i].module);
		CHECK_EQ(rows[i].name, entry->size, rows[i].size);
		CHECK(rows[i].name, entry->guessed);
	}
	kct_kallsyms_free(kallsyms);
}

static void test_symbol(void **state)
{
	struct kct_kallsyms *kallsyms = parse("ffffffff81000900 t same\n"
					      "ffffffff81000100 t same\n"
					      "ffffffffc0000000 t only\t[loop]\n"
					      "ffffffff82000000 D data\n");
	uint64_t address = 1;

	(void)state;
	assert_int_equal(kct_kallsyms_symbol(kallsyms, "same", &address), 0);
	assert_int_equal(address, 0xffffffff81000900);
	assert_int_equal(kct_kallsyms_symbol(kallsyms, "data", &address), 0);
	assert_int_equal(address, 0xffffffff82000000);
	assert_int_equal(kct_kallsyms_symbol(kallsyms, "only", &address), KCT_ERR_NOT_FOUND);
	assert_int_equal(kct_kallsyms_symbol(kallsyms, "sam", &address), KCT_ERR_NOT_FOUND);
	assert_int_equal(kct_kallsyms_symbol(kallsyms, NULL, &address), KCT_ERR_ARGUMENT);
	assert_int_equal(address, 0xffffffff82000000);
	kct_kallsyms_free(kallsyms);
	kct_kallsyms_free(NULL);
}

static void test_unusable_text(void **state)
{
	static const struct {
		const char *name, *text, *says;
	} rows[] = {
		{"empty", "", "empty"},
		{"blank lines", "\n \n", "empty"},
		{"hidden addresses", "0000000000000000 T _stext\n0000000000000000 t foo\t[bar]\n",
		 "kptr_restrict"},
		{"no kallsyms", "\nhello\nworld\n", "line 2"},
		{"too many digits", "11112222333344445 t foo\n", "line 1"},
		{"no name", "ffffffff81000000 t\n", "line 1"},
		{"long type", "ffffffff81000000 tt foo\n", "line 1"},
		{"prefix 0x", "0xffffffff8100 t foo\n", "line 1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_kallsyms *kallsyms = NULL;
		struct kct_error error;

		CHECK_EQ(rows[i].name,
			 kct_kallsyms_parse(rows[i].text, strlen(rows[i].text), &kallsyms, &error),
			 KCT_ERR_SYNTAX);
		CHECK(rows[i].name, strstr(error.text, rows[i].says));
		CHECK(rows[i].name, !kallsyms);
	}
}

/* The text need not end with a NUL, and may hold some. */
static void test_bounds(void **state)
{
	static const char text[] = {'1', '0', '0', '0', ' ', 't', ' ', 'a', '\n', '2',	'0',
				    '0', '0', ' ', 't', ' ', 'b', 'x', 'y', '\0', '\n', 'z'};
	struct kct_kallsyms *kallsyms;
	uint64_t address;
	char *exact;

	(void)state;
	for (size_t n = 9; n <= sizeof(text); n++) {
		exact = malloc(n);
		assert_non_null(exact);
		memcpy(exact, text, n);
		assert_int_equal(kct_kallsyms_parse(exact, n, &kallsyms, NULL), 0);
		free(exact);
		assert_int_equal(kct_kallsyms_symbol(kallsyms, "a", &address), 0);
		assert_int_equal(address, 0x1000);
		assert_int_equal(kct_kallsyms_symbol(kallsyms, "bxy", &address),
				 n >= 19 ? 0 : KCT_ERR_NOT_FOUND);
		kct_kallsyms_free(kallsyms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_symbol),
		cmocka_unit_test(test_unusable_text),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
