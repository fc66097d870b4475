/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file request.h
 * The requests of the driver: the only place that knows their numbers.
 */
#ifndef KCT_CAPTURE_REQUEST_H
#define KCT_CAPTURE_REQUEST_H

#include <sys/ioctl.h>

#include <kcovtrace/capture.h>

#include "capture/device.h"

/* Numbers hold the size of the argument, here the kernel's unsigned long: a 32-bit program on a
 * 64-bit kernel must use that of the kernel. */
#define KCT_REQUEST_INIT(word_bytes)		    _IOC(_IOC_READ, 'c', 1, word_bytes)
#define KCT_REQUEST_ENABLE			    _IO('c', 100)
#define KCT_REQUEST_DISABLE			    _IO('c', 101)
#define KCT_REQUEST_REMOTE_ENABLE		    _IOC(_IOC_WRITE, 'c', 102, 24)
#define KCT_REQUEST_UNIQUE_ENABLE(word_bytes)	    _IOC(_IOC_WRITE, 'c', 103, word_bytes)
#define KCT_REQUEST_UNIQUE_ENABLE_FIRST(word_bytes) _IOC(_IOC_READ, 'c', 103, word_bytes)
#define KCT_REQUEST_RESET_TRACE			    _IO('c', 104)
#define KCT_REQUEST_MEMORY_RECORD_SIZE		    _IO('c', 103)

/** The kernel's ENOTSUPP: never meant for user space, so no header has it. */
#define KCT_ENOTSUPP 524

/** The argument of KCT_REQUEST_REMOTE_ENABLE. */
struct kct_remote_request {
	uint32_t mode;
	uint32_t section_words;
	uint32_t n_handles;
	__attribute__((aligned(8))) uint64_t common; /* 32-bit programs align it, too */
	uint64_t handles[KCT_REMOTE_MAX_HANDLES];
};

/** What is to be enabled. */
struct kct_enabling {
	enum kct_mode mode;
	uint64_t bitmap_words;		   /* UNIQUE */
	struct kct_remote_request *remote; /* NULL = the calling thread */
};

/** Enable tracing. 0 or a negative errno, as the kernel gives it. */
int kct_request_enable(const struct kct_device *device, const struct kct_enabling *enabling);

/** The same as one call, to be made elsewhere. Not remote. */
void kct_request_enable_call(const struct kct_device *device, enum kct_mode mode,
			     uint64_t bitmap_words, struct kct_capture_call *ret_call);

/** Stop tracing the calling thread. 0 or a negative errno. */
int kct_request_disable(const struct kct_device *device);

/** Words of a MEMORY record, or a negative errno; ENOTTY also for an answer that cannot be one. */
int kct_request_memory_words(const struct kct_device *device);

/** Let the kernel reset the count and the bitmap. 0 or a negative errno. */
int kct_request_reset(const struct kct_device *device);

/**
 * Why `enabling` failed with `failure` on `device`: the kernel gives EINVAL both for a mode it does
 * not know and for a descriptor in use, and EBUSY both for the thread and the descriptor. Asks the
 * same of a new descriptor of `path`. Fills `error` and returns the code.
 */
int kct_request_diagnose(const struct kct_device *device, const char *path,
			 const struct kct_enabling *enabling, int failure, struct kct_error *error);

#endif
