/* SPDX-License-Identifier: BSD-2-Clause */
/* block_states IMAGE PCS: the state of each block of each function, as the library sees it. PCS is a buffer of
 * PCs. A line a block: start, end (hexadecimal), state. */
#include <stdio.h>
#include <stdlib.h>

#include <kcovtrace/kcovtrace.h>

static struct kct_error error;

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, error.text);
	exit(1);
}

/** Set the bits of the points that were hit. */
static uint64_t *read_hits(const char *path, const struct kct_points *points)
{
	size_t n, bytes;
	const struct kct_point *all = kct_points_all(points, &n);
	uint64_t *hits = calloc(n / 64 + 1, sizeof(*hits));
	struct kct_file *file;
	const uint64_t *words;

	must(kct_file_open(path, &file, &error), path);
	words = kct_file_data(file, &bytes);
	for (uint64_t i = 1; i <= words[0]; i++) {
		const struct kct_point *point = kct_points_find(points, words[i]);
		size_t index = point ? (size_t)(point - all) : n;

		if (!point && kct_points_stats(points)->tail_calls == 0) {
			fprintf(stderr, "0x%llx is no point\n", (unsigned long long)words[i]);
			exit(1);
		}
		if (point)
			hits[index / 64] |= (uint64_t)1 << index % 64;
	}
	kct_file_free(file);
	return hits;
}

static void print_function(struct kct_states *states, const struct kct_points *points,
			   uint64_t address)
{
	struct kct_graph *graph;
	const struct kct_block *blocks;
	uint8_t *of_blocks;
	size_t n;

	must(kct_graph_new(points, address, &graph, &error), "graph");
	blocks = kct_graph_blocks(graph, &n);
	of_blocks = calloc(n + 1, 1);
	must(kct_states_blocks(states, graph, of_blocks, &error), "states");
	for (size_t i = 0; i < n; i++)
		printf("%llx %llx %s\n", (unsigned long long)blocks[i].start,
		       (unsigned long long)blocks[i].end, kct_block_state_name(of_blocks[i]));
	free(of_blocks);
	kct_graph_free(graph);
}

int main(int argc, char **argv)
{
	const struct kct_image_function *functions;
	struct kct_points *points;
	struct kct_states *states;
	struct kct_image *image;
	uint64_t *hits;
	size_t n;

	if (argc != 3)
		return 2;
	must(kct_image_open(argv[1], &image, &error), argv[1]);
	must(kct_points_new(image, NULL, &points, &error), argv[1]);
	hits = read_hits(argv[2], points);
	must(kct_states_new(points, hits, &states, &error), "states");
	must(kct_image_functions(image, &functions, &n, &error), "functions");
	for (size_t i = 0; i < n; i++) {
		if (functions[i].size)
			print_function(states, points, functions[i].address);
	}
	kct_states_free(states);
	kct_points_free(points);
	kct_image_free(image);
	free(hits);
	return 0;
}
