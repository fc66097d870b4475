/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits counted, shifted and tested, without a call. */
#include <stdint.h>
#include <stdio.h>

static int count(uint32_t n)
{
	int bits = 0;

	while (n) {
		n &= n - 1;
		bits++;
	}
	return bits;
}

static uint32_t reverse(uint32_t n)
{
	uint32_t result = 0;

	for (int i = 0; i < 32; i++) {
		result <<= 1;
		if (n & 1)
			result |= 1;
		n >>= 1;
	}
	return result;
}

static int highest(uint32_t n)
{
	int bit = -1;

	for (int i = 31; i >= 0; i--) {
		if (n & UINT32_C(1) << i) {
			bit = i;
			break;
		}
	}
	if (bit < 0)
		puts("none");
	return bit;
}

int main(void)
{
	printf("%d %x %d\n", count(0xf0f0), reverse(1), highest(0x80));
	return 0;
}
