/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>

#include "base/crc32c.h"

/* With their bits reversed. */
#define CASTAGNOLI 0x82f63b78u /* 0x1edc6f41 */
#define IEEE	   0xedb88320u /* 0x04c11db7 */

/* The instruction takes 3 cycles and can begin anew in each: three sums at a time, if joining them
 * costs less than that gains. */
#define LANES	   3
#define LANE_BYTES ((size_t)4096)

#if defined(__x86_64__)
#define HAVE_INSTRUCTION  1
#define WITH_INSTRUCTION  __attribute__((target("sse4.2")))
#define STEP_8(sum, word) ((uint32_t)__builtin_ia32_crc32di(sum, word))
#define STEP_1(sum, byte) __builtin_ia32_crc32qi(sum, byte)

static bool has_instruction(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse4.2") != 0;
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#define HAVE_INSTRUCTION 1
#define WITH_INSTRUCTION
#define STEP_8(sum, word) step_8(sum, word)
#define STEP_1(sum, byte) step_1(sum, byte)

/* Compilers agree neither on the names of builtins nor on that of the feature. */
WITH_INSTRUCTION static inline uint32_t step_8(uint32_t sum, uint64_t word)
{
	__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(sum) : "r"(le64toh(word)));
	return sum;
}

WITH_INSTRUCTION static inline uint32_t step_1(uint32_t sum, unsigned char byte)
{
	__asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(sum) : "r"((uint32_t)byte));
	return sum;
}

static bool has_instruction(void)
{
	return (getauxval(AT_HWCAP) & 1 << 7) != 0; /* HWCAP_CRC32 */
}
#else
#define HAVE_INSTRUCTION 0

static bool has_instruction(void)
{
	return false;
}
#endif

static void make_tables(struct kct_crc32c *crc, uint32_t polynomial)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t sum = byte;

		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
		crc->table[0][byte] = sum;
	}
	/* table[n][b]: what byte b does to the sum when n zero bytes follow it. */
	for (size_t n = 1; n < 8; n++) {
		for (size_t byte = 0; byte < 256; byte++) {
			uint32_t before = crc->table[n - 1][byte];

			crc->table[n][byte] = before >> 8 ^ crc->table[0][before & 0xff];
		}
	}
}

void kct_crc32c_init(struct kct_crc32c *crc)
{
	make_tables(crc, CASTAGNOLI);
	crc->fast = has_instruction();
}

void kct_crc32_init(struct kct_crc32c *crc)
{
	make_tables(crc, IEEE);
	crc->fast = false;
}

#if HAVE_INSTRUCTION
static uint64_t word_at(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/** a * b modulo the polynomial; the highest bit is the coefficient of 1. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		if (a & 0x80000000u)
			product ^= b;
		b = b >> 1 ^ (b & 1 ? CASTAGNOLI : 0);
	}
	return product;
}

/** What `bytes` zero bytes multiply a sum with: x^(8 * bytes). */
static uint32_t power(size_t bytes)
{
	uint32_t result = 0x80000000u, square = 0x80000000u >> 8;

	for (; bytes; bytes >>= 1) {
		if (bytes & 1)
			result = multiply(result, square);
		square = multiply(square, square);
	}
	return result;
}

WITH_INSTRUCTION static uint32_t sum_plain(uint32_t sum, const unsigned char *at, size_t bytes)
{
	for (; bytes >= 8; bytes -= 8, at += 8)
		sum = STEP_8(sum, word_at(at));
	for (; bytes; bytes--, at++)
		sum = STEP_1(sum, *at);
	return sum;
}

/** Of three pieces of `lane` bytes, a multiple of 8, that follow each other. */
WITH_INSTRUCTION static uint32_t sum_lanes(uint32_t sum, const unsigned char *at, size_t lane)
{
	uint32_t second = 0, third = 0, shift = power(lane);

	for (size_t i = 0; i < lane; i += 8) {
		sum = STEP_8(sum, word_at(at + i));
		second = STEP_8(second, word_at(at + lane + i));
		third = STEP_8(third, word_at(at + 2 * lane + i));
	}
	return multiply(multiply(sum, shift) ^ second, shift) ^ third;
}

static uint32_t sum_fast(uint32_t sum, const unsigned char *at, size_t bytes)
{
	size_t lane = bytes / LANES & ~(size_t)7;

	if (lane < LANE_BYTES)
		return sum_plain(sum, at, bytes);
	sum = sum_lanes(sum, at, lane);
	return sum_plain(sum, at + LANES * lane, bytes - LANES * lane);
}
#else
static uint32_t sum_fast(uint32_t sum, const unsigned char *at, size_t bytes)
{
	(void)at;
	(void)bytes;
	return sum;
}
#endif

uint32_t kct_crc32c(const struct kct_crc32c *crc, uint32_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	sum = ~sum;
	if (crc->fast)
		return ~sum_fast(sum, at, bytes);
	for (; bytes >= 8; bytes -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		word = le64toh(word) ^ sum;
		sum = crc->table[7][word & 0xff] ^ crc->table[6][word >> 8 & 0xff] ^
		      crc->table[5][word >> 16 & 0xff] ^ crc->table[4][word >> 24 & 0xff] ^
		      crc->table[3][word >> 32 & 0xff] ^ crc->table[2][word >> 40 & 0xff] ^
		      crc->table[1][word >> 48 & 0xff] ^ crc->table[0][word >> 56];
	}
	for (; bytes; bytes--, at++)
		sum = sum >> 8 ^ crc->table[0][(sum ^ *at) & 0xff];
	return ~sum;
}
