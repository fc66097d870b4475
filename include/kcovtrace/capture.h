/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file capture.h
 * Coverage from the KCOV driver of the running Linux kernel.
 *
 *     struct kct_capture *capture;
 *     struct kct_capture_area area;
 *
 *     kct_capture_open(NULL, &capture, NULL);
 *     kct_capture_enable(capture, KCT_MODE_PC, NULL);
 *     kct_capture_reset(capture, NULL);
 *     ... system calls of this thread ...
 *     kct_capture_view(capture, &area);      the area as it is now, no copy
 *     kct_capture_disable(capture, NULL);
 *     kct_decoder_new(area.layout, area.data, area.bytes, 0, &decoder, NULL);
 *     ...
 *     kct_capture_free(capture);
 *
 * The kernel traces a thread: each thread enables its own capture, at most one at a time. A fork's
 * child begins untraced, with the same area mapped; a thread that ends is no longer traced; execve
 * goes on tracing. docs/capture.md says more of fork servers and of the states.
 *
 * After open nothing allocates memory. Reset, view and snapshot make no system call, and may be
 * used in signal handlers; so may enable and disable, which are one system call each when they
 * succeed, if `error` is NULL.
 */
#ifndef KCOVTRACE_CAPTURE_H
#define KCOVTRACE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>
#include <kcovtrace/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where the driver is when debugfs is mounted at its usual place. */
#define KCT_CAPTURE_DEVICE "/sys/kernel/debug/kcov"

/** Words of an area when nothing else is said. */
#define KCT_CAPTURE_WORDS (256u * 1024)

/** Most handles of a remote capture; the kernel's limit. */
#define KCT_REMOTE_MAX_HANDLES 256

/** Remote handle of a USB bus (its number), and of a section that a program names itself (a number
 *  above 0): kernel code that the program started on behalf of that number. */
#define KCT_REMOTE_USB(bus)	  ((uint64_t)1 << 56 | (uint32_t)(bus))
#define KCT_REMOTE_COMMON(number) ((uint64_t)(uint32_t)(number))

/** How to open a capture. Growable; 0 in a field is its default. */
struct kct_capture_options {
	size_t size;	    /**< sizeof(struct kct_capture_options) of the caller */
	const char *device; /**< path; NULL = KCT_CAPTURE_DEVICE */
	uint64_t words;	    /**< kernel words (unsigned long) of the area with its count word,
				*   rounded up to whole pages; 0 = KCT_CAPTURE_WORDS */
	uint64_t
		bitmap_words; /**< UNIQUE: of these, words of the bitmap; the other modes have none */
	bool read_only;	      /**< map the area for reading, so that wild writes of the program
				*   cannot hit it; a reset is then a system call, which not every
				*   kernel has */
};

/** What an area holds. */
struct kct_capture_area {
	const struct kct_layout *layout; /**< how to read it, with its capacity; owned by the
					  *   capture, changed by enable and set_mode */
	const void *data;		 /**< count word and records; UNIQUE: bitmap first */
	size_t bytes;			 /**< from `data` to the end of what the count claims */
	const void *records;		 /**< in `data`, right after the count word */
	uint64_t count;			 /**< PC, UNIQUE: PCs; CMP: comparisons; EXT, MEMORY: words.
					  *   Never more than fit in the area */
};

/** What is traced besides the thread: sections of other threads that carry one of the handles. */
struct kct_capture_remote {
	const uint64_t *handles; /**< KCT_REMOTE_USB() and others that are not COMMON */
	size_t n_handles;	 /**< at most KCT_REMOTE_MAX_HANDLES */
	uint64_t common;	 /**< KCT_REMOTE_COMMON(); 0 = none */
	uint32_t section_words;	 /**< most words of one section; 0 = as many as the area has */
};

/** What a kernel offers. Growable. */
struct kct_capture_features {
	size_t size;	       /**< sizeof of the caller; set before the call */
	bool pc;	       /**< KCT_MODE_PC */
	bool cmp;	       /**< KCT_MODE_CMP */
	bool ext;	       /**< KCT_MODE_EXT */
	bool memory;	       /**< KCT_MODE_MEMORY */
	bool unique;	       /**< KCT_MODE_UNIQUE */
	bool remote;	       /**< kct_capture_enable_remote() */
	bool reset_trace;      /**< the option read_only */
	uint32_t word_bytes;   /**< of the kernel's words: 8, or 4 */
	uint32_t memory_words; /**< words of a MEMORY record; 0 without that mode */
};

/** An ioctl on kct_capture_fd(). */
struct kct_capture_call {
	uint32_t request;
	uint64_t argument;
};

struct kct_capture;

/**
 * Open the driver, have it make an area and map it. `options` may be NULL and is copied. The
 * descriptor is closed by execve; tracing goes on.
 *
 * KCT_ERR_NO_DEBUGFS, KCT_ERR_NO_KCOV, KCT_ERR_PERMISSION if the driver cannot be reached,
 * KCT_ERR_TOO_SMALL, KCT_ERR_TOO_LARGE for a size the kernel does not take, KCT_ERR_MAP,
 * KCT_ERR_NO_MODE for read_only on a kernel that cannot reset. The text says what to do about it.
 */
KCT_API int kct_capture_open(const struct kct_capture_options *options,
			     struct kct_capture **ret_capture, struct kct_error *error);

/**
 * Stop tracing the calling thread, if it is traced through this capture, unmap the area and
 * close; NULL is fine. Another thread that is traced through it goes on unseen until it ends.
 */
KCT_API void kct_capture_free(struct kct_capture *capture);

/**
 * Trace the calling thread from now on. The count is not reset: the area holds what it held,
 * and the end of this system call. KCT_MODE_UNIQUE needs bitmap_words.
 *
 * KCT_ERR_NO_MODE: the kernel does not know the mode; KCT_ERR_NOT_BUILT: it knows it but was
 * built without; KCT_ERR_BUSY_THREAD: this thread is traced already, through this or another
 * descriptor; KCT_ERR_BUSY_DEVICE: another thread is, through this one; KCT_ERR_BUSY: one of the
 * two, and the driver cannot be opened again to tell which. On failure a second descriptor is
 * opened for a moment to learn the cause.
 */
KCT_API int kct_capture_enable(struct kct_capture *capture, enum kct_mode mode,
			       struct kct_error *error);

/**
 * Trace sections of kernel threads and softirqs that carry one of the handles, instead of the
 * calling thread, which owns the tracing: it disables it, and its end does. Sections follow each
 * other in the area without a mark. The handles are not kept. Not for KCT_MODE_UNIQUE.
 *
 * As kct_capture_enable(); KCT_ERR_ARGUMENT for too many or impossible handles,
 * KCT_ERR_BUSY_HANDLE: another descriptor traces one of them.
 */
KCT_API int kct_capture_enable_remote(struct kct_capture *capture, enum kct_mode mode,
				      const struct kct_capture_remote *remote,
				      struct kct_error *error);

/**
 * Read the area as in `mode` from now on without enabling anything: for an area that a child or
 * another thread has enabled. A capture begins in KCT_MODE_PC. KCT_MODE_MEMORY asks the kernel for
 * the size of its records: KCT_ERR_NO_MODE, KCT_ERR_NOT_BUILT if it does not say.
 */
KCT_API int kct_capture_set_mode(struct kct_capture *capture, enum kct_mode mode,
				 struct kct_error *error);

/**
 * As kct_capture_set_mode(), and say which call enables the mode: for a tracer that makes another
 * thread call it, on a duplicate of the descriptor. KCT_MODE_UNIQUE has the number of its later
 * postings.
 */
KCT_API int kct_capture_enable_call(struct kct_capture *capture, enum kct_mode mode,
				    struct kct_capture_call *ret_call, struct kct_error *error);

/**
 * Stop tracing the calling thread. The area stays and holds, beside what it held, the beginning
 * of this system call. KCT_ERR_NOT_TRACED if the thread is not traced through this capture.
 */
KCT_API int kct_capture_disable(struct kct_capture *capture, struct kct_error *error);

/**
 * Forget the records: set the count to 0, and in KCT_MODE_UNIQUE the bitmap, too. Cannot fail,
 * unless the area is read-only: then the kernel does it, for the traced thread only
 * (KCT_ERR_NOT_TRACED), and leaves the end of that system call in the area.
 */
KCT_API int kct_capture_reset(struct kct_capture *capture, struct kct_error *error);

/**
 * KCT_MODE_UNIQUE: set the count to 0 and keep the bitmap, so that only points not seen since the
 * last reset are recorded. As kct_capture_reset() in the other modes. KCT_ERR_MODE if the area is
 * read-only.
 */
KCT_API int kct_capture_reset_count(struct kct_capture *capture);

/**
 * The area as it is now, not a copy. Records that the kernel adds later are not counted in, but
 * it and kct_capture_reset() change the words. Any thread may look while another is traced; the
 * last record of a live area can be unwritten.
 */
KCT_API void kct_capture_view(const struct kct_capture *capture, struct kct_capture_area *ret_area);

/**
 * A copy of what the area holds now, in the caller's `buffer`, to be decoded like the area itself.
 * kct_capture_bytes() bytes always suffice; KCT_ERR_TOO_SMALL, then nothing was copied.
 */
KCT_API int kct_capture_snapshot(const struct kct_capture *capture, void *buffer, size_t bytes,
				 struct kct_capture_area *ret_area);

/** Bytes of the whole area. */
KCT_API size_t kct_capture_bytes(const struct kct_capture *capture);

/** The descriptor, for requests of the driver that are not here; owned by the capture. */
KCT_API int kct_capture_fd(const struct kct_capture *capture);

/**
 * What the kernel behind a device (NULL = KCT_CAPTURE_DEVICE) offers. The numbers of some requests
 * mean something else in kernels with other patches, so ask before the first use of EXT, MEMORY
 * or UNIQUE. Tries them for a moment on descriptors of its own and leaves nothing behind.
 * Errors of kct_capture_open(), KCT_ERR_BUSY_THREAD while the calling thread is traced, and
 * KCT_ERR_ARGUMENT if `ret_features->size` is unknown.
 */
KCT_API int kct_capture_probe(const char *device, struct kct_capture_features *ret_features,
			      struct kct_error *error);

#ifdef __cplusplus
}
#endif
#endif
