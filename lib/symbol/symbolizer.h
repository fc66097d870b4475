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

struct kct_symbolizer {
	struct kct_space space;
	struct kct_paths paths;
	struct kct_pool pool;		      /* results and their strings */
	struct kct_map results[KCT_PC_KINDS]; /* PC to struct kct_symbol */
	bool started;			      /* the settings are final */
};

/** Make the result for a PC. It lies in `results`, its strings in the pool of the symbolizer. Settings
 *  are final. */
int kct_symbol_make(struct kct_symbolizer *symbolizer, uint64_t pc, enum kct_pc_kind kind,
		    struct kct_pool *results, const struct kct_symbol **ret_symbol,
		    struct kct_error *error);

/** Takes what is known of the addresses from `start` to before `end` of an image. The symbol is gone
 *  afterwards. < 0 stops. */
typedef int (*kct_take_run)(void *context, uint64_t start, uint64_t end,
			    const struct kct_symbol *symbol);

/** Walk over addresses of an image, which are looked up as they are, in runs for which the same is known.
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
