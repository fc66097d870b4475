/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file filter.h
 * Which functions are shown: --function, --file, --module-name, --hide,
 * --prune and --hide-preset, with one meaning in every view.
 *
 * A pattern matches the machine function of an address or, where inline frames
 * are shown, a function inlined there. Patterns of one option are alternatives;
 * --function, --file and --module-name must all agree on one function. An
 * address without a function has its hexadecimal form as its name. A `[NAME]`
 * at the end of a pattern for functions is a pattern for their module.
 */
#ifndef CLI_FILTER_H
#define CLI_FILTER_H

#include "options.h"

/** What the patterns say of the machine function of an address. */
enum verdict {
	VERDICT_KEPT = 1 << 0,	 /**< matches what is to be kept, or nothing is said */
	VERDICT_HIDDEN = 1 << 1, /**< left out, its callees stay */
	VERDICT_PRUNED = 1 << 2, /**< left out with its callees */
};

/** Shifted by this, the same of the functions inlined there. KEPT: one is to be kept, which takes
 *  an option that says so. */
#define VERDICT_INNER_SHIFT 3

/** Whether any function at an address has a verdict. */
static inline bool verdict_any(unsigned verdicts, enum verdict verdict)
{
	return ((verdicts | verdicts >> VERDICT_INNER_SHIFT) & verdict) != 0;
}

/** Whether what was recorded at an address is kept, as far as its functions decide that. */
static inline bool verdict_keeps(unsigned verdicts)
{
	return verdict_any(verdicts, VERDICT_KEPT) && !verdict_any(verdicts, VERDICT_PRUNED);
}

struct pattern {
	const char *option; /**< for messages; NULL: of a preset, need not match */
	const char *text;   /**< as given */
	char *glob;	    /**< for the name */
	const char *module; /**< for the module; NULL: any. Part of `glob`'s memory */
	bool matched;	    /**< ever */
};

struct pattern_list {
	struct pattern *patterns;
	size_t n, max;
};

struct verdict_slot;

struct filter {
	struct pattern_list functions, files, modules, hides, prunes;
	struct pattern_list entries; /**< --at-function */
	bool keeps;		     /**< --function, --file or --module-name was given */
	bool inlines;		     /**< inline frames count as functions of an address, too */
	struct verdict_slot *slots;  /**< verdicts by address */
	size_t n_slots, used;
};

/** The patterns of the options. `inlines`: they also match inline frames. */
void filter_open(struct filter *filter, const struct options *options, bool inlines);

void filter_close(struct filter *filter);

/** Whether calls are left out with what they call. */
static inline bool filter_selects(const struct filter *filter)
{
	return filter->keeps || filter->prunes.n;
}

/** Whether there are any patterns. */
static inline bool filter_is_active(const struct filter *filter)
{
	return filter_selects(filter) || filter->hides.n;
}

/** The verdict on an address; `symbol` is what is known of it, or NULL. Set of enum verdict, twice. */
unsigned filter_judge(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol);

/** The same for places that are asked for once: the verdict is not remembered. */
unsigned filter_judge_once(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol);

/** Whether --hide or a preset leaves out a function of this name and module (may be NULL). */
bool filter_hides(struct filter *filter, const char *function, const char *module);

/** Whether --at-function asks for the entry at `pc`. */
bool filter_is_entry(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol);

/** Name the patterns that matched nothing in all inputs. STATUS_PARTLY if there are any. */
int filter_report(const struct filter *filter);

/** The lasting name of a preset of --hide-preset, NULL if there is none. */
const char *filter_preset_name(const char *name, size_t length);

#endif
