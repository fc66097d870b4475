/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbol files: what was written is read, and nothing else is believed. */
#include <unistd.h>

#include "check.h"

#include "base/crc32c.h"
#include "symfile/form.h"
#include "symfile/symfile.h"
#include "symfile/tables.h"

/* Blocks in no order, one empty, one of a length that is no multiple of 8. */
static const struct {
	uint32_t type;
	uint32_t id;
	const char *bytes;
} blocks[] = {
	{8, 1, "second of type eight"},
	{1, 0, "first"},
	{8, 0, ""},
	{900, 7, "of a later version"},
	{8, 4000000000u, "a large number"},
};

static void add_all(struct kct_symfile_writer *writer)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		assert_int_equal(kct_symfile_add(writer, blocks[i].type, blocks[i].id,
						 blocks[i].bytes, strlen(blocks[i].bytes), NULL),
				 0);
	assert_int_equal(kct_symfile_finish(writer, NULL), 0);
}

/** A file in memory, to be freed. */
static unsigned char *make(size_t *ret_bytes)
{
	struct kct_symfile_writer *writer;
	unsigned char *data;

	assert_int_equal(kct_symfile_writer_new(-1, &writer), 0);
	add_all(writer);
	data = kct_symfile_take(writer, ret_bytes);
	kct_symfile_writer_free(writer);
	assert_non_null(data);
	return data;
}

/** Whether a block is what was written (1), absent (0) or said to be damaged (-1); anything else fails. */
static int check_block(struct kct_symfile *file, size_t i)
{
	const void *data;
	size_t bytes;
	int result = kct_symfile_block(file, blocks[i].type, blocks[i].id, &data, &bytes);

	if (result <= 0) {
		assert_true(result == 0 || result == KCT_ERR_DAMAGED);
		return result == 0 ? 0 : -1;
	}
	assert_int_equal(bytes, strlen(blocks[i].bytes));
	assert_memory_equal(data, blocks[i].bytes, bytes);
	assert_int_equal((uintptr_t)data % 8, 0);
	return 1;
}

static void test_round_trip(void **state)
{
	struct kct_symfile *file;
	const void *block;
	size_t bytes, n;
	unsigned char *data = make(&bytes);

	(void)state;
	assert_int_equal(kct_symfile_new(data, bytes, &file, NULL), 0);
	assert_int_equal(kct_symfile_blocks(file), ARRAY_SIZE(blocks));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		assert_int_equal(check_block(file, i), 1);
	assert_int_equal(kct_symfile_block(file, 8, 2, &block, &n), 0);
	assert_int_equal(kct_symfile_block(file, 0, 0, &block, &n), 0);
	assert_int_equal(kct_symfile_block(file, UINT32_MAX, UINT32_MAX, &block, &n), 0);
	kct_symfile_free(file);
	free(data);
}

/** A file on the disk has the same bytes. */
static void test_to_disk(void **state)
{
	char path[] = "/tmp/symfile-XXXXXX";
	struct kct_symfile_writer *writer;
	unsigned char on_disk[4096];
	size_t bytes;
	unsigned char *data = make(&bytes);
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(kct_symfile_writer_new(fd, &writer), 0);
	add_all(writer);
	kct_symfile_writer_free(writer);
	assert_int_equal(pread(fd, on_disk, sizeof(on_disk), 0), bytes);
	assert_memory_equal(on_disk, data, bytes);
	close(fd);
	free(data);
}

static void test_same_block_twice(void **state)
{
	struct kct_symfile_writer *writer;
	struct kct_error error;

	(void)state;
	assert_int_equal(kct_symfile_writer_new(-1, &writer), 0);
	assert_int_equal(kct_symfile_add(writer, 1, 2, "a", 1, NULL), 0);
	assert_int_equal(kct_symfile_add(writer, 1, 2, "b", 1, NULL), 0);
	assert_int_equal(kct_symfile_finish(writer, &error), KCT_ERR_ARGUMENT);
	kct_symfile_writer_free(writer);
}

/** A file that is not finished is none. */
static void test_unfinished(void **state)
{
	struct kct_symfile_writer *writer;
	struct kct_symfile *file;
	unsigned char *data;
	size_t bytes;

	(void)state;
	assert_int_equal(kct_symfile_writer_new(-1, &writer), 0);
	assert_int_equal(kct_symfile_add(writer, 1, 2, "a", 1, NULL), 0);
	data = kct_symfile_take(writer, &bytes);
	assert_int_equal(kct_symfile_new(data, bytes, &file, NULL), KCT_ERR_SYNTAX);
	kct_symfile_writer_free(writer);
	free(data);
}

/** Cut after every byte: noticed at once. */
static void test_cuts(void **state)
{
	size_t bytes;
	unsigned char *data = make(&bytes);

	(void)state;
	for (size_t n = 0; n < bytes; n++) {
		unsigned char *part = malloc(n ? n : 1); /* so that a read behind it is seen */
		struct kct_symfile *file;

		assert_non_null(part);
		memcpy(part, data, n);
		assert_true(kct_symfile_new(part, n, &file, NULL) < 0);
		free(part);
	}
	free(data);
}

/** Every byte inverted: the file is refused, or the block is, and the others are as they were. */
static void test_flips(void **state)
{
	size_t bytes, refused = 0, damaged = 0;
	unsigned char *data = make(&bytes);

	(void)state;
	for (size_t at = 0; at < bytes; at++) {
		struct kct_symfile *file;
		size_t bad = 0;

		data[at] ^= 0xff;
		if (kct_symfile_new(data, bytes, &file, NULL) < 0) {
			refused++;
		} else {
			for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
				bad += check_block(file, i) < 0;
			assert_true(bad <= 1);
			damaged += bad;
			kct_symfile_free(file);
		}
		data[at] ^= 0xff;
	}
	assert_int_equal(refused, sizeof(struct kct_symfile_header) +
					  ARRAY_SIZE(blocks) * sizeof(struct kct_symfile_entry));
	/* All bytes of the blocks; what fills them up to 8 means nothing. */
	assert_int_equal(damaged, 20 + 5 + 18 + 14);
	free(data);
}

/* A change of header and directory whose sums are right all the same. */
typedef void change_function(struct kct_symfile_header *header, struct kct_symfile_entry *entries);

static void change_nothing(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)header;
	(void)entries;
}

static void change_version(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)entries;
	header->version++;
}

static void change_order(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)entries;
	header->order = __builtin_bswap64(header->order);
}

static void change_size(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)entries;
	header->bytes += 8;
}

static void change_directory(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)entries;
	header->directory = UINT64_MAX - 7;
}

static void change_count(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)entries;
	header->n_blocks = UINT32_MAX;
}

static void change_offset(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)header;
	entries[2].offset = UINT64_MAX - 15;
}

static void change_alignment(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)header;
	entries[2].offset += 4;
}

static void change_bytes(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)header;
	entries[2].bytes = UINT64_MAX - entries[2].offset + 1;
}

static void change_into_header(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)header;
	entries[0].offset = 8;
}

static void change_sorting(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	struct kct_symfile_entry first = entries[0];

	(void)header;
	entries[0] = entries[1];
	entries[1] = first;
}

static void change_to_same(struct kct_symfile_header *header, struct kct_symfile_entry *entries)
{
	(void)header;
	entries[2].id = entries[1].id;
}

static void test_hostile(void **state)
{
	static const struct {
		const char *name;
		change_function *change;
		int result;
	} rows[] = {
		{"nothing", change_nothing, 0},
		{"another version", change_version, KCT_ERR_UNSUPPORTED},
		{"another byte order", change_order, KCT_ERR_UNSUPPORTED},
		{"another size", change_size, KCT_ERR_DAMAGED},
		{"directory at the end of memory", change_directory, KCT_ERR_DAMAGED},
		{"very many blocks", change_count, KCT_ERR_DAMAGED},
		{"block at the end of memory", change_offset, KCT_ERR_DAMAGED},
		{"block that is not aligned", change_alignment, KCT_ERR_DAMAGED},
		{"block that wraps around", change_bytes, KCT_ERR_DAMAGED},
		{"block in the header", change_into_header, KCT_ERR_DAMAGED},
		{"not sorted", change_sorting, KCT_ERR_DAMAGED},
		{"one block twice", change_to_same, KCT_ERR_DAMAGED},
	};
	struct kct_crc32c crc;

	(void)state;
	kct_crc32c_init(&crc);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t bytes, directory;
		unsigned char *data = make(&bytes);
		struct kct_symfile_header *header = (void *)data;
		struct kct_symfile_entry *entries;
		struct kct_symfile *file;
		struct kct_error error;
		int result;

		directory = (size_t)header->directory;
		entries = (void *)(data + directory);
		rows[i].change(header, entries);
		header->directory_sum =
			kct_crc32c(&crc, 0, entries, ARRAY_SIZE(blocks) * sizeof(*entries));
		header->header_sum = kct_crc32c(&crc, 0, header,
						offsetof(struct kct_symfile_header, header_sum));
		result = kct_symfile_new(data, bytes, &file, &error);
		CHECK_EQ(rows[i].name, result, rows[i].result);
		if (result >= 0)
			kct_symfile_free(file);
		free(data);
	}
}

static const struct kct_unit_part parts[] = {
	{.start = 0x1000, .range_start = 0x1000, .bytes = 16, .range_bytes = 16, .n_spans = 1}};
static const struct kct_unit_function functions[] = {{.entry = 0x1000, .name = 1}};
static const struct kct_unit_sequence sequences[] = {{.start = 0x1000, .bytes = 16, .n_rows = 1}};
static const struct kct_unit_span spans[] = {{.start = 4, .end = 8, .inlined = 0}};
static const struct kct_unit_inline inlines[] = {
	{.name = 3, .parent = KCT_NO_INLINE, .call_line = 7, .depth = 1}};
static const struct kct_unit_row rows_of_unit[] = {{.line = 5, .file = 0}};
static const uint32_t files[] = {5};

static const struct kct_unit unit = {
	.parts = parts,
	.functions = functions,
	.spans = spans,
	.inlines = inlines,
	.sequences = sequences,
	.rows = rows_of_unit,
	.files = files,
	.text = "\0f\0i\0a.c",
	.n_parts = 1,
	.n_functions = 1,
	.n_spans = 1,
	.n_inlines = 1,
	.n_sequences = 1,
	.n_rows = 1,
	.n_files = 1,
	.n_text = 9,
};

/** A file with that unit as number 5 and an index of two layers. */
static unsigned char *make_tables(size_t *ret_bytes)
{
	static const struct kct_index_range ranges[] = {{0x1000, 0x1010, 5, 0},
							{0x1000, 0x1010, 5, 0}};
	static const struct kct_index index = {
		.ranges = ranges, .first = {0, 1, 2}, .n_layers = 2, .n_units = 6};
	struct kct_symfile_writer *writer;
	unsigned char *data;

	assert_int_equal(kct_symfile_writer_new(-1, &writer), 0);
	assert_int_equal(kct_symfile_add_unit(writer, 5, &unit, NULL), 0);
	assert_int_equal(kct_symfile_add_index(writer, &index, NULL), 0);
	assert_int_equal(kct_symfile_finish(writer, NULL), 0);
	data = kct_symfile_take(writer, ret_bytes);
	kct_symfile_writer_free(writer);
	return data;
}

static void test_tables(void **state)
{
	struct kct_symfile *file;
	struct kct_unit_frame frames[2];
	struct kct_unit_place place;
	struct kct_unit read;
	struct kct_index index;
	size_t bytes;
	unsigned char *data = make_tables(&bytes);

	(void)state;
	assert_int_equal(kct_symfile_new(data, bytes, &file, NULL), 0);
	assert_int_equal(kct_symfile_get_unit(file, 4, &read), 0);
	assert_int_equal(kct_symfile_get_unit(file, 5, &read), 1);
	kct_unit_find(&read, 0x1005, &place);
	assert_int_equal(kct_unit_count_frames(&place), 2);
	assert_int_equal(kct_unit_frames(&read, &place, frames), 2);
	assert_string_equal(frames[0].name, "i");
	assert_string_equal(frames[0].file, "a.c");
	assert_int_equal(frames[0].line, 5);
	assert_string_equal(frames[1].name, "f");
	assert_int_equal(frames[1].line, 7);
	assert_int_equal(kct_symfile_get_index(file, &index), 1);
	assert_int_equal(index.n_units, 6);
	assert_int_equal(kct_index_find(&index, 0x100f), 5);
	assert_int_equal(kct_index_find(&index, 0x1010), UINT32_MAX);
	kct_symfile_free(file);
	free(data);
}

/**
 * Every byte of both blocks set to values that are large or 0, with right sums: whatever is accepted can
 * be looked up in. The sanitizers watch.
 */
static void test_hostile_tables(void **state)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct kct_symfile_entry *entries;
	struct kct_symfile_header *header;
	struct kct_crc32c crc;
	size_t bytes, accepted = 0, refused = 0;
	unsigned char *data = make_tables(&bytes);

	(void)state;
	kct_crc32c_init(&crc);
	header = (void *)data;
	entries = (void *)(data + header->directory);
	for (size_t at = sizeof(*header); at < header->directory; at++) {
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			unsigned char before = data[at];
			struct kct_unit_frame frames[KCT_MAX_INLINE_DEPTH + 1];
			struct kct_unit_place place;
			struct kct_symfile *file;
			struct kct_index index;
			struct kct_unit read;

			data[at] = values[v];
			for (size_t i = 0; i < header->n_blocks; i++)
				entries[i].sum = kct_crc32c(&crc, 0, data + entries[i].offset,
							    (size_t)entries[i].bytes);
			header->directory_sum =
				kct_crc32c(&crc, 0, entries, header->n_blocks * sizeof(*entries));
			header->header_sum = kct_crc32c(
				&crc, 0, header, offsetof(struct kct_symfile_header, header_sum));
			assert_int_equal(kct_symfile_new(data, bytes, &file, NULL), 0);
			if (kct_symfile_get_unit(file, 5, &read) > 0) {
				accepted++;
				for (uint64_t address = 0xff0; address < 0x1020; address++) {
					kct_unit_find(&read, address, &place);
					kct_unit_frames(&read, &place, frames);
				}
			} else {
				refused++;
			}
			if (kct_symfile_get_index(file, &index) > 0)
				kct_index_find(&index, 0x1008);
			kct_symfile_free(file);
			data[at] = before;
		}
	}
	assert_true(accepted > 0 && refused > 0);
	free(data);
}

/** All units are walked through: an index may not claim more than any image has. */
static void test_index_limits(void **state)
{
	static const struct kct_index_range ranges[] = {{0x1000, 0x1010, 5, 0}};
	static const struct {
		const char *name;
		uint32_t n_units;
		int result;
	} rows[] = {
		{"one more than the unit that is named", 6, 1},
		{"a million, the limit", 1 << 20, 1},
		{"one more than a million", (1 << 20) + 1, KCT_ERR_DAMAGED},
		{"four billion", UINT32_MAX, KCT_ERR_DAMAGED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_index index = {.ranges = ranges,
					  .first = {0, 1},
					  .n_layers = 1,
					  .n_units = rows[i].n_units};
		struct kct_symfile_writer *writer;
		struct kct_symfile *file;
		unsigned char *data;
		size_t bytes;

		assert_int_equal(kct_symfile_writer_new(-1, &writer), 0);
		assert_int_equal(kct_symfile_add_index(writer, &index, NULL), 0);
		assert_int_equal(kct_symfile_finish(writer, NULL), 0);
		data = kct_symfile_take(writer, &bytes);
		kct_symfile_writer_free(writer);
		assert_int_equal(kct_symfile_new(data, bytes, &file, NULL), 0);
		CHECK_EQ(rows[i].name, kct_symfile_get_index(file, &index), rows[i].result);
		kct_symfile_free(file);
		free(data);
	}
}

static void test_text(void **state)
{
	static char text[3 * 4096 + 8];
	size_t limit = 4096; /* of a string */

	(void)state;
	assert_false(kct_symfile_text_is_sane("", 0));
	assert_true(kct_symfile_text_is_sane("", 1));
	assert_true(kct_symfile_text_is_sane("a\0b", 4));
	assert_false(kct_symfile_text_is_sane("a\0b", 3));
	memset(text, 'x', sizeof(text));
	text[limit] = '\0';
	assert_true(kct_symfile_text_is_sane(text, limit + 1));
	text[limit] = 'x';
	text[limit + 1] = '\0';
	assert_false(kct_symfile_text_is_sane(text, limit + 2));
	text[0] = '\0';
	assert_true(kct_symfile_text_is_sane(text, limit + 2));
	text[limit + 2] = '\0';
	text[2 * limit + 3] = '\0';
	assert_true(kct_symfile_text_is_sane(text, 2 * limit + 4));
	text[2 * limit + 3] = 'x';
	text[2 * limit + 4] = '\0';
	assert_false(kct_symfile_text_is_sane(text, 2 * limit + 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_to_disk),
		cmocka_unit_test(test_same_block_twice),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_flips),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_hostile_tables),
		cmocka_unit_test(test_index_limits),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
