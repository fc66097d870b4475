/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file filter.h
 * Which functions are shown: --function, --file, --module-name, --hide,
 * --prune and --hide-preset, with one meaning in every view.
 *
 * Patterns of one option are alternatives; --function, --file and
 * --module-name must all agree. An address without a function has its
 * hexadecimal form as its name.
 */
#ifndef CLI_FILTER_H
#define CLI_FILTER_H

#include "options.h"

/** What the patterns say of one function. */
enum verdict {
	VERDICT_KEPT = 1 << 0,	 /**< matches what is to be kept, or nothing is said */
	VERDICT_HIDDEN = 1 << 1, /**< left out, its callees stay */
	VERDICT_PRUNED = 1 << 2, /**< left out with its callees */
};

struct pattern {
	const char *option; /**< for messages; NULL: of a preset, need not match */
	const char *glob;
	bool matched; /**< ever */
};

struct pattern_list {
	struct pattern *patterns;
	size_t n, max;
};

struct verdict_slot;

struct filter {
	struct pattern_list functions, files, modules, hides, prunes;
	bool keeps;		    /**< --function, --file or --module-name was given */
	bool inlines;		    /**< inline frames count as functions of an address, too */
	struct verdict_slot *slots; /**< verdicts by address */
	size_t n_slots, used;
};

/** The patterns of the options. `inlines`: they also match inline frames. */
void filter_open(struct filter *filter, const struct options *options, bool inlines);

void filter_close(struct filter *filter);

/** The verdict on an address; `symbol` is what is known of it, or NULL. Set of enum verdict. */
unsigned filter_judge(struct filter *filter, uint64_t pc, const struct kct_symbol *symbol);

/** Whether --hide or a preset leaves out a function of this name. */
bool filter_hides(struct filter *filter, const char *function);

/** Name the patterns that matched nothing in all inputs. STATUS_PARTLY if there are any. */
int filter_report(const struct filter *filter);

/** The lasting name of a preset of --hide-preset, NULL if there is none. */
const char *filter_preset_name(const char *name, size_t length);

#endif
