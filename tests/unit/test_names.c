/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "image/names.h"

static void test_base_name(void **state)
{
	static const struct {
		const char *name;
		const char *base;
	} rows[] = {
		{"do_sys_open", "do_sys_open"},
		{"foo.isra.0.constprop.1", "foo"},
		{"foo.llvm.123", "foo"},
		{"foo.cold", "foo"},
		{"foo.cold.7", "foo"},
		{"foo.part.0.isra.0.cold", "foo"},
		{"foo.constprop.0.isra.0", "foo"},
		{"foo.lto_priv.0", "foo"},
		{"foo.__uniq.1234567890.llvm.42", "foo"},
		{"foo.1234", "foo"},
		{"__x64_sys_read", "__x64_sys_read"},
		{"foo.coldness", "foo.coldness"},
		{"foo.part.bar", "foo.part.bar"},
		{"foo.bar.cold", "foo.bar"},
		{"foo_isra_0", "foo_isra_0"},
		{"foo.", "foo."},
		{".foo", ".foo"},
		{".foo.isra.0", ".foo"},
		{".cold", ".cold"},
		{".", "."},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].name, kct_base_name_length(rows[i].name), strlen(rows[i].base));
		CHECK(rows[i].name, strncmp(rows[i].name, rows[i].base, strlen(rows[i].base)) == 0);
	}
}

static void test_cold_stem(void **state)
{
	static const struct {
		const char *name;
		const char *stem; /* "" = it is no cold part */
	} rows[] = {
		{"foo.cold", "foo"},
		{"foo.cold.3", "foo"},
		{"foo.isra.0.cold", "foo.isra.0"},
		{"foo.part.0", ""},
		{"foo", ""},
		{"foo.cold.isra.0", ""},
		{"foo.coldx", ""},
		{".cold", ""},
		{"cold", ""},
		{"foo.cold.cold", "foo.cold"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_EQ(rows[i].name, kct_name_cold_stem(rows[i].name), strlen(rows[i].stem));
}

static void test_labels_and_decorations(void **state)
{
	static const struct {
		const char *name;
		bool label, decoration;
	} rows[] = {
		{"foo", false, false},	    {"", true, false},		{".Ltmp12", true, false},
		{".L0", true, false},	    {"$x", true, false},	{"$d.7", true, false},
		{"__pfx_foo", false, true}, {"__cfi_foo", false, true}, {".foo", false, false},
		{"Lfoo", false, false},	    {"__pfx", false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].name, kct_name_is_label(rows[i].name), rows[i].label);
		CHECK_EQ(rows[i].name, kct_name_is_decoration(rows[i].name), rows[i].decoration);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_name),
		cmocka_unit_test(test_cold_stem),
		cmocka_unit_test(test_labels_and_decorations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
