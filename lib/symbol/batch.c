/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many addresses at once, compilation unit by compilation unit: a unit is read once, answers all
 * addresses in it, and is dropped.
 */
#include <string.h>

#include "base/fail.h"
#include "symbol/symbolizer.h"

/* Addresses between two calls of the progress callback. */
#define PROGRESS_STEP 4096

/* So many addresses before it is needed the place of a result is fetched. */
#define AHEAD 8

/* An address to look up, by where its answer is. */
struct query {
	uint64_t pc;
	uint32_t member; /* UINT32_MAX: no unit of an image */
	uint32_t unit;
	size_t place; /* in the caller's arrays */
};

struct batch {
	struct kct_symbolizer *symbolizer;
	enum kct_pc_kind kind;
	struct query *queries; /* by member and unit, then by address */
	size_t n;
	size_t done;
	size_t known;	 /* addresses that had answers before */
	size_t reported; /* queries done when the callback was called last */
	uint32_t *units; /* of one member, with queries */
	int (*progress)(void *context, size_t done, size_t total);
	void *context;
	const struct kct_symbol **answers; /* by place */
	struct kct_error *error;
};

static int compare_queries(const void *left, const void *right)
{
	const struct query *a = left, *b = right;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/** Sort, unless they are sorted already, as the addresses of a list often are. */
static void sort_queries(struct batch *batch)
{
	size_t i = 1;

	while (i < batch->n && compare_queries(&batch->queries[i - 1], &batch->queries[i]) <= 0)
		i++;
	if (i < batch->n)
		qsort(batch->queries, batch->n, sizeof(*batch->queries), compare_queries);
}

/** Answer what needs no look-up, and note for the rest where its answer is. */
static void make_queries(struct batch *batch, const uint64_t *pcs, size_t n)
{
	const struct kct_space *space = &batch->symbolizer->space;

	for (size_t i = 0; i < n; i++) {
		struct query query = {.pc = pcs[i], .member = UINT32_MAX, .place = i};
		const struct kct_member *member;

		batch->answers[i] = kct_symbolizer_known(batch->symbolizer, pcs[i], batch->kind);
		if (batch->answers[i]) {
			batch->known++;
			continue;
		}
		member = kct_space_unit(space, pcs[i], batch->kind, &query.unit);
		if (query.unit != UINT32_MAX)
			query.member = (uint32_t)(member - space->members);
		batch->queries[batch->n++] = query;
	}
	sort_queries(batch);
}

static int report(struct batch *batch)
{
	size_t done = batch->known + batch->done, total = batch->known + batch->n;

	if (batch->progress && batch->progress(batch->context, done, total) != 0)
		return kct_fail(batch->error, KCT_ERR_LIMIT, "stopped after %zu of %zu addresses",
				done, total);
	batch->reported = batch->done;
	return 0;
}

/** Answer the next queries, those of the unit of the first one; equal addresses have one answer. */
static int answer_unit(struct batch *batch)
{
	const struct query *first = &batch->queries[batch->done], *query = first;
	const struct query *end = batch->queries + batch->n;

	for (; query < end && query->member == first->member && query->unit == first->unit;
	     query++) {
		int result;

		if (end - query > AHEAD)
			kct_map_prefetch(&batch->symbolizer->results[batch->kind], query[AHEAD].pc);
		if (query > first && query->pc == query[-1].pc)
			result = 0;
		else
			result = kct_symbolizer_lookup(batch->symbolizer, query->pc, batch->kind,
						       &batch->answers[query->place], batch->error);
		if (result < 0)
			return result;
		if (query > first && query->pc == query[-1].pc)
			batch->answers[query->place] = batch->answers[query[-1].place];
		batch->done++;
		if (batch->done - batch->reported >= PROGRESS_STEP) {
			result = report(batch);
			if (result < 0)
				return result;
		}
	}
	return 0;
}

static int take_unit(void *context, size_t i, const struct kct_unit *unit)
{
	(void)i;
	(void)unit; /* look-ups find it at hand */
	return answer_unit(context);
}

/** Answer the queries of one member. */
static int answer_member(struct batch *batch)
{
	const struct kct_symbolizer *symbolizer = batch->symbolizer;
	const struct query *first = &batch->queries[batch->done];
	struct kct_image *image = symbolizer->space.members[first->member].image;
	size_t n = 0;
	int result;

	for (size_t i = batch->done; i < batch->n && batch->queries[i].member == first->member; i++)
		if (n == 0 || batch->units[n - 1] != batch->queries[i].unit)
			batch->units[n++] = batch->queries[i].unit;
	result = kct_tables_each_unit(kct_image_debug(image)->tables, batch->units, n,
				      symbolizer->threads, take_unit, batch);
	if (result == KCT_ERR_NO_MEMORY)
		return kct_fail_code(batch->error, result);
	return result;
}

static int answer_all(struct batch *batch)
{
	int result = report(batch);

	while (result >= 0 && batch->done < batch->n) {
		if (batch->queries[batch->done].member == UINT32_MAX)
			result = answer_unit(batch);
		else
			result = answer_member(batch);
	}
	return result < 0 ? result : report(batch);
}

int kct_symbolizer_batch(struct kct_symbolizer *symbolizer, const uint64_t *pcs, size_t n,
			 enum kct_pc_kind kind,
			 int (*progress)(void *context, size_t done, size_t total), void *context,
			 const struct kct_symbol **ret_symbols, struct kct_error *error)
{
	struct query *queries KCT_AUTO_FREE = NULL;
	const struct kct_symbol **answers KCT_AUTO_FREE = NULL;
	uint32_t *units KCT_AUTO_FREE = NULL;
	struct batch batch = {.symbolizer = symbolizer,
			      .kind = kind,
			      .progress = progress,
			      .context = context,
			      .error = error};
	int result;

	if (!symbolizer || (n > 0 && (!pcs || !ret_symbols)) || (unsigned)kind >= KCT_PC_KINDS)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (n == 0)
		return 0;
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	queries = calloc(n, sizeof(*queries));
	units = calloc(n, sizeof(*units));
	answers = calloc(n, sizeof(*answers));
	if (!queries || !units || !answers)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	batch.queries = queries;
	batch.units = units;
	batch.answers = answers;
	make_queries(&batch, pcs, n);
	if (kct_map_reserve(&symbolizer->results[kind], batch.n) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	result = answer_all(&batch);
	if (result >= 0)
		memcpy(ret_symbols, answers, n * sizeof(*answers));
	return result;
}
