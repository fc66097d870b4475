/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/fail.h"
#include "points/graph.h"

static void build_cleanup(struct kct_build *build)
{
	kct_graph_free(build->graph);
	free(build->parts);
	free(build->insns);
	free(build->marks);
	free(build->block_of);
	free(build->edges);
	free(build->targets);
}

int kct_graph_make(const struct kct_points *points, struct kct_reader *reader, uint64_t address,
		   struct kct_graph **ret_graph, struct kct_error *error)
{
	struct kct_build build KCT_CLEANUP(build_cleanup) = {.points = points, .reader = reader};
	const char *name = points->image->name;
	int result = 0;

	if (!points->machine->has_flow || !kct_machine_is_readable(points->machine))
		return kct_fail(error, KCT_ERR_UNSUPPORTED,
				"%s: the jumps of this machine cannot be read", name);
	build.graph = calloc(1, sizeof(*build.graph));
	if (!build.graph)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	build.graph->points = points;
	if (!reader->machine)
		result = kct_reader_open(reader, points->machine, &points->roles, points->big);
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

int kct_graph_new(const struct kct_points *points, uint64_t address, struct kct_graph **ret_graph,
		  struct kct_error *error)
{
	struct kct_reader reader = {0};
	int result = kct_graph_make(points, &reader, address, ret_graph, error);

	kct_reader_close(&reader);
	return result;
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
