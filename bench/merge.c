/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sets of PCs merge: bench_merge [SETS [PCS]], 200 sets of a million PCs.
 *
 * A few files of sets that share most of their PCs are read and united so many times in turn, and once more in
 * the opposite order. The peer only reads, so that the ratio says what uniting costs. Fails if memory grows with
 * the number of sets, or if the order changes the result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <kcovtrace/kcovtrace.h>

#define FILES 4

struct buffer {
	unsigned char *bytes;
	size_t n, max;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long peak_kilobytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void check(int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s\n", kct_strerror(result));
	exit(1);
}

static int put(void *context, const void *bytes, size_t n)
{
	struct buffer *buffer = context;
	void *moved;

	if (buffer->n + n > buffer->max) {
		buffer->max = 2 * (buffer->n + n);
		moved = realloc(buffer->bytes, buffer->max);
		if (!moved)
			return KCT_ERR_NO_MEMORY;
		buffer->bytes = moved;
	}
	memcpy(buffer->bytes + buffer->n, bytes, n);
	buffer->n += n;
	return 0;
}

/** A file of a set of `n` PCs in no order, as far from each other as points are. Those of two numbers share
 *  all but a tenth. */
static struct buffer make_file(size_t n, size_t number)
{
	const struct kct_pc_origin origin = {.image = "vmlinux", .section = ""};
	struct buffer file = {0};
	struct kct_pc_set *set;
	size_t part;

	check(kct_pc_set_new(KCT_PC_RETURN, &set));
	check(kct_pc_set_part(set, &origin, &part));
	for (size_t i = 0; i < n; i++)
		check(kct_pc_set_add(set, part,
				     0xffffffff81000000 +
					     ((uint64_t)i * 1000003 % n + number * (n / 10)) * 37,
				     (i + number) % 100 + 1));
	check(kct_pc_set_write(set, put, &file));
	kct_pc_set_free(set);
	return file;
}

/** Read `n` sets, the last one first if `backwards`, and unite all if `into` is there. CPU seconds. */
static double read_all(const struct buffer files[FILES], size_t n, bool backwards,
		       struct kct_pc_set *into, long *ret_early)
{
	double start = now();

	for (size_t i = 0; i < n; i++) {
		const struct buffer *file = &files[(backwards ? n - 1 - i : i) % FILES];
		struct kct_pc_set *set;

		check(kct_pc_set_read(file->bytes, file->n, &set, NULL));
		if (into)
			check(kct_pc_set_unite(into, set));
		kct_pc_set_free(set);
		/* All of them, once. */
		if (i == FILES)
			*ret_early = peak_kilobytes();
	}
	return now() - start;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	size_t pcs = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
	struct buffer files[FILES], one = {0}, other = {0};
	struct kct_pc_set *all, *reversed;
	double reading, uniting;
	long early = 0, unused, peak;
	bool grew, same;
	uint64_t size;

	for (size_t i = 0; i < FILES; i++)
		files[i] = make_file(pcs, i);
	check(kct_pc_set_new(KCT_PC_RETURN, &all));
	check(kct_pc_set_new(KCT_PC_RETURN, &reversed));
	uniting = read_all(files, n, false, all, &early);
	peak = peak_kilobytes();
	grew = peak > early + early / 10;
	reading = read_all(files, n, false, NULL, &unused);
	read_all(files, n, true, reversed, &unused);
	check(kct_pc_set_write(all, put, &one));
	check(kct_pc_set_write(reversed, put, &other));
	same = one.n == other.n && memcmp(one.bytes, other.bytes, one.n) == 0;
	check(kct_pc_set_size(all, &size));
	printf("%zu sets of %zu PCs, %zu bytes each: %llu PCs\n", n, pcs, files[0].n,
	       (unsigned long long)size);
	printf("read       %8.3f s CPU\n", reading);
	printf("and unite  %8.3f s CPU, ratio %.2f\n", uniting, uniting / reading);
	printf("peak memory %ld KiB, after %d sets %ld KiB%s\n", peak, FILES + 1, early,
	       grew ? ": it grows" : "");
	printf("in the opposite order: %s\n", same ? "the same bytes" : "other bytes");
	kct_pc_set_free(all);
	kct_pc_set_free(reversed);
	for (size_t i = 0; i < FILES; i++)
		free(files[i].bytes);
	free(one.bytes);
	free(other.bytes);
	return grew || !same;
}
