/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file setform.h
 * Where things are in a file of a set: for its reader and its writer. docs/coverage.md is the
 * description for others.
 */
#ifndef KCT_COVERAGE_SETFORM_H
#define KCT_COVERAGE_SETFORM_H

/* As that of a `.kct` file: no text, and does not survive a change of line ends. */
#define KCT_SET_MARKER	     "\x89KCS\r\n\x1a\n"
#define KCT_SET_MARKER_BYTES ((size_t)8)

#define KCT_SET_ORDER_MARK 0x0102030405060708u
#define KCT_SET_VERSION	   1

/* Offsets in the header. All numbers are little-endian: equal sets must be equal bytes. */
enum kct_set_header_at {
	KCT_SET_AT_MARKER = 0,	  /* 8 bytes */
	KCT_SET_AT_ORDER = 8,	  /* u64 */
	KCT_SET_AT_VERSION = 16,  /* u16 */
	KCT_SET_AT_KIND = 18,	  /* u16, enum kct_pc_kind */
	KCT_SET_AT_PARTS = 20,	  /* u32 */
	KCT_SET_AT_TRACES = 24,	  /* u64 */
	KCT_SET_AT_PCS = 32,	  /* u64, in all parts */
	KCT_SET_AT_RESERVED = 40, /* u32, 0 */
	KCT_SET_AT_SUM = 44,	  /* u32, CRC-32C of the 44 bytes before */
	KCT_SET_HEADER_BYTES = 48
};

/* The parts by origin, each without a gap: texts of the image and of the section, the bytes of the build
 * ID (all with their length before), the number of PCs, then of each its distance from the one before and
 * its count. All these numbers are LEB128 in its shortest form. A part has PCs. */

#define KCT_SET_TRAILER_BYTES ((size_t)4) /* u32, CRC-32C of the parts */

#endif
