/* SPDX-License-Identifier: BSD-2-Clause */
/* Dominators against their definition: a node dominates another if without it that one is not reached. */
#include "check.h"

#include "points/dominators.h"

#define MAX_NODES 24
#define MAX_EDGES 80

struct graph {
	uint32_t n;
	uint32_t edges[MAX_EDGES][2];
	size_t n_edges;
};

/** The nodes that `root` reaches without going through `removed`. */
static void reach(const struct graph *graph, uint32_t root, uint32_t removed, bool *reached)
{
	bool changed = true;

	memset(reached, 0, MAX_NODES * sizeof(*reached));
	reached[root] = root != removed;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < graph->n_edges; i++) {
			uint32_t from = graph->edges[i][0], to = graph->edges[i][1];

			if (!reached[from] || reached[to] || to == removed)
				continue;
			reached[to] = changed = true;
		}
	}
}

static void find(const struct graph *graph, uint32_t root, bool reversed, uint32_t *ret)
{
	struct kct_links forward, backward;

	assert_int_equal(kct_links_make(&forward, graph->n, graph->edges, graph->n_edges, reversed),
			 0);
	assert_int_equal(
		kct_links_make(&backward, graph->n, graph->edges, graph->n_edges, !reversed), 0);
	assert_int_equal(kct_dominators(&forward, &backward, root, ret), 0);
	kct_links_clear(&forward);
	kct_links_clear(&backward);
}

static bool dominates(const uint32_t *idom, uint32_t a, uint32_t b)
{
	while (b != a && idom[b] != b)
		b = idom[b];
	return a == b;
}

static void check(const char *row, const struct graph *graph, uint32_t root)
{
	uint32_t idom[MAX_NODES];
	bool all[MAX_NODES], without[MAX_NODES];

	find(graph, root, false, idom);
	reach(graph, root, KCT_NO_NODE, all);
	for (uint32_t b = 0; b < graph->n; b++)
		CHECK(row, (idom[b] != KCT_NO_NODE) == all[b]);
	for (uint32_t a = 0; a < graph->n; a++) {
		reach(graph, root, a, without);
		for (uint32_t b = 0; all[a] && b < graph->n; b++) {
			if (all[b])
				CHECK(row, dominates(idom, a, b) == !without[b]);
		}
	}
}

static void test_known(void **state)
{
	/* The example of Lengauer and Tarjan's paper, R A B ... L as 0 to 12. */
	static const struct graph paper = {
		.n = 13,
		.edges = {{0, 1}, {0, 2},  {0, 3},  {1, 4},  {2, 1},  {2, 4},  {2, 5},
			  {3, 6}, {3, 7},  {4, 12}, {5, 8},  {6, 9},  {7, 9},  {7, 10},
			  {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 0}, {11, 9}, {12, 8}},
		.n_edges = 21,
	};
	static const uint32_t expected[] = {0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4};
	uint32_t idom[MAX_NODES];

	(void)state;
	find(&paper, 0, false, idom);
	for (size_t i = 0; i < 13; i++)
		CHECK_EQ("paper", idom[i], expected[i]);
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void test_random(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct graph graph = {.n = 1 + next_random(&seed) % MAX_NODES};
		char row[32];

		graph.n_edges = next_random(&seed) % (3 * graph.n);
		for (size_t i = 0; i < graph.n_edges; i++) {
			graph.edges[i][0] = next_random(&seed) % graph.n;
			graph.edges[i][1] = next_random(&seed) % graph.n;
		}
		snprintf(row, sizeof(row), "round %u", round);
		check(row, &graph, next_random(&seed) % graph.n);
	}
}

/* A ladder, on which a simple search goes wrong in time: it must take no longer than its size. */
static void test_large(void **state)
{
	const uint32_t n = 200000;
	uint32_t(*edges)[2] = calloc(3 * (size_t)n, sizeof(*edges));
	uint32_t *idom = calloc(n, sizeof(*idom));
	struct kct_links forward, backward;
	size_t n_edges = 0;

	(void)state;
	for (uint32_t i = 0; i + 1 < n; i++) {
		edges[n_edges][0] = i;
		edges[n_edges++][1] = i + 1;
		edges[n_edges][0] = n - 1 - i;
		edges[n_edges++][1] = i;
		edges[n_edges][0] = i;
		edges[n_edges++][1] = i / 2;
	}
	assert_int_equal(kct_links_make(&forward, n, (const uint32_t(*)[2])edges, n_edges, false),
			 0);
	assert_int_equal(kct_links_make(&backward, n, (const uint32_t(*)[2])edges, n_edges, true),
			 0);
	assert_int_equal(kct_dominators(&forward, &backward, 0, idom), 0);
	assert_int_equal(idom[1], 0);
	kct_links_clear(&forward);
	kct_links_clear(&backward);
	free(edges);
	free(idom);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
