/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file x86_length.h
 * How long the most common instructions of x86-64 are. The disassembler says the same and takes twenty times
 * as long, as it also says what they do.
 */
#ifndef KCT_POINTS_X86_LENGTH_H
#define KCT_POINTS_X86_LENGTH_H

#include "base/macros.h"

/** The length of the 64-bit instruction at the start of `left` bytes; 0 for one that is not common, is none or
 *  is cut off. */
unsigned kct_x86_length(const uint8_t *code, uint64_t left);

#endif
