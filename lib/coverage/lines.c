/* SPDX-License-Identifier: BSD-2-Clause */
/* What the blocks of functions say of lines. */
#include <string.h>

#include "base/fail.h"
#include "coverage/coverage.h"

#define STEP 64 /* functions between two calls of the progress callback */

/* What a piece says of its line. */
enum proof {
	PROOF_WEAK,  /* nothing if anything else does: code may have been moved */
	PROOF_DOUBT, /* the line may have run */
	PROOF_FULL,  /* the line is in the state of the block */
};

/* A run of a block that lies on a line. */
struct piece {
	uint32_t file;
	uint32_t line;
	uint32_t points;
	uint32_t hit;
	uint64_t records; /* of these points */
	uint64_t around;  /* of the block */
	uint8_t state;
	uint8_t proof; /* enum proof */
	bool has_code;
};

struct walk {
	struct kct_coverage *coverage;
	const struct kct_cover_image *image;
	struct kct_states *states;
	struct piece *pieces; /* of one function */
	size_t n, max;
	uint8_t *block_states;
	size_t max_block_states;
	uint64_t start;	    /* of the block at hand */
	uint32_t last_line; /* that the code at hand goes on from, with proof; 0: none */
	const char *last_file;
	uint8_t state;
	uint64_t around; /* most records of a point in it */
};

static int add_piece(struct walk *walk, const struct kct_symbol_frame *frame,
		     const struct piece *piece)
{
	uint32_t file;
	int result;

	if (!frame->file || frame->line == 0)
		return 0;
	result = kct_cover_file(walk->coverage, frame->file, &file);
	if (result >= 0)
		result = kct_array_reserve(&walk->pieces, &walk->max, walk->n + 1);
	if (result < 0)
		return result;
	walk->pieces[walk->n] = *piece;
	walk->pieces[walk->n].file = file;
	walk->pieces[walk->n++].line = frame->line;
	return 0;
}

/** The first point whose call is at or behind an address. */
static size_t first_point(const struct kct_cover_image *image, uint64_t address)
{
	size_t low = 0, high = image->n_all;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->all[middle].call < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * What a run of the block at hand proves of its line: something if a statement of it begins here, or if it goes
 * on from such a run of the block. A row that began in front of the block does not: a callback that has
 * no line of its own, at the start of a block, seems to have that of the code in front of it.
 */
static enum proof proof_of(struct walk *walk, const struct kct_run *run)
{
	const struct kct_symbol_frame *frame = run->symbol->frames;
	bool begins = run->row >= walk->start;
	bool goes_on = frame->line == walk->last_line && frame->file == walk->last_file;
	bool full = begins && (run->statement || goes_on);

	if (run->end > run->start && frame->line) {
		walk->last_line = full ? frame->line : 0;
		walk->last_file = frame->file;
	}
	if (full)
		return PROOF_FULL;
	/* Code of a line in a block that ran, though no statement begins there: the line may have run. */
	return walk->state >= KCT_STATE_IMPLIED &&
			       (begins || (run->statement && run->start != walk->start))
		       ? PROOF_DOUBT
		       : PROOF_WEAK;
}

/** Count the points of a run. */
static void count_points(const struct kct_cover_image *image, const struct kct_run *run,
			 struct piece *piece)
{
	for (size_t i = first_point(image, run->start);
	     i < image->n_all && image->all[i].call < run->end; i++) {
		if (image->functions[i] == KCT_COVERAGE_NONE)
			continue;
		piece->points++;
		piece->hit += image->records[i] != 0;
		piece->records = kct_count_sum(piece->records, image->records[i]);
	}
}

static int take_run(void *context, const struct kct_run *run)
{
	struct walk *walk = context;
	const struct kct_symbol *symbol = run->symbol;
	struct piece piece = {.state = walk->state, .around = walk->around};
	struct piece outer;
	int result = 0;

	if (!symbol->n_frames || !kct_cover_keeps(walk->coverage, symbol))
		return 0;
	piece.has_code = run->end > run->start;
	piece.proof = (uint8_t)proof_of(walk, run);
	outer = piece;
	count_points(walk->image, run, &piece);
	result = add_piece(walk, &symbol->frames[0], &piece);
	for (uint32_t i = 0; i + 1 < symbol->n_frames && result >= 0 && piece.has_code; i++)
		result = kct_cover_inlined(walk->coverage, &symbol->frames[i]);
	if (!walk->coverage->options.inline_calls)
		return result;
	for (uint32_t i = 1; i < symbol->n_frames && result >= 0; i++)
		result = add_piece(walk, &symbol->frames[i], &outer);
	return result;
}

/** Walk over the lines of a block whose points are those from `first` on. */
static int take_block(struct walk *walk, uint64_t start, uint64_t end, uint8_t state, size_t first,
		      size_t n, struct kct_error *error)
{
	walk->start = start;
	walk->last_line = 0;
	walk->state = state;
	walk->around = 0;
	for (size_t i = first; i < first + n; i++)
		walk->around = kct_max_u64(walk->around, walk->image->records[i]);
	return kct_symbolizer_runs(walk->coverage->symbolizer, &walk->image->member, start, end,
				   take_run, walk, error);
}

/** Without a graph only the calls themselves are known to be hit or not. */
static int take_points(struct walk *walk, uint32_t function, size_t first, struct kct_error *error)
{
	const struct kct_cover_image *image = walk->image;
	int result = 0;

	for (size_t i = first; i < image->n_all && result >= 0; i++) {
		const struct kct_point *point = &image->all[i];

		if (image->functions[i] == function)
			result = take_block(walk, point->call, point->pc,
					    image->records[i] ? KCT_STATE_HIT
							      : KCT_STATE_NOT_REACHED,
					    i, 1, error);
	}
	return result;
}

static int take_graph(struct walk *walk, const struct kct_graph *graph, struct kct_error *error)
{
	const struct kct_block *blocks;
	size_t n;
	int result;

	blocks = kct_graph_blocks(graph, &n);
	result = kct_array_reserve(&walk->block_states, &walk->max_block_states, n);
	if (result < 0)
		return kct_fail_code(error, result);
	result = kct_states_blocks(walk->states, graph, walk->block_states, error);
	for (size_t i = 0; i < n && result >= 0; i++)
		result = take_block(walk, blocks[i].start, blocks[i].end, walk->block_states[i],
				    blocks[i].first_point, blocks[i].n_points, error);
	return result;
}

static int compare_pieces(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/** The state that pieces of a line with these states give. */
static uint8_t best_state(const bool has[KCT_STATES])
{
	static const uint8_t by_rank[] = {KCT_STATE_HIT, KCT_STATE_IMPLIED, KCT_STATE_UNKNOWN,
					  KCT_STATE_NOT_REACHED};

	for (size_t i = 0; i < ARRAY_SIZE(by_rank); i++) {
		if (has[by_rank[i]])
			return by_rank[i];
	}
	return KCT_STATE_UNKNOWN;
}

/** What n pieces of one line of a function say together. False: nothing. */
static bool merge_pieces(const struct piece *pieces, size_t n, struct kct_coverage_line *ret_line)
{
	struct kct_coverage_line line = {.line = pieces[0].line};
	bool has[KCT_STATES] = {false}, has_code = false;
	uint64_t around = 0;

	for (size_t i = 0; i < n; i++) {
		line.points += pieces[i].points;
		line.hit += pieces[i].hit;
		line.records = kct_count_sum(line.records, pieces[i].records);
		has_code |= pieces[i].has_code;
		if (pieces[i].proof == PROOF_DOUBT)
			has[KCT_STATE_UNKNOWN] = true;
		if (pieces[i].proof != PROOF_FULL)
			continue;
		has[pieces[i].state] = true;
		if (pieces[i].state == KCT_STATE_HIT)
			around = kct_max_u64(around, pieces[i].around);
	}
	line.state = best_state(has);
	line.partly = line.state >= KCT_STATE_IMPLIED && has[KCT_STATE_NOT_REACHED];
	if (line.records == 0 && line.state == KCT_STATE_HIT)
		line.records = around;
	if (!has_code && line.state == KCT_STATE_NOT_REACHED)
		return false;
	if (!has_code)
		line = (struct kct_coverage_line){.line = line.line, .state = KCT_COVER_NO_CODE};
	*ret_line = line;
	return true;
}

static int flush_pieces(struct walk *walk)
{
	size_t end;
	int result = 0;

	if (walk->n)
		qsort(walk->pieces, walk->n, sizeof(*walk->pieces), compare_pieces);
	for (size_t i = 0; i < walk->n && result >= 0; i = end) {
		struct kct_coverage_line line;

		for (end = i + 1;
		     end < walk->n && compare_pieces(&walk->pieces[i], &walk->pieces[end]) == 0;
		     end++)
			;
		if (merge_pieces(&walk->pieces[i], end - i, &line))
			result = kct_cover_add_line(walk->coverage, walk->pieces[i].file, &line);
	}
	walk->n = 0;
	return result;
}

/** The line where a function begins: it is known of it, whatever is of its blocks, whether it ran. */
static int take_entry(struct walk *walk, uint32_t number)
{
	const struct kct_coverage_function *function = &walk->coverage->functions[number];
	struct piece piece = {
		.file = function->file,
		.line = function->line,
		.state = function->hit ? KCT_STATE_IMPLIED : KCT_STATE_NOT_REACHED,
		.proof = PROOF_FULL,
		.has_code = true,
	};

	if (function->file == KCT_COVERAGE_NONE || function->line == 0)
		return 0;
	for (size_t i = 0; i < walk->n; i++) {
		const struct piece *other = &walk->pieces[i];

		if (compare_pieces(other, &piece) == 0 && other->state != KCT_STATE_UNKNOWN &&
		    other->proof == PROOF_FULL && other->has_code)
			return 0;
	}
	if (kct_array_reserve(&walk->pieces, &walk->max, walk->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	walk->pieces[walk->n++] = piece;
	return 0;
}

/** The lines of a function one of whose points, the first, has the index `first`. */
static int take_function(struct walk *walk, uint32_t function, size_t first,
			 struct kct_error *error)
{
	const struct kct_cover_image *image = walk->image;
	struct kct_graph *graph;
	int result;

	result = kct_graph_new(image->points, image->all[first].call, &graph, error);
	if (result == KCT_ERR_NO_MEMORY)
		return result;
	if (result < 0) {
		result = take_points(walk, function, first, error);
	} else {
		result = take_graph(walk, graph, error);
		kct_graph_free(graph);
	}
	if (result >= 0)
		result = take_entry(walk, function);
	if (result >= 0)
		result = flush_pieces(walk);
	return result < 0 ? kct_fail_code(error, result) : 0;
}

static int make_states(struct walk *walk, struct kct_error *error)
{
	const struct kct_cover_image *image = walk->image;
	KCT_AUTO_FREE uint64_t *hits = calloc(image->n_all / 64 + 1, sizeof(*hits));

	if (!hits)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	for (size_t i = 0; i < image->n_all; i++) {
		if (image->records[i])
			hits[i / 64] |= (uint64_t)1 << i % 64;
	}
	return kct_states_new(image->points, hits, &walk->states, error);
}

/** Each function once, at its first point. */
static int walk_functions(struct walk *walk, bool *seen, struct kct_error *error)
{
	const struct kct_coverage_options *options = &walk->coverage->options;
	const struct kct_cover_image *image = walk->image;
	size_t done = 0;
	int result = 0;

	for (size_t i = 0; i < image->n_all && result >= 0; i++) {
		uint32_t function = image->functions[i];

		if (function == KCT_COVERAGE_NONE || seen[function])
			continue;
		seen[function] = true;
		result = take_function(walk, function, i, error);
		if (result >= 0 && ++done % STEP == 0 && options->progress &&
		    options->progress(options->context, i, image->n_all))
			result = kct_fail(error, KCT_ERR_LIMIT, "stopped");
	}
	return result;
}

int kct_cover_lines(struct kct_coverage *coverage, uint32_t image, struct kct_error *error)
{
	struct walk walk = {.coverage = coverage, .image = &coverage->images[image]};
	KCT_AUTO_FREE bool *seen = calloc(coverage->n_functions + 1, sizeof(*seen));
	int result;

	if (!seen)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	result = make_states(&walk, error);
	if (result >= 0)
		result = walk_functions(&walk, seen, error);
	kct_states_free(walk.states);
	free(walk.pieces);
	free(walk.block_states);
	return result;
}
