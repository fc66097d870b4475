/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "image/symtab.h"

#define FUNC   true, true
#define NOTYPE false, true
#define OBJECT false, false
#define LIMIT  0x1fff /* last address of the section */

/* A symbol whose name is not in a text yet. */
struct named {
	const char *name;
	uint64_t address;
	uint64_t size;
	uint64_t limit;
	enum kct_binding binding;
	bool is_function;
	bool is_code;
};

static struct named symbol(const char *name, uint64_t address, uint64_t size,
			   enum kct_binding binding, bool is_function, bool is_code)
{
	return (struct named){
		.name = name,
		.address = address,
		.size = size,
		.limit = LIMIT,
		.binding = binding,
		.is_function = is_function,
		.is_code = is_code,
	};
}

/** Add `n` symbols beginning with number `first`, in one of two directions. */
static void make(struct kct_symtab *table, const struct named *symbols, size_t n, size_t first,
		 bool backwards)
{
	static char text[1024];
	size_t end = 0;

	*table = (struct kct_symtab){.text = text, .n_text = sizeof(text)};
	for (size_t i = 0; i < n; i++) {
		const struct named *from = &symbols[(first + (backwards ? n - i : i)) % n];
		const struct kct_symtab_entry entry = {
			.address = from->address,
			.size = from->size,
			.limit = from->limit,
			.name = (uint32_t)end,
			.module = KCT_NO_MODULE,
			.binding = (uint8_t)from->binding,
			.is_function = from->is_function,
			.is_code = from->is_code,
		};

		assert_true(end + strlen(from->name) < sizeof(text));
		strcpy(text + end, from->name);
		end += strlen(from->name) + 1;
		assert_int_equal(kct_symtab_add(table, &entry), 0);
	}
	assert_int_equal(kct_symtab_finish(table), 0);
}

static const char *name_at(const struct kct_symtab *table, uint64_t address)
{
	const struct kct_symtab_entry *entry = kct_symtab_find(table, address);

	return entry ? kct_symtab_name(table, entry) : "-";
}

/* Each row beats all below it when they share an address. */
static void test_ranking_at_one_address(void **state)
{
	const struct named ranked[] = {
		symbol("global_function", 0x1000, 16, KCT_BIND_GLOBAL, FUNC),
		symbol("weak_function", 0x1000, 16, KCT_BIND_WEAK, FUNC),
		symbol("local_a", 0x1000, 16, KCT_BIND_LOCAL, FUNC),
		symbol("local_b", 0x1000, 16, KCT_BIND_LOCAL, FUNC),
		symbol("_local_a", 0x1000, 16, KCT_BIND_LOCAL, FUNC),
		symbol("__local_a", 0x1000, 16, KCT_BIND_LOCAL, FUNC),
		symbol("a_local_without_size", 0x1000, 0, KCT_BIND_LOCAL, FUNC),
		symbol("global_label", 0x1000, 16, KCT_BIND_GLOBAL, NOTYPE),
		symbol("a_local_label", 0x1000, 16, KCT_BIND_LOCAL, NOTYPE),
		symbol("__cfi_x", 0x1000, 16, KCT_BIND_GLOBAL, FUNC),
		symbol("__pfx_x", 0x1000, 16, KCT_BIND_GLOBAL, FUNC),
		symbol("$x", 0x1000, 16, KCT_BIND_GLOBAL, FUNC),
		symbol(".Ltmp1", 0x1000, 16, KCT_BIND_GLOBAL, FUNC),
	};
	const size_t n_names = ARRAY_SIZE(ranked) - 2;
	struct kct_symtab table;

	(void)state;
	for (size_t top = 0; top < ARRAY_SIZE(ranked); top++) {
		size_t n = ARRAY_SIZE(ranked) - top;

		for (size_t turn = 0; turn < 2 * n; turn++) {
			make(&table, &ranked[top], n, turn / 2, turn & 1);
			CHECK_STR(ranked[top].name, name_at(&table, 0x1008),
				  top < n_names ? ranked[top].name : "-");
			kct_symtab_clear(&table);
		}
	}
}

static const struct named layout[] = {
	/* 0x1000: a function with a size, a label and a mapping symbol inside, padding behind */
	{.name = "sized",
	 .address = 0x1000,
	 .size = 0x30,
	 .limit = LIMIT,
	 .binding = KCT_BIND_GLOBAL,
	 .is_function = true,
	 .is_code = true},
	{.name = "inner_label",
	 .address = 0x1010,
	 .limit = LIMIT,
	 .binding = KCT_BIND_GLOBAL,
	 .is_code = true},
	{.name = "$d", .address = 0x1020, .limit = LIMIT, .is_code = true},
	/* 0x1040: no size, up to the data symbol */
	{.name = "open", .address = 0x1040, .limit = LIMIT, .is_code = true},
	{.name = "$x", .address = 0x1048, .limit = LIMIT, .is_code = true},
	{.name = "table", .address = 0x1050, .size = 8, .limit = LIMIT},
	/* 0x1060: one inside the other */
	{.name = "outer",
	 .address = 0x1060,
	 .size = 0x40,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	{.name = "inner",
	 .address = 0x1070,
	 .size = 0x10,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	/* 0x1100: the name without a size takes that of its alias */
	{.name = "alias_best",
	 .address = 0x1100,
	 .limit = LIMIT,
	 .binding = KCT_BIND_GLOBAL,
	 .is_function = true,
	 .is_code = true},
	{.name = "alias_sized",
	 .address = 0x1100,
	 .size = 0x20,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	/* 0x11f0: padding of its own name in front of a function */
	{.name = "__pfx_padded",
	 .address = 0x11f0,
	 .size = 0x10,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	{.name = "padded",
	 .address = 0x1200,
	 .size = 0x10,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	/* 0x1f00: a size past the end of the section, and one that cannot be */
	{.name = "too_large",
	 .address = 0x1f00,
	 .size = 0x1000,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	{.name = "absurd",
	 .address = 0x1f80,
	 .size = UINT64_MAX,
	 .limit = LIMIT,
	 .is_function = true,
	 .is_code = true},
	/* behind its section */
	{.name = "lost", .address = 0x3000, .limit = LIMIT, .is_function = true, .is_code = true},
	/* the last section: a function without a size ends with it */
	{.name = "last", .address = 0x4000, .limit = 0x40ff, .is_function = true, .is_code = true},
};

static void test_cover(void **state)
{
	static const struct {
		const char *name;
		uint64_t address;
		const char *symbol;
		uint64_t size;
		bool guessed;
	} rows[] = {
		{"before all", 0xfff, "-", 0, false},
		{"first byte", 0x1000, "sized", 0x30, false},
		{"behind a label", 0x1018, "sized", 0x30, false},
		{"behind a mapping symbol", 0x1028, "sized", 0x30, false},
		{"last byte", 0x102f, "sized", 0x30, false},
		{"padding", 0x1030, "-", 0, false},
		{"no size", 0x1040, "open", 0x10, true},
		{"no size, behind a mapping symbol", 0x104f, "open", 0x10, true},
		{"data in code", 0x1050, "-", 0, false},
		{"behind data", 0x1058, "-", 0, false},
		{"outer", 0x106f, "outer", 0x40, false},
		{"inner", 0x1070, "inner", 0x10, false},
		{"outer again", 0x1080, "outer", 0x40, false},
		{"size of an alias", 0x111f, "alias_best", 0x20, false},
		{"behind an alias", 0x1120, "-", 0, false},
		{"padding with a name", 0x11f8, "__pfx_padded", 0x10, false},
		{"behind it", 0x1200, "padded", 0x10, false},
		{"size past the section", 0x1f7f, "too_large", 0x1000, false},
		{"absurd size", 0x1fff, "absurd", UINT64_MAX, false},
		{"behind the section", 0x2000, "-", 0, false},
		{"symbol outside its section", 0x3000, "-", 0, false},
		{"up to the end of the section", 0x40ff, "last", 0x100, true},
		{"end of the section", 0x4100, "-", 0, false},
		{"last address", UINT64_MAX, "-", 0, false},
	};
	struct kct_symtab table;

	(void)state;
	for (size_t turn = 0; turn < 2 * ARRAY_SIZE(layout); turn++) {
		make(&table, layout, ARRAY_SIZE(layout), turn / 2, turn & 1);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			const struct kct_symtab_entry *entry;

			CHECK_STR(rows[i].name, name_at(&table, rows[i].address), rows[i].symbol);
			entry = kct_symtab_find(&table, rows[i].address);
			CHECK_EQ(rows[i].name, entry ? entry->size : 0, rows[i].size);
			CHECK_EQ(rows[i].name, entry ? entry->guessed : false, rows[i].guessed);
		}
		kct_symtab_clear(&table);
	}
}

static void test_cold_base(void **state)
{
	const struct named symbols[] = {
		symbol("foo", 0x1100, 16, KCT_BIND_GLOBAL, FUNC),
		symbol("foo.cold", 0x1000, 16, KCT_BIND_LOCAL, FUNC),
		symbol("bar.isra.0", 0x1200, 16, KCT_BIND_LOCAL, FUNC),
		symbol("bar.isra.0.cold", 0x1010, 16, KCT_BIND_LOCAL, FUNC),
		symbol("twice", 0x1300, 16, KCT_BIND_LOCAL, FUNC),
		symbol("twice", 0x1310, 16, KCT_BIND_LOCAL, FUNC),
		symbol("twice.cold", 0x1020, 16, KCT_BIND_LOCAL, FUNC),
		symbol("gone.cold", 0x1030, 16, KCT_BIND_LOCAL, FUNC),
		symbol("foobar", 0x1400, 16, KCT_BIND_LOCAL, FUNC),
		symbol("fo", 0x1410, 16, KCT_BIND_LOCAL, FUNC),
		symbol("data", 0x1420, 16, KCT_BIND_LOCAL, OBJECT),
		symbol("data.cold", 0x1040, 16, KCT_BIND_LOCAL, FUNC),
	};
	static const struct {
		const char *name;
		uint64_t address;
		uint64_t base; /* 0 = none */
	} rows[] = {
		{"foo.cold", 0x1000, 0x1100},	{"bar.isra.0.cold", 0x1010, 0x1200},
		{"twice.cold", 0x1020, 0},	{"gone.cold", 0x1030, 0},
		{"foo is no part", 0x1100, 0},	{"bar.isra.0 is none either", 0x1200, 0},
		{"base is no code", 0x1040, 0},
	};
	struct kct_symtab table;

	(void)state;
	make(&table, symbols, ARRAY_SIZE(symbols), 5, true);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kct_symtab_entry *base = NULL;
		int result = kct_symtab_cold_base(&table, kct_symtab_find(&table, rows[i].address),
						  &base);

		CHECK_EQ(rows[i].name, result, rows[i].base != 0);
		CHECK_EQ(rows[i].name, base ? base->address : 0, rows[i].base);
	}
	kct_symtab_clear(&table);
}

static void test_empty(void **state)
{
	struct kct_symtab table = {0};

	(void)state;
	assert_int_equal(kct_symtab_finish(&table), 0);
	assert_null(kct_symtab_find(&table, 0));
	kct_symtab_clear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranking_at_one_address),
		cmocka_unit_test(test_cover),
		cmocka_unit_test(test_cold_base),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
