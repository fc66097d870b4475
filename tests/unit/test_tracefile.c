/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading .kct files that were written by hand, whole and in one piece. */
#include "trace_blocks.h"

static const enum kct_endian orders[] = {KCT_ENDIAN_LITTLE, KCT_ENDIAN_BIG};

/* A segment in which every field differs from its neighbours. */
static const unsigned char area[20] = "0123456789abcdefghij";

static const struct segment_plan full_plan = {
	.fields = 0x7f,
	.mode = KCT_MODE_PC,
	.os = KCT_OS_OPENBSD,
	.area_endian = KCT_ENDIAN_BIG,
	.word_bytes = 4,
	.eesum_quirk = 1,
	.layout_flags = 1,
	.entry_words = 2,
	.memory_words = 6,
	.overflow = KCT_OVERFLOW_YES,
	.bitmap_words = 0,
	.capacity_words = 0x1122334455,
	.process = 0xaabb,
	.thread = 0xccdd,
	.syscall = 17,
	.result = (uint64_t)-22,
	.arguments = {1, 2, 3, 4, 5, UINT64_MAX},
	.remote = 0x0100000000000005,
	.begin = 1000000007,
	.end = 2000000011,
	.name = "worker/1",
	.data = area,
	.bytes = sizeof(area),
};

static void check_full(const char *row, const struct kct_trace_segment *segment)
{
	CHECK_EQ(row, segment->fields, 0x7f);
	CHECK_EQ(row, segment->layout.mode, KCT_MODE_PC);
	CHECK_EQ(row, segment->layout.os, KCT_OS_OPENBSD);
	CHECK_EQ(row, segment->layout.endian, KCT_ENDIAN_BIG);
	CHECK_EQ(row, segment->layout.word_bytes, 4);
	CHECK_EQ(row, segment->layout.eesum_quirk, KCT_EESUM_SIGN_EXTENDED);
	CHECK_EQ(row, segment->layout.slid, true);
	CHECK_EQ(row, segment->layout.entry_words, 2);
	CHECK_EQ(row, segment->layout.memory_words, 6);
	CHECK_EQ(row, segment->layout.capacity_words, 0x1122334455);
	CHECK_STR(row, segment->layout.preset, "openbsd-pc");
	CHECK_EQ(row, segment->overflow, KCT_OVERFLOW_YES);
	CHECK_EQ(row, segment->process, 0xaabb);
	CHECK_EQ(row, segment->thread, 0xccdd);
	CHECK_STR(row, segment->name, "worker/1");
	CHECK_EQ(row, segment->syscall, 17);
	CHECK_EQ(row, segment->result, -22);
	for (size_t i = 0; i < 6; i++)
		CHECK_EQ(row, segment->arguments[i], full_plan.arguments[i]);
	CHECK_EQ(row, segment->remote_handle, 0x0100000000000005);
	CHECK_EQ(row, segment->begin, 1000000007);
	CHECK_EQ(row, segment->end, 2000000011);
	CHECK_EQ(row, segment->bytes, sizeof(area));
	CHECK(row, memcmp(segment->data, area, sizeof(area)) == 0);
}

static void test_all_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *row = i ? "big" : "little";
		struct block_plan plan = {
			.endian = orders[i], .type = TYPE_SEGMENT, .capture = 0x0123456789abcdef};
		struct kct_trace_segment segment = {.size = sizeof(segment)};
		struct bytes body = segment_body(orders[i], &full_plan), bytes = {0};
		struct kct_tracefile *file;

		block_add(&bytes, &plan, &body);
		/* 48 header, 160 fields, 16 name, 24 data, 8 trailer */
		CHECK_EQ(row, bytes.n, 256);
		file = open_bytes(&bytes);
		CHECK_EQ(row, kct_tracefile_segments(file), 1);
		CHECK_EQ(row, kct_tracefile_segment(file, 0, &segment, NULL), 0);
		check_full(row, &segment);
		CHECK_EQ(row, segment.capture, 0);
		CHECK_EQ(row, segment.offset, 0);
		CHECK_EQ(row, (const unsigned char *)segment.data - bytes.data, 48 + 160 + 16);
		CHECK_EQ(row, kct_tracefile_capture_id(file, 0), 0x0123456789abcdef);
		CHECK_EQ(row, kct_tracefile_capture_id(file, 1), 0);
		kct_tracefile_free(file);
		free(bytes.data);
	}
}

/** Fields whose bit is not set do not show what stands in their place. */
static void test_no_fields(void **state)
{
	struct block_plan plan = {.type = TYPE_SEGMENT};
	struct segment_plan no_fields = full_plan;
	struct kct_trace_segment segment = {.size = sizeof(segment)};
	struct kct_tracefile *file;
	struct bytes body, bytes = {0};

	(void)state;
	no_fields.fields = 0;
	no_fields.name = NULL;
	body = segment_body(KCT_ENDIAN_LITTLE, &no_fields);
	block_add(&bytes, &plan, &body);
	file = open_bytes(&bytes);
	assert_int_equal(kct_tracefile_segment(file, 0, &segment, NULL), 0);
	assert_int_equal(segment.overflow, KCT_OVERFLOW_UNKNOWN);
	assert_int_equal(segment.process | segment.thread, 0);
	assert_int_equal(segment.syscall | segment.result | (int64_t)segment.arguments[5], 0);
	assert_int_equal(segment.remote_handle | segment.begin | segment.end, 0);
	assert_null(segment.name);
	kct_tracefile_free(file);
	free(bytes.data);
}

static void test_metadata(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *row = i ? "big" : "little";
		struct block_plan plan = {.endian = orders[i], .type = TYPE_META, .capture = 7};
		struct kct_meta meta = {.size = sizeof(meta)};
		struct bytes bytes = {0}, body, numbers = {0};
		struct kct_tracefile *file;
		uint64_t number;

		body = meta_body(orders[i], 1, "kernel-release", "6.1.0", 5);
		block_add(&bytes, &plan, &body);
		bytes_number(&numbers, 0xffff888000000000, 8, orders[i]);
		bytes_number(&numbers, 0x1000, 8, orders[i]);
		body = meta_body(orders[i], 2, "percpu", numbers.data, numbers.n);
		block_add(&bytes, &plan, &body);
		body = meta_body(orders[i], 3, "build-id", "\0\1\2", 3);
		block_add(&bytes, &plan, &body);
		file = open_bytes(&bytes);
		CHECK_EQ(row, kct_tracefile_metas(file), 3);
		CHECK_EQ(row, kct_tracefile_segments(file), 0);
		CHECK_EQ(row,
			 kct_tracefile_find_meta(file, 0, KCT_META_KERNEL_RELEASE, KCT_META_TEXT,
						 &meta),
			 0);
		CHECK_STR(row, meta.data, "6.1.0");
		CHECK_EQ(row, meta.bytes, 5);
		CHECK_EQ(row, meta.offset, 0);
		CHECK_EQ(row, kct_meta_number(&meta, 0, &number), KCT_ERR_NOT_FOUND);
		CHECK_EQ(row,
			 kct_tracefile_find_meta(file, 0, KCT_META_PERCPU, KCT_META_NUMBERS, &meta),
			 0);
		CHECK_EQ(row, kct_meta_number(&meta, 0, &number), 0);
		CHECK_EQ(row, number, 0xffff888000000000);
		CHECK_EQ(row, kct_meta_number(&meta, 1, &number), 0);
		CHECK_EQ(row, number, 0x1000);
		CHECK_EQ(row, kct_meta_number(&meta, 2, &number), KCT_ERR_NOT_FOUND);
		CHECK_EQ(row, kct_tracefile_meta(file, 2, &meta), 0);
		CHECK_STR(row, meta.name, "build-id");
		CHECK_EQ(row, meta.type, KCT_META_BYTES);
		CHECK(row, meta.bytes == 3 && memcmp(meta.data, "\0\1\2", 3) == 0);
		CHECK_EQ(row, kct_tracefile_meta(file, 3, &meta), KCT_ERR_NOT_FOUND);
		kct_tracefile_free(file);
		free(numbers.data);
		free(bytes.data);
	}
}

/** Items are found by capture, name and type; the last one counts. */
static void test_find_metadata(void **state)
{
	static const struct {
		const char *name;
		uint32_t capture;
		const char *item;
		enum kct_meta_type type;
		const char *text; /* NULL: not found */
	} rows[] = {
		{"of the first capture", 0, "x-a", KCT_META_TEXT, "late"},
		{"of the second", 1, "x-a", KCT_META_TEXT, "other"},
		{"another name", 0, "x-b", KCT_META_TEXT, NULL},
		{"another type", 0, "x-a", KCT_META_BYTES, NULL},
		{"no such capture", 2, "x-a", KCT_META_TEXT, NULL},
	};
	struct bytes bytes = {0};
	struct kct_tracefile *file;

	(void)state;
	add_text(&bytes, 100, "x-a", "early");
	add_text(&bytes, 50, "x-a", "other");
	add_text(&bytes, 100, "x-a", "late");
	file = open_bytes(&bytes);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kct_meta meta = {.size = sizeof(meta), .data = "untouched"};
		int result = kct_tracefile_find_meta(file, rows[i].capture, rows[i].item,
						     rows[i].type, &meta);

		CHECK_EQ(rows[i].name, result, rows[i].text ? 0 : KCT_ERR_NOT_FOUND);
		CHECK_STR(rows[i].name, meta.data, rows[i].text ? rows[i].text : "untouched");
	}
	kct_tracefile_free(file);
	free(bytes.data);
}

/** The items of a capture are met in the order of the file, also those that no longer count. */
static void test_next_metadata(void **state)
{
	static const struct {
		const char *name;
		uint32_t capture;
		const char *texts; /* of all items */
	} rows[] = {
		{"of the first capture", 0, "early b late "},
		{"of the second", 1, "other "},
		{"a capture without items", 2, ""},
		{"no such capture", 3, ""},
	};
	struct bytes bytes = {0};
	struct kct_tracefile *file;
	struct kct_meta meta = {.size = sizeof(meta)}, unset = {.size = 0};
	size_t at = 2;

	(void)state;
	add_text(&bytes, 100, "x-a", "early");
	add_text(&bytes, 50, "x-a", "other");
	add_text(&bytes, 100, "x-b", "b");
	add_pcs(&bytes, 70, 1, 0, 1);
	add_text(&bytes, 100, "x-a", "late");
	file = open_bytes(&bytes);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char texts[64] = "";
		size_t from = 0;

		while (kct_tracefile_next_meta(file, rows[i].capture, &from, &meta) == 1) {
			CHECK_EQ(rows[i].name, meta.capture, rows[i].capture);
			strcat(strcat(texts, meta.data), " ");
		}
		CHECK_STR(rows[i].name, texts, rows[i].texts);
	}
	/* Item 2 is of the second capture, there is no item 5. */
	assert_int_equal(kct_tracefile_next_meta(file, 0, &at, &meta), KCT_ERR_ARGUMENT);
	at = 5;
	assert_int_equal(kct_tracefile_next_meta(file, 0, &at, &meta), KCT_ERR_ARGUMENT);
	at = 0;
	assert_int_equal(kct_tracefile_next_meta(file, 0, &at, &unset), KCT_ERR_ARGUMENT);
	assert_int_equal(at, 0);
	kct_tracefile_free(file);
	free(bytes.data);
}

/** Of many items each is found. */
static void test_many_metadata(void **state)
{
	const uint32_t n = 2000;
	struct bytes bytes = {0};
	struct kct_tracefile *file;

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		char name[32], text[32];

		snprintf(name, sizeof(name), "x-%u", i % (n / 2));
		snprintf(text, sizeof(text), "%u", i);
		add_text(&bytes, 10 + i % 2, name, text);
	}
	file = open_bytes(&bytes);
	for (uint32_t i = 0; i < n; i++) {
		struct kct_meta meta = {.size = sizeof(meta)};
		uint32_t last = i < n / 2 ? i + n / 2 : i;
		char name[32], text[32];

		snprintf(name, sizeof(name), "x-%u", i % (n / 2));
		snprintf(text, sizeof(text), "%u", last);
		assert_int_equal(kct_tracefile_find_meta(file, i % 2, name, KCT_META_TEXT, &meta),
				 0);
		CHECK_STR(name, meta.data, text);
		assert_int_equal(
			kct_tracefile_find_meta(file, !(i % 2), name, KCT_META_TEXT, &meta),
			KCT_ERR_NOT_FOUND);
	}
	kct_tracefile_free(file);
	free(bytes.data);
}

static void test_captures(void **state)
{
	struct kct_trace_segment segment = {.size = sizeof(segment)};
	static const uint32_t captures[] = {0, 1, 0}, threads[] = {11, 21, 12};
	struct bytes bytes = {0};
	struct kct_tracefile *file;

	(void)state;
	add_pcs(&bytes, 100, 11, 0, 3);
	add_pcs(&bytes, 0, 21, 0, 1); /* 0 is an ID like any other */
	add_pcs(&bytes, 100, 12, 0, 1);
	file = open_bytes(&bytes);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(kct_tracefile_segment(file, i, &segment, NULL), 0);
		assert_int_equal(segment.capture, captures[i]);
		assert_int_equal(segment.thread, threads[i]);
	}
	assert_int_equal(stats_of(file).captures, 2);
	assert_int_equal(kct_tracefile_segment(file, 3, &segment, NULL), KCT_ERR_NOT_FOUND);
	kct_tracefile_free(file);
	free(bytes.data);
}

/** What a later version may write: it is stepped over, counted or kept. */
static void test_later_versions(void **state)
{
	static const struct {
		const char *name;
		struct block_plan plan;
		uint64_t unknown, segments;
	} rows[] = {
		{"a known block", {.type = TYPE_SEGMENT}, 0, 1},
		{"another type", {.type = 999}, 1, 0},
		{"another version", {.type = TYPE_SEGMENT, .version = 2}, 1, 0},
		{"a flag that may be ignored", {.type = TYPE_SEGMENT, .flags = 1}, 0, 1},
		{"a flag that must be known", {.type = TYPE_SEGMENT, .flags = 0x10000}, 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct segment_plan plan = full_plan;
		struct bytes bytes = {0}, body;
		struct kct_tracefile_stats stats;
		struct kct_tracefile *file;

		plan.fields |= 0x80000000; /* a field that is not known is told, not refused */
		body = segment_body(rows[i].plan.endian, &plan);
		block_add(&bytes, &rows[i].plan, &body);
		add_pcs(&bytes, 1, 1, 0, 1);
		file = open_bytes(&bytes);
		stats = stats_of(file);
		CHECK_EQ(rows[i].name, stats.unknown_blocks, rows[i].unknown);
		CHECK_EQ(rows[i].name, stats.segments, rows[i].segments + 1);
		CHECK_EQ(rows[i].name, stats.damaged + stats.tail_bytes, 0);
		if (rows[i].segments) {
			struct kct_trace_segment segment = {.size = sizeof(segment)};

			CHECK_EQ(rows[i].name, kct_tracefile_segment(file, 0, &segment, NULL), 0);
			CHECK_EQ(rows[i].name, segment.fields, 0x8000007f);
		}
		kct_tracefile_free(file);
		free(bytes.data);
	}
}

/** Segments that cannot be decoded keep their number and say why. */
static void test_odd_segments(void **state)
{
	static const struct {
		const char *name;
		size_t at; /* in the body */
		size_t width;
		uint64_t value;
		int code;
	} rows[] = {
		{"as it was", 20, 4, KCT_OS_OPENBSD, 0},
		{"unknown mode", 16, 4, 9, KCT_ERR_UNSUPPORTED},
		{"unknown os", 20, 4, 77, KCT_ERR_UNSUPPORTED},
		{"unknown byte order", 24, 1, 2, KCT_ERR_UNSUPPORTED},
		{"words of 3 bytes", 25, 1, 3, KCT_ERR_LAYOUT},
		{"unknown quirk", 26, 1, 2, KCT_ERR_UNSUPPORTED},
		{"unknown layout flag", 27, 1, 2, KCT_ERR_UNSUPPORTED},
		{"mode ext with words of 4 bytes", 16, 4, KCT_MODE_EXT, KCT_ERR_LAYOUT},
		{"unknown overflow", 36, 4, 9, 0},
		{"more data than the body", 8, 8, UINT64_MAX, KCT_ERR_DAMAGED},
		{"one byte more than the body", 8, 8, 25, KCT_ERR_DAMAGED},
		{"as much as the body", 8, 8, 24, 0},
		{"no data", 8, 8, 0, 0},
		{"head smaller than its fields", 0, 4, 152, KCT_ERR_DAMAGED},
		{"head that ends oddly", 0, 4, 177, KCT_ERR_DAMAGED},
		{"head larger than the body", 0, 4, 208, KCT_ERR_DAMAGED},
		{"name in the fields", 152, 4, 8, KCT_ERR_DAMAGED},
		{"name behind the head", 152, 4, 176, KCT_ERR_DAMAGED},
		{"name as long as what is left", 156, 4, 16, KCT_ERR_DAMAGED},
		{"name of 4 GB", 156, 4, UINT32_MAX, KCT_ERR_DAMAGED},
		{"name without an end", 156, 4, 7, KCT_ERR_DAMAGED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct block_plan plan = {.type = TYPE_SEGMENT};
		struct bytes bytes = {0}, body = segment_body(plan.endian, &full_plan);
		struct kct_trace_segment segment = {.size = sizeof(segment)};
		struct kct_error error;
		struct kct_tracefile *file;

		area_put(body.data + rows[i].at, rows[i].value, rows[i].width, plan.endian);
		block_add(&bytes, &plan, &body);
		add_pcs(&bytes, 1, 5, 0, 1);
		file = open_bytes(&bytes);
		CHECK_EQ(rows[i].name, kct_tracefile_segments(file), 2);
		CHECK_EQ(rows[i].name, kct_tracefile_segment(file, 0, &segment, &error),
			 rows[i].code);
		CHECK(rows[i].name, rows[i].code == 0 || error.text[0]);
		CHECK_EQ(rows[i].name, kct_tracefile_segment(file, 1, &segment, &error), 0);
		CHECK_EQ(rows[i].name, segment.thread, 5);
		kct_tracefile_free(file);
		free(bytes.data);
	}
}

/** Items of metadata whose parts do not fit are damage. */
static void test_odd_metadata(void **state)
{
	static const struct {
		const char *name;
		size_t at, width;
		uint64_t value;
		uint64_t damaged;
	} rows[] = {
		{"as it was", 4, 4, 3, 0},
		{"a type of later", 0, 4, 99, 0},
		{"name as long as the body", 4, 4, 16, 1},
		{"name of 4 GB", 4, 4, UINT32_MAX, 1},
		{"name without its end", 4, 4, 2, 1},
		{"value longer than the body", 8, 8, 8, 1},
		{"value of 2^64 bytes", 8, 8, UINT64_MAX, 1},
		{"value without its end", 8, 8, 3, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct block_plan plan = {.type = TYPE_META};
		/* 16 head, 8 name, 8 value */
		struct bytes bytes = {0}, body = meta_body(plan.endian, 1, "x-a", "text", 4);
		struct kct_tracefile *file;

		area_put(body.data + rows[i].at, rows[i].value, rows[i].width, plan.endian);
		block_add(&bytes, &plan, &body);
		add_pcs(&bytes, 1, 5, 0, 1);
		file = open_bytes(&bytes);
		CHECK_EQ(rows[i].name, stats_of(file).damaged, rows[i].damaged);
		CHECK_EQ(rows[i].name, kct_tracefile_metas(file), !rows[i].damaged);
		CHECK_EQ(rows[i].name, kct_tracefile_segments(file), 1);
		kct_tracefile_free(file);
		free(bytes.data);
	}
}

/** Callers of another version, and files of something else. */
static void test_arguments(void **state)
{
	struct kct_trace_segment segment = {.size = offsetof(struct kct_trace_segment, syscall),
					    .syscall = 4711};
	struct kct_tracefile_stats stats = {.size = sizeof(stats) + 8};
	struct kct_meta meta = {0};
	struct bytes bytes = {0};
	struct kct_tracefile *file = NULL;
	struct kct_error error;

	(void)state;
	add_text(&bytes, 1, "x-a", "b");
	add_pcs(&bytes, 1, 11, 0, 3);
	file = open_bytes(&bytes);
	/* A smaller struct is filled as far as it goes. */
	assert_int_equal(kct_tracefile_segment(file, 0, &segment, NULL), 0);
	assert_int_equal(segment.thread, 11);
	assert_int_equal(segment.syscall, 4711);
	segment.size = sizeof(segment) + 8;
	assert_int_equal(kct_tracefile_segment(file, 0, &segment, &error), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_tracefile_stats(file, &stats), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_tracefile_meta(file, 0, &meta), KCT_ERR_ARGUMENT);
	kct_tracefile_free(file);
	kct_tracefile_free(NULL);
	assert_int_equal(kct_tracefile_new("something else", 14, &file, &error), KCT_ERR_SYNTAX);
	assert_int_equal(kct_tracefile_new("", 0, &file, &error), KCT_ERR_SYNTAX);
	assert_int_equal(kct_tracefile_new(NULL, 0, &file, &error), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_tracefile_open("/nonexistent/t.kct", &file, &error), KCT_ERR_IO);
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_fields),    cmocka_unit_test(test_no_fields),
		cmocka_unit_test(test_metadata),      cmocka_unit_test(test_find_metadata),
		cmocka_unit_test(test_next_metadata), cmocka_unit_test(test_many_metadata),
		cmocka_unit_test(test_captures),      cmocka_unit_test(test_later_versions),
		cmocka_unit_test(test_odd_segments),  cmocka_unit_test(test_odd_metadata),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
