/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file space.h
 * The address space of a symbolizer: which image or kallsyms knows an address,
 * and what it knows.
 */
#ifndef KCT_SYMBOL_SPACE_H
#define KCT_SYMBOL_SPACE_H

#include "symbol/address.h"
#include "image/image.h"
#include "image/kallsyms.h"

/* An image of the space. */
struct kct_member {
	struct kct_image *image;
	const char *name; /* not owned */
	uint64_t shift;	  /* to an image address */
};

/** All zero is an empty space. */
struct kct_space {
	struct kct_member *members;
	size_t n_members, max_members;
	struct kct_kallsyms **kallsyms;
	size_t n_kallsyms, max_kallsyms;
	struct kct_slide slide;
	bool doubtful; /* the offset of the slide is not known */
	bool ready;    /* the rest is valid */
	bool kernel_is_low;
	bool thumb;		/* an image is for 32-bit ARM */
	struct kct_ranges code; /* look-up addresses; value: index of the member */
	/* Of modules alone, to see where more than one image may be meant. */
	struct kct_ranges modules;
	struct kct_ranges init; /* code that is freed after initialisation, and reused */
	bool data_ready;
	struct kct_ranges data; /* as `code`, of data at run-time addresses */
	uint64_t *percpu;	/* by CPU, where its variables begin */
	size_t n_percpu;
	struct kct_ranges percpu_data;		/* value: CPU */
	const struct kct_member *percpu_member; /* whose variables they are */
	struct kct_ranges low; /* of both, less multiples of what a kernel is moved by */
};

/* Where vmlinux has the model of each CPU's variables. */
#define KCT_PERCPU_SECTION ".data..percpu"

/* What is known of one address. `shift` makes image addresses of recorded ones. */
struct kct_place {
	uint64_t address; /* in the image or kallsyms */
	uint64_t shift;
	const struct kct_member *member;       /* NULL: no image covers it */
	struct kct_symtab *table;	       /* that `symbol` is from */
	const struct kct_symtab_entry *symbol; /* NULL: none */
	bool is_cut;			       /* the image was cut down to other addresses */
	bool ambiguous;			       /* another image may be meant */
	struct kct_hit hit;		       /* n_frames 0: nothing */
};

/* Where data is. `shift` makes image addresses of recorded ones. */
struct kct_data_place {
	const struct kct_member *member;
	uint64_t shift;
	int32_t cpu; /* of a per-CPU variable, else -1 */
};

/** Find the image that covers an address of data. 1: stored, 0: none does; KCT_ERR_NO_MEMORY. After
 *  kct_space_prepare(). */
int kct_space_place_data(struct kct_space *space, uint64_t address,
			 struct kct_data_place *ret_place);

/** Free the memory; images and kallsyms stay the caller's. */
void kct_space_clear(struct kct_space *space);

/** Read the symbols of all images and lay out their code; once, before kct_space_find(). */
int kct_space_prepare(struct kct_space *space, struct kct_error *error);

/** The member that covers a PC, and the unit there that is asked first (UINT32_MAX: none); NULL: no
 *  image covers it. */
const struct kct_member *kct_space_unit(const struct kct_space *space, uint64_t pc,
					enum kct_pc_kind kind, uint32_t *ret_unit);

/** Find what is known of a PC. Nothing known is no failure: `*ret_place` says so. */
int kct_space_find(struct kct_space *space, uint64_t pc, enum kct_pc_kind kind,
		   struct kct_place *ret_place, struct kct_error *error);

/** As kct_space_find(), but by symbols alone, and without `ambiguous`; much faster. */
void kct_space_symbol(struct kct_space *space, uint64_t pc, enum kct_pc_kind kind,
		      struct kct_place *ret_place);

/** The first address of the part of a function that holds the place, and its size (0 unknown), in
 *  the image. False if no function is known. */
bool kct_place_extent(const struct kct_place *place, uint64_t *ret_start, uint64_t *ret_size);

/** The identity of the function, 0 if none is known; < 0 on failure. */
int kct_place_identity(const struct kct_place *place, uint64_t *ret_identity);

#endif
