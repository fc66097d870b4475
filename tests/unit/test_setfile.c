/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a set: its bytes, written by hand from docs/coverage.md, and what damage does. */
#include <kcovtrace/pcset.h>

#include "base/crc32c.h"
#include "check.h"

/* The parts of the example in docs/coverage.md. */
static const uint8_t example_parts[] = {
	0,    0,    2,	  0xab, 0xcd, 1, /* as recorded, of build abcd, one PC: */
	0x90, 0x20, 3,			 /* 0x1010, three records */
	4,    'l',  'o',  'o',	'p',  5, '.',
	't',  'e',  'x',  't',	0,    2, /* loop's .text, no build ID */
	0,    1,			 /* offset 0, one record */
	0x80, 0x01, 0xac, 0x02,		 /* 0x80 further, 300 records */
};

struct buffer {
	uint8_t bytes[4096];
	size_t n;
	size_t limit; /* sink() fails beyond it */
};

static int sink(void *context, const void *bytes, size_t n)
{
	struct buffer *buffer = context;

	if (buffer->n + n > buffer->limit)
		return KCT_ERR_IO;
	memcpy(buffer->bytes + buffer->n, bytes, n);
	buffer->n += n;
	return 0;
}

static void put_little(uint8_t *at, uint64_t number, unsigned bytes)
{
	while (bytes--) {
		*at++ = (uint8_t)number;
		number >>= 8;
	}
}

/** A file with given parts, with the right sums. */
static struct buffer file_of(const uint8_t *parts, size_t bytes, uint32_t n_parts, uint64_t pcs)
{
	struct buffer file = {.n = 48 + bytes + 4};
	struct kct_crc32c crc;

	kct_crc32c_init(&crc);
	memcpy(file.bytes, "\x89KCS\r\n\x1a\n\x08\x07\x06\x05\x04\x03\x02\x01\x01", 17);
	put_little(file.bytes + 20, n_parts, 4);
	put_little(file.bytes + 24, 7, 8); /* traces */
	put_little(file.bytes + 32, pcs, 8);
	put_little(file.bytes + 44, kct_crc32c(&crc, 0, file.bytes, 44), 4);
	memcpy(file.bytes + 48, parts, bytes);
	put_little(file.bytes + 48 + bytes, kct_crc32c(&crc, 0, parts, bytes), 4);
	return file;
}

static void test_example(void **state)
{
	struct buffer file = file_of(example_parts, sizeof(example_parts), 2, 3);
	struct buffer again = {.limit = sizeof(again.bytes)};
	const struct kct_pc_count *rows;
	struct kct_pc_origin origin;
	struct kct_pc_set *set;
	struct kct_error error;
	size_t n;

	(void)state;
	assert_int_equal(kct_pc_set_identify(file.bytes, file.n), 1);
	assert_int_equal(kct_pc_set_identify(file.bytes, 7), 0);
	assert_int_equal(kct_pc_set_read(file.bytes, file.n, &set, &error), 0);
	assert_int_equal(kct_pc_set_traces(set), 7);
	assert_int_equal(kct_pc_set_parts(set), 2);
	assert_int_equal(kct_pc_set_origin(set, 0, &origin), 0);
	assert_string_equal(origin.image, "");
	assert_int_equal(origin.build_id_bytes, 2);
	assert_int_equal(kct_pc_set_counts(set, 0, &rows, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].pc, 0x1010);
	assert_int_equal(rows[0].count, 3);
	assert_int_equal(kct_pc_set_origin(set, 1, &origin), 0);
	assert_string_equal(origin.image, "loop");
	assert_string_equal(origin.section, ".text");
	assert_int_equal(kct_pc_set_counts(set, 1, &rows, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(rows[1].pc, 0x80);
	assert_int_equal(rows[1].count, 300);
	assert_int_equal(kct_pc_set_write(set, sink, &again), 0);
	assert_int_equal(again.n, file.n);
	assert_memory_equal(again.bytes, file.bytes, file.n);
	again = (struct buffer){.limit = 60};
	assert_int_equal(kct_pc_set_write(set, sink, &again), KCT_ERR_IO);
	kct_pc_set_free(set);
}

/** Cut anywhere, and with any bit flipped, no file is read: the sums see to it. */
static void test_damage(void **state)
{
	const struct buffer whole = file_of(example_parts, sizeof(example_parts), 2, 3);
	struct kct_pc_set *set = NULL;
	struct buffer file;

	(void)state;
	for (size_t bytes = 0; bytes < whole.n; bytes++) {
		if (kct_pc_set_read(whole.bytes, bytes, &set, NULL) >= 0)
			fail_msg("cut at %zu", bytes);
	}
	for (size_t bit = 0; bit < 8 * whole.n; bit++) {
		file = whole;
		file.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (kct_pc_set_read(file.bytes, file.n, &set, NULL) >= 0)
			fail_msg("bit %zu flipped", bit);
	}
	assert_null(set);
}

static void test_hostile_parts(void **state)
{
	static const struct row {
		const char *name;
		uint8_t parts[40];
		size_t bytes;
		uint32_t n;
		uint64_t pcs;
	} rows[] = {
		{"no parts", {0}, 0, 0, 0},
		{"a part without PCs", {0, 0, 0, 0}, 4, 1, 0},
		{"more PCs than bytes", {0, 0, 0, 200, 1, 1, 1}, 7, 1, 200},
		{"2^63 PCs",
		 {0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1, 1},
		 15,
		 1,
		 1},
		{"a count of 0", {0, 0, 0, 1, 5, 0}, 6, 1, 1},
		{"a PC twice", {0, 0, 0, 2, 5, 1, 0, 1}, 8, 1, 2},
		{"PCs beyond 64 bits",
		 {0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1, 1},
		 17,
		 1,
		 2},
		{"a long form of a number", {0, 0, 0, 1, 0x85, 0, 1}, 7, 1, 1},
		{"a number of 65 bits",
		 {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 1},
		 15,
		 1,
		 1},
		{"a name that is cut", {9, 'a', 0, 0}, 4, 1, 1},
		{"a name with a NUL", {1, 0, 0, 0, 1, 5, 1}, 7, 1, 1},
		{"a name with a line end", {1, '\n', 0, 0, 1, 5, 1}, 7, 1, 1},
		{"a build ID of 65 bytes", {0, 0, 65}, 3, 1, 1},
		{"parts out of order", {1, 'b', 0, 0, 1, 5, 1, 1, 'a', 0, 0, 1, 5, 1}, 14, 2, 2},
		{"a part twice", {1, 'b', 0, 0, 1, 5, 1, 1, 'b', 0, 0, 1, 5, 1}, 14, 2, 2},
		{"fewer parts than there are", {0, 0, 0, 1, 5, 1, 9}, 7, 1, 1},
		{"more parts than there are", {0, 0, 0, 1, 5, 1}, 6, 2, 1},
		{"another number of PCs", {0, 0, 0, 1, 5, 1}, 6, 1, 2},
		{"very many parts", {0}, 1, UINT32_MAX, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buffer file = file_of(rows[i].parts, rows[i].bytes, rows[i].n, rows[i].pcs);
		struct kct_pc_set *set = NULL;
		struct kct_error error = {0};
		int expected = i ? KCT_ERR_DAMAGED : 0; /* an empty set is one */

		CHECK_EQ(rows[i].name, kct_pc_set_read(file.bytes, file.n, &set, &error), expected);
		CHECK_EQ(rows[i].name, error.code, expected);
		kct_pc_set_free(set);
	}
}

static void test_other_files(void **state)
{
	struct buffer file = file_of(example_parts, sizeof(example_parts), 2, 3);
	struct kct_crc32c crc;
	struct kct_pc_set *set;

	(void)state;
	kct_crc32c_init(&crc);
	assert_int_equal(kct_pc_set_read("\x7f"
					 "ELF and so on",
					 12, &set, NULL),
			 KCT_ERR_SYNTAX);
	file.bytes[16] = 2; /* version */
	put_little(file.bytes + 44, kct_crc32c(&crc, 0, file.bytes, 44), 4);
	assert_int_equal(kct_pc_set_read(file.bytes, file.n, &set, NULL), KCT_ERR_UNSUPPORTED);
	file.bytes[16] = 1;
	file.bytes[18] = 2; /* kind of PCs */
	put_little(file.bytes + 44, kct_crc32c(&crc, 0, file.bytes, 44), 4);
	assert_int_equal(kct_pc_set_read(file.bytes, file.n, &set, NULL), KCT_ERR_UNSUPPORTED);
}

static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

#define N_SETS 12

static struct kct_pc_set *random_set(uint32_t *random)
{
	static const struct kct_pc_origin origins[] = {
		{.image = "", .section = ""},
		{.image = "vmlinux", .section = ""},
		{.image = "loop", .section = ".text"},
		{.image = "loop", .section = ".init.text"},
	};
	struct kct_pc_set *set;
	size_t part;

	assert_int_equal(kct_pc_set_new(KCT_PC_RETURN, &set), 0);
	for (unsigned i = 0; i < 40; i++) {
		assert_int_equal(kct_pc_set_part(set, &origins[next_random(random) % 4], &part), 0);
		assert_int_equal(kct_pc_set_add(set, part, next_random(random) % 50 * 16,
						next_random(random) % 300 + 1),
				 0);
	}
	kct_pc_set_add_traces(set, next_random(random) % 5);
	return set;
}

/** Unite sets in a random order and grouping: any two of those that are left. */
static struct buffer unite_all(uint32_t seed, uint32_t order)
{
	struct kct_pc_set *sets[N_SETS];
	struct buffer buffer = {.limit = sizeof(buffer.bytes)};
	size_t n = N_SETS;

	for (size_t i = 0; i < N_SETS; i++)
		sets[i] = random_set(&seed);
	while (n > 1) {
		size_t to = next_random(&order) % n, from = next_random(&order) % (n - 1);

		from += from >= to;
		assert_int_equal(kct_pc_set_unite(sets[to], sets[from]), 0);
		kct_pc_set_free(sets[from]);
		sets[from] = sets[--n];
	}
	assert_int_equal(kct_pc_set_write(sets[0], sink, &buffer), 0);
	kct_pc_set_free(sets[0]);
	return buffer;
}

static void test_any_order(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct buffer first = unite_all(seed, 1);

		for (uint32_t order = 2; order < 10; order++) {
			struct buffer other = unite_all(seed, order);

			assert_int_equal(other.n, first.n);
			assert_memory_equal(other.bytes, first.bytes, first.n);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),	      cmocka_unit_test(test_damage),
		cmocka_unit_test(test_hostile_parts), cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
