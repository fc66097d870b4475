/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/fail.h"
#include "points/graph.h"

/** A reader, which is nobody else's meanwhile. */
static int take_reader(const struct kct_points *points, struct kct_reader **ret_reader)
{
	struct kct_reader *reader = __atomic_exchange_n(points->spare, NULL, __ATOMIC_ACQ_REL);
	int result;

	if (!reader) {
		reader = calloc(1, sizeof(*reader));
		if (!reader)
			return KCT_ERR_NO_MEMORY;
		result = kct_reader_open(reader, points->machine, &points->roles, points->big);
		if (result < 0) {
			free(reader);
			return result;
		}
	}
	*ret_reader = reader;
	return 0;
}

/** Keep a reader for the next graph. */
static void give_back(const struct kct_points *points, struct kct_reader *reader)
{
	reader = __atomic_exchange_n(points->spare, reader, __ATOMIC_ACQ_REL);
	if (reader)
		kct_reader_close(reader);
	free(reader);
}

static void build_cleanup(struct kct_build *build)
{
	if (build->reader)
		give_back(build->points, build->reader);
	kct_graph_free(build->graph);
	free(build->parts);
	free(build->insns);
	free(build->marks);
	free(build->block_of);
	free(build->edges);
	free(build->targets);
}

int kct_graph_new(const struct kct_points *points, uint64_t address, struct kct_graph **ret_graph,
		  struct kct_error *error)
{
	struct kct_build build KCT_CLEANUP(build_cleanup) = {.points = points};
	const char *name = points->image->name;
	int result;

	if (!points->machine->has_flow || !kct_machine_is_readable(points->machine))
		return kct_fail(error, KCT_ERR_UNSUPPORTED,
				"%s: the jumps of this machine cannot be read", name);
	build.graph = calloc(1, sizeof(*build.graph));
	if (!build.graph)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	build.graph->points = points;
	result = take_reader(points, &build.reader);
	if (result >= 0)
		result = kct_build_sweep(&build, address);
	if (result >= 0)
		result = kct_build_blocks(&build);
	switch (result < 0 ? result : 0) {
	case 0:
		*ret_graph = TAKE_PTR(build.graph);
		return 0;
	case KCT_ERR_NOT_FOUND:
		return kct_fail(error, result, "%s: no function is at 0x%llx", name,
				(unsigned long long)address);
	case KCT_ERR_LIMIT:
		return kct_fail(error, result, "%s: the function at 0x%llx is too large", name,
				(unsigned long long)address);
	}
	return kct_fail_code(error, result);
}

void kct_graph_free(struct kct_graph *graph)
{
	if (!graph)
		return;
	free(graph->blocks);
	free(graph->edges);
	free(graph->calls);
	free(graph);
}

const struct kct_block *kct_graph_blocks(const struct kct_graph *graph, size_t *ret_n)
{
	*ret_n = graph->n_blocks;
	return graph->blocks;
}

const uint32_t *kct_graph_edges(const struct kct_graph *graph, size_t *ret_n)
{
	*ret_n = graph->n_edges;
	return graph->edges;
}

int kct_graph_find(const struct kct_graph *graph, uint64_t address, size_t *ret_block)
{
	size_t low = 0, high = graph->n_blocks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (graph->blocks[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= graph->blocks[low - 1].end)
		return KCT_ERR_NOT_FOUND;
	*ret_block = low - 1;
	return 0;
}
