/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast stacks are rebuilt: bench_stack TRACE [MEGABYTES [LAYOUT]].
 *
 * The words of a trace (EXT or MEMORY, this machine's byte order) are repeated in
 * memory. The peer is a loop that does nothing but switch on the record type and
 * count the depth. Best of some rounds, in turns, so that all see the same machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kcovtrace/kcovtrace.h>

#define ROUNDS 7
#define BATCH  128

struct input {
	struct kct_layout layout;
	uint64_t *words; /* with the count word */
	size_t n_words;
};

struct result {
	const char *name;
	double seconds; /* of the best round */
	uint64_t records;
	uint64_t depth; /* the greatest: shows that all saw the same */
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/** Read a trace and repeat what its count word claims to about `megabytes`. */
static int load(const char *path, size_t megabytes, struct input *input)
{
	size_t want = megabytes * 1000000 / sizeof(uint64_t), once = 0;
	FILE *file = fopen(path, "rb");
	uint64_t count = 0;

	if (!file)
		return -1;
	if (fread(&count, sizeof(count), 1, file) == 1 && count > 0 && count < SIZE_MAX / 64)
		input->words = malloc((count + want + 1) * sizeof(uint64_t));
	if (input->words)
		once = fread(input->words + 1, sizeof(uint64_t), count, file);
	fclose(file);
	if (once == 0)
		return -1;
	input->n_words = 1;
	while (input->n_words == 1 || input->n_words - 1 + once <= want) {
		if (input->n_words > 1)
			memcpy(input->words + input->n_words, input->words + 1,
			       once * sizeof(uint64_t));
		input->n_words += once;
	}
	input->words[0] = input->n_words - 1;
	return 0;
}

/** The peer: knows the record sizes and nothing else. */
static int count_depth(const struct input *input, struct result *result)
{
	uint64_t depth = 0, deepest = 0, records = 0;

	for (size_t i = 1; i < input->n_words; records++) {
		switch (input->words[i] >> 60) {
		case 0:
			depth++;
			deepest = depth > deepest ? depth : deepest;
			i += input->layout.entry_words;
			break;
		case 1:
			depth -= depth > 0;
			i++;
			break;
		case 3:
			i += input->layout.memory_words;
			break;
		default:
			i++;
			break;
		}
	}
	result->records = records;
	result->depth = deepest;
	return 0;
}

static int feed_all(struct kct_decoder *decoder, struct kct_stack *stack)
{
	static struct kct_record records[BATCH];
	size_t n;
	int more;

	while ((more = kct_decoder_batch(decoder, BATCH, records, &n, NULL)) > 0) {
		more = kct_stack_feed(stack, records, n);
		if (more < 0)
			return more;
	}
	return more;
}

static int rebuild(const struct input *input, unsigned flags, struct result *result)
{
	struct kct_stack_stats stats = {.size = sizeof(stats)};
	struct kct_decoder *decoder = NULL;
	struct kct_stack *stack = NULL;
	int code;

	code = kct_decoder_new(&input->layout, input->words, input->n_words * sizeof(uint64_t),
			       flags, &decoder, NULL);
	if (code == 0)
		code = kct_stack_new(NULL, &stack);
	if (code == 0)
		code = feed_all(decoder, stack);
	if (code == 0)
		code = kct_stack_stats(stack, &stats);
	result->records = stats.records;
	result->depth = stats.max_depth;
	kct_decoder_free(decoder);
	kct_stack_free(stack);
	return code;
}

static int rebuild_records(const struct input *input, struct result *result)
{
	return rebuild(input, 0, result);
}

static int rebuild_runs(const struct input *input, struct result *result)
{
	return rebuild(input, KCT_DECODE_PC_RUNS, result);
}

static struct result results[] = {
	{.name = "type switch and depth only"},
	{.name = "decode and stack"},
	{.name = "decode and stack, PC runs"},
};

static int run(const struct input *input)
{
	static int (*const methods[])(const struct input *, struct result *) = {
		count_depth,
		rebuild_records,
		rebuild_runs,
	};

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
			double start = now(), seconds;

			if (methods[i](input, &results[i]) < 0)
				return -1;
			seconds = now() - start;
			if (round == 0 || seconds < results[i].seconds)
				results[i].seconds = seconds;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct input input = {.words = NULL};
	size_t megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 400;

	if (argc < 2 ||
	    kct_layout_parse(argc > 3 ? argv[3] : "linux-ext", &input.layout, NULL) < 0) {
		fprintf(stderr, "usage: bench_stack TRACE [MEGABYTES [LAYOUT]]\n");
		return 2;
	}
	if (load(argv[1], megabytes, &input) < 0 || run(&input) < 0) {
		fprintf(stderr, "bench_stack: %s: not a trace in this layout\n", argv[1]);
		free(input.words);
		return 1;
	}
	printf("%s, %.0f MB\n", argv[1], (double)input.n_words * 8e-6);
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		printf("%-28s %8.1f M records/s  ratio %.2f  (%llu records, depth %llu)\n",
		       results[i].name, (double)results[i].records / results[i].seconds * 1e-6,
		       results[0].seconds / results[i].seconds,
		       (unsigned long long)results[i].records,
		       (unsigned long long)results[i].depth);
	free(input.words);
	return 0;
}
