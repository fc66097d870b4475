/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "points/kept.h"

/* More bytes than any call of a callback has from its first instruction to its end. */
#define MAX_CALL 64

/* The block begins with this; points and jumps follow. */
struct header {
	uint64_t point_bytes; /* of one, which machines of one byte order may differ in */
	uint64_t n;
	uint64_t n_tails;
	uint64_t kinds[KCT_POINT_KINDS]; /* how many of each there are */
	uint64_t code_bytes;
	uint64_t undecoded_bytes;
	uint64_t undecoded_at;
};

_Static_assert(sizeof(struct header) % 8 == 0, "points behind it are aligned");

/** Whether bytes up to `last` are in one section of code with `first`. `*range` is where to look first:
 *  addresses ascend. */
static bool is_code(const struct kct_ranges *code, size_t *range, uint64_t first, uint64_t last)
{
	while (*range < code->n && code->items[*range].last < first)
		++*range;
	return *range < code->n && code->items[*range].first <= first && first <= last &&
	       last <= code->items[*range].last;
}

/** Whether points can be those of an image; counts their kinds. */
static bool are_points(const struct kct_ranges *code, const struct kct_point *items, size_t n,
		       uint64_t kinds[KCT_POINT_KINDS])
{
	size_t range = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kct_point *point = &items[i];

		if (point->kind >= KCT_POINT_KINDS || point->pc - point->call > MAX_CALL ||
		    !is_code(code, &range, point->call, point->pc - 1))
			return false;
		if (i > 0 && (point->pc <= items[i - 1].pc || point->call <= items[i - 1].call))
			return false;
		kinds[point->kind]++;
	}
	return true;
}

static bool are_tails(const struct kct_ranges *code, const uint64_t *tails, size_t n)
{
	size_t range = 0;

	for (size_t i = 0; i < n; i++) {
		if ((i > 0 && tails[i] <= tails[i - 1]) ||
		    !is_code(code, &range, tails[i], tails[i]))
			return false;
	}
	return true;
}

static bool is_sane(const struct kct_points *points, const struct header *header)
{
	size_t range = 0;

	return header->code_bytes <= points->image->bytes &&
	       header->undecoded_bytes <= header->code_bytes &&
	       (header->undecoded_bytes == 0 ||
		is_code(&points->code, &range, header->undecoded_at, header->undecoded_at));
}

bool kct_points_unpack(struct kct_points *points, const void *block, size_t bytes)
{
	uint64_t kinds[KCT_POINT_KINDS] = {0};
	const struct header *header = block;
	const struct kct_point *items;
	const uint64_t *tails;
	size_t left;

	if (bytes < sizeof(*header) || header->point_bytes != sizeof(*items))
		return false;
	left = bytes - sizeof(*header);
	if (header->n > left / sizeof(*items) || header->n > KCT_MAX_POINTS)
		return false;
	left -= (size_t)header->n * sizeof(*items);
	if (left % sizeof(*tails) || header->n_tails != left / sizeof(*tails))
		return false;
	items = (const struct kct_point *)(header + 1);
	tails = (const uint64_t *)(items + header->n);
	if (!is_sane(points, header) ||
	    !are_points(&points->code, items, (size_t)header->n, kinds) ||
	    memcmp(kinds, header->kinds, sizeof(kinds)) != 0 ||
	    !are_tails(&points->code, tails, (size_t)header->n_tails))
		return false;
	points->kept = true;
	/* Nothing writes to points that are kept. */
	points->items = (struct kct_point *)(uintptr_t)items;
	points->n = (size_t)header->n;
	points->tails = (uint64_t *)(uintptr_t)tails;
	points->n_tails = (size_t)header->n_tails;
	points->stats.code_bytes = header->code_bytes;
	points->stats.undecoded_bytes = header->undecoded_bytes;
	points->stats.undecoded_at = header->undecoded_at;
	return true;
}

int kct_points_pack(const struct kct_points *points, void **ret_block, size_t *ret_bytes)
{
	const struct kct_points_stats *stats = &points->stats;
	size_t bytes = sizeof(struct header) + points->n * sizeof(struct kct_point) +
		       points->n_tails * sizeof(uint64_t);
	struct header *header = calloc(1, bytes);
	struct kct_points again = *points;
	struct kct_point *items;

	if (!header)
		return KCT_ERR_NO_MEMORY;
	header->point_bytes = sizeof(*items);
	header->n = points->n;
	header->n_tails = points->n_tails;
	for (size_t i = 0; i < KCT_POINT_KINDS; i++)
		header->kinds[i] = stats->kinds[i];
	header->code_bytes = stats->code_bytes;
	header->undecoded_bytes = stats->undecoded_bytes;
	header->undecoded_at = stats->undecoded_bytes ? stats->undecoded_at : 0;
	items = (struct kct_point *)(header + 1);
	for (size_t i = 0; i < points->n; i++) { /* member by member: not what is between them */
		items[i].pc = points->items[i].pc;
		items[i].call = points->items[i].call;
		items[i].kind = points->items[i].kind;
	}
	if (points->n_tails)
		memcpy(items + points->n, points->tails, points->n_tails * sizeof(uint64_t));
	if (!kct_points_unpack(&again, header, bytes)) {
		free(header);
		return 0;
	}
	*ret_block = header;
	*ret_bytes = bytes;
	return 1;
}
