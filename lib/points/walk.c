/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <string.h>

#include "base/array.h"
#include "points/points.h"

/* Pieces that a thread takes at once. */
#define BATCH 128

/* A symbol of 32-bit ARM that says what follows it. */
struct mark {
	uint64_t address;
	char what; /* 'a' ARM, 't' Thumb, 'd' data */
};

/* Code cut where functions begin and end, so that a reader that has lost its way in data finds it again. */
struct pieces {
	struct kct_piece *items;
	size_t n, max;
	uint64_t *cuts;
	size_t n_cuts, max_cuts;
	struct mark *marks;
	size_t n_marks, max_marks;
	uint64_t bytes;
};

/* What all threads share. `next` is the first piece that nobody has taken. */
struct walk {
	const struct kct_points *points;
	const struct pieces *pieces;
	size_t next;
};

struct worker {
	struct walk *walk;
	pthread_t thread;
	bool running;
	struct kct_points found; /* only its lists are used */
	uint64_t undecoded_bytes;
	uint64_t undecoded_at;
	int result;
};

static int add_mark(void *context, const struct kct_table_symbol *symbol)
{
	struct pieces *pieces = context;

	if (!symbol->known || symbol->name[0] != '$' || !strchr("atd", symbol->name[1]) ||
	    (symbol->name[2] != '\0' && symbol->name[2] != '.'))
		return 0;
	if (kct_array_reserve(&pieces->marks, &pieces->max_marks, pieces->n_marks + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	pieces->marks[pieces->n_marks++] = (struct mark){symbol->address, symbol->name[1]};
	return 0;
}

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static int compare_cuts(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/** The addresses where to cut, of all sections. */
static int list_cuts(struct pieces *pieces, const struct kct_points *points)
{
	size_t max = 2 * points->n_functions + pieces->n_marks;

	if (kct_array_reserve(&pieces->cuts, &pieces->max_cuts, max + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < points->n_functions; i++) {
		const struct kct_image_function *function = &points->functions[i];

		pieces->cuts[pieces->n_cuts++] = function->address;
		if (function->size)
			pieces->cuts[pieces->n_cuts++] = function->address + function->size;
	}
	for (size_t i = 0; i < pieces->n_marks; i++)
		pieces->cuts[pieces->n_cuts++] = pieces->marks[i].address;
	if (pieces->n_cuts)
		qsort(pieces->cuts, pieces->n_cuts, sizeof(*pieces->cuts), compare_cuts);
	return 0;
}

/** What the mark at or before `address` says, 0 if there is none. */
static char mark_at(const struct pieces *pieces, uint64_t address)
{
	size_t low = 0, high = pieces->n_marks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pieces->marks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? pieces->marks[low - 1].what : 0;
}

static int add_piece(struct pieces *pieces, const uint8_t *code, uint64_t bytes, uint64_t address)
{
	char mark = mark_at(pieces, address);

	if (bytes == 0 || mark == 'd')
		return 0;
	if (kct_array_reserve(&pieces->items, &pieces->max, pieces->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	pieces->items[pieces->n++] = (struct kct_piece){code, bytes, address, mark == 't'};
	pieces->bytes += bytes;
	return 0;
}

/** Index of the first cut behind `address`. */
static size_t cut_after(const struct pieces *pieces, uint64_t address)
{
	size_t low = 0, high = pieces->n_cuts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pieces->cuts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int cut_section(struct pieces *pieces, const struct kct_image *image,
		       const struct kct_section *section)
{
	const uint8_t *code = kct_section_data(image, section);
	uint64_t start = 0;
	int result = 0;

	if (!code || !kct_section_is_code(section))
		return 0;
	/* Sections that share bytes could be many more bytes than the file has. */
	if (section->size > image->bytes - pieces->bytes)
		return KCT_ERR_ELF;
	for (size_t i = cut_after(pieces, section->address); i < pieces->n_cuts && result >= 0;
	     i++) {
		uint64_t cut = pieces->cuts[i] - section->address;

		if (cut >= section->size)
			break;
		result = add_piece(pieces, code + start, cut - start, section->address + start);
		start = cut;
	}
	if (result < 0)
		return result;
	return add_piece(pieces, code + start, section->size - start, section->address + start);
}

static int cut_image(struct pieces *pieces, const struct kct_points *points)
{
	struct kct_image *image = points->image;
	int result = 0;

	if (points->machine == &kct_machine_arm) {
		result = kct_image_visit_symbols(image, 0, add_mark, pieces);
		if (pieces->n_marks)
			qsort(pieces->marks, pieces->n_marks, sizeof(*pieces->marks),
			      compare_marks);
	}
	if (result >= 0)
		result = list_cuts(pieces, points);
	for (size_t i = 0; i < image->n_sections && result >= 0; i++)
		result = cut_section(pieces, image, &image->sections[i]);
	return result;
}

static int take_instruction(struct worker *worker, const struct kct_instruction *insn)
{
	unsigned role;

	if (insn->flow != KCT_FLOW_CALL && insn->flow != KCT_FLOW_JUMP &&
	    insn->flow != KCT_FLOW_BRANCH)
		return 0;
	role = kct_roles_find_point(&worker->walk->points->roles, insn->target);
	if (role == KCT_ROLE_NONE)
		return 0;
	if (insn->flow != KCT_FLOW_CALL)
		return kct_points_add_tail(&worker->found, insn->address);
	return kct_points_add(&worker->found, &(struct kct_point){
						      .pc = insn->address + insn->length,
						      .call = insn->address + insn->call,
						      .kind = kct_role_kind(role),
					      });
}

static int walk_piece(struct worker *worker, struct kct_reader *reader,
		      const struct kct_piece *piece)
{
	uint64_t (*extent)(const struct kct_reader *, const struct kct_piece *) =
		reader->machine->extent;
	uint64_t end = extent ? extent(reader, piece) : piece->bytes;
	int result = 0;

	for (uint64_t offset = 0; offset < end && result >= 0;) {
		struct kct_instruction insn;

		if (kct_read(reader, piece, offset, &insn)) {
			result = take_instruction(worker, &insn);
		} else {
			if (worker->undecoded_bytes == 0 || insn.address < worker->undecoded_at)
				worker->undecoded_at = insn.address;
			worker->undecoded_bytes += insn.length;
		}
		offset += insn.length;
	}
	return result;
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct walk *walk = worker->walk;
	struct kct_reader reader = {0};

	worker->result = kct_reader_open(&reader, walk->points->machine, &walk->points->roles,
					 walk->points->big);
	while (worker->result >= 0) {
		size_t first = __atomic_fetch_add(&walk->next, BATCH, __ATOMIC_RELAXED);

		if (first >= walk->pieces->n)
			break;
		for (size_t i = first; i < walk->pieces->n && i - first < BATCH; i++) {
			worker->result = walk_piece(worker, &reader, &walk->pieces->items[i]);
			if (worker->result < 0)
				break;
		}
	}
	if (reader.machine)
		kct_reader_close(&reader);
	return NULL;
}

/** Take over what a thread found. */
static int collect(struct kct_points *points, struct worker *worker)
{
	struct kct_points_stats *stats = &points->stats;
	int result = worker->result;

	for (size_t i = 0; i < worker->found.n && result >= 0; i++)
		result = kct_points_add(points, &worker->found.items[i]);
	for (size_t i = 0; i < worker->found.n_tails && result >= 0; i++)
		result = kct_points_add_tail(points, worker->found.tails[i]);
	if (worker->undecoded_bytes) {
		if (stats->undecoded_bytes == 0 || worker->undecoded_at < stats->undecoded_at)
			stats->undecoded_at = worker->undecoded_at;
		stats->undecoded_bytes += worker->undecoded_bytes;
	}
	free(worker->found.items);
	free(worker->found.tails);
	return result;
}

static int run_workers(struct kct_points *points, const struct pieces *pieces, size_t n)
{
	struct walk walk = {.points = points, .pieces = pieces};
	struct worker *workers = calloc(n, sizeof(*workers));
	int result = 0;

	if (!workers)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < n; i++)
		workers[i].walk = &walk;
	/* A thread that cannot be had is not needed: the others do its work. */
	for (size_t i = 1; i < n; i++)
		workers[i].running =
			pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
	work(&workers[0]);
	for (size_t i = 0; i < n; i++) {
		int one;

		if (workers[i].running)
			pthread_join(workers[i].thread, NULL);
		one = collect(points, &workers[i]);
		result = result < 0 ? result : one;
	}
	free(workers);
	return result;
}

int kct_walk(struct kct_points *points, unsigned threads)
{
	struct pieces pieces = {0};
	int result = cut_image(&pieces, points);

	if (result >= 0) {
		size_t most = pieces.n / BATCH + 1;

		points->stats.code_bytes = pieces.bytes;
		result = run_workers(points, &pieces, threads < most ? threads : most);
	}
	free(pieces.items);
	free(pieces.cuts);
	free(pieces.marks);
	return result;
}

int kct_walk_relocs(struct kct_points *points)
{
	struct kct_image *image = points->image;
	int result = 0;

	for (size_t i = 0; i < image->n_sections; i++) {
		if (kct_section_is_code(&image->sections[i]) &&
		    kct_section_data(image, &image->sections[i]))
			points->stats.code_bytes += image->sections[i].size;
	}
	for (size_t i = 0; i < points->relocs.n && result >= 0; i++) {
		const struct kct_reloc *reloc = &points->relocs.items[i];
		struct kct_point point;

		if (!kct_role_is_point(reloc->role))
			continue;
		point.kind = kct_role_kind(reloc->role);
		switch (kct_reloc_use(image, reloc, &point.call, &point.pc)) {
		case KCT_RELOC_CALL:
			result = kct_points_add(points, &point);
			break;
		case KCT_RELOC_JUMP:
			result = kct_points_add_tail(points, point.call);
			break;
		case KCT_RELOC_OTHER:
			break;
		}
	}
	return result;
}
