/* SPDX-License-Identifier: BSD-2-Clause */
/* .kct files that were cut, overwritten, put together: what was written whole is read. */
#include "trace_blocks.h"

#define MAX_BLOCKS 8

/** A file and where its blocks end. Threads of the segments are 1, 2, ... in order. */
struct sample {
	struct bytes bytes;
	size_t ends[MAX_BLOCKS];
	bool is_segment[MAX_BLOCKS];
	size_t n;
};

static void sample_end(struct sample *sample, bool is_segment)
{
	sample->is_segment[sample->n] = is_segment;
	sample->ends[sample->n++] = sample->bytes.n;
}

/** tool, 1, 2, x-a, 3 */
static struct sample make_sample(void)
{
	struct sample sample = {0};

	add_text(&sample.bytes, 9, "tool", "test");
	sample_end(&sample, false);
	add_pcs(&sample.bytes, 9, 1, 0x100, 3);
	sample_end(&sample, true);
	add_pcs(&sample.bytes, 9, 2, 0x200, 1);
	sample_end(&sample, true);
	add_text(&sample.bytes, 9, "x-a", "metadata between segments");
	sample_end(&sample, false);
	add_pcs(&sample.bytes, 9, 3, 0x300, 2);
	sample_end(&sample, true);
	return sample;
}

/** The set of threads (as bits) whose segments can be read, all else being an error. */
static unsigned readable_threads(struct kct_tracefile *file)
{
	unsigned threads = 0;

	for (size_t i = 0; i < kct_tracefile_segments(file); i++) {
		struct kct_trace_segment segment = {.size = sizeof(segment)};
		struct kct_error error;
		int result = kct_tracefile_segment(file, i, &segment, &error);

		if (result < 0) {
			assert_int_equal(result, KCT_ERR_DAMAGED);
			assert_int_equal(error.code, KCT_ERR_DAMAGED);
			continue;
		}
		/* The data is the one of this thread, not something that looks like it. */
		assert_memory_equal((const unsigned char *)segment.data + 9,
				    &(unsigned char){(unsigned char)segment.thread}, 1);
		threads |= 1u << segment.thread;
	}
	return threads;
}

/** A copy on the heap, as long as it is, so that a read past the end is noticed. */
static struct bytes part_of(const struct bytes *bytes, size_t from, size_t to)
{
	struct bytes part = {malloc(to - from + (to == from)), to - from};

	assert_non_null(part.data);
	memcpy(part.data, bytes->data + from, to - from);
	return part;
}

static void test_cut_anywhere(void **state)
{
	struct sample sample = make_sample();

	(void)state;
	for (size_t cut = 0; cut <= sample.bytes.n; cut++) {
		struct bytes front = part_of(&sample.bytes, 0, cut);
		struct kct_tracefile_stats stats;
		unsigned threads = 0, thread = 1;
		size_t whole_end = 0;
		struct kct_tracefile *file;

		for (size_t i = 0; i < sample.n && sample.ends[i] <= cut; i++) {
			whole_end = sample.ends[i];
			if (sample.is_segment[i])
				threads |= 1u << thread++;
		}
		if (cut < 8) { /* not even the marker */
			assert_int_equal(kct_tracefile_new(front.data, front.n, &file, NULL),
					 KCT_ERR_SYNTAX);
			free(front.data);
			continue;
		}
		file = open_bytes(&front);
		stats = stats_of(file);
		assert_int_equal(stats.tail_bytes, cut - whole_end);
		assert_int_equal(stats.damaged, 0);
		assert_int_equal(readable_threads(file), threads);
		kct_tracefile_free(file);
		free(front.data);
	}
	free(sample.bytes.data);
}

/** The same from the front: what is whole behind the cut is read. */
static void test_front_missing(void **state)
{
	struct sample sample = make_sample();

	(void)state;
	for (size_t cut = 1; cut < sample.ends[0]; cut++) {
		struct bytes rest = part_of(&sample.bytes, cut, sample.bytes.n);
		struct kct_tracefile *file = open_bytes(&rest);

		assert_int_equal(readable_threads(file), 1 << 1 | 1 << 2 | 1 << 3);
		assert_int_equal(stats_of(file).first_damage, 0);
		assert_int_equal(stats_of(file).damaged_bytes, sample.ends[0] - cut);
		kct_tracefile_free(file);
		free(rest.data);
	}
	free(sample.bytes.data);
}

/** Each byte, each bit: at most the block it lies in is lost, and that is told. */
static void test_flip_anywhere(void **state)
{
	struct sample sample = make_sample();

	(void)state;
	for (size_t bit = 0; bit < sample.bytes.n * 8; bit++) {
		struct kct_tracefile_stats stats;
		size_t block = 0;
		unsigned lost = 0, threads;
		struct kct_tracefile *file;

		while (sample.ends[block] <= bit / 8)
			block++;
		for (size_t i = 0; i <= block; i++)
			lost += sample.is_segment[i];
		lost = sample.is_segment[block] ? 1u << lost : 0;
		sample.bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		file = open_bytes(&sample.bytes);
		stats = stats_of(file);
		threads = readable_threads(file);
		/* Bits that a checksum covers: all. */
		assert_int_equal(threads, (1 << 1 | 1 << 2 | 1 << 3) & ~lost);
		if (!lost)
			assert_int_equal(stats.damaged, 1);
		else
			assert_true(stats.damaged + stats.tail_bytes > 0 || stats.segments == 3);
		assert_int_equal(stats.metas, lost ? 2 : 1);
		kct_tracefile_free(file);
		sample.bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	free(sample.bytes.data);
}

/** A writer died at any byte, and another one went on behind what it had left. */
static void test_append_behind_any_cut(void **state)
{
	struct sample sample = make_sample();

	(void)state;
	for (size_t cut = 8; cut <= sample.bytes.n; cut++) {
		struct bytes bytes = part_of(&sample.bytes, 0, cut);
		unsigned threads = 1 << 5 | 1 << 6, thread = 1;
		struct kct_tracefile_stats stats;
		struct kct_tracefile *file;
		bool is_border = false;

		for (size_t i = 0; i < sample.n && sample.ends[i] <= cut; i++) {
			is_border |= sample.ends[i] == cut;
			if (sample.is_segment[i])
				threads |= 1u << thread++;
		}
		add_pcs(&bytes, 10, 5, 0x500, 40); /* longer than what may be missing */
		add_pcs(&bytes, 10, 6, 0x600, 1);
		file = open_bytes(&bytes);
		stats = stats_of(file);
		assert_int_equal(readable_threads(file), threads);
		assert_int_equal(stats.damaged, !is_border);
		assert_int_equal(stats.tail_bytes, 0);
		kct_tracefile_free(file);
		free(bytes.data);
	}
	free(sample.bytes.data);
}

/** The end of a file system's crash: the length is right, the bytes are zero. */
static void test_zeros(void **state)
{
	struct sample sample = make_sample();
	struct kct_tracefile *file;

	(void)state;
	memset(sample.bytes.data + sample.ends[3], 0, sample.bytes.n - sample.ends[3]);
	file = open_bytes(&sample.bytes);
	assert_int_equal(readable_threads(file), 1 << 1 | 1 << 2);
	assert_int_equal(stats_of(file).tail_bytes, sample.bytes.n - sample.ends[3]);
	kct_tracefile_free(file);
	free(sample.bytes.data);
}

/** A block that claims more than there is hides nothing behind it. */
static void test_huge_block(void **state)
{
	static const uint64_t sizes[] = {1u << 20,	  UINT64_MAX,	 UINT64_MAX - 7,
					 UINT64_MAX - 55, INT64_MAX - 7, 4};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct block_plan plan = {.type = TYPE_SEGMENT};
		struct bytes bytes = {0}, body = {0};
		struct kct_tracefile *file;
		uint32_t sum;

		block_add(&bytes, &plan, &body);
		area_put(bytes.data + 32, sizes[i], 8, KCT_ENDIAN_LITTLE);
		sum = plain_crc32c(bytes.data, 44);
		area_put(bytes.data + 44, sum, 4, KCT_ENDIAN_LITTLE);
		area_put(bytes.data + 52, sum, 4, KCT_ENDIAN_LITTLE);
		add_pcs(&bytes, 1, 1, 0x100, 1);
		file = open_bytes(&bytes);
		assert_int_equal(readable_threads(file), 1 << 1);
		assert_int_equal(stats_of(file).damaged_bytes, 56);
		kct_tracefile_free(file);
		free(bytes.data);
	}
}

/** Markers without end: time grows with the bytes only. */
static void test_many_markers(void **state)
{
	struct bytes bytes = {0}, header = {0}, body = {0};
	struct block_plan plan = {.type = TYPE_SEGMENT};
	struct kct_tracefile *file;

	(void)state;
	block_add(&header, &plan, &body);
	/* Sound headers of 48 bytes, each of which claims 1 GB. */
	area_put(header.data + 32, 1u << 30, 8, KCT_ENDIAN_LITTLE);
	area_put(header.data + 44, plain_crc32c(header.data, 44), 4, KCT_ENDIAN_LITTLE);
	bytes.n = 20000 * 48;
	bytes.data = malloc(bytes.n);
	assert_non_null(bytes.data);
	for (size_t i = 0; i < bytes.n; i += 48)
		memcpy(bytes.data + i, header.data, 48);
	file = open_bytes(&bytes);
	assert_int_equal(stats_of(file).tail_bytes, 20000 * 48);
	kct_tracefile_free(file);
	free(header.data);
	free(bytes.data);
}

static void test_identify(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	assert_int_equal(kct_tracefile_identify("\x89KCT\r\n\x1a", 7), 0);
	assert_int_equal(kct_tracefile_identify("\x89KCT\r\n\x1a\n", 8), 1);
	assert_int_equal(kct_tracefile_identify("\x89KCT\n\x1a\n     ", 12), 0);
	assert_int_equal(kct_tracefile_identify(NULL, 0), KCT_ERR_ARGUMENT);
	/* Something else that has a marker in it, but no block. */
	bytes_add(&bytes, "12345678\x89KCT\r\n\x1a\n", 16);
	bytes_add(&bytes, "0123456789012345678901234567890123456789", 40);
	assert_int_equal(kct_tracefile_identify(bytes.data, bytes.n), 0);
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_anywhere),  cmocka_unit_test(test_front_missing),
		cmocka_unit_test(test_flip_anywhere), cmocka_unit_test(test_append_behind_any_cut),
		cmocka_unit_test(test_zeros),	      cmocka_unit_test(test_huge_block),
		cmocka_unit_test(test_many_markers),  cmocka_unit_test(test_identify),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
