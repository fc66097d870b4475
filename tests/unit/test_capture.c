/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture over a driver that behaves: states, modes, views and copies. */
#include <sys/wait.h>
#include <unistd.h>

#include "capture_kernels.h"

#define PC(offset) (0xffffffff81000000u + (offset))

/** A page of 64-bit words. */
static uint64_t page_words(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE) / 8;
}

/** Decode an area and compare the PCs of its records. */
static void check_pcs(const char *row, const struct kct_capture_area *area, const uint64_t *pcs,
		      size_t n)
{
	struct kct_decoder *decoder;
	struct kct_record record;

	CHECK_EQ(row,
		 kct_decoder_new(area->layout, area->data, area->bytes, KCT_DECODE_STRICT, &decoder,
				 NULL),
		 0);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(row, kct_decoder_next(decoder, &record, NULL), 1);
		CHECK_EQ(row, record.pc, pcs[i]);
	}
	CHECK_EQ(row, kct_decoder_next(decoder, &record, NULL), 0);
	kct_decoder_free(decoder);
}

static void test_a_trace_from_open_to_close(void **state)
{
	const uint64_t with_enabling[] = {DOUBLE_ENABLE_PC, PC(1), PC(2)};
	const uint64_t after_reset[] = {PC(3), DOUBLE_DISABLE_PC};
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;

	(void)state;
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 2, 0);
	double_hit_pc(&driver, PC(0)); /* not traced yet */
	enable_capture(capture, KCT_MODE_PC);
	double_hit_pc(&driver, PC(1));
	double_hit_pc(&driver, PC(2));
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 3);
	assert_int_equal(area.bytes, 4 * 8);
	assert_ptr_equal(area.records, (const unsigned char *)area.data + 8);
	check_pcs("enabling does not reset", &area, with_enabling, 3);
	assert_int_equal(kct_capture_reset(capture, NULL), 0);
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 0);
	double_hit_pc(&driver, PC(3));
	assert_int_equal(kct_capture_disable(capture, NULL), 0);
	double_hit_pc(&driver, PC(4)); /* no longer */
	kct_capture_view(capture, &area);
	check_pcs("the head of disabling", &area, after_reset, 2);
	enable_capture(capture, KCT_MODE_PC); /* again */
	assert_true(double_leaks(&driver) > 0);
	kct_capture_free(capture); /* still traced */
	assert_int_equal(double_leaks(&driver), 0);
	kct_capture_free(NULL);
}

static void test_sizes(void **state)
{
	uint64_t page = page_words();
	const struct {
		const char *name;
		const struct double_kernel *kernel;
		uint64_t words, expected;
		uint32_t word_bytes;
	} rows[] = {
		{"the default", &plain_kernel, 0, KCT_CAPTURE_WORDS, 8},
		{"the smallest", &plain_kernel, 2, page, 8},
		{"a page", &plain_kernel, page, page, 8},
		{"a page and a word", &plain_kernel, page + 1, 2 * page, 8},
		{"32-bit kernel, the smallest", &small_kernel, 2, 2 * page, 4},
		{"32-bit kernel, a page", &small_kernel, 2 * page, 2 * page, 4},
		{"32-bit kernel, a page and a word", &small_kernel, 2 * page + 1, 4 * page, 4},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct capture_double driver;
		struct kct_capture *capture;
		struct kct_capture_area area;

		double_init(&driver, rows[i].kernel);
		capture = open_capture(&driver, rows[i].words, 0);
		kct_capture_view(capture, &area);
		CHECK_EQ(rows[i].name, area.layout->capacity_words, rows[i].expected);
		CHECK_EQ(rows[i].name, area.layout->word_bytes, rows[i].word_bytes);
		CHECK_EQ(rows[i].name, kct_capture_bytes(capture),
			 rows[i].expected * rows[i].word_bytes);
		CHECK_EQ(rows[i].name, driver.descriptors[0].words, rows[i].expected);
		CHECK_EQ(rows[i].name, kct_capture_fd(capture), 100);
		kct_capture_free(capture);
		CHECK_EQ(rows[i].name, double_leaks(&driver), 0);
	}
}

/* One row a mode and kernel: what is recorded, what the count then is, in which bytes it lies. */
struct mode_row {
	const char *name;
	const struct double_kernel *kernel;
	enum kct_mode mode;
	uint64_t bitmap_words;
	uint64_t count;	   /* after one event */
	size_t head_bytes; /* with the count word */
	size_t used_bytes;
	uint64_t max_count;    /* for an area of one page */
	uint32_t memory_words; /* in the layout */
};

static void record_event(struct capture_double *driver, enum kct_mode mode)
{
	/* ENTRY of two words; an access of eight bytes: MEMORY of five words. */
	static const uint64_t entry[] = {0x00ffffff81000100u, PC(0x50)};
	static const uint64_t access[] = {0x30ffffff81000100u, 0xff11000000001000u, 8, 7, 9};

	switch (mode) {
	case KCT_MODE_PC:
		double_hit_pc(driver, PC(0x100));
		break;
	case KCT_MODE_CMP:
		double_hit_cmp(driver, 7, 1, 2, PC(0x100));
		break;
	case KCT_MODE_EXT:
		double_hit_record(driver, entry, ARRAY_SIZE(entry));
		break;
	case KCT_MODE_MEMORY:
		double_hit_record(driver, access, ARRAY_SIZE(access));
		break;
	case KCT_MODE_UNIQUE:
		double_hit_guard(driver, 1, PC(0x100));
		double_hit_guard(driver, 1, PC(0x100));
		break;
	}
}

static void check_mode(const struct mode_row *row, const struct kct_capture_area *area)
{
	struct kct_decoder *decoder;
	struct kct_geometry geometry;
	struct kct_record record;
	/* A 32-bit kernel's PC is half of one. */
	uint64_t pc = row->mode != KCT_MODE_CMP && area->layout->word_bytes == 4 ? 0x81000100u
										 : PC(0x100);

	CHECK_EQ(row->name, area->count, row->count);
	CHECK_EQ(row->name, area->bytes, row->used_bytes);
	CHECK_EQ(row->name,
		 (const unsigned char *)area->records - (const unsigned char *)area->data,
		 row->head_bytes);
	CHECK_EQ(row->name, area->layout->mode, row->mode);
	CHECK_EQ(row->name, area->layout->memory_words, row->memory_words);
	CHECK_EQ(row->name, area->layout->bitmap_words, row->bitmap_words);
	CHECK_EQ(row->name, area->layout->capacity_words,
		 (uint64_t)sysconf(_SC_PAGESIZE) / area->layout->word_bytes - row->bitmap_words);
	CHECK_EQ(row->name,
		 kct_decoder_new(area->layout, area->data, area->bytes, KCT_DECODE_STRICT, &decoder,
				 NULL),
		 0);
	kct_decoder_geometry(decoder, &geometry);
	CHECK_EQ(row->name, geometry.missing_words, 0);
	CHECK_EQ(row->name, geometry.unused_words, 0);
	CHECK_EQ(row->name, geometry.overflow, KCT_OVERFLOW_NO);
	CHECK_EQ(row->name, kct_decoder_next(decoder, &record, NULL), 1);
	CHECK_EQ(row->name, record.pc, pc);
	CHECK_EQ(row->name, kct_decoder_next(decoder, &record, NULL), 0);
	kct_decoder_free(decoder);
}

/** An area that is full, and a count that lies. */
static void check_bounds(const struct mode_row *row, struct capture_double *driver,
			 struct kct_capture *capture)
{
	struct double_descriptor *descriptor = &driver->descriptors[0];
	size_t bytes = kct_capture_bytes(capture);
	struct kct_capture_area area;
	struct kct_decoder *decoder;
	struct kct_geometry geometry;
	unsigned char *copy = malloc(bytes);

	assert_non_null(copy);
	for (size_t i = 0; i < bytes; i++)
		record_event(driver, row->mode);
	kct_capture_view(capture, &area);
	CHECK(row->name, area.count <= row->max_count);
	if (row->mode != KCT_MODE_UNIQUE) {
		CHECK_EQ(row->name, area.count, row->max_count - row->max_count % row->count);
		CHECK_EQ(row->name,
			 kct_decoder_new(area.layout, area.data, area.bytes, 0, &decoder, NULL), 0);
		kct_decoder_geometry(decoder, &geometry);
		CHECK_EQ(row->name, geometry.overflow, KCT_OVERFLOW_YES);
		kct_decoder_free(decoder);
	}
	/* The low half of the count word of either size, on little-endian machines all of it. */
	memset(descriptor->area + row->head_bytes - descriptor->bytes / descriptor->words, 0xff, 4);
	kct_capture_view(capture, &area);
	CHECK_EQ(row->name, area.count, row->max_count);
	CHECK(row->name, area.bytes <= bytes);
	CHECK_EQ(row->name, kct_capture_snapshot(capture, copy, bytes, &area), 0);
	CHECK_EQ(row->name, area.count, row->max_count);
	if (row->used_bytes - row->head_bytes >= 8) {
		uint64_t word = (uint64_t)1 << 32; /* 32-bit programs look at the low half only */

		memcpy(descriptor->area + row->head_bytes - 8, &word, 8);
		kct_capture_view(capture, &area);
		CHECK_EQ(row->name, area.count, sizeof(size_t) == 8 ? row->max_count : 0);
		CHECK_EQ(row->name, kct_capture_reset(capture, NULL), 0);
		memcpy(&word, descriptor->area + row->head_bytes - 8, 8);
		CHECK_EQ(row->name, word, 0);
	}
	free(copy);
}

static void test_modes(void **state)
{
	uint64_t page = page_words();
	/* Head, bytes and limits by hand: PC: n words after the count; CMP: 4 * 8 bytes after 8. */
	const struct mode_row rows[] = {
		{"pc", &plain_kernel, KCT_MODE_PC, 0, 1, 8, 16, page - 1, 0},
		{"cmp", &plain_kernel, KCT_MODE_CMP, 0, 1, 8, 40, (page - 1) / 4, 0},
		{"ext", &memory_kernel, KCT_MODE_EXT, 0, 2, 8, 24, page - 1, 0},
		{"memory", &memory_kernel, KCT_MODE_MEMORY, 0, 5, 8, 48, page - 1, 5},
		{"unique", &unique_kernel, KCT_MODE_UNIQUE, 3, 1, 32, 40, page - 4, 0},
		{"pc, 32-bit kernel", &small_kernel, KCT_MODE_PC, 0, 1, 4, 8, 2 * page - 1, 0},
		{"cmp, 32-bit kernel", &small_kernel, KCT_MODE_CMP, 0, 1, 8, 40, (page - 1) / 4, 0},
		{"unique, 32-bit kernel", &small_kernel, KCT_MODE_UNIQUE, 5, 1, 24, 28,
		 2 * page - 6, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mode_row *row = &rows[i];
		struct capture_double driver;
		struct kct_capture *capture;
		struct kct_capture_area area;
		unsigned char copy[64];

		double_init(&driver, row->kernel);
		capture = open_capture(&driver, 2, row->bitmap_words);
		enable_capture(capture, row->mode);
		CHECK_EQ(row->name, kct_capture_reset(capture, NULL), 0);
		kct_capture_view(capture, &area);
		CHECK_EQ(row->name, area.count, 0);
		CHECK_EQ(row->name, area.bytes, row->head_bytes);
		record_event(&driver, row->mode);
		kct_capture_view(capture, &area);
		check_mode(row, &area);
		memset(copy, 0xa5, sizeof(copy));
		CHECK_EQ(row->name, kct_capture_snapshot(capture, copy, row->used_bytes, &area), 0);
		CHECK(row->name, area.data == copy);
		kct_capture_reset(capture, NULL); /* the copy stays */
		check_mode(row, &area);
		CHECK_EQ(row->name, copy[row->used_bytes], 0xa5);
		check_bounds(row, &driver, capture);
		kct_capture_free(capture);
		CHECK_EQ(row->name, double_leaks(&driver), 0);
	}
}

static void check_room(const struct double_kernel *kernel, enum kct_mode mode,
		       uint64_t bitmap_words, size_t needed)
{
	unsigned char copy[64] = {0xa5};
	struct kct_capture_area area = {.count = 77};
	const char *row = kct_mode_name(mode);
	struct capture_double driver;
	struct kct_capture *capture;

	double_init(&driver, kernel);
	capture = open_capture(&driver, 2, bitmap_words);
	enable_capture(capture, mode);
	kct_capture_reset(capture, NULL);
	record_event(&driver, mode);
	CHECK_EQ(row, kct_capture_snapshot(capture, copy, needed - 1, &area), KCT_ERR_TOO_SMALL);
	CHECK_EQ(row, area.count, 77);
	CHECK_EQ(row, copy[0], 0xa5);
	CHECK_EQ(row, kct_capture_snapshot(capture, copy, needed, &area), 0);
	CHECK_EQ(row, area.count, 1);
	kct_capture_free(capture);
}

static void test_snapshot_needs_room(void **state)
{
	(void)state;
	check_room(&plain_kernel, KCT_MODE_PC, 0, 16);
	check_room(&unique_kernel, KCT_MODE_UNIQUE, 3, 40);
	check_room(&small_kernel, KCT_MODE_PC, 0, 8);
}

/** The count of a live area runs ahead of its records: what is missing is not made up. */
static void test_a_record_that_is_not_written_yet(void **state)
{
	static const uint64_t words[] = {3, PC(1), PC(2), 0}; /* count, two PCs, a claimed slot */
	struct kct_capture_area area;
	struct kct_decoder *decoder;
	struct capture_double driver;
	struct kct_capture *capture;
	struct kct_record record;

	(void)state;
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 2, 0);
	memcpy(driver.descriptors[0].area, words, sizeof(words));
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 3);
	assert_int_equal(kct_decoder_new(area.layout, area.data, area.bytes, 0, &decoder, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(kct_decoder_next(decoder, &record, NULL), 1);
	assert_int_equal(record.kind, KCT_RECORD_LOST);
	assert_int_equal(record.lost.reason, KCT_LOST_UNWRITTEN);
	kct_decoder_free(decoder);
	kct_capture_free(capture);
}

static void test_unique_resets(void **state)
{
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;

	(void)state;
	double_init(&driver, &unique_kernel);
	capture = open_capture(&driver, 2, 1);
	enable_capture(capture, KCT_MODE_UNIQUE);
	kct_capture_reset(capture, NULL);
	double_hit_guard(&driver, 1, PC(1));
	double_hit_guard(&driver, 70, PC(70)); /* beyond the bitmap: every time */
	double_hit_guard(&driver, 70, PC(70));
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 3);
	assert_int_equal(kct_capture_reset_count(capture), 0);
	double_hit_guard(&driver, 1, PC(1)); /* known */
	double_hit_guard(&driver, 2, PC(2));
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 1);
	assert_int_equal(kct_capture_reset(capture, NULL), 0);
	double_hit_guard(&driver, 1, PC(1)); /* forgotten */
	kct_capture_view(capture, &area);
	assert_int_equal(area.count, 1);
	kct_capture_disable(capture, NULL);
	/* In PC mode the count lies where the bitmap was. */
	enable_capture(capture, KCT_MODE_PC);
	kct_capture_reset(capture, NULL);
	double_hit_pc(&driver, PC(5));
	kct_capture_view(capture, &area);
	check_pcs("pc after unique", &area, (const uint64_t[]){PC(5)}, 1);
	kct_capture_free(capture);
}

static void test_read_only(void **state)
{
	const struct kct_capture_options options = {
		.size = sizeof(options), .words = 2, .bitmap_words = 2, .read_only = true};
	struct capture_double driver;
	const struct kct_system system = double_system(&driver);
	struct kct_capture_area area;
	struct kct_capture *capture;

	(void)state;
	double_init(&driver, &unique_kernel);
	assert_int_equal(kct_capture_open_on(&system, &options, &capture, NULL), 0);
	enable_capture(capture, KCT_MODE_UNIQUE);
	double_hit_guard(&driver, 1, PC(1));
	assert_int_equal(kct_capture_reset_count(capture), KCT_ERR_MODE);
	assert_int_equal(kct_capture_reset(capture, NULL), 0);
	double_hit_guard(&driver, 1, PC(1));
	kct_capture_view(capture, &area);
	/* The reset leaves its own end; the point is new again. */
	check_pcs("read-only", &area, (const uint64_t[]){DOUBLE_RESET_PC, PC(1)}, 2);
	kct_capture_free(capture);
	assert_int_equal(double_leaks(&driver), 0);
}

static void test_remote(void **state)
{
	const uint64_t usb[] = {KCT_REMOTE_USB(3), KCT_REMOTE_USB(4)};
	const struct kct_capture_remote remote = {
		.handles = usb, .n_handles = 2, .common = KCT_REMOTE_COMMON(9), .section_words = 2};
	const uint64_t section[] = {PC(1), PC(2), PC(3)}; /* cut to two words */
	const uint64_t expected[] = {PC(1), PC(2), PC(1), PC(1)};
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;

	(void)state;
	/* As the kernel's header has them: the subsystem in the top byte. */
	assert_true(usb[0] == 0x0100000000000003u && KCT_REMOTE_COMMON(9) == 9);
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 2, 0);
	assert_int_equal(kct_capture_enable_remote(capture, KCT_MODE_PC, &remote, NULL), 0);
	double_hit_pc(&driver, PC(7)); /* the thread itself is not traced */
	double_remote_section(&driver, usb[0], section, 3);
	double_remote_section(&driver, KCT_REMOTE_USB(5), section, 3);
	double_remote_section(&driver, usb[1], section, 1);
	double_remote_section(&driver, 9, section, 1);
	kct_capture_view(capture, &area);
	check_pcs("remote", &area, expected, 4);
	assert_int_equal(kct_capture_disable(capture, NULL), 0);
	assert_int_equal(kct_capture_enable_remote(capture, KCT_MODE_PC, &remote, NULL), 0);
	kct_capture_free(capture);
	assert_int_equal(double_leaks(&driver), 0);
}

/** All that a fuzzer's loop does is free of system calls. */
static void test_inner_loop_makes_no_system_call(void **state)
{
	uint64_t copy[64];
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;
	unsigned before;

	(void)state;
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 2, 0);
	enable_capture(capture, KCT_MODE_PC);
	before = driver.requests;
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(kct_capture_reset(capture, NULL), 0);
		for (unsigned k = 0; k < i % 50; k++)
			double_hit_pc(&driver, PC(k));
		assert_int_equal(kct_capture_snapshot(capture, copy, sizeof(copy), &area), 0);
		assert_int_equal(area.count, i % 50);
	}
	assert_int_equal(driver.requests, before);
	kct_capture_free(capture);
}

/** The size of MEMORY records is asked for once: enabling is then a single system call. */
static void test_enabling_is_one_system_call(void **state)
{
	struct capture_double driver;
	struct kct_capture *capture;
	unsigned before;

	(void)state;
	double_init(&driver, &memory_kernel);
	capture = open_capture(&driver, 2, 0);
	assert_int_equal(kct_capture_set_mode(capture, KCT_MODE_MEMORY, NULL), 0);
	before = driver.requests;
	enable_capture(capture, KCT_MODE_MEMORY);
	assert_int_equal(kct_capture_disable(capture, NULL), 0);
	assert_int_equal(driver.requests, before + 2);
	kct_capture_free(capture);
}

/** A fork server: the children are traced one after the other, the parent reads the area. */
static void test_fork_server(void **state)
{
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;

	(void)state;
	double_init(&driver, &unique_kernel);
	capture = open_capture(&driver, 2, 1);
	assert_int_equal(kct_capture_set_mode(capture, KCT_MODE_CMP, NULL), 0);
	for (int child = 2; child < 5; child++) {
		struct kct_capture in_child = *capture; /* what a fork copies */

		driver.thread = child;
		assert_int_equal(kct_capture_disable(&in_child, NULL), KCT_ERR_NOT_TRACED);
		enable_capture(&in_child, KCT_MODE_CMP);
		kct_capture_reset(&in_child, NULL);
		double_hit_cmp(&driver, 7, 1, 2, PC((unsigned)child));
		double_end_thread(&driver, child);
		driver.thread = 1;
		kct_capture_view(capture, &area);
		check_pcs("what the child did", &area, (const uint64_t[]){PC((unsigned)child)}, 1);
	}
	kct_capture_free(capture);
	assert_int_equal(double_leaks(&driver), 0);
}

/** What a tracer does: another thread makes the call that this one is told. */
static void test_another_thread_enables(void **state)
{
	static const struct {
		const char *name;
		const struct double_kernel *kernel;
		enum kct_mode mode;
		size_t bitmap_words;
		unsigned driver_mode; /* the number that the driver has for it */
	} rows[] = {
		{"pc", &memory_kernel, KCT_MODE_PC, 0, 0},
		{"ext", &memory_kernel, KCT_MODE_EXT, 0, 2},
		{"memory", &memory_kernel, KCT_MODE_MEMORY, 0, 3},
		{"unique", &unique_kernel, KCT_MODE_UNIQUE, 1, 100},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kct_capture_call call;
		struct kct_capture *capture;
		struct capture_double driver;
		struct kct_system system;

		double_init(&driver, rows[i].kernel);
		system = double_system(&driver);
		capture = open_capture(&driver, 2, rows[i].bitmap_words);
		CHECK_EQ(rows[i].name, kct_capture_enable_call(capture, rows[i].mode, &call, NULL),
			 0);
		driver.thread = 2;
		CHECK_EQ(rows[i].name,
			 system.ioctl(system.context, kct_capture_fd(capture), call.request,
				      (uintptr_t)call.argument),
			 0);
		/* It is this one that is traced now, in the mode that was wanted. */
		CHECK_EQ(rows[i].name, kct_capture_enable(capture, rows[i].mode, NULL),
			 KCT_ERR_BUSY_THREAD);
		driver.thread = 1;
		CHECK_EQ(rows[i].name, kct_capture_disable(capture, NULL), KCT_ERR_NOT_TRACED);
		CHECK_EQ(rows[i].name, driver.descriptors[0].mode, rows[i].driver_mode);
		double_end_thread(&driver, 2);
		kct_capture_free(capture);
		CHECK_EQ(rows[i].name, double_leaks(&driver), 0);
	}
}

/** Modes that cannot be enabled have no call. */
static void test_no_call_for_unknown_modes(void **state)
{
	struct kct_capture_call call = {.request = 1};
	struct kct_capture *capture;
	struct capture_double driver;

	(void)state;
	double_init(&driver, &unique_kernel);
	capture = open_capture(&driver, 2, 0);
	assert_int_equal(kct_capture_enable_call(capture, KCT_MODE_UNIQUE, &call, NULL),
			 KCT_ERR_ARGUMENT); /* without a bitmap */
	assert_int_equal(kct_capture_enable_call(capture, KCT_MODE_MEMORY, &call, NULL),
			 KCT_ERR_NO_MODE);
	assert_int_equal(call.request, 1);
	kct_capture_free(capture);
}

/** A real fork: the child's records arrive in the parent's mapping. */
static void test_area_is_shared_with_a_child(void **state)
{
	struct kct_capture_area area;
	struct capture_double driver;
	struct kct_capture *capture;
	int status;
	pid_t child;

	(void)state;
	double_init(&driver, &plain_kernel);
	capture = open_capture(&driver, 2, 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		driver.thread = 2;
		if (kct_capture_enable(capture, KCT_MODE_PC, NULL) < 0)
			_exit(1);
		kct_capture_reset(capture, NULL);
		double_hit_pc(&driver, PC(6));
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	kct_capture_view(capture, &area);
	check_pcs("the child's", &area, (const uint64_t[]){PC(6)}, 1);
	kct_capture_free(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trace_from_open_to_close),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_snapshot_needs_room),
		cmocka_unit_test(test_a_record_that_is_not_written_yet),
		cmocka_unit_test(test_unique_resets),
		cmocka_unit_test(test_read_only),
		cmocka_unit_test(test_remote),
		cmocka_unit_test(test_inner_loop_makes_no_system_call),
		cmocka_unit_test(test_enabling_is_one_system_call),
		cmocka_unit_test(test_fork_server),
		cmocka_unit_test(test_another_thread_enables),
		cmocka_unit_test(test_no_call_for_unknown_modes),
		cmocka_unit_test(test_area_is_shared_with_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
