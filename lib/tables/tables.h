/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file tables.h
 * The symbols of one image: which units claim an address, and the units, wherever they come from.
 */
#ifndef KCT_TABLES_TABLES_H
#define KCT_TABLES_TABLES_H

#include <kcovtrace/error.h>

#include "tables/unit.h"

/** Of more units that claim one address than this, some are not asked for it. */
#define KCT_MAX_LAYERS 16

/** Addresses from `start` to before `end` that a unit claims. */
struct kct_index_range {
	uint64_t start;
	uint64_t end;
	uint32_t unit;
	uint32_t zero;
};

/**
 * From addresses to units. Layer 0 says which unit is asked first. If ranges of units overlap, the
 * further layers hold all ranges, each layer disjoint and sorted; if not, there are none.
 */
struct kct_index {
	const struct kct_index_range *ranges;
	uint32_t first[KCT_MAX_LAYERS + 2]; /* layer i: from first[i] to before first[i + 1] */
	uint32_t n_layers;		    /* with layer 0, at most KCT_MAX_LAYERS + 1 */
	uint32_t n_units;
};

/** What the tables know of one address. */
struct kct_hit {
	bool has_function;
	bool has_line;	     /* a row covers the address; its line may be 0 */
	uint32_t unit;	     /* number of the one that knows this */
	uint64_t identity;   /* of the machine function, the same for all its ranges; not 0 */
	uint64_t part_start; /* the range of the function that holds the address */
	uint64_t part_end;
	uint64_t entry; /* lowest address of its first range (where it is entered) */
	const struct kct_unit_frame
		*frames; /* innermost first, the machine function last; valid until
					 * the next look-up */
	size_t n_frames; /* 0 if there is neither function nor line */
	/* As long as it is that of the hit before, equal pointers to strings mean the same strings. */
	uint64_t stamp;
};

/** Takes the unit that numbers[i] asked for; it is valid until this returns. Non-zero stops. */
typedef int kct_take_unit(void *context, size_t i, const struct kct_unit *unit);

/** Hands out units. */
struct kct_unit_source {
	/** The tables of unit `number`, which is below n_units of the index. Valid until the source says
	 *  otherwise. KCT_ERR_NO_MEMORY. */
	int (*get_unit)(void *context, uint32_t number, const struct kct_unit **ret_unit);
	/** Hand out `n` units, each once and in this order, to `take` in the calling thread, and read ahead
	 *  in up to `threads` threads. Nothing of them is kept. May be NULL: get_unit() does. Returns what
	 *  `take` did if that is not 0, or KCT_ERR_NO_MEMORY. */
	int (*each_unit)(void *context, const uint32_t *numbers, size_t n, unsigned threads,
			 kct_take_unit *take, void *take_context);
	void *context;
};

/** The symbols of an image. */
struct kct_tables {
	struct kct_index index; /* the ranges are the source's */
	struct kct_unit_source source;
	struct kct_unit_frame *frames; /* of the last look-up */
	size_t max_frames;
	struct kct_unit_frame *statements; /* of the last kct_tables_run() */
	const struct kct_unit
		*at_hand; /* in kct_tables_each_unit(): look-ups need not ask for it */
	uint32_t number_at_hand;
	const struct kct_unit *last_unit; /* of the last look-up */
	uint32_t last_number;
	uint64_t stamp;
};

/** Free what look-ups made; the source stays. */
void kct_tables_clear(struct kct_tables *tables);

/** Look an address up as it is (the caller has stepped back from a return address). 1: something
 *  was found, 0: nothing, < 0: out of memory. */
int kct_tables_lookup(struct kct_tables *tables, uint64_t address, struct kct_hit *ret_hit);

/** Addresses for which kct_tables_lookup() says the same. */
struct kct_tables_run {
	uint64_t end; /* the first one for which it may say anything else */
	bool has_row;
	/* Of the row of the line table that holds there, if there is one: */
	bool statement; /* see struct kct_unit_row */
	uint64_t row;	/* where it begins */
	/* Statements without code where it begins, file and line of each; valid until the next call. */
	const struct kct_unit_frame *statements;
	size_t n_statements;
};

/** The run that an address is in. KCT_ERR_NO_MEMORY. */
int kct_tables_run(struct kct_tables *tables, uint64_t address, struct kct_tables_run *ret_run);

/** Hand out units as each_unit() of the source does; look-ups that `take` makes need not read the unit
 *  again. */
int kct_tables_each_unit(struct kct_tables *tables, const uint32_t *numbers, size_t n,
			 unsigned threads, kct_take_unit *take, void *take_context);

/** The unit that is asked first for an address, or UINT32_MAX. */
uint32_t kct_index_find(const struct kct_index *index, uint64_t address);

/** The units that claim an address, where units overlap; in ascending order, their number. */
size_t kct_index_claimants(const struct kct_index *index, uint64_t address,
			   uint32_t ret_units[KCT_MAX_LAYERS]);

#endif
