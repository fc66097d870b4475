/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coverage of a small image (coverage_image.h says what is where). What is expected of lines is worked out by hand
 * from the code: `f` branches around point 1 or 2, and a.c 18 and 19 come after both.
 */
#include "coverage_image.h"

#include <kcovtrace/coverage.h>
#include <kcovtrace/symbolizer.h>

#include "base/macros.h"

#define BASE   UINT64_C(0x10000)
#define SECOND UINT64_C(0x50000) /* of another image */
#define TEXT   1024

static const uint8_t build_id[] = {0xaa, 0x11, 0x22, 0x33};
static const uint8_t other_id[] = {0xbb, 0x11, 0x22, 0x33};

/* Images, a symbolizer with them, their points. */
struct fixture {
	struct elf_bytes files[2];
	struct kct_image *images[2];
	struct kct_points *points[2];
	struct kct_symbolizer *symbolizer;
	struct kct_coverage *coverage;
	size_t n;
	struct kct_error error;
};

static void open_images(struct fixture *self, size_t n)
{
	static const char *const names[] = {"vmlinux", "second"};

	*self = (struct fixture){.n = n};
	assert_int_equal(kct_symbolizer_new(&self->symbolizer), 0);
	for (size_t i = 0; i < n; i++) {
		self->files[i] = coverage_make(i ? SECOND : BASE, build_id);
		assert_int_equal(kct_image_open_memory(self->files[i].data, self->files[i].n,
						       names[i], &self->images[i], NULL),
				 0);
		assert_int_equal(kct_points_new(self->images[i], NULL, &self->points[i], NULL), 0);
		assert_int_equal(
			kct_symbolizer_add_image(self->symbolizer, self->images[i], names[i], NULL),
			0);
	}
}

/** With the points of the first `n` images. */
static void begin(struct fixture *self, const struct kct_coverage_options *options, size_t n)
{
	assert_int_equal(kct_coverage_new(self->symbolizer, options, &self->coverage), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(kct_coverage_add_points(self->coverage, self->points[i], NULL), 0);
}

static void close_images(struct fixture *self)
{
	kct_coverage_free(self->coverage);
	kct_symbolizer_free(self->symbolizer);
	for (size_t i = 0; i < self->n; i++) {
		kct_points_free(self->points[i]);
		kct_image_free(self->images[i]);
		free(self->files[i].data);
	}
}

/* PCs of a set, up to one of 0 records. */
struct hit {
	uint64_t pc;
	uint64_t records;
};

static struct kct_pc_set *make_set(enum kct_pc_kind kind, const struct kct_pc_origin *origin,
				   const struct hit *hits)
{
	static const struct kct_pc_origin recorded = {.image = "", .section = ""};
	struct kct_pc_set *set;
	size_t part;

	assert_int_equal(kct_pc_set_new(kind, &set), 0);
	assert_int_equal(kct_pc_set_part(set, origin ? origin : &recorded, &part), 0);
	for (; hits->records; hits++)
		assert_int_equal(kct_pc_set_add(set, part, hits->pc, hits->records), 0);
	kct_pc_set_add_traces(set, 1);
	return set;
}

static int add_hits(struct fixture *self, enum kct_pc_kind kind, const struct kct_pc_origin *origin,
		    const struct hit *hits, bool force)
{
	struct kct_pc_set *set = make_set(kind, origin, hits);
	int result = kct_coverage_add_set(self->coverage, set, force, &self->error);

	kct_pc_set_free(set);
	return result;
}

static void put(char text[TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(char text[TEXT], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, TEXT - used, format, args);
	va_end(args);
}

/** All lines: "a.c: 10h2 11m", with h hit, i implied, m missed, u unknown, ~ partly, and records. */
static void put_files(const struct kct_coverage *coverage, char text[TEXT])
{
	size_t n;
	const struct kct_coverage_file *files = kct_coverage_files(coverage, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		put(text, "%s%s:", i ? " " : "", files[i].path);
		for (size_t j = 0; j < files[i].n_lines; j++) {
			const struct kct_coverage_line *line = &files[i].lines[j];

			put(text, " %u%c%s", line->line, "umih"[line->state],
			    line -> partly ? "~" : "");
			if (line->records)
				put(text, "%llu", (unsigned long long)line->records);
		}
	}
}

/** All functions: "f 1/3 r3 e2", hit of points, records, entries. */
static void put_functions(const struct kct_coverage *coverage, char text[TEXT])
{
	size_t n;
	const struct kct_coverage_function *functions = kct_coverage_functions(coverage, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		put(text, "%s%s %u/%u r%llu e%llu", i ? ", " : "", functions[i].name,
		    functions[i].hit, functions[i].points, (unsigned long long)functions[i].records,
		    (unsigned long long)functions[i].entries);
}

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

#define P(i) (BASE + F + 4 + point_offset_##i)
enum {
	point_offset_0 = F,
	point_offset_1 = F + 8,
	point_offset_2 = F + 0x18,
	point_offset_3 = G,
	point_offset_4 = N_AT
};

#define NOT_HIT_G_N "30m 31m 32m 40m"

static void test_results(void **state)
{
	static const struct {
		const char *name;
		struct kct_coverage_options options; /* without its size */
		struct hit hits[6];
		const char *lines;
		const char *functions;
	} rows[] = {
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

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_coverage_options options = rows[i].options;
		char text[TEXT];
		struct fixture self;

		options.size = sizeof(options);
		open_images(&self, 1);
		begin(&self, &options, 1);
		CHECK_EQ(rows[i].name, add_hits(&self, KCT_PC_RETURN, NULL, rows[i].hits, false),
			 0);
		CHECK_EQ(rows[i].name, kct_coverage_finish(self.coverage, &self.error), 0);
		put_files(self.coverage, text);
		CHECK_STR(rows[i].name, text, rows[i].lines);
		put_functions(self.coverage, text);
		CHECK_STR(rows[i].name, text, rows[i].functions);
		close_images(&self);
	}
}

/** Numbers add up from points to files, modules and the total. */
static void test_sums(void **state)
{
	static const struct hit hits[] = {
		{P(0), 2},  {P(1), 1}, {SECOND + G + 4, 5}, {BASE + G + 8, 1}, /* the exit's */
		{0x999, 1},						       /* in no image */
		{0, 0}};
	const struct kct_coverage_total *total;
	const struct kct_coverage_module *modules;
	const struct kct_coverage_inlined *inlined;
	const struct kct_coverage_file *files;
	struct fixture self;
	size_t n;

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

	modules = kct_coverage_modules(self.coverage, &n);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(modules[i].name, i ? "second" : "vmlinux");
		assert_ptr_equal(modules[i].image, self.images[i]);
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

	files = kct_coverage_files(self.coverage, &n);
	assert_int_equal(n, 2);
	assert_int_equal(files[0].points, 10);
	assert_int_equal(files[0].hit, 3);
	assert_int_equal(files[0].n_functions, 6);
	assert_int_equal(files[0].hit_functions, 2);
	assert_int_equal(files[1].points, 0);
	assert_int_equal(files[1].n_functions, 0);
	assert_int_equal(files[1].n_inlined, 1);
	inlined = kct_coverage_inlined(self.coverage, &n);
	assert_int_equal(n, 1);
	assert_string_equal(inlined[0].name, "l");
	assert_int_equal(inlined[0].file, 1);
	assert_int_equal(inlined[0].line, 5);
	close_images(&self);
}

/** PCs by where they are from. */
static void test_origins(void **state)
{
	static const struct {
		const char *name;
		struct kct_pc_origin origin;
		enum kct_pc_kind kind;
		bool force;
		struct hit hits[4];
		int result;
		uint64_t hit, elsewhere;
	} rows[] = {
		{"as recorded",
		 {.image = "", .section = ""},
		 KCT_PC_RETURN,
		 false,
		 {{P(0), 1}, {P(3), 1}},
		 0,
		 2,
		 0},
		{"by the image",
		 {.image = "vmlinux", .section = ""},
		 KCT_PC_RETURN,
		 false,
		 {{P(0), 1}, {P(3), 1}},
		 0,
		 2,
		 0},
		{"by a section",
		 {.image = "vmlinux", .section = ".text"},
		 KCT_PC_RETURN,
		 false,
		 {{F + 4, 1}, {G + 4, 1}, {N_AT + 4, 1}},
		 0,
		 3,
		 0},
		{"a section that is not there",
		 {.image = "vmlinux", .section = ".init.text"},
		 KCT_PC_RETURN,
		 false,
		 {{F + 4, 1}, {G + 4, 1}},
		 0,
		 0,
		 2},
		{"an image that is not there",
		 {.image = "loop", .section = ".text"},
		 KCT_PC_RETURN,
		 false,
		 {{F + 4, 1}},
		 0,
		 0,
		 1},
		{"an image whose points are not there",
		 {.image = "second", .section = ""},
		 KCT_PC_RETURN,
		 false,
		 {{SECOND + F + 4, 1}},
		 0,
		 0,
		 1},
		{"as recorded, in that image",
		 {.image = "", .section = ""},
		 KCT_PC_RETURN,
		 false,
		 {{SECOND + F + 4, 1}, {P(1), 1}},
		 0,
		 1,
		 1},
		{"addresses of calls",
		 {.image = "", .section = ""},
		 KCT_PC_CALL,
		 false,
		 {{BASE + F, 1}, {BASE + F + 8, 1}, {P(3), 1}},
		 0,
		 2,
		 0},
		{"of this build",
		 {.image = "vmlinux", .section = "", .build_id = build_id, .build_id_bytes = 4},
		 KCT_PC_RETURN,
		 false,
		 {{P(0), 1}},
		 0,
		 1,
		 0},
		{"of another build",
		 {.image = "vmlinux", .section = "", .build_id = other_id, .build_id_bytes = 4},
		 KCT_PC_RETURN,
		 false,
		 {{P(0), 1}},
		 KCT_ERR_BUILD,
		 0,
		 0},
		{"recorded on another build",
		 {.image = "", .section = "", .build_id = other_id, .build_id_bytes = 4},
		 KCT_PC_RETURN,
		 false,
		 {{P(0), 1}},
		 KCT_ERR_BUILD,
		 0,
		 0},
		{"of another build, all the same",
		 {.image = "vmlinux", .section = "", .build_id = other_id, .build_id_bytes = 4},
		 KCT_PC_RETURN,
		 true,
		 {{P(0), 1}},
		 0,
		 1,
		 0},
		{"of another build of another image",
		 {.image = "loop", .section = "", .build_id = other_id, .build_id_bytes = 4},
		 KCT_PC_RETURN,
		 false,
		 {{P(0), 1}},
		 0,
		 0,
		 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kct_coverage_total *total;
		struct fixture self;
		int result;

		open_images(&self, 2);
		begin(&self, NULL, 1);
		result =
			add_hits(&self, rows[i].kind, &rows[i].origin, rows[i].hits, rows[i].force);
		CHECK_EQ(rows[i].name, result, rows[i].result);
		if (result < 0)
			CHECK(rows[i].name, strstr(self.error.text, "bb112233") &&
						    strstr(self.error.text, "aa112233"));
		assert_int_equal(kct_coverage_finish(self.coverage, NULL), 0);
		total = kct_coverage_total(self.coverage);
		CHECK_EQ(rows[i].name, total->hit, rows[i].hit);
		CHECK_EQ(rows[i].name, total->matched, rows[i].hit);
		CHECK_EQ(rows[i].name, total->elsewhere, rows[i].elsewhere);
		/* A set that was refused has left nothing. */
		CHECK_EQ(rows[i].name, total->traces, result < 0 ? 0 : 1);
		close_images(&self);
	}
}

static int stop(void *context, size_t done, size_t total)
{
	int *calls = context;

	assert_true(done <= total);
	return ++*calls == 1;
}

static int go_on(void *context, size_t done, size_t total)
{
	int *calls = context;

	assert_true(done <= total);
	++*calls;
	return 0;
}

static void test_progress(void **state)
{
	static const struct {
		const char *name;
		int (*progress)(void *context, size_t done, size_t total);
		int result;
	} rows[] = {
		{"stops", stop, KCT_ERR_LIMIT},
		{"goes on", go_on, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int calls = 0;
		const struct kct_coverage_options options = {
			.size = sizeof(options), .progress = rows[i].progress, .context = &calls};
		struct fixture self;
		size_t n;

		open_images(&self, 1);
		begin(&self, &options, 1);
		CHECK_EQ(rows[i].name, kct_coverage_finish(self.coverage, &self.error),
			 rows[i].result);
		CHECK(rows[i].name, calls >= 1);
		/* There is no second try, and what there is of results can be asked for and freed. */
		CHECK_EQ(rows[i].name, kct_coverage_finish(self.coverage, NULL), KCT_ERR_ARGUMENT);
		kct_coverage_modules(self.coverage, &n);
		CHECK_EQ(rows[i].name, n, rows[i].result < 0 ? 0 : 1);
		close_images(&self);
	}
}

static void test_wrong_use(void **state)
{
	static const struct hit nothing[] = {{0, 0}};
	struct kct_coverage_options options = {.size = 3};
	struct kct_coverage *coverage = NULL;
	struct kct_symbolizer *other;
	struct fixture self;

	(void)state;
	open_images(&self, 1);
	assert_int_equal(kct_symbolizer_new(&other), 0);
	assert_int_equal(kct_coverage_new(NULL, NULL, &coverage), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_coverage_new(other, NULL, NULL), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_coverage_new(other, &options, &coverage), KCT_ERR_ARGUMENT);
	assert_null(coverage);
	/* An image that this symbolizer does not have. */
	assert_int_equal(kct_coverage_new(other, NULL, &coverage), 0);
	assert_int_equal(kct_coverage_add_points(coverage, self.points[0], &self.error),
			 KCT_ERR_NOT_FOUND);
	assert_int_equal(kct_coverage_add_points(coverage, NULL, NULL), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_coverage_add_set(coverage, NULL, false, NULL), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_coverage_finish(NULL, NULL), KCT_ERR_ARGUMENT);
	/* Without any image there is nothing to cover. */
	assert_int_equal(kct_coverage_finish(coverage, NULL), KCT_ERR_ARGUMENT);
	kct_coverage_free(coverage);
	kct_symbolizer_free(other);
	kct_coverage_free(NULL);
	begin(&self, NULL, 1);
	assert_int_equal(kct_coverage_finish(self.coverage, NULL), 0);
	assert_int_equal(kct_coverage_add_points(self.coverage, self.points[0], NULL),
			 KCT_ERR_ARGUMENT);
	assert_int_equal(add_hits(&self, KCT_PC_RETURN, NULL, nothing, false), KCT_ERR_ARGUMENT);
	close_images(&self);
}

#define LATE 40 /* images; an array of them moves several times */

/** Portable symbols may be added at any time, also while a coverage holds images of the symbolizer. */
static void test_images_that_come_later(void **state)
{
	static const struct hit hits[] = {{P(0), 2}, {P(3), 1}, {SECOND + F + 4, 1}, {0, 0}};
	const uint64_t pc = SECOND + F + 4;
	const struct kct_portable_request request = {
		.size = sizeof(request), .pcs = &pc, .n_pcs = 1, .kind = KCT_PORTABLE_FUNCTIONS};
	struct elf_bytes file = coverage_make(SECOND, build_id);
	struct kct_image *late[LATE], *image;
	struct kct_symbolizer *second;
	struct kct_portable *portable;
	struct fixture self;
	char text[TEXT];
	const void *data;
	size_t bytes;

	(void)state;
	assert_int_equal(kct_symbolizer_new(&second), 0);
	assert_int_equal(kct_image_open_memory(file.data, file.n, "second", &image, NULL), 0);
	assert_int_equal(kct_symbolizer_add_image(second, image, "second", NULL), 0);
	assert_int_equal(kct_portable_new(second, &request, &portable, NULL), 0);
	data = kct_portable_data(portable, 0, &bytes);
	assert_non_null(data);

	open_images(&self, 1);
	begin(&self, NULL, 1);
	for (size_t i = 0; i < LATE; i++) {
		assert_int_equal(kct_image_open_memory(data, bytes, "late", &late[i], NULL), 0);
		assert_int_equal(kct_symbolizer_add_image(self.symbolizer, late[i], "late", NULL),
				 0);
		if (i == LATE / 2)
			assert_int_equal(add_hits(&self, KCT_PC_RETURN, NULL, hits, false), 0);
	}
	assert_int_equal(kct_coverage_finish(self.coverage, NULL), 0);
	put_functions(self.coverage, text);
	assert_string_equal(text, "f 1/3 r2 e2, g 1/1 r1 e1, n 0/1 r0 e0");
	assert_int_equal(kct_coverage_total(self.coverage)->elsewhere, 1);
	/* Any other image comes too late. */
	assert_int_equal(kct_symbolizer_add_image(self.symbolizer, image, "second", NULL),
			 KCT_ERR_ARGUMENT);
	close_images(&self);
	for (size_t i = 0; i < LATE; i++)
		kct_image_free(late[i]);
	kct_portable_free(portable);
	kct_symbolizer_free(second);
	kct_image_free(image);
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),	  cmocka_unit_test(test_sums),
		cmocka_unit_test(test_origins),	  cmocka_unit_test(test_progress),
		cmocka_unit_test(test_wrong_use), cmocka_unit_test(test_images_that_come_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
