/* SPDX-License-Identifier: BSD-2-Clause */
/** @file witness.h The bytes of records as gcc lays out structs with a byte order of their own. */
#ifndef KCT_TESTS_WITNESS_H
#define KCT_TESTS_WITNESS_H

#include "encoder.h"

#define WITNESS_BYTES 64u

/** A count word. Returns its bytes. */
size_t witness_count(uint64_t count, size_t word_bytes, enum kct_endian endian,
		     unsigned char *ret_bytes);

/** A projected event, without slide, of a layout with at most 5 words of MEMORY. */
size_t witness_event(const struct enc_event *event, const struct kct_layout *layout,
		     unsigned char *ret_bytes);

#endif
