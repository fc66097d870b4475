/* SPDX-License-Identifier: BSD-2-Clause */
/* What coverage takes and refuses: sets of other images and builds, calls out of order, images that come late. */
#include "coverage_fixture.h"

#include <pthread.h>

static const uint8_t other_id[] = {0xbb, 0x11, 0x22, 0x33};

/* PCs by where they are from. */
static const struct {
	const char *name;
	struct kct_pc_origin origin;
	enum kct_pc_kind kind;
	bool force;
	struct hit hits[4];
	int result;
	uint64_t hit, elsewhere;
} origin_rows[] = {
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

static void test_origins(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(origin_rows); i++) {
		const struct kct_coverage_total *total;
		struct fixture self;
		int result;

		open_images(&self, 2);
		begin(&self, NULL, 1);
		result = add_hits(&self, origin_rows[i].kind, &origin_rows[i].origin,
				  origin_rows[i].hits, origin_rows[i].force);
		CHECK_EQ(origin_rows[i].name, result, origin_rows[i].result);
		if (result < 0)
			CHECK(origin_rows[i].name, strstr(self.error.text, "bb112233") &&
							   strstr(self.error.text, "aa112233"));
		assert_int_equal(kct_coverage_finish(self.coverage, NULL), 0);
		total = kct_coverage_total(self.coverage);
		CHECK_EQ(origin_rows[i].name, total->hit, origin_rows[i].hit);
		CHECK_EQ(origin_rows[i].name, total->matched, origin_rows[i].hit);
		CHECK_EQ(origin_rows[i].name, total->elsewhere, origin_rows[i].elsewhere);
		/* A set that was refused has left nothing. */
		CHECK_EQ(origin_rows[i].name, total->traces, result < 0 ? 0 : 1);
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

#define THREADS 4
#define GRAPHS	500 /* of each thread */

/** Graphs of f and g in turn; NULL if all have the blocks that they should have. */
static void *make_graphs(void *context)
{
	const struct kct_points *points = context;

	for (size_t i = 0; i < GRAPHS; i++) {
		struct kct_graph *graph;
		size_t n;

		if (kct_graph_new(points, BASE + (i % 2 ? F : G), &graph, NULL) < 0)
			return context;
		kct_graph_blocks(graph, &n);
		kct_graph_free(graph);
		/* f: the entry, two ways, the end. g: one, as callbacks return. */
		if (n != (i % 2 ? 4 : 1))
			return context;
	}
	return NULL;
}

/** Points are const, so that graphs of them may be made in threads. */
static void test_graphs_in_threads(void **state)
{
	pthread_t threads[THREADS];
	struct fixture self;
	void *wrong;

	(void)state;
	open_images(&self, 1);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_graphs, self.points[0]), 0);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	close_images(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_wrong_use),
		cmocka_unit_test(test_images_that_come_later),
		cmocka_unit_test(test_graphs_in_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
