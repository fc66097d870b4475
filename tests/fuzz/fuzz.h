/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fuzz.h
 * What fuzz targets share. A target is one function that must hold for any bytes;
 * libFuzzer looks for bytes that break it, replay_main.c tries those of a folder.
 */
#ifndef KCT_TESTS_FUZZ_H
#define KCT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** The target: returns 0, or -1 for bytes that are not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/** Also in builds without assertions. */
#define FUZZ_CHECK(condition)                                                             \
	do {                                                                              \
		if (!(condition)) {                                                       \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
				#condition);                                              \
			abort();                                                          \
		}                                                                         \
	} while (0)

#endif
