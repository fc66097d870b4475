/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file layout.h
 * How a raw KCOV buffer is laid out.
 *
 * No KCOV implementation stores its own mode, word size or byte order: these
 * facts belong to the capture. A struct kct_layout carries them. Start from a
 * preset, change what differs, and hand it to a decoder. Source of the facts:
 * the kernels' kcov sources and manual pages, collected in docs/formats.md.
 */
#ifndef KCOVTRACE_LAYOUT_H
#define KCOVTRACE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The record grammar of an area. */
enum kct_mode {
	KCT_MODE_PC = 0,     /**< one PC a coverage point; the count is in PCs */
	KCT_MODE_CMP = 1,    /**< four 64-bit words a comparison; the count is in records */
	KCT_MODE_EXT = 2,    /**< tagged records with calls and returns; the count is in words */
	KCT_MODE_MEMORY = 3, /**< as EXT, and memory accesses; the count is in words */
	KCT_MODE_UNIQUE = 4, /**< a bitmap of bitmap_words, then an area of distinct PCs */
};

enum kct_endian {
	KCT_ENDIAN_LITTLE = 0,
	KCT_ENDIAN_BIG = 1,
};

enum kct_os {
	KCT_OS_LINUX = 0,
	KCT_OS_FREEBSD = 1,
	KCT_OS_NETBSD = 2,
	KCT_OS_OPENBSD = 3,
};

/** How the kernel packed the two halves of an EESUM record. */
enum kct_eesum_quirk {
	KCT_EESUM_NONE = 0,	     /**< delta in bits 0-15, lowest point in bits 16-31 */
	KCT_EESUM_SIGN_EXTENDED = 1, /**< halves built from ints: a negative lowest point
				      *   spills over the type bits */
};

/** Layout of one area. Growable: set by kct_layout_preset(), which fills `size`. */
struct kct_layout {
	size_t size;		 /**< sizeof(struct kct_layout) of the caller */
	const char *preset;	 /**< name of the preset it came from; static, may be NULL */
	enum kct_mode mode;	 /**< record grammar */
	enum kct_os os;		 /**< whose kernel wrote it */
	enum kct_endian endian;	 /**< byte order of the traced machine */
	uint32_t word_bytes;	 /**< 4 or 8; CMP records on Linux have 8 always */
	uint32_t entry_words;	 /**< EXT, MEMORY: words of an ENTRY record, 1 or 2 */
	uint32_t memory_words;	 /**< MEMORY: words of a MEMORY record, at least 4 */
	uint64_t bitmap_words;	 /**< UNIQUE: words before the count word */
	uint64_t capacity_words; /**< words of word_bytes the area can hold with its count word,
				  *   but not the bitmap of UNIQUE; 0 unknown */
	bool slid;		 /**< PCs still hold the KASLR offset */
	enum kct_eesum_quirk eesum_quirk;
};

/**
 * Fill a layout from a preset: `linux-pc linux-cmp linux-ext linux-ext-v1
 * linux-mem linux-unique freebsd-pc freebsd-cmp netbsd-pc netbsd-cmp
 * openbsd-pc openbsd-cmp`. `linux-ext-v1` is the first public posting of the
 * mode: ENTRY records of one word. Unknown name: KCT_ERR_LAYOUT.
 */
KCT_API int kct_layout_preset(const char *name, struct kct_layout *ret_layout);

/** Name of preset number `index`, NULL past the last one. Static. */
KCT_API const char *kct_layout_preset_name(size_t index);

/**
 * Parse `NAME[,KEY=VALUE...]`, the argument of `--layout`. Keys: `word=4|8
 * endian=little|big entry-words=1|2 memory-words=N bitmap-words=N capacity=N
 * slid=yes|no`. `auto` and `pcs` are no presets: the caller takes them first.
 * KCT_ERR_LAYOUT with a text that names the part that is wrong.
 */
KCT_API int kct_layout_parse(const char *spec, struct kct_layout *ret_layout,
			     struct kct_error *error);

/**
 * Check that the fields agree, such as no EXT with words of four bytes (its
 * record type is in the top bits of a 64-bit word). KCT_ERR_LAYOUT, or
 * KCT_ERR_ARGUMENT when a newer caller's unknown tail is not zero.
 */
KCT_API int kct_layout_check(const struct kct_layout *layout, struct kct_error *error);

/** Short name of a mode: `pc cmp ext mem unique`; never NULL. Static. */
KCT_API const char *kct_mode_name(enum kct_mode mode);

#ifdef __cplusplus
}
#endif
#endif
