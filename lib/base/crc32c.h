/* SPDX-License-Identifier: BSD-2-Clause */
/** @file crc32c.h The checksum CRC-32C (Castagnoli), as iSCSI (RFC 3720) and ext4 use it. */
#ifndef KCT_BASE_CRC32C_H
#define KCT_BASE_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Tables for eight bytes a step. Made by kct_crc32c_init(), then read only. */
struct kct_crc32c {
	uint32_t table[8][256];
	bool fast; /* the machine has an instruction for it, which is used */
};

/** Make the tables and see what the machine can do. */
void kct_crc32c_init(struct kct_crc32c *crc);

/** Tables for the CRC-32 of Ethernet and gzip instead, which .gnu_debuglink has. */
void kct_crc32_init(struct kct_crc32c *crc);

/** Go on from `sum`, the sum of the bytes before, with `bytes` bytes at `data`. The sum of nothing is 0. */
uint32_t kct_crc32c(const struct kct_crc32c *crc, uint32_t sum, const void *data, size_t bytes);

#endif
