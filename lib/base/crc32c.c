/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>

#include "base/crc32c.h"

/* With their bits reversed. */
#define CASTAGNOLI 0x82f63b78u /* 0x1edc6f41 */
#define IEEE	   0xedb88320u /* 0x04c11db7 */

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
}

void kct_crc32_init(struct kct_crc32c *crc)
{
	make_tables(crc, IEEE);
}

uint32_t kct_crc32c(const struct kct_crc32c *crc, uint32_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	sum = ~sum;
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
