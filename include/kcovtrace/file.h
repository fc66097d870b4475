/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file file.h
 * The bytes of a file: mapped, read from a pipe, or unpacked.
 */
#ifndef KCOVTRACE_FILE_H
#define KCOVTRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kct_file;

/**
 * Open a file for reading. A regular file is mapped; one that starts with the
 * magic of gzip, zstd or xz is unpacked to memory (all members, frames and
 * streams), whatever its name. KCT_ERR_IO for what cannot be read (a directory, say),
 * KCT_ERR_UNSUPPORTED for a compression that this build cannot read,
 * KCT_ERR_SYNTAX with the offset for packed data that is damaged before its first byte (see
 * kct_file_damage() for the rest), KCT_ERR_LIMIT if it unpacks to more than 8 GiB.
 */
KCT_API int kct_file_open(const char *path, struct kct_file **ret_file, struct kct_error *error);

/** The same for an open descriptor, which stays the caller's. `name` is for messages. */
KCT_API int kct_file_open_fd(int fd, const char *name, struct kct_file **ret_file,
			     struct kct_error *error);

/** The same for bytes in memory, which stay the caller's and must outlive the file. */
KCT_API int kct_file_open_memory(const void *data, size_t bytes, const char *name,
				 struct kct_file **ret_file, struct kct_error *error);

/** Free a file and its bytes; NULL is fine. */
KCT_API void kct_file_free(struct kct_file *file);

/** The bytes, unpacked; owned by the file; not NULL, also for an empty file. */
KCT_API const void *kct_file_data(const struct kct_file *file, size_t *ret_bytes);

/** True if the bytes are a read-only mapping of the file, false if they were read or unpacked to memory. */
KCT_API bool kct_file_is_mapped(const struct kct_file *file);

/** The path or name. Owned by the file. */
KCT_API const char *kct_file_name(const struct kct_file *file);

/** How it was packed: `gzip`, `zstd`, `xz`, or NULL. Static. */
KCT_API const char *kct_file_packing(const struct kct_file *file);

/**
 * What is wrong with the packed file, in one line owned by it, and the offset there (`ret_offset` may be
 * NULL); NULL, and nothing stored, for a whole or unpacked file. The bytes are then those that were
 * unpacked before the damage showed: all of them if only the checksum is wrong or other
 * data follows. The last ones may be wrong.
 */
KCT_API const char *kct_file_damage(const struct kct_file *file, uint64_t *ret_offset);

#ifdef __cplusplus
}
#endif
#endif
