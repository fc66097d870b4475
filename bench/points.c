/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_points IMAGE: all points of an image, without any cache and out of one in a directory of its own, beside
 * `objdump -d -j .text` of the same image writing to /dev/null. Prints wall times and their ratios; fails if without
 * a cache it is over a fifth, or if the cache is not used.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <kcovtrace/kcovtrace.h>

#define ROUNDS 3

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/** Seconds from opening the image to the last point; < 0 after a message. With a directory they are kept there. */
static double find_points(const char *path, const char *directory, size_t *ret_n, bool *ret_cached)
{
	struct kct_error error = {.text = ""};
	struct kct_points *points = NULL;
	struct kct_image *image = NULL;
	double start = now(), end = -1;

	if (kct_image_open(path, &image, &error) < 0 || kct_image_set_cache(image, directory) < 0 ||
	    kct_points_new(image, NULL, &points, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
	} else {
		end = now();
		kct_points_all(points, ret_n);
		*ret_cached = kct_points_stats(points)->cached;
		if (directory && kct_image_write_cache(image, false, 1, NULL, NULL, &error) < 0) {
			fprintf(stderr, "%s\n", error.text);
			end = -1;
		}
	}
	kct_points_free(points);
	kct_image_free(image);
	return end < 0 ? -1 : end - start;
}

static double disassemble(const char *path)
{
	double start = now();
	int status, sink;
	pid_t child = fork();

	if (child == 0) {
		sink = open("/dev/null", O_WRONLY);
		dup2(sink, STDOUT_FILENO);
		execlp("objdump", "objdump", "-d", "-j", ".text", path, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
		fprintf(stderr, "objdump failed\n");
		return -1;
	}
	return now() - start;
}

static void empty(const char *directory)
{
	DIR *files = opendir(directory);
	struct dirent *entry;

	while (files && (entry = readdir(files)))
		unlinkat(dirfd(files), entry->d_name, 0);
	if (files)
		closedir(files);
}

struct times {
	double cold, warm, theirs; /* the least of all rounds */
	size_t n;
	bool cached;
};

/** One round of all three. False after a message. */
static bool measure(const char *path, const char *directory, struct times *times)
{
	bool cached;
	double cold = find_points(path, NULL, &times->n, &cached);
	double warm = find_points(path, directory, &times->n, &times->cached);
	double theirs = disassemble(path);

	times->cold = cold < times->cold ? cold : times->cold;
	times->warm = warm < times->warm ? warm : times->warm;
	times->theirs = theirs < times->theirs ? theirs : times->theirs;
	return cold >= 0 && warm >= 0 && theirs >= 0;
}

int main(int argc, char **argv)
{
	struct times times = {.cold = 1e9, .warm = 1e9, .theirs = 1e9};
	char directory[] = "/tmp/bench-points-XXXXXX";
	bool cached, fine;

	if (argc != 2) {
		fprintf(stderr, "usage: bench_points IMAGE\n");
		return 2;
	}
	if (!mkdtemp(directory)) {
		perror(directory);
		return 1;
	}
	fine = find_points(argv[1], directory, &times.n, &cached) >= 0;
	for (int round = 0; round < ROUNDS && fine; round++)
		fine = measure(argv[1], directory, &times);
	empty(directory);
	rmdir(directory);
	if (!fine)
		return 1;
	printf("%zu points, objdump %.3f s\n", times.n, times.theirs);
	printf("without a cache %.3f s, ratio %.3f (at most 0.2)\n", times.cold,
	       times.cold / times.theirs);
	printf("from the cache  %.3f s, ratio %.4f%s\n", times.warm, times.warm / times.theirs,
	       times.cached ? "" : ": it was not used");
	return times.cold / times.theirs > 0.2 || !times.cached;
}
