/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sets of PCs merge: bench_merge [SETS [PCS]], 200 sets of a million PCs.
 *
 * One file of a set is read and united so many times. The peer only reads, so that the ratio says
 * what uniting costs. Fails if memory grows with the number of sets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <kcovtrace/kcovtrace.h>

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

/** A file of a set of `n` PCs in no order, as far from each other as points are. */
static struct buffer make_file(size_t n)
{
	const struct kct_pc_origin origin = {.image = "vmlinux", .section = ""};
	struct buffer file = {0};
	struct kct_pc_set *set;
	size_t part;

	check(kct_pc_set_new(KCT_PC_RETURN, &set));
	check(kct_pc_set_part(set, &origin, &part));
	for (size_t i = 0; i < n; i++)
		check(kct_pc_set_add(set, part, 0xffffffff81000000 + (uint64_t)i * 1000003 % n * 37,
				     i % 100 + 1));
	check(kct_pc_set_write(set, put, &file));
	kct_pc_set_free(set);
	return file;
}

/** Read the file `n` times, and unite all if `into` is there. CPU seconds. */
static double read_all(const struct buffer *file, size_t n, struct kct_pc_set *into,
		       long *ret_early)
{
	double start = now();

	for (size_t i = 0; i < n; i++) {
		struct kct_pc_set *set;

		check(kct_pc_set_read(file->bytes, file->n, &set, NULL));
		if (into)
			check(kct_pc_set_unite(into, set));
		kct_pc_set_free(set);
		if (i == 1)
			*ret_early = peak_kilobytes();
	}
	return now() - start;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	size_t pcs = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
	struct buffer file = make_file(pcs);
	struct kct_pc_set *all;
	double reading, uniting;
	long early = 0, peak;
	bool grew;
	uint64_t size;

	check(kct_pc_set_new(KCT_PC_RETURN, &all));
	uniting = read_all(&file, n, all, &early);
	peak = peak_kilobytes();
	grew = peak > early + early / 10;
	reading = read_all(&file, n, NULL, &early);
	check(kct_pc_set_size(all, &size));
	printf("%zu sets of %zu PCs, %zu bytes each: %llu PCs\n", n, pcs, file.n,
	       (unsigned long long)size);
	printf("read       %8.3f s CPU\n", reading);
	printf("and unite  %8.3f s CPU, ratio %.2f\n", uniting, uniting / reading);
	printf("peak memory %ld KiB%s\n", peak, grew ? ", more than of two sets" : "");
	kct_pc_set_free(all);
	free(file.bytes);
	return size != pcs || grew;
}
