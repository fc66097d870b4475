/* SPDX-License-Identifier: BSD-2-Clause */
/** @file spans.h Address ranges, and which of several wins. */
#ifndef KCT_DWARF_SPANS_H
#define KCT_DWARF_SPANS_H

#include <kcovtrace/error.h>

#include "base/macros.h"

/**
 * The addresses from start to before end belong to something with the number
 * `id`. Where several spans cover one address the highest rank wins, then the
 * narrowest, then the lowest id.
 */
struct kct_span {
	uint64_t start;
	uint64_t end;
	uint32_t id;
	uint32_t rank;
};

struct kct_spans {
	struct kct_span *at;
	size_t n, max;
};

/** Add a span. KCT_ERR_NO_MEMORY. */
int kct_spans_add(struct kct_spans *spans, uint64_t start, uint64_t end, uint32_t id,
		  uint32_t rank);

/** Free the memory. */
void kct_spans_clear(struct kct_spans *spans);

/**
 * Append to `flat` what wins where, disjoint and sorted; `items` get sorted by start.
 * 1: some overlapped, 0: none did, KCT_ERR_NO_MEMORY.
 */
int kct_spans_flatten(struct kct_span *items, size_t n, struct kct_spans *flat);

/** The span of n disjoint and sorted ones that holds an address, or NULL. */
const struct kct_span *kct_span_find(const struct kct_span *spans, size_t n, uint64_t address);

#endif
