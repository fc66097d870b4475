/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking over code, where no result is worth keeping. */
#include <string.h>

#include "base/fail.h"
#include "symbol/symbolizer.h"

/* Results are thrown away after so many. */
#define KEPT_RUNS 256

/** The run of an image address, whose symbol is there. */
static int find_run(const struct kct_member *member, struct kct_run *run,
		    struct kct_tables_run *ret_known)
{
	struct kct_tables *tables = kct_image_debug(member->image)->tables;
	const struct kct_symbol *symbol = run->symbol;
	uint64_t last = symbol->start + member->shift + (symbol->size - 1);
	struct kct_tables_run known = {.end = UINT64_MAX, .row = run->start};
	int result = tables ? kct_tables_run(tables, run->start, &known) : 0;

	/* Without debug information the symbol is all there is. */
	if (symbol->size && last >= run->start && last < known.end)
		known.end = last + 1;
	run->row = known.row;
	run->statement = known.statement;
	*ret_known = known;
	return result;
}

/** Hand out the statements without code in front of a run. */
static int take_statements(struct kct_symbolizer *symbolizer, const struct kct_run *run,
			   const struct kct_tables_run *known, struct kct_pool *results,
			   kct_take_run take, void *context)
{
	struct kct_symbol symbol = *run->symbol;
	struct kct_run statement = {run->start, run->start, run->start, true, &symbol};
	struct kct_symbol_frame *frames;
	int result = 0;

	if (known->n_statements == 0 || known->row != run->start || symbol.n_frames == 0)
		return 0;
	frames = kct_pool_alloc(results, symbol.n_frames * sizeof(*frames));
	if (!frames)
		return KCT_ERR_NO_MEMORY;
	memcpy(frames, symbol.frames, symbol.n_frames * sizeof(*frames));
	symbol.frames = frames;
	for (size_t i = 0; i < known->n_statements && result >= 0; i++) {
		frames[0] = (struct kct_symbol_frame){.function = frames[0].function};
		result = kct_symbol_place(symbolizer, &known->statements[i], &frames[0]);
		if (result >= 0)
			result = take(context, &statement);
	}
	return result;
}

int kct_symbolizer_runs(struct kct_symbolizer *symbolizer, const struct kct_member *member,
			uint64_t start, uint64_t end, kct_take_run take, void *context,
			struct kct_error *error)
{
	struct kct_run run = {.start = start};
	struct kct_tables_run known;
	struct kct_pool results = {0};
	int result = 0;

	for (size_t n = 1; run.start < end && result >= 0; n++) {
		result = kct_symbol_make(symbolizer, run.start - member->shift, KCT_PC_CALL,
					 &results, &run.symbol, error);
		if (result < 0)
			break;
		result = find_run(member, &run, &known);
		run.end = kct_min_u64(known.end, end);
		if (result >= 0)
			result = take_statements(symbolizer, &run, &known, &results, take, context);
		if (result >= 0)
			result = take(context, &run);
		if (result < 0)
			kct_fail_code(error, result);
		run.start = run.end;
		if (n % KEPT_RUNS == 0)
			kct_pool_clear(&results);
	}
	kct_pool_clear(&results);
	return result < 0 ? result : 0;
}
