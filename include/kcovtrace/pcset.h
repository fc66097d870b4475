/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pcset.h
 * Sets of PCs with the number of records of each, from any number of traces.
 *
 * PCs are kept by where they are from: a linked image and its link addresses, a section of a module
 * and offsets in it, or, when no image was at hand, addresses as recorded. So neither the KASLR offset
 * nor the places of modules matter. Sets can be written and read (docs/coverage.md has the bytes), and
 * united in any order and grouping: what is written is the same to the byte.
 *
 *     struct kct_pc_origin origin = {.image = "", .section = ""};
 *     struct kct_pc_set *set;
 *     size_t part;
 *
 *     kct_pc_set_new(KCT_PC_RETURN, &set);
 *     kct_pc_set_part(set, &origin, &part);
 *     while (kct_decoder_batch(decoder, MAX, records, &n, NULL) > 0)
 *             kct_pc_set_add_records(set, part, records, n);
 *     kct_pc_set_add_traces(set, 1);
 */
#ifndef KCOVTRACE_PCSET_H
#define KCOVTRACE_PCSET_H

#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/record.h>
#include <kcovtrace/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kct_pc_set;

/** A PC and how many records had it: at least 1; it stays at UINT64_MAX. */
struct kct_pc_count {
	uint64_t pc;
	uint64_t count;
};

/** Where the PCs of a part are from. Strings and bytes of a set's own parts are owned by the set. */
struct kct_pc_origin {
	const char *image;	 /**< "vmlinux" or a module's name; "": as recorded */
	const char *section;	 /**< of a relocatable image, and PCs are offsets in it; else "" */
	const uint8_t *build_id; /**< of the image; of the kernel for "" */
	size_t build_id_bytes;	 /**< up to 64; 0: not known */
};

/** An empty set of PCs of one kind. KCT_ERR_NO_MEMORY. */
KCT_API int kct_pc_set_new(enum kct_pc_kind kind, struct kct_pc_set **ret_set);

/** Free a set; NULL is fine. */
KCT_API void kct_pc_set_free(struct kct_pc_set *set);

/** The kind of the PCs. */
KCT_API enum kct_pc_kind kct_pc_set_kind(const struct kct_pc_set *set);

/** The number of the part of an origin, which is made if it is new. Numbers do not change.
 *  KCT_ERR_ARGUMENT for names that are no names, KCT_ERR_NO_MEMORY. */
KCT_API int kct_pc_set_part(struct kct_pc_set *set, const struct kct_pc_origin *origin,
			    size_t *ret_part);

/** Count `count` records at a PC. KCT_ERR_NO_MEMORY, KCT_ERR_ARGUMENT for no such part. */
KCT_API int kct_pc_set_add(struct kct_pc_set *set, size_t part, uint64_t pc, uint64_t count);

/** Count the PCs of records of the kinds pc and entry, those of coverage points; not for runs of PCs
 *  (KCT_DECODE_PC_RUNS), KCT_ERR_ARGUMENT. */
KCT_API int kct_pc_set_add_records(struct kct_pc_set *set, size_t part,
				   const struct kct_record *records, size_t n);

/** Say that so many traces were added. */
KCT_API void kct_pc_set_add_traces(struct kct_pc_set *set, uint64_t n);

/** How many traces the set is from. */
KCT_API uint64_t kct_pc_set_traces(const struct kct_pc_set *set);

/**
 * Whether two sets can be of one build: KCT_ERR_BUILD, with a text that names both, if there is an image
 * in both that has another build ID in each. Images without one fit anything.
 */
KCT_API int kct_pc_set_check(const struct kct_pc_set *a, const struct kct_pc_set *b,
			     struct kct_error *error);

/** Add all of another set: counts and numbers of traces add up. KCT_ERR_MODE for PCs of another kind,
 *  KCT_ERR_NO_MEMORY: then a part of it may have been added. Build IDs are not compared. */
KCT_API int kct_pc_set_unite(struct kct_pc_set *set, struct kct_pc_set *other);

/** Take out what another set has, whatever its counts. As kct_pc_set_unite(). */
KCT_API int kct_pc_set_subtract(struct kct_pc_set *set, struct kct_pc_set *other);

/** Keep only what another set has too, with the lower count. As kct_pc_set_unite(). */
KCT_API int kct_pc_set_intersect(struct kct_pc_set *set, struct kct_pc_set *other);

/** Number of parts. */
KCT_API size_t kct_pc_set_parts(const struct kct_pc_set *set);

/** Where part number `part` is from. KCT_ERR_ARGUMENT. */
KCT_API int kct_pc_set_origin(const struct kct_pc_set *set, size_t part,
			      struct kct_pc_origin *ret_origin);

/** The PCs of a part, sorted. Owned by the set, valid until it changes. KCT_ERR_NO_MEMORY,
 *  KCT_ERR_ARGUMENT. */
KCT_API int kct_pc_set_counts(struct kct_pc_set *set, size_t part,
			      const struct kct_pc_count **ret_counts, size_t *ret_n);

/** How many distinct PCs all parts have. KCT_ERR_NO_MEMORY. */
KCT_API int kct_pc_set_size(struct kct_pc_set *set, uint64_t *ret_n);

/** Takes some bytes; returns < 0, a code that is handed on, to stop. */
typedef int (*kct_pc_set_sink)(void *context, const void *bytes, size_t n);

/** Write a set as a file. Equal sets give equal bytes, on every machine. KCT_ERR_NO_MEMORY, or what
 *  `sink` returned. */
KCT_API int kct_pc_set_write(struct kct_pc_set *set, kct_pc_set_sink sink, void *context);

/** 1: the data begins like a file of a set; 0: it does not. */
KCT_API int kct_pc_set_identify(const void *data, size_t bytes);

/**
 * Read a file of a set, whole or not at all. KCT_ERR_SYNTAX if it is none, KCT_ERR_UNSUPPORTED if it is of
 * a later version, KCT_ERR_DAMAGED with the offset, KCT_ERR_NO_MEMORY.
 */
KCT_API int kct_pc_set_read(const void *data, size_t bytes, struct kct_pc_set **ret_set,
			    struct kct_error *error);

#ifdef __cplusplus
}
#endif
#endif
