/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coverage of a small image (coverage_image.h says what is where). What is expected of lines is worked out by hand
 * from the code: `f` branches around point 1 or 2, and a.c 18 and 19 come after both.
 */
#include "coverage_fixture.h"

static bool keep_f(void *context, const struct kct_symbol *symbol)
{
	(void)context;
	return symbol->function && strcmp(symbol->function, "f") == 0;
}

static bool keep_nothing(void *context, const struct kct_symbol *symbol)
{
	(void)context;
	(void)symbol;
	return false;
}

#define NOT_HIT_G_N "30m 31m 32m 40m"

static const struct {
	const char *name;
	struct kct_coverage_options options; /* without its size */
	struct hit hits[6];
	const char *lines;
	const char *functions;
} result_rows[] = {
	{"nothing",
	 {0},
	 {{0, 0}},
	 "a.c: 10m 11m 12m 13m 14m 16m 18m 19m " NOT_HIT_G_N " h.h: 5m",
	 "f 0/3 r0 e0, g 0/1 r0 e0, n 0/1 r0 e0"},
	/* Which way is not known: both may have been taken, and the end was not hit. */
	{"the entry alone",
	 {0},
	 {{P(0), 2}},
	 "a.c: 10h2 11h2 12m 13m 14m 16m 18m 19m " NOT_HIT_G_N " h.h: 5m",
	 "f 1/3 r2 e2, g 0/1 r0 e0, n 0/1 r0 e0"},
	/* a.c 13 is on both ways. */
	{"one way",
	 {0},
	 {{P(0), 2}, {P(1), 1}},
	 "a.c: 10h2 11h2 12h1 13h~1 14h1 16m 18i 19i " NOT_HIT_G_N " h.h: 5h1",
	 "f 2/3 r3 e2, g 0/1 r0 e0, n 0/1 r0 e0"},
	{"the other way",
	 {0},
	 {{P(0), 5}, {P(2), 4}},
	 "a.c: 10h5 11h5 12m 13h~4 14m 16h4 18i 19i " NOT_HIT_G_N " h.h: 5m",
	 "f 2/3 r9 e5, g 0/1 r0 e0, n 0/1 r0 e0"},
	{"both ways",
	 {0},
	 {{P(0), 2}, {P(1), 1}, {P(2), 1}},
	 "a.c: 10h2 11h2 12h1 13h1 14h1 16h1 18i 19i " NOT_HIT_G_N " h.h: 5h1",
	 "f 3/3 r4 e2, g 0/1 r0 e0, n 0/1 r0 e0"},
	/* What follows the first point of a way implies that the entry was passed. */
	{"a way without its entry",
	 {0},
	 {{P(1), 1}},
	 "a.c: 10m 11m 12h1 13h~1 14h1 16m 18i 19i " NOT_HIT_G_N " h.h: 5h1",
	 "f 1/3 r1 e0, g 0/1 r0 e0, n 0/1 r0 e0"},
	{"a function with an exit",
	 {0},
	 {{P(3), 7}},
	 "a.c: 10m 11m 12m 13m 14m 16m 18m 19m 30h7 31h7 32h7 40m h.h: 5m",
	 "f 0/3 r0 e0, g 1/1 r7 e7, n 0/1 r0 e0"},
	/* Nothing is known of what follows its call. */
	{"a function without a graph",
	 {0},
	 {{P(4), 3}},
	 "a.c: 10m 11m 12m 13m 14m 16m 18m 19m 30m 31m 32m 40h3 h.h: 5m",
	 "f 0/3 r0 e0, g 0/1 r0 e0, n 1/1 r3 e3"},
	{"lines of calls that were inlined",
	 {.inline_calls = true},
	 {{P(0), 2}, {P(1), 1}},
	 "a.c: 10h2 11h2 12h1 13h~1 14h1 16m 17h1 18i 19i " NOT_HIT_G_N " h.h: 5h1",
	 "f 2/3 r3 e2, g 0/1 r0 e0, n 0/1 r0 e0"},
	{"points alone",
	 {.no_lines = true},
	 {{P(0), 2}, {P(1), 1}},
	 "a.c:",
	 "f 2/3 r3 e2, g 0/1 r0 e0, n 0/1 r0 e0"},
	{"one function is kept",
	 {.keep = keep_f},
	 {{P(0), 2}, {P(1), 1}, {P(3), 7}},
	 "a.c: 10h2 11h2 12h1 13h~1 14h1 16m 18i 19i h.h: 5h1",
	 "f 2/3 r3 e2"},
	{"nothing is kept", {.keep = keep_nothing}, {{P(0), 2}}, "", ""},
	{"very many records",
	 {0},
	 {{P(3), UINT64_MAX}, {P(3), 2}},
	 "a.c: 10m 11m 12m 13m 14m 16m 18m 19m 30h18446744073709551615 "
	 "31h18446744073709551615 32h18446744073709551615 40m h.h: 5m",
	 "f 0/3 r0 e0, g 1/1 r18446744073709551615 e18446744073709551615, n 0/1 r0 e0"},
};

static void test_results(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(result_rows); i++) {
		struct kct_coverage_options options = result_rows[i].options;
		char text[TEXT];
		struct fixture self;

		options.size = sizeof(options);
		open_images(&self, 1);
		begin(&self, &options, 1);
		CHECK_EQ(result_rows[i].name,
			 add_hits(&self, KCT_PC_RETURN, NULL, result_rows[i].hits, false), 0);
		CHECK_EQ(result_rows[i].name, kct_coverage_finish(self.coverage, &self.error), 0);
		put_files(self.coverage, text);
		CHECK_STR(result_rows[i].name, text, result_rows[i].lines);
		put_functions(self.coverage, text);
		CHECK_STR(result_rows[i].name, text, result_rows[i].functions);
		close_images(&self);
	}
}

static void check_modules(const struct fixture *self)
{
	const struct kct_coverage_module *modules;
	size_t n;

	modules = kct_coverage_modules(self->coverage, &n);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(modules[i].name, i ? "second" : "vmlinux");
		assert_ptr_equal(modules[i].image, self->images[i]);
		assert_int_equal(modules[i].offset, 0);
		assert_int_equal(modules[i].base, i ? SECOND : BASE);
		assert_int_equal(modules[i].end, modules[i].base + ALL);
		assert_int_equal(modules[i].points, 5);
		assert_int_equal(modules[i].hit, i ? 1 : 2);
		assert_int_equal(modules[i].functions, 3);
		assert_int_equal(modules[i].hit_functions, 1);
		assert_int_equal(modules[i].n_all, 5); /* not the exit */
		for (size_t k = 0; k < 5; k++) {
			assert_int_equal(modules[i].all[k].call, modules[i].base + point_calls[k]);
			assert_int_equal(modules[i].all[k].pc, POINT_PC(modules[i].base, k));
		}
	}
	assert_int_equal(modules[0].all[0].records, 4);
	assert_int_equal(modules[1].all[3].records, 10);
}

static void check_files(const struct fixture *self)
{
	const struct kct_coverage_inlined *inlined;
	const struct kct_coverage_file *files;
	size_t n;

	files = kct_coverage_files(self->coverage, &n);
	assert_int_equal(n, 2);
	assert_int_equal(files[0].points, 10);
	assert_int_equal(files[0].hit, 3);
	assert_int_equal(files[0].n_functions, 6);
	assert_int_equal(files[0].hit_functions, 2);
	assert_int_equal(files[1].points, 0);
	assert_int_equal(files[1].n_functions, 0);
	assert_int_equal(files[1].n_inlined, 1);
	inlined = kct_coverage_inlined(self->coverage, &n);
	assert_int_equal(n, 1);
	assert_string_equal(inlined[0].name, "l");
	assert_int_equal(inlined[0].file, 1);
	assert_int_equal(inlined[0].line, 5);
}

/** Numbers add up from points to files, modules and the total. */
static void test_sums(void **state)
{
	static const struct hit hits[] = {
		{P(0), 2},  {P(1), 1}, {SECOND + G + 4, 5}, {BASE + G + 8, 1}, /* the exit's */
		{0x999, 1},						       /* in no image */
		{0, 0}};
	const struct kct_coverage_total *total;
	struct fixture self;

	(void)state;
	open_images(&self, 2);
	begin(&self, NULL, 2);
	assert_int_equal(add_hits(&self, KCT_PC_RETURN, NULL, hits, false), 0);
	assert_int_equal(add_hits(&self, KCT_PC_RETURN, NULL, hits, false), 0);
	assert_int_equal(kct_coverage_finish(self.coverage, NULL), 0);
	total = kct_coverage_total(self.coverage);
	assert_int_equal(total->traces, 2);
	assert_int_equal(total->records, 2 * 10);
	assert_int_equal(total->pcs, 5);
	assert_int_equal(total->matched, 3);
	assert_int_equal(total->elsewhere, 0);
	assert_int_equal(total->points, 10);
	assert_int_equal(total->hit, 3);
	assert_int_equal(total->functions, 6);
	assert_int_equal(total->hit_functions, 2);
	/* One way through f and all of g; points of both images are on the same lines, of which the better
	 * state counts. */
	assert_int_equal(total->lines[KCT_STATE_HIT], 5 + 1 + 3);
	assert_int_equal(total->lines[KCT_STATE_IMPLIED], 2);
	assert_int_equal(total->lines[KCT_STATE_NOT_REACHED], 2);
	assert_int_equal(total->lines[KCT_STATE_UNKNOWN], 0);
	assert_int_equal(total->partly, 1);
	/* Exits are explained, too. */
	assert_int_equal(total->match.pcs, 5);
	assert_int_equal(total->match.points, 4);
	assert_int_equal(total->match.n_samples, 1);
	assert_int_equal(total->match.samples[0], 0x999);

	check_modules(&self);
	check_files(&self);
	close_images(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
