/* SPDX-License-Identifier: BSD-2-Clause */
/** @file foreign.h Telling formats of others: by their first bytes, their text, their words. */
#ifndef KCT_DECODE_FOREIGN_H
#define KCT_DECODE_FOREIGN_H

#include <kcovtrace/foreign.h>

#include "base/macros.h"

/** What a text is. */
enum kct_foreign_text {
	KCT_TEXT_CALLGRIND,
	KCT_TEXT_SPEEDSCOPE,
	KCT_TEXT_CHROME,
	KCT_TEXT_FOLDED,
	KCT_TEXT_COBERTURA,
	KCT_TEXT_KCOV,
	KCT_TEXT_OTHER,
};

/**
 * Whether data is of another format although it may decode as an area: a magic of 8 bytes is a count
 * that no area can have, and PCs that gVisor made up look like kernel addresses.
 */
bool kct_is_surely_foreign(const void *data, size_t bytes);

/** Tell by the first lines. */
enum kct_foreign_text kct_foreign_text(const void *data, size_t bytes);

/**
 * Whether the words are records of kcov-dataflow: headers with numbers in a row, each followed by a
 * kernel address. All of its variants whose records say how long they are, and those that do not.
 */
bool kct_is_dataflow(const void *data, size_t bytes);

/**
 * Whether the words are a count and PCs that gVisor made up from numbers of packages, functions and
 * blocks: neighbours differ by one, which calls that were made cannot.
 */
bool kct_is_made_up(const void *data, size_t bytes);

#endif
