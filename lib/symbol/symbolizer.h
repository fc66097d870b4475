/* SPDX-License-Identifier: BSD-2-Clause */
/** @file symbolizer.h The inside of a struct kct_symbolizer: an address space and its results. */
#ifndef KCT_SYMBOL_SYMBOLIZER_H
#define KCT_SYMBOL_SYMBOLIZER_H

#include <kcovtrace/symbolizer.h>

#include "base/map.h"
#include "base/pool.h"
#include "symbol/paths.h"
#include "symbol/space.h"

#define KCT_PC_KINDS 2

/** Strings and files of which it is remembered what became of them. A power of two. */
#define KCT_MEMO_PLACES 8192

/** What became of a string, or of a file with its directory, as long as the same memory means the same. */
struct kct_memo {
	const void *from;
	uint64_t epoch;
	const void *result;
	unsigned purpose;
};

struct kct_symbolizer {
	struct kct_space space;
	struct kct_paths paths;
	struct kct_pool pool;		      /* results and their strings */
	struct kct_map results[KCT_PC_KINDS]; /* PC to struct kct_symbol */
	bool started;			      /* the settings are final */
	unsigned threads;		      /* of a batch; 0 is 1 */
	uint64_t epoch; /* as long as it is the same, so is what strings of tables mean */
	uint64_t stamp; /* of the last hit */
	const struct kct_image *last_image; /* that had it */
	struct kct_memo *memo;		    /* KCT_MEMO_PLACES, or NULL before the first look-up */
};

/** Make the result for a PC. It lies in `results`, its strings in the pool of the symbolizer. Settings
 *  are final. */
int kct_symbol_make(struct kct_symbolizer *symbolizer, uint64_t pc, enum kct_pc_kind kind,
		    struct kct_pool *results, const struct kct_symbol **ret_symbol,
		    struct kct_error *error);

/** Fill the place of a frame: file, line, column. The tables that it is from are those of the last
 *  kct_symbol_make(). KCT_ERR_NO_MEMORY. */
int kct_symbol_place(struct kct_symbolizer *symbolizer, const struct kct_unit_frame *from,
		     struct kct_symbol_frame *frame);

/** Addresses of an image for which the same is known. */
struct kct_run {
	uint64_t start;
	uint64_t end;	/* `start`: a statement without code, which begins there */
	uint64_t row;	/* where the row of the line table begins that holds there */
	bool statement; /* the code is that of a statement of the line; see struct kct_unit_row */
	const struct kct_symbol *symbol;
};

/** Takes a run. The symbol is gone afterwards; its first frame has the place of the line, the other facts of
 *  it are those of the code at `start`. < 0 stops. */
typedef int (*kct_take_run)(void *context, const struct kct_run *run);

/** Walk over addresses of an image, which are looked up as they are, in runs.
 *  Returns the first code < 0. */
int kct_symbolizer_runs(struct kct_symbolizer *symbolizer, const struct kct_member *member,
			uint64_t start, uint64_t end, kct_take_run take, void *context,
			struct kct_error *error);

/** The result of an earlier look-up, or NULL. */
const struct kct_symbol *kct_symbolizer_known(struct kct_symbolizer *symbolizer, uint64_t pc,
					      enum kct_pc_kind kind);

/** Settings are final from here on. */
int kct_symbolizer_start(struct kct_symbolizer *symbolizer, struct kct_error *error);

#endif
