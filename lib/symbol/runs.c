/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking over code, where no result is worth keeping. */
#include "base/fail.h"
#include "symbol/symbolizer.h"

/* Results are thrown away after so many. */
#define KEPT_RUNS 256

/** How far what is known of an image address holds. */
static int run_end(const struct kct_member *member, const struct kct_symbol *symbol,
		   uint64_t address, uint64_t *ret_end)
{
	struct kct_tables *tables = kct_image_debug(member->image)->tables;
	uint64_t last = symbol->start + member->shift + (symbol->size - 1), end = UINT64_MAX;
	int result = tables ? kct_tables_run_end(tables, address, &end) : 0;

	/* Without debug information the symbol is all there is. */
	if (symbol->size && last >= address && last < end)
		end = last + 1;
	*ret_end = end;
	return result;
}

int kct_symbolizer_runs(struct kct_symbolizer *symbolizer, const struct kct_member *member,
			uint64_t start, uint64_t end, kct_take_run take, void *context,
			struct kct_error *error)
{
	struct kct_pool results = {0};
	const struct kct_symbol *symbol;
	int result = 0;

	for (size_t n = 1; start < end && result >= 0; n++) {
		uint64_t next;

		result = kct_symbol_make(symbolizer, start - member->shift, KCT_PC_CALL, &results,
					 &symbol, error);
		if (result < 0)
			break;
		result = run_end(member, symbol, start, &next);
		if (result < 0) {
			kct_fail_code(error, result);
			break;
		}
		next = kct_min_u64(next, end);
		result = take(context, start, next, symbol);
		start = next;
		if (n % KEPT_RUNS == 0)
			kct_pool_clear(&results);
	}
	kct_pool_clear(&results);
	return result < 0 ? result : 0;
}
