/* SPDX-License-Identifier: BSD-2-Clause */
/** @file capture_kernels.h Kernels to try a capture on, and short forms to do it. */
#ifndef KCT_TESTS_CAPTURE_KERNELS_H
#define KCT_TESTS_CAPTURE_KERNELS_H

#include <kcovtrace/capture.h>
#include <kcovtrace/decoder.h>

#include "base/macros.h"
#include "capture/capture.h"
#include "capture_double.h"
#include "check.h"

/** A distribution kernel: PC, CMP, remote. */
static const struct double_kernel plain_kernel = {
	.debugfs = true,
	.kcov = true,
	.cmp = DOUBLE_BUILT,
	.remote = DOUBLE_BUILT,
};

/** With EXT and MEMORY, whose records have 40 bytes. */
static const struct double_kernel memory_kernel = {
	.debugfs = true,
	.kcov = true,
	.cmp = DOUBLE_BUILT,
	.remote = DOUBLE_BUILT,
	.ext = DOUBLE_BUILT,
	.memory = DOUBLE_BUILT,
	.memory_record_bytes = 40,
};

/** With UNIQUE and RESET_TRACE. */
static const struct double_kernel unique_kernel = {
	.debugfs = true,
	.kcov = true,
	.cmp = DOUBLE_BUILT,
	.remote = DOUBLE_BUILT,
	.unique = DOUBLE_BUILT,
};

/** A 32-bit one. */
static const struct double_kernel small_kernel = {
	.debugfs = true,
	.kcov = true,
	.word_bytes = 4,
	.cmp = DOUBLE_BUILT,
	.unique = DOUBLE_BUILT,
};

/** A capture on a kernel, of `words` words with `bitmap_words` for UNIQUE. */
static inline struct kct_capture *open_capture(struct capture_double *driver, uint64_t words,
					       uint64_t bitmap_words)
{
	const struct kct_system system = double_system(driver);
	const struct kct_capture_options options = {
		.size = sizeof(options), .words = words, .bitmap_words = bitmap_words};
	struct kct_capture *capture = NULL;
	struct kct_error error;

	if (kct_capture_open_on(&system, &options, &capture, &error) < 0)
		fail_msg("open: %s", error.text);
	return capture;
}

static inline void enable_capture(struct kct_capture *capture, enum kct_mode mode)
{
	struct kct_error error;

	if (kct_capture_enable(capture, mode, &error) < 0)
		fail_msg("enable %s: %s", kct_mode_name(mode), error.text);
}

#endif
