/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_capture ours|hand|call PCS ROUNDS: the inner loop of a fuzzer ROUNDS times over a driver in
 * user space: enabled once, then reset, a system call that records PCS points, and a copy of them.
 * `ours` does it with a capture, `hand` with what one would write without, `call` makes the system
 * call only.
 *
 * Time says little about a dozen instructions; bench/capture.sh counts them with callgrind:
 *
 *     cmake --preset release && cmake --build --preset release
 *     sh bench/capture.sh build/release/bench/bench_capture
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "capture/capture.h"
#include "unit/capture_double.h"

#define AREA_WORDS 65536

static uint64_t copy[AREA_WORDS];

/** What the hook of a coverage point does in the kernel. */
static inline void hit(uint64_t *area, uint64_t pc)
{
	uint64_t at = __atomic_load_n(&area[0], __ATOMIC_RELAXED) + 1;

	if (at < AREA_WORDS) {
		__atomic_store_n(&area[0], at, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		area[at] = pc;
	}
}

static __attribute__((noinline)) void system_call(uint64_t *area, size_t pcs)
{
	for (size_t i = 0; i < pcs; i++)
		hit(area, 0xffffffff81000000u + 16 * i);
}

static uint64_t loop_call(uint64_t *area, size_t pcs, unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++) {
		area[0] = 0;
		system_call(area, pcs);
	}
	return area[0] * rounds;
}

static uint64_t loop_hand(uint64_t *area, size_t pcs, unsigned long rounds)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		uint64_t n;

		__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
		system_call(area, pcs);
		n = __atomic_load_n(&area[0], __ATOMIC_ACQUIRE);
		memcpy(copy, area + 1, n * sizeof(*copy));
		sum += n;
	}
	return sum;
}

static uint64_t loop_ours(struct kct_capture *capture, uint64_t *area, size_t pcs,
			  unsigned long rounds)
{
	struct kct_capture_area snapshot;
	uint64_t sum = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		kct_capture_reset(capture, NULL);
		system_call(area, pcs);
		if (kct_capture_snapshot(capture, copy, sizeof(copy), &snapshot) == 0)
			sum += snapshot.count;
	}
	return sum;
}

int main(int argc, char **argv)
{
	static const struct double_kernel kernel = {.kcov = true};
	const struct kct_capture_options options = {.size = sizeof(options), .words = AREA_WORDS};
	static struct capture_double driver;
	struct kct_system system = double_system(&driver);
	struct kct_capture *capture;
	struct kct_error error;
	unsigned long pcs, rounds;
	uint64_t *area, sum;

	if (argc != 4) {
		fprintf(stderr, "usage: bench_capture ours|hand|call PCS ROUNDS\n");
		return 2;
	}
	pcs = strtoul(argv[2], NULL, 10);
	rounds = strtoul(argv[3], NULL, 10);
	double_init(&driver, &kernel);
	if (kct_capture_open_on(&system, &options, &capture, &error) < 0 ||
	    kct_capture_enable(capture, KCT_MODE_PC, &error) < 0) {
		fprintf(stderr, "bench_capture: %s\n", error.text);
		return 1;
	}
	area = (uint64_t *)driver.descriptors[0].area;
	if (strcmp(argv[1], "ours") == 0)
		sum = loop_ours(capture, area, pcs, rounds);
	else if (strcmp(argv[1], "hand") == 0)
		sum = loop_hand(area, pcs, rounds);
	else
		sum = loop_call(area, pcs, rounds);
	kct_capture_free(capture);
	printf("%llu PCs\n", (unsigned long long)sum);
	return sum == (uint64_t)pcs * rounds ? 0 : 1;
}
