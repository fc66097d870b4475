/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "symbol/symbolizer.h"

/* Addresses between two calls of the progress callback. */
#define PROGRESS_STEP 4096

struct progress {
	int (*function)(void *context, size_t done, size_t total);
	void *context;
};

static int compare_pcs(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/** Sort, and keep one of each. */
static size_t sort_unique(uint64_t *pcs, size_t n)
{
	size_t kept = 0;

	qsort(pcs, n, sizeof(*pcs), compare_pcs);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || pcs[kept - 1] != pcs[i])
			pcs[kept++] = pcs[i];
	}
	return kept;
}

/** Look up sorted PCs: neighbours lie in the same unit, whose tables are hot. */
static int lookup_sorted(struct kct_symbolizer *symbolizer, const uint64_t *pcs, size_t n,
			 enum kct_pc_kind kind, const struct progress *progress,
			 struct kct_error *error)
{
	for (size_t i = 0; i < n; i++) {
		const struct kct_symbol *symbol;
		int result;

		if (progress->function && i % PROGRESS_STEP == 0 &&
		    progress->function(progress->context, i, n) != 0)
			return kct_fail(error, KCT_ERR_LIMIT, "stopped after %zu of %zu addresses",
					i, n);
		result = kct_symbolizer_lookup(symbolizer, pcs[i], kind, &symbol, error);
		if (result < 0)
			return result;
	}
	if (progress->function && progress->function(progress->context, n, n) != 0)
		return kct_fail(error, KCT_ERR_LIMIT, "stopped after %zu of %zu addresses", n, n);
	return 0;
}

int kct_symbolizer_batch(struct kct_symbolizer *symbolizer, const uint64_t *pcs, size_t n,
			 enum kct_pc_kind kind,
			 int (*progress)(void *context, size_t done, size_t total), void *context,
			 const struct kct_symbol **ret_symbols, struct kct_error *error)
{
	const struct progress report = {progress, context};
	uint64_t *sorted KCT_AUTO_FREE = NULL;
	size_t bytes, n_sorted;
	int result;

	if (!symbolizer || (n > 0 && (!pcs || !ret_symbols)) || (unsigned)kind >= KCT_PC_KINDS)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (n == 0)
		return 0;
	if (kct_mul_overflows(n, sizeof(*sorted), &bytes))
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	sorted = malloc(bytes);
	if (!sorted)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	memcpy(sorted, pcs, bytes);
	n_sorted = sort_unique(sorted, n);
	result = lookup_sorted(symbolizer, sorted, n_sorted, kind, &report, error);
	if (result < 0)
		return result;
	for (size_t i = 0; i < n; i++)
		ret_symbols[i] = kct_symbolizer_known(symbolizer, pcs[i], kind);
	return 0;
}
