/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the simple version.
 * All work is on numbers in the order of a depth-first search; nothing recurses.
 */
#include <string.h>

#include "points/dominators.h"

int kct_links_make(struct kct_links *links, uint32_t n, const uint32_t (*edges)[2], size_t n_edges,
		   bool reversed)
{
	size_t from = reversed ? 1 : 0, to = reversed ? 0 : 1;

	*links = (struct kct_links){
		.n = n,
		.first = calloc((size_t)n + 2, sizeof(*links->first)),
		.to = calloc(n_edges + 1, sizeof(*links->to)),
	};
	if (!links->first || !links->to) {
		kct_links_clear(links);
		return KCT_ERR_NO_MEMORY;
	}
	/* Counts two places on, so that filling moves each start to where it belongs. */
	for (size_t i = 0; i < n_edges; i++)
		links->first[(size_t)edges[i][from] + 2]++;
	for (size_t i = 2; i <= (size_t)n + 1; i++)
		links->first[i] += links->first[i - 1];
	for (size_t i = 0; i < n_edges; i++)
		links->to[links->first[(size_t)edges[i][from] + 1]++] = edges[i][to];
	return 0;
}

void kct_links_clear(struct kct_links *links)
{
	free(links->first);
	free(links->to);
	*links = (struct kct_links){0};
}

/* Everything by number but `number` itself. */
struct search {
	uint32_t n;	    /* nodes that were reached */
	uint32_t *number;   /* of nodes */
	uint32_t *node;	    /* of numbers */
	uint32_t *parent;   /* in the tree of the search */
	uint32_t *semi;	    /* semidominator */
	uint32_t *label;    /* of the forest: where the smallest semidominator is on the way up */
	uint32_t *ancestor; /* of the forest */
	uint32_t *bucket;   /* first of those whose semidominator this is */
	uint32_t *next;	    /* in a bucket */
	uint32_t *idom;
	uint32_t *stack;
	uint32_t *edge; /* of the search: next edge to look at */
};

static void number_nodes(struct search *search, const struct kct_links *successors, uint32_t root)
{
	uint32_t depth = 0;

	search->number[root] = 0;
	search->node[0] = root;
	search->parent[0] = 0;
	search->edge[0] = successors->first[root];
	search->stack[depth++] = 0;
	search->n = 1;
	while (depth > 0) {
		uint32_t v = search->stack[depth - 1], to;

		if (search->edge[v] == successors->first[search->node[v] + 1]) {
			depth--;
			continue;
		}
		to = successors->to[search->edge[v]++];
		if (search->number[to] != KCT_NO_NODE)
			continue;
		search->number[to] = search->n;
		search->node[search->n] = to;
		search->parent[search->n] = v;
		search->edge[search->n] = successors->first[to];
		search->stack[depth++] = search->n++;
	}
}

/** The number with the smallest semidominator on the way up the forest from `v`, shortening the way. */
static uint32_t evaluate(struct search *search, uint32_t v)
{
	uint32_t depth = 0, u = v;

	if (search->ancestor[v] == KCT_NO_NODE)
		return v;
	while (search->ancestor[search->ancestor[u]] != KCT_NO_NODE) {
		search->stack[depth++] = u;
		u = search->ancestor[u];
	}
	while (depth > 0) {
		uint32_t w = search->stack[--depth], up = search->ancestor[w];

		if (search->semi[search->label[up]] < search->semi[search->label[w]])
			search->label[w] = search->label[up];
		search->ancestor[w] = search->ancestor[up];
	}
	return search->label[v];
}

static void empty_bucket(struct search *search, uint32_t parent)
{
	uint32_t v = search->bucket[parent];

	while (v != KCT_NO_NODE) {
		uint32_t u = evaluate(search, v);

		search->idom[v] = search->semi[u] < search->semi[v] ? u : parent;
		v = search->next[v];
	}
	search->bucket[parent] = KCT_NO_NODE;
}

static void find_idoms(struct search *search, const struct kct_links *predecessors)
{
	for (uint32_t w = search->n - 1; w > 0; w--) {
		uint32_t node = search->node[w];

		for (uint32_t i = predecessors->first[node]; i < predecessors->first[node + 1];
		     i++) {
			uint32_t v = search->number[predecessors->to[i]], u;

			if (v == KCT_NO_NODE)
				continue;
			u = evaluate(search, v);
			if (search->semi[u] < search->semi[w])
				search->semi[w] = search->semi[u];
		}
		search->next[w] = search->bucket[search->semi[w]];
		search->bucket[search->semi[w]] = w;
		search->ancestor[w] = search->parent[w];
		empty_bucket(search, search->parent[w]);
	}
	search->idom[0] = 0;
	for (uint32_t w = 1; w < search->n; w++) {
		if (search->idom[w] != search->semi[w])
			search->idom[w] = search->idom[search->idom[w]];
	}
}

int kct_dominators(const struct kct_links *successors, const struct kct_links *predecessors,
		   uint32_t root, uint32_t *ret)
{
	size_t n = successors->n;
	uint32_t *memory KCT_AUTO_FREE = calloc(11 * sizeof(*memory), n ? n : 1);
	struct search search;

	if (!memory)
		return KCT_ERR_NO_MEMORY;
	search = (struct search){
		.number = memory,
		.node = memory + n,
		.parent = memory + 2 * n,
		.semi = memory + 3 * n,
		.label = memory + 4 * n,
		.ancestor = memory + 5 * n,
		.bucket = memory + 6 * n,
		.next = memory + 7 * n,
		.idom = memory + 8 * n,
		.stack = memory + 9 * n,
		.edge = memory + 10 * n,
	};
	for (size_t i = 0; i < n; i++) {
		search.number[i] = KCT_NO_NODE;
		search.ancestor[i] = KCT_NO_NODE;
		search.bucket[i] = KCT_NO_NODE;
		search.semi[i] = search.label[i] = (uint32_t)i;
		ret[i] = KCT_NO_NODE;
	}
	number_nodes(&search, successors, root);
	find_idoms(&search, predecessors);
	for (uint32_t v = 0; v < search.n; v++)
		ret[search.node[v]] = search.node[search.idom[v]];
	return 0;
}
