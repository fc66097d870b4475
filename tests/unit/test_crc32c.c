/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/crc32c.h"
#include "check.h"

/* Values of RFC 3720, B.4, and the usual check value of the polynomial. */
static const struct {
	const char *name;
	const char *bytes;
	size_t n;
	uint32_t sum;
} rows[] = {
	{"nothing", "", 0, 0},
	{"check value", "123456789", 9, 0xe3069283},
	{"32 zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32,
	 0x8a9136aa},
	{"ascending",
	 "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
	 "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
	 32, 0x46dd794e},
};

static void test_values(void **state)
{
	struct kct_crc32c crc;

	(void)state;
	kct_crc32c_init(&crc);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_EQ(rows[i].name, kct_crc32c(&crc, 0, rows[i].bytes, rows[i].n), rows[i].sum);
	/* The usual check value of CRC-32. */
	kct_crc32_init(&crc);
	CHECK_EQ("CRC-32", kct_crc32c(&crc, 0, "123456789", 9), 0xcbf43926);
}

/** In two pieces, at any alignment: the same sum. */
static void test_pieces(void **state)
{
	struct kct_crc32c crc;
	unsigned char bytes[64];
	uint32_t whole;

	(void)state;
	kct_crc32c_init(&crc);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t start = 0; start < 8; start++) {
		whole = kct_crc32c(&crc, 0, bytes + start, 50);
		for (size_t cut = 0; cut <= 50; cut++) {
			uint32_t front = kct_crc32c(&crc, 0, bytes + start, cut);

			assert_int_equal(kct_crc32c(&crc, front, bytes + start + cut, 50 - cut),
					 whole);
		}
	}
}

/** With the machine's instruction and without, in one lane and in several: the same sum. */
static void test_fast(void **state)
{
	static const size_t sizes[] = {0,     1,     7,	    8,	   9,	  4095,	 12287,
				       12288, 12289, 12296, 12311, 12312, 65536, 100003};
	unsigned char *bytes = malloc(100003 + 8);
	struct kct_crc32c fast, plain;

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < 100003 + 8; i++)
		bytes[i] = (unsigned char)(i * i * 31 + i / 253);
	kct_crc32c_init(&fast);
	if (!fast.fast)
		SKIP("this machine has no instruction for CRC-32C");
	plain = fast;
	plain.fast = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_EQ(rows[i].name, kct_crc32c(&plain, 0, rows[i].bytes, rows[i].n),
			 rows[i].sum);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t start = 0; start < 8; start += 3)
			assert_int_equal(kct_crc32c(&fast, 0x1234, bytes + start, sizes[i]),
					 kct_crc32c(&plain, 0x1234, bytes + start, sizes[i]));
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
