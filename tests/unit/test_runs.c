/* SPDX-License-Identifier: BSD-2-Clause */
/* How far what tables say of an address holds for those after it. */
#include "unit/check.h"

#include "tables/tables.h"

#define N_UNITS 2

/* Of unit 0, function 0 from 0x100 to 0x140, of which 0x110 to 0x120 are inlined, then 0x150 to 0x160;
 * rows from 0x100 to 0x158, the second one, in front of which is a statement of line 9, at 0x118. */
static const struct kct_unit_part parts[] = {
	{.start = 0x100, .range_start = 0x100, .bytes = 0x40, .range_bytes = 0x40, .n_spans = 1},
	{.start = 0x150, .range_start = 0x150, .bytes = 0x10, .range_bytes = 0x10, .function = 1},
};
static const struct kct_unit_function functions[] = {{.entry = 0x100}, {.entry = 0x150}};
static const struct kct_unit_span spans[] = {{0x10, 0x20, 0}};
static const struct kct_unit_inline inlines[] = {
	{.parent = KCT_NO_INLINE, .call_file = KCT_NO_FILE, .depth = 1},
};
static const struct kct_unit_sequence sequences[] = {{0x100, 0x58, 4, 0, 3}};
static const struct kct_unit_row rows[] = {
	{0, 7, KCT_NO_FILE, 0, 1}, {0x1c, 9, 0, 3, 1}, {0x1c, 8, KCT_NO_FILE, 0, 0}};
static const uint32_t files[] = {1};
/* Unit 1 knows of 0x144 to 0x148. */
static const struct kct_unit_part other_parts[] = {
	{.start = 0x144, .range_start = 0x144, .bytes = 4, .range_bytes = 4},
};

static struct kct_unit units[N_UNITS] = {
	{.parts = parts,
	 .functions = functions,
	 .spans = spans,
	 .inlines = inlines,
	 .sequences = sequences,
	 .rows = rows,
	 .files = files,
	 .text = "\0a.c",
	 .n_parts = 2,
	 .n_functions = 2,
	 .n_spans = 1,
	 .n_inlines = 1,
	 .n_sequences = 1,
	 .n_rows = 3,
	 .n_files = 1,
	 .n_text = 5},
	{.parts = other_parts,
	 .functions = functions,
	 .text = "",
	 .n_parts = 1,
	 .n_functions = 1,
	 .n_text = 1},
};

static int get_unit(void *context, uint32_t number, const struct kct_unit **ret_unit)
{
	*ret_unit = (struct kct_unit *)context + number;
	return 0;
}

/* Unit 0 claims 0x100 to 0x180, and is asked first; unit 1 claims 0x140 to 0x150. */
static const struct kct_index_range ranges[] = {
	{0x100, 0x180, 0, 0},
	{0x100, 0x180, 0, 0},
	{0x140, 0x150, 1, 0},
};

static struct kct_tables make(struct kct_unit *of)
{
	return (struct kct_tables){
		.index = {.ranges = ranges,
			  .first = {0, 1, 2, 3},
			  .n_layers = 3,
			  .n_units = N_UNITS},
		.source = {.get_unit = get_unit, .context = of},
	};
}

/** What a look-up says, as one number; frames but for their lines are told by the identity. */
static uint64_t answer(struct kct_tables *tables, uint64_t address)
{
	struct kct_hit hit = {0};
	uint64_t sum;

	assert_true(kct_tables_lookup(tables, address, &hit) >= 0);
	sum = hit.identity * 31 + hit.part_start + hit.n_frames;
	for (size_t i = 0; i < hit.n_frames; i++)
		sum = sum * 31 + hit.frames[i].line;
	return sum * 2 + hit.has_line;
}

static void test_borders(void **state)
{
	static const struct {
		const char *name;
		uint64_t address, end;
	} table[] = {
		{"before all", 0x20, 0x100},
		{"a function", 0x100, 0x110},
		{"from within", 0x107, 0x110},
		{"an inlined call", 0x110, 0x118},
		{"its second line", 0x118, 0x120},
		{"behind it", 0x120, 0x140},
		{"a line without a function", 0x140, 0x144},
		{"a function of the other unit", 0x144, 0x148},
		{"the line again", 0x148, 0x150},
		{"the second function", 0x150, 0x158},
		{"without a line", 0x158, 0x160},
		{"nothing", 0x160, 0x180},
		{"behind all", 0x180, UINT64_MAX},
	};
	struct kct_tables tables = make(units);

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct kct_tables_run run = {0};
		uint64_t end;

		CHECK_EQ(table[i].name, kct_tables_run(&tables, table[i].address, &run), 0);
		end = run.end;
		CHECK_EQ(table[i].name, end, table[i].end);
		for (uint64_t in = table[i].address; in < end && in < 0x1000; in++)
			CHECK_EQ(table[i].name, answer(&tables, in),
				 answer(&tables, table[i].address));
	}
	kct_tables_clear(&tables);
}

static void test_rows(void **state)
{
	static const struct {
		const char *name;
		uint64_t address;
		uint64_t row; /* 0: none */
		bool statement;
		uint32_t line; /* of the statement in front; 0: none */
	} table[] = {
		{"before all", 0x20, 0, false, 0},
		{"a sequence cut at its front", 0x100, 0xfc, true, 0},
		{"behind a border of a call", 0x112, 0xfc, true, 0},
		{"a row behind a statement", 0x118, 0x118, false, 9},
		{"within it", 0x11f, 0x118, false, 9},
		{"a line without a function", 0x140, 0x118, false, 9},
		{"a function of a unit without lines", 0x144, 0, false, 0},
		{"without a line", 0x158, 0, false, 0},
	};
	struct kct_tables tables = make(units);

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct kct_tables_run run = {0};
		size_t n = table[i].line != 0;

		CHECK_EQ(table[i].name, kct_tables_run(&tables, table[i].address, &run), 0);
		CHECK_EQ(table[i].name, run.has_row, table[i].row != 0);
		CHECK_EQ(table[i].name, run.row, run.has_row ? table[i].row : table[i].address);
		CHECK_EQ(table[i].name, run.statement, table[i].statement);
		CHECK_EQ(table[i].name, run.n_statements, n);
		CHECK_EQ(table[i].name, n ? run.statements[0].line : 0, table[i].line);
		if (n)
			assert_string_equal(run.statements[0].file, "a.c");
	}
	kct_tables_clear(&tables);
}

/** Whatever is wrong in tables, runs get on. */
static void test_damage(void **state)
{
	struct kct_unit_part damaged[2];
	struct kct_unit_sequence sequence;
	struct kct_unit damaged_units[N_UNITS];
	struct kct_tables tables = make(damaged_units);

	(void)state;
	for (unsigned i = 0; i < 8 * (sizeof(damaged) + sizeof(sequence)); i++) {
		unsigned bit = i % (8 * sizeof(damaged));
		size_t n = 0;

		memcpy(damaged, parts, sizeof(damaged));
		sequence = sequences[0];
		if (i < 8 * sizeof(damaged))
			((uint8_t *)damaged)[bit / 8] ^= (uint8_t)(1u << bit % 8);
		else
			((uint8_t *)&sequence)[bit / 8] ^= (uint8_t)(1u << bit % 8);
		memcpy(damaged_units, units, sizeof(units));
		damaged_units[0].parts = damaged;
		damaged_units[0].sequences = &sequence;
		for (uint64_t at = 0x100, end; at < 0x180; at = end, n++) {
			struct kct_tables_run run;

			assert_int_equal(kct_tables_run(&tables, at, &run), 0);
			end = run.end;
			assert_true(end > at);
		}
		assert_true(n <= 0x80);
	}
	kct_tables_clear(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
