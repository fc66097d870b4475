/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry of an area and the ways to walk over it. */
#include "area.h"

#include "base/macros.h"

#define MANY ((uint64_t)1 << 63)

static const struct {
	const char *name;
	const char *layout;
	uint64_t count;
	size_t n_words, tail; /* words after the count word, bytes after those */
	uint64_t claimed, used, missing, unused, capacity;
	enum kct_overflow overflow;
} geometry_rows[] = {
	{"all used", "linux-pc", 3, 3, 0, 3, 3, 0, 0, 0, KCT_OVERFLOW_UNKNOWN},
	{"nothing used", "linux-pc", 0, 3, 0, 0, 0, 0, 3, 0, KCT_OVERFLOW_UNKNOWN},
	{"only a count word", "linux-pc", 2, 0, 0, 2, 0, 2, 0, 0, KCT_OVERFLOW_UNKNOWN},
	{"some missing, a cut word", "linux-pc", 5, 3, 7, 5, 3, 2, 0, 0, KCT_OVERFLOW_UNKNOWN},
	{"a count of 2^63", "linux-pc", MANY, 3, 0, MANY, 3, MANY - 3, 0, 0, KCT_OVERFLOW_UNKNOWN},
	{"the largest count", "linux-ext", UINT64_MAX, 3, 0, UINT64_MAX, 3, UINT64_MAX - 3, 0, 0,
	 KCT_OVERFLOW_UNKNOWN},
	{"the largest count of records", "linux-cmp", MANY, 5, 0, UINT64_MAX, 5, UINT64_MAX - 5, 0,
	 0, KCT_OVERFLOW_UNKNOWN},
	{"records of four words", "linux-cmp", 1, 9, 0, 4, 4, 0, 5, 0, KCT_OVERFLOW_UNKNOWN},
	{"full of PCs", "linux-pc,capacity=8", 7, 7, 0, 7, 7, 0, 0, 8, KCT_OVERFLOW_YES},
	{"room for a PC", "linux-pc,capacity=8", 6, 7, 0, 6, 6, 0, 1, 8, KCT_OVERFLOW_NO},
	{"a count beyond the capacity", "linux-pc,capacity=8", UINT64_MAX, 7, 0, UINT64_MAX, 7,
	 UINT64_MAX - 7, 0, 8, KCT_OVERFLOW_YES},
	{"three spare words of cmp", "linux-cmp,capacity=8", 1, 7, 0, 4, 4, 0, 3, 8,
	 KCT_OVERFLOW_YES},
	{"four spare words of cmp", "linux-cmp,capacity=9", 1, 8, 0, 4, 4, 0, 4, 9,
	 KCT_OVERFLOW_NO},
	{"one spare word of ext: no entry fits", "linux-ext,capacity=8", 6, 7, 0, 6, 6, 0, 1, 8,
	 KCT_OVERFLOW_YES},
	{"two spare words of ext", "linux-ext,capacity=8", 5, 7, 0, 5, 5, 0, 2, 8, KCT_OVERFLOW_NO},
	{"one spare word of the first ext", "linux-ext-v1,capacity=8", 6, 7, 0, 6, 6, 0, 1, 8,
	 KCT_OVERFLOW_NO},
	{"four spare words of mem", "linux-mem,capacity=8", 3, 7, 0, 3, 3, 0, 4, 8,
	 KCT_OVERFLOW_YES},
	{"five spare words of mem", "linux-mem,capacity=8", 2, 7, 0, 2, 2, 0, 5, 8,
	 KCT_OVERFLOW_NO},
	/* The capacity is in words of the kernel, here of 4 bytes: 18 make 9 of cmp. */
	{"cmp of a 32-bit kernel", "linux-cmp,word=4,capacity=18", 1, 8, 0, 4, 4, 0, 4, 9,
	 KCT_OVERFLOW_NO},
};

static void test_geometry(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(geometry_rows); i++) {
		struct kct_layout layout = area_layout(geometry_rows[i].layout);
		size_t bytes = 8 * (geometry_rows[i].n_words + 1) + geometry_rows[i].tail;
		unsigned char *data = calloc(1, bytes);
		struct kct_geometry geometry;
		struct kct_decoder *decoder;

		assert_non_null(data);
		area_put(data, geometry_rows[i].count, 8, KCT_ENDIAN_LITTLE);
		CHECK_EQ(geometry_rows[i].name,
			 kct_decoder_new(&layout, data, bytes, 0, &decoder, NULL), 0);
		kct_decoder_geometry(decoder, &geometry);
		CHECK_EQ(geometry_rows[i].name, geometry.count, geometry_rows[i].count);
		CHECK_EQ(geometry_rows[i].name, geometry.claimed_words, geometry_rows[i].claimed);
		CHECK_EQ(geometry_rows[i].name, geometry.used_words, geometry_rows[i].used);
		CHECK_EQ(geometry_rows[i].name, geometry.missing_words, geometry_rows[i].missing);
		CHECK_EQ(geometry_rows[i].name, geometry.unused_words, geometry_rows[i].unused);
		CHECK_EQ(geometry_rows[i].name, geometry.tail_bytes, geometry_rows[i].tail);
		CHECK_EQ(geometry_rows[i].name, geometry.capacity_words, geometry_rows[i].capacity);
		CHECK_EQ(geometry_rows[i].name, geometry.overflow, geometry_rows[i].overflow);
		kct_decoder_free(decoder);
		free(data);
	}
}

static void test_too_short_for_a_count(void **state)
{
	static const struct {
		const char *name;
		const char *layout;
		size_t bytes;
		int result;
	} rows[] = {
		{"empty", "linux-pc", 0, KCT_ERR_NO_COUNT},
		{"7 bytes", "linux-pc", 7, KCT_ERR_NO_COUNT},
		{"8 bytes", "linux-pc", 8, 0},
		{"3 bytes of 4", "linux-pc,word=4", 3, KCT_ERR_NO_COUNT},
		{"4 bytes of 4", "linux-pc,word=4", 4, 0},
		{"cmp has 8 there", "linux-cmp,word=4", 4, KCT_ERR_NO_COUNT},
		{"a bitmap and no more", "linux-unique,bitmap-words=4", 32, KCT_ERR_NO_COUNT},
		{"a bitmap and a count", "linux-unique,bitmap-words=4", 40, 0},
		{"a bitmap of 2^64 words", "linux-unique,bitmap-words=0xffffffffffffffff", 40,
		 KCT_ERR_NO_COUNT},
	};
	static const unsigned char zeros[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_layout layout = area_layout(rows[i].layout);
		struct kct_decoder *decoder = NULL;
		struct kct_error error = {0};
		int result = kct_decoder_new(&layout, zeros, rows[i].bytes, 0, &decoder, &error);

		CHECK_EQ(rows[i].name, result, rows[i].result);
		CHECK(rows[i].name, (result < 0) == (decoder == NULL));
		CHECK_EQ(rows[i].name, error.code, rows[i].result);
		kct_decoder_free(decoder);
	}
}

static void test_bad_arguments(void **state)
{
	struct kct_layout layout = area_layout("linux-pc");
	struct kct_decoder *decoder = NULL;
	uint64_t word = 0;

	(void)state;
	assert_int_equal(kct_decoder_new(NULL, &word, 8, 0, &decoder, NULL), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_decoder_new(&layout, NULL, 8, 0, &decoder, NULL), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_decoder_new(&layout, &word, 8, 0x80, &decoder, NULL),
			 KCT_ERR_ARGUMENT);
	layout.word_bytes = 3;
	assert_int_equal(kct_decoder_new(&layout, &word, 8, 0, &decoder, NULL), KCT_ERR_LAYOUT);
	assert_null(decoder);
	kct_decoder_free(NULL);
}

/* Good, two kinds of odd places, good, and two words that are not there. */
static const uint64_t odd_area[] = {
	9, ENTRY(1), TEXT(2), 0x6000000000000000u, 0xf000000000000000u, 0, EXIT(3), TEXT(4),
};

static struct kct_decoder *odd_decoder(unsigned flags)
{
	static unsigned char bytes[1 + sizeof(odd_area)];
	struct kct_layout layout = area_layout("linux-ext");
	struct kct_decoder *decoder;

	/* At an odd address, to see that any alignment will do. */
	for (size_t i = 0; i < ARRAY_SIZE(odd_area); i++)
		area_put(bytes + 1 + 8 * i, odd_area[i], 8, KCT_ENDIAN_LITTLE);
	assert_int_equal(
		kct_decoder_new(&layout, bytes + 1, sizeof(odd_area), flags, &decoder, NULL), 0);
	return decoder;
}

static void test_batches_of_any_size_agree(void **state)
{
	struct kct_record all[16], some[16];
	size_t n_all, n;

	(void)state;
	for (size_t max = 1; max <= 9; max++) {
		struct kct_decoder *decoder = odd_decoder(0);

		assert_int_equal(kct_decoder_batch(decoder, 16, all, &n_all, NULL), 1);
		assert_int_equal(n_all, 7); /* entry, unknown, 2 lost, exit, pc, missing */
		assert_int_equal(all[6].lost.reason, KCT_LOST_MISSING);
		assert_int_equal(all[6].words, 2);
		assert_int_equal(kct_decoder_position(decoder), 10);
		assert_int_equal(kct_decoder_seek(decoder, 1), 0);
		for (size_t at = 0; at < n_all; at += n) {
			assert_int_equal(kct_decoder_batch(decoder, max, some, &n, NULL), 1);
			assert_in_range(n, 1, max);
			assert_memory_equal(some, all + at, n * sizeof(some[0]));
		}
		assert_int_equal(kct_decoder_batch(decoder, max, some, &n, NULL), 0);
		assert_int_equal(n, 0);
		assert_int_equal(kct_decoder_batch(decoder, 0, some, &n, NULL), KCT_ERR_ARGUMENT);
		kct_decoder_free(decoder);
	}
}

static void test_strict_stops_and_resyncs(void **state)
{
	struct kct_decoder *decoder = odd_decoder(KCT_DECODE_STRICT);
	struct kct_record record, lost, untouched;
	struct kct_error error;

	(void)state;
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 1);
	assert_int_equal(record.kind, KCT_RECORD_ENTRY);
	untouched = record;
	/* The cursor stays, however often we ask. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kct_decoder_next(decoder, &record, &error), KCT_ERR_RECORD);
		assert_int_equal(kct_decoder_position(decoder), 3);
		assert_int_equal(error.word_index, 3);
		assert_true(error.word == 0x6000000000000000u);
		assert_non_null(strstr(error.text, "word 3"));
		assert_memory_equal(&record, &untouched, sizeof(record));
	}
	assert_int_equal(kct_decoder_resync(decoder, &lost), 0);
	assert_int_equal(lost.index, 3);
	assert_int_equal(lost.words, 3);
	assert_int_equal(lost.kind, KCT_RECORD_UNKNOWN);
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 1);
	assert_int_equal(record.kind, KCT_RECORD_EXIT);
	/* Nothing to step over: nothing happens. */
	assert_int_equal(kct_decoder_resync(decoder, &lost), 0);
	assert_int_equal(lost.words, 0);
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 1);
	assert_int_equal(record.kind, KCT_RECORD_PC);
	assert_int_equal(kct_decoder_next(decoder, &record, &error), KCT_ERR_RECORD);
	assert_non_null(strstr(error.text, "counted but not in the data"));
	assert_int_equal(kct_decoder_resync(decoder, NULL), 0);
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 0);
	kct_decoder_free(decoder);
}

static void test_strict_batch_gives_what_is_before(void **state)
{
	struct kct_decoder *decoder = odd_decoder(KCT_DECODE_STRICT);
	struct kct_record records[8];
	size_t n = 77;

	(void)state;
	assert_int_equal(kct_decoder_batch(decoder, 8, records, &n, NULL), 1);
	assert_int_equal(n, 1);
	n = 77;
	assert_int_equal(kct_decoder_batch(decoder, 8, records, &n, NULL), KCT_ERR_RECORD);
	assert_int_equal(n, 77);
	assert_int_equal(kct_decoder_resync(decoder, NULL), 0);
	assert_int_equal(kct_decoder_batch(decoder, 8, records, &n, NULL), 1);
	assert_int_equal(n, 2);
	kct_decoder_free(decoder);
}

static void test_seek(void **state)
{
	struct kct_decoder *decoder = odd_decoder(0);
	struct kct_record record;

	(void)state;
	assert_int_equal(kct_decoder_position(decoder), 1);
	assert_int_equal(kct_decoder_seek(decoder, 0), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_decoder_seek(decoder, 9), KCT_ERR_ARGUMENT);
	assert_int_equal(kct_decoder_position(decoder), 1);
	/* Into the middle of a record: the caller of the entry is a PC then. */
	assert_int_equal(kct_decoder_seek(decoder, 2), 0);
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 1);
	assert_int_equal(record.kind, KCT_RECORD_PC);
	assert_int_equal(record.index, 2);
	/* To the end: only the missing words are left. */
	assert_int_equal(kct_decoder_seek(decoder, 8), 0);
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 1);
	assert_int_equal(record.lost.reason, KCT_LOST_MISSING);
	assert_int_equal(kct_decoder_next(decoder, &record, NULL), 0);
	kct_decoder_free(decoder);
}

static void test_huge_missing_saturates(void **state)
{
	struct kct_layout layout = area_layout("linux-cmp");
	unsigned char data[16] = {0};
	struct kct_decoder *decoder;
	struct kct_record records[4];
	size_t n;

	(void)state;
	area_put(data, UINT64_MAX, 8, KCT_ENDIAN_LITTLE);
	assert_int_equal(kct_decoder_new(&layout, data, sizeof(data), 0, &decoder, NULL), 0);
	assert_int_equal(kct_decoder_batch(decoder, 4, records, &n, NULL), 1);
	assert_int_equal(n, 2);
	assert_int_equal(records[0].lost.reason, KCT_LOST_CUT);
	assert_true(records[1].words == UINT64_MAX - 1);
	assert_true(kct_decoder_position(decoder) == UINT64_MAX);
	kct_decoder_free(decoder);
}

static void test_pc_view(void **state)
{
	static const uint64_t words[] = {4, TEXT(1), TEXT(2), TEXT(3)};
	struct kct_layout layout = area_layout("linux-pc");
	struct kct_error error;
	const uint64_t *pcs;
	size_t n;

	(void)state;
	/* The words are this machine's, so this is its byte order. */
	layout.endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
	assert_int_equal(kct_pc_view(&layout, words, sizeof(words), &pcs, &n, NULL), 0);
	assert_ptr_equal(pcs, words + 1);
	assert_int_equal(n, 3);
	assert_int_equal(kct_pc_view(&layout, words, 7, &pcs, &n, &error), KCT_ERR_NO_COUNT);
	assert_int_equal(kct_pc_view(&layout, (const char *)words + 1, 24, &pcs, &n, &error),
			 KCT_ERR_UNSUPPORTED);
	layout.endian = layout.endian == KCT_ENDIAN_BIG ? KCT_ENDIAN_LITTLE : KCT_ENDIAN_BIG;
	assert_int_equal(kct_pc_view(&layout, words, sizeof(words), &pcs, &n, &error),
			 KCT_ERR_UNSUPPORTED);
	layout = area_layout("linux-pc,word=4");
	assert_int_equal(kct_pc_view(&layout, words, sizeof(words), &pcs, &n, &error),
			 KCT_ERR_UNSUPPORTED);
	layout = area_layout("linux-ext");
	assert_int_equal(kct_pc_view(&layout, words, sizeof(words), &pcs, &n, &error),
			 KCT_ERR_MODE);
	assert_int_equal(n, 3);
}

/** The independent numbers of a real trace. */
static void test_real_trace(void **state)
{
	struct kct_layout layout = area_layout("linux-ext");
	uint64_t kinds[KCT_RECORD_KINDS] = {0};
	struct kct_record *records;
	size_t bytes, n;
	unsigned char *data = area_read_trace("file.ext", &bytes);

	(void)state;
	if (!data)
		skip();
	records = area_decode(&layout, data, bytes, &n);
	for (size_t i = 0; i < n; i++)
		kinds[records[i].kind]++;
	assert_int_equal(n, 4070);
	assert_int_equal(kinds[KCT_RECORD_ENTRY], 428);
	assert_int_equal(kinds[KCT_RECORD_EXIT], 428);
	assert_int_equal(kinds[KCT_RECORD_PC], 3214);
	free(records);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_too_short_for_a_count),
		cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_batches_of_any_size_agree),
		cmocka_unit_test(test_strict_stops_and_resyncs),
		cmocka_unit_test(test_strict_batch_gives_what_is_before),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_huge_missing_saturates),
		cmocka_unit_test(test_pc_view),
		cmocka_unit_test(test_real_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
