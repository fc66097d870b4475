/* SPDX-License-Identifier: BSD-2-Clause */
/** @file capture.h The inside of a capture, and its constructor for tests. */
#ifndef KCT_CAPTURE_CAPTURE_H
#define KCT_CAPTURE_CAPTURE_H

#include <kcovtrace/capture.h>

#include "capture/device.h"

struct kct_capture {
	/* What reset, view and snapshot need, worked out beforehand. */
	unsigned char *count; /* the count word; also 4 bytes wide on a 32-bit kernel */
	size_t head_bytes;    /* from the start of the area to the end of the count word */
	uint64_t max_count;   /* what fits in the area */
	uint8_t unit_shift;   /* log2 of the bytes of what is counted */
	uint8_t count_bytes;  /* 4 or 8 */
	/* Whether the count is the first of 64-bit words that this machine loads and stores at once:
	 * the case that a fuzzer's loop should be fast in. */
	bool fast;
	bool fast_reset; /* and writing it is all there is to a reset */
	struct kct_layout layout;

	struct kct_device device;
	uint64_t bitmap_words; /* for UNIQUE */
	uint32_t memory_words; /* as the kernel said; 0 = not asked yet */
	char path[];	       /* for the diagnosis of a failure */
};

/** kct_capture_open() over other system calls. `system` is copied. */
int kct_capture_open_on(const struct kct_system *system, const struct kct_capture_options *options,
			struct kct_capture **ret_capture, struct kct_error *error);

/** kct_capture_probe() over other system calls. */
int kct_capture_probe_on(const struct kct_system *system, const char *device,
			 struct kct_capture_features *ret_features, struct kct_error *error);

#endif
