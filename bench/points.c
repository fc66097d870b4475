/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_points IMAGE: all points of an image, without any cache, beside `objdump -d -j .text` of the same image
 * writing to /dev/null. Prints wall times and their ratio; fails if ours is over a fifth.
 */
#include <fcntl.h>
#include <stdio.h>
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

/** Seconds from opening the image to the last point; < 0 after a message. */
static double find_points(const char *path, size_t *ret_n)
{
	struct kct_error error = {.text = ""};
	struct kct_points *points = NULL;
	struct kct_image *image = NULL;
	double start = now(), end = -1;

	if (kct_image_open(path, &image, &error) < 0 ||
	    kct_points_new(image, NULL, &points, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
	} else {
		end = now();
		kct_points_all(points, ret_n);
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

int main(int argc, char **argv)
{
	double ours = 1e9, theirs = 1e9;
	size_t n = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: bench_points IMAGE\n");
		return 2;
	}
	for (int round = 0; round < ROUNDS; round++) {
		double one = find_points(argv[1], &n), other = disassemble(argv[1]);

		if (one < 0 || other < 0)
			return 1;
		ours = one < ours ? one : ours;
		theirs = other < theirs ? other : theirs;
	}
	printf("%zu points: %.3f s, objdump %.3f s, ratio %.3f (at most 0.2)\n", n, ours, theirs,
	       ours / theirs);
	return ours / theirs > 0.2;
}
