/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/array.h"
#include "points/points.h"

/* Offsets of kernels are multiples of at least this: 64 KiB on arm64, 2 MiB on x86-64. */
#define SLIDE_STEP 0x10000u

/* PCs that vote on an offset. */
#define VOTERS 64

/* One in so many PCs that match nothing is "a few". */
#define FEW 10

struct matching {
	const struct kct_points_at *at;
	size_t n_at;
	const uint64_t *pcs; /* sorted, each once */
	size_t n;
};

static int compare_pcs(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static size_t make_unique(uint64_t *pcs, size_t n)
{
	size_t used = 0;

	if (n)
		qsort(pcs, n, sizeof(*pcs), compare_pcs);
	for (size_t i = 0; i < n; i++) {
		if (used == 0 || pcs[used - 1] != pcs[i])
			pcs[used++] = pcs[i];
	}
	return used;
}

static bool is_point(const struct matching *matching, uint64_t pc)
{
	for (size_t i = 0; i < matching->n_at; i++) {
		if (kct_points_find(matching->at[i].points, pc + matching->at[i].offset))
			return true;
	}
	return false;
}

/** Whether an address is that of the call of a point. */
static bool is_call(const struct matching *matching, uint64_t address)
{
	for (size_t i = 0; i < matching->n_at; i++) {
		const struct kct_points *points = matching->at[i].points;
		size_t k = kct_points_from(points, address + matching->at[i].offset);

		if (k < points->n && points->items[k].call == address + matching->at[i].offset)
			return true;
	}
	return false;
}

static void count_matches(const struct matching *matching, struct kct_match *match)
{
	for (size_t i = 0; i < matching->n; i++) {
		uint64_t pc = matching->pcs[i];

		if (is_point(matching, pc)) {
			match->points++;
			continue;
		}
		match->calls += is_call(matching, pc);
		if (match->n_samples < KCT_MISMATCH_SAMPLES)
			match->samples[match->n_samples++] = pc;
	}
}

/** How many of the voters are points once `slide` is added to them. */
static size_t count_votes(const struct matching *matching, uint64_t slide)
{
	size_t step = matching->n / VOTERS + 1, votes = 0;

	for (size_t i = 0; i < matching->n; i += step) {
		const struct kct_points_at *first = &matching->at[0];

		votes += kct_points_find(first->points, matching->pcs[i] + first->offset + slide) !=
			 NULL;
	}
	return votes;
}

/** Find an offset with which most PCs are points of the first image: one PC says which are possible, all
 *  others which is true. */
static bool find_slide(const struct matching *matching, uint64_t *ret_slide)
{
	size_t voters = (matching->n - 1) / (matching->n / VOTERS + 1) + 1;
	const struct kct_points *points = matching->at[0].points;
	uint64_t pc = matching->pcs[matching->n / 2] + matching->at[0].offset;

	if (voters < 8) /* as many may match by chance */
		return false;
	for (size_t i = 0; i < points->n; i++) {
		uint64_t slide = points->items[i].pc - pc;

		if (slide == 0 || slide % SLIDE_STEP != 0)
			continue;
		if (count_votes(matching, slide) <= voters - voters / 4)
			continue;
		*ret_slide = slide;
		return true;
	}
	return false;
}

static bool has_tail_calls(const struct matching *matching)
{
	for (size_t i = 0; i < matching->n_at; i++) {
		if (matching->at[i].points->n_tails)
			return true;
	}
	return false;
}

/** The most likely cause. */
static enum kct_mismatch find_cause(const struct matching *matching, struct kct_match *match)
{
	size_t missing = match->pcs - match->points;

	if (missing == 0)
		return KCT_MISMATCH_NONE;
	if (match->calls > missing / 2 && match->calls > 1)
		return KCT_MISMATCH_CALLS;
	if (missing <= match->pcs / FEW || missing == 1)
		return has_tail_calls(matching) ? KCT_MISMATCH_TAIL_CALLS : KCT_MISMATCH_FEW;
	if (missing > match->pcs - match->pcs / FEW) {
		if (find_slide(matching, &match->slide))
			return KCT_MISMATCH_SLIDE;
		return KCT_MISMATCH_IMAGE;
	}
	return has_tail_calls(matching) ? KCT_MISMATCH_TAIL_CALLS : KCT_MISMATCH_SOME_IMAGE;
}

int kct_points_match(const struct kct_points_at *at, size_t n_at, const uint64_t *pcs, size_t n,
		     struct kct_match *ret_match)
{
	struct matching matching = {.at = at, .n_at = n_at};
	struct kct_match match = {0};
	uint64_t *sorted KCT_AUTO_FREE = NULL;
	size_t bytes;

	if (!at || n_at == 0 || (!pcs && n > 0) || !ret_match)
		return KCT_ERR_ARGUMENT;
	if (kct_mul_overflows(n, sizeof(*pcs), &bytes))
		return KCT_ERR_NO_MEMORY;
	sorted = malloc(bytes + 1);
	if (!sorted)
		return KCT_ERR_NO_MEMORY;
	if (n)
		memcpy(sorted, pcs, bytes);
	matching.n = match.pcs = make_unique(sorted, n);
	matching.pcs = sorted;
	count_matches(&matching, &match);
	match.cause = find_cause(&matching, &match);
	*ret_match = match;
	return 0;
}
