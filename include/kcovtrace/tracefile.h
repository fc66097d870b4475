/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file tracefile.h
 * `.kct` files: areas with all that is needed to read them.
 *
 * A file is a row of blocks, each whole in itself: a segment (one area as the
 * kernel wrote it, with its layout, thread and system call) or an item of
 * metadata (one fact about the machine, such as its build ID). Every block
 * names the capture it belongs to, so that files can be concatenated and
 * writers can share a file. A block is written at once and checked by sums:
 * what was written whole is read, whatever happened to the rest. The bytes are
 * described in docs/trace-file.md.
 *
 *     struct kct_trace_segment segment = {.size = sizeof(segment)};
 *     struct kct_tracefile *file;
 *
 *     kct_tracefile_open("t.kct", &file, NULL);
 *     for (size_t i = 0; i < kct_tracefile_segments(file); i++)
 *             if (kct_tracefile_segment(file, i, &segment, NULL) >= 0)
 *                     decode(&segment.layout, segment.data, segment.bytes);
 *     kct_tracefile_free(file);
 */
#ifndef KCOVTRACE_TRACEFILE_H
#define KCOVTRACE_TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/decoder.h>
#include <kcovtrace/error.h>
#include <kcovtrace/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which of the optional fields of a segment are set. Part of the file format. */
enum kct_segment_field {
	KCT_SEGMENT_THREAD = 1 << 0,   /**< thread */
	KCT_SEGMENT_PROCESS = 1 << 1,  /**< process */
	KCT_SEGMENT_OVERFLOW = 1 << 2, /**< overflow, as the recorder saw it */
	KCT_SEGMENT_SYSCALL = 1 << 3,  /**< syscall and arguments: the area is of one system call */
	KCT_SEGMENT_RESULT = 1 << 4,   /**< result of the system call, which returned */
	KCT_SEGMENT_REMOTE = 1 << 5,   /**< remote_handle: coverage of another thread's work */
	KCT_SEGMENT_TIME = 1 << 6,     /**< begin and end */
	KCT_SEGMENT_KNOWN_FIELDS = 0x7f /**< all bits of this version */
};

/** One area. Growable: `size` is the caller's sizeof, for reading and for writing. */
struct kct_trace_segment {
	size_t size;
	uint32_t fields;  /**< set of enum kct_segment_field; may have unknown bits */
	uint32_t capture; /**< reading: number of its capture; writing: not used */
	uint32_t process; /**< process (thread group) ID */
	uint32_t thread;  /**< thread ID */
	const char *name; /**< of the thread, NUL-terminated; NULL unknown */
	enum kct_overflow overflow;
	struct kct_layout layout; /**< with its own `size`; `preset` is found, not stored */
	int64_t syscall; /**< low half: number. High half: AUDIT_ARCH_... if it is in another
				   *   numbering than that of the machine, such as a 32-bit
				   *   program's; else 0. See syscall.h */
	uint64_t arguments[6];
	int64_t result;		/**< as the kernel returned it: -errno for errors */
	uint64_t remote_handle; /**< as given to KCOV_REMOTE_ENABLE */
	uint64_t begin, end;	/**< CLOCK_MONOTONIC of the traced machine, nanoseconds */
	uint64_t offset;	/**< reading: of the block in the file; writing: not used */
	const void *data;	/**< the area from its first byte: count word, bitmap */
	size_t bytes;
};

/** What a value of metadata is. Part of the file format. */
enum kct_meta_type {
	KCT_META_TEXT = 1,    /**< UTF-8 */
	KCT_META_NUMBERS = 2, /**< 64-bit numbers, often one */
	KCT_META_BYTES = 3,
};

/* Names of metadata. Others may be used; begin your own with `x-`. An item `symbols/NAME` of bytes has
 * portable symbols of the image NAME, see kct_portable_new(). */
#define KCT_META_TOOL		 "tool"	   /**< text: who wrote it, with version; always there */
#define KCT_META_COMMAND	 "command" /**< text: the command that was traced */
#define KCT_META_KERNEL_RELEASE	 "kernel-release"  /**< text: uname -r */
#define KCT_META_KERNEL_VERSION	 "kernel-version"  /**< text: /proc/version */
#define KCT_META_BUILD_ID	 "build-id"	   /**< bytes: of the kernel, from its notes */
#define KCT_META_ARCHITECTURE	 "architecture"	   /**< text: uname -m */
#define KCT_META_KASLR		 "kaslr"	   /**< number: KASLR offset */
#define KCT_META_MODULE_SECTIONS "module-sections" /**< text: lines MODULE SECTION ADDRESS */
#define KCT_META_PROC_MODULES	 "proc-modules"	   /**< text: /proc/modules */
#define KCT_META_KALLSYMS	 "kallsyms"	   /**< text: /proc/kallsyms */
#define KCT_META_PAGE_OFFSET	 "page-offset"	   /**< number: start of the direct mapping */
#define KCT_META_PERCPU		 "percpu"	   /**< numbers: per-CPU base of CPU 0, 1, ... */

/** One item of metadata. Growable: `size` is the caller's sizeof. */
struct kct_meta {
	size_t size;
	uint32_t capture;	 /**< number of the capture it is about */
	enum kct_meta_type type; /**< may be of a later version: then only the bytes are known */
	const char *name;	 /**< owned by the file */
	const void *data;	 /**< text ends with a NUL that is not counted; owned by the file */
	size_t bytes;
	bool swapped;	 /**< NUMBERS: the bytes are not in this machine's order */
	uint64_t offset; /**< of the block in the file */
};

/** What a file holds. Growable: `size` is the caller's sizeof. */
struct kct_tracefile_stats {
	size_t size;
	uint64_t segments;	 /**< whole blocks with an area; see kct_tracefile_segment() */
	uint64_t metas;		 /**< items of metadata */
	uint64_t captures;	 /**< different captures */
	uint64_t unknown_blocks; /**< whole blocks of a type or version that was skipped */
	uint64_t damaged;	 /**< places in the middle where something is no whole block */
	uint64_t damaged_bytes;	 /**< bytes there */
	uint64_t first_damage;	 /**< offset of the first of them, or KCT_NOWHERE */
	uint64_t tail_bytes;	 /**< bytes at the end that are no whole block: the file was cut */
};

struct kct_tracefile;

/** 1: the data begins like a `.kct` file or has a block near its front; 0: it does not. */
KCT_API int kct_tracefile_identify(const void *data, size_t bytes);

/**
 * Read a `.kct` file from memory, which stays the caller's and must outlive the
 * handle. Only the borders of the blocks and the metadata are looked at, so that
 * a large file opens fast. A damaged or cut file opens: the statistics say what
 * is missing. KCT_ERR_SYNTAX if it is no `.kct` file.
 */
KCT_API int kct_tracefile_new(const void *data, size_t bytes, struct kct_tracefile **ret_file,
			      struct kct_error *error);

/** The same for a path, with all that kct_file_open() takes and returns: packed files, pipes. */
KCT_API int kct_tracefile_open(const char *path, struct kct_tracefile **ret_file,
			       struct kct_error *error);

/** Free a file; NULL is fine. */
KCT_API void kct_tracefile_free(struct kct_tracefile *file);

/** What is in the file. KCT_ERR_ARGUMENT if `size` is not set. */
KCT_API int kct_tracefile_stats(const struct kct_tracefile *file,
				struct kct_tracefile_stats *ret_stats);

/** Number of segments. */
KCT_API size_t kct_tracefile_segments(const struct kct_tracefile *file);

/**
 * Segment number `index`. The first time its bytes are checked: KCT_ERR_DAMAGED
 * if they are not what was written, KCT_ERR_LAYOUT or KCT_ERR_UNSUPPORTED if no
 * decoder of this version could read it. Such a segment keeps its number.
 * KCT_ERR_NOT_FOUND past the last one. `ret_segment->size` must be set. Pointers
 * belong to the file; `data` is aligned to 8 bytes if the file is, so that it can
 * be decoded where it lies.
 */
KCT_API int kct_tracefile_segment(struct kct_tracefile *file, size_t index,
				  struct kct_trace_segment *ret_segment, struct kct_error *error);

/** The bytes of capture number `capture`'s ID; 0 past the last one. */
KCT_API uint64_t kct_tracefile_capture_id(const struct kct_tracefile *file, uint32_t capture);

/** Number of items of metadata. */
KCT_API size_t kct_tracefile_metas(const struct kct_tracefile *file);

/** Item number `index`, in the order of the file. KCT_ERR_NOT_FOUND past the last one.
 *  `ret_meta->size` must be set. */
KCT_API int kct_tracefile_meta(const struct kct_tracefile *file, size_t index,
			       struct kct_meta *ret_meta);

/**
 * The items about one capture, in the order of the file: 1 and the next one. `*at` is 0 before the
 * first and is moved on. 0 after the last one, or if there is no such capture; KCT_ERR_ARGUMENT if
 * `ret_meta->size` is not set or `*at` is of another capture.
 */
KCT_API int kct_tracefile_next_meta(const struct kct_tracefile *file, uint32_t capture, size_t *at,
				    struct kct_meta *ret_meta);

/**
 * The last item named `name` about a capture, if it is of `type`.
 * KCT_ERR_NOT_FOUND. `ret_meta->size` must be set.
 */
KCT_API int kct_tracefile_find_meta(const struct kct_tracefile *file, uint32_t capture,
				    const char *name, enum kct_meta_type type,
				    struct kct_meta *ret_meta);

/** Number `index` of an item of type NUMBERS. KCT_ERR_NOT_FOUND past the last one or for another
 *  type. */
KCT_API int kct_meta_number(const struct kct_meta *meta, size_t index, uint64_t *ret_number);

/** How a writer begins. Growable: `size` is the caller's sizeof; all else may be 0. */
struct kct_trace_writer_options {
	size_t size;
	uint64_t capture_id; /**< ID of the capture; 0: a random one */
	const char *tool;    /**< the item KCT_META_TOOL; NULL: this library with its version */
};

struct kct_trace_writer;

/**
 * Write to a descriptor, which stays the caller's: a new file, a pipe, or a file
 * at whose end it stands. Writes the item KCT_META_TOOL at once. Each block is
 * one write and nothing is kept back: what was written is safe when the writer
 * dies. On a descriptor with O_APPEND several writers may share a file. A write
 * to a pipe nobody reads raises SIGPIPE unless the program ignores it. `options`
 * may be NULL. KCT_ERR_IO.
 */
KCT_API int kct_trace_writer_new(int fd, const struct kct_trace_writer_options *options,
				 struct kct_trace_writer **ret_writer, struct kct_error *error);

/**
 * Append to the `.kct` file at `path`, which is made if it is not there. What a
 * writer that died left at its end stays and is filled up, so that readers step
 * over it. KCT_ERR_SYNTAX if there is a file of something else, which is not
 * touched.
 */
KCT_API int kct_trace_writer_append(const char *path,
				    const struct kct_trace_writer_options *options,
				    struct kct_trace_writer **ret_writer, struct kct_error *error);

/** Free a writer; NULL is fine. */
KCT_API void kct_trace_writer_free(struct kct_trace_writer *writer);

/**
 * Append a segment. Allocates nothing. KCT_ERR_ARGUMENT for a size that is not
 * known, unknown bits in `fields` or data of 0 bytes, KCT_ERR_LAYOUT, KCT_ERR_IO;
 * after the last a part of the block may be in the file, which readers step over.
 */
KCT_API int kct_trace_writer_segment(struct kct_trace_writer *writer,
				     const struct kct_trace_segment *segment,
				     struct kct_error *error);

/** Append an item of metadata. Of several of one name the last one counts. */
KCT_API int kct_trace_writer_text(struct kct_trace_writer *writer, const char *name,
				  const char *text, struct kct_error *error);

/** The same for `n` numbers. */
KCT_API int kct_trace_writer_numbers(struct kct_trace_writer *writer, const char *name,
				     const uint64_t *numbers, size_t n, struct kct_error *error);

/** The same for bytes. */
KCT_API int kct_trace_writer_bytes(struct kct_trace_writer *writer, const char *name,
				   const void *data, size_t bytes, struct kct_error *error);

/** Wait until what was written is on the disk. Fine on a pipe, which has none. KCT_ERR_IO. */
KCT_API int kct_trace_writer_sync(struct kct_trace_writer *writer, struct kct_error *error);

#ifdef __cplusplus
}
#endif
#endif
