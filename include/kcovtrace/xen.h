/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file xen.h
 * Coverage of a Xen hypervisor that was built by gcc: what `xencov read` gives.
 *
 * Such a blob is a row of gcov counter files (.gcda), one an object of the hypervisor, each behind the
 * path that the compiler meant it to have. They are taken out as they are; lines are the business of gcov
 * and lcov. A hypervisor built by clang gives a raw LLVM profile instead, which needs no splitting.
 *
 *     struct kct_xen_object object;
 *     uint64_t offset = 0;
 *
 *     while (kct_xen_next(data, bytes, &offset, &object, &error) > 0)
 *             ...
 */
#ifndef KCOVTRACE_XEN_H
#define KCOVTRACE_XEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kcovtrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes of a name with its NUL; longer ones are no paths. */
#define KCT_XEN_MAX_NAME 4096

/** One object of a blob. Pointers lead into the blob. */
struct kct_xen_object {
	const char *
		name; /**< path that its compiler wrote into it, often absolute. Not to be trusted */
	uint64_t offset;  /**< of `data` in the blob */
	const void *data; /**< a gcda file */
	size_t bytes;
};

/** 1: the data begins like a blob, in either byte order; 0: it does not. */
KCT_API int kct_xen_identify(const void *data, size_t bytes);

/**
 * The object at `*offset`, 0 for the first one; `*offset` then is that of the next. 1: stored, 0: there
 * is none any more, KCT_ERR_SYNTAX: no blob, KCT_ERR_DAMAGED with the offset: the rest is none. After
 * an error `*offset` is as before, and nothing that follows can be found, for sizes lead from one to
 * the next.
 */
KCT_API int kct_xen_next(const void *data, size_t bytes, uint64_t *offset,
			 struct kct_xen_object *ret_object, struct kct_error *error);

/**
 * Where in a folder the file of an object belongs: its path without the slashes at the front, `.` and
 * empty components. `path` has KCT_XEN_MAX_NAME bytes and must not be the name. KCT_ERR_ARGUMENT with
 * the cause for a name that would lead out of the folder (`..`) or cannot be a file: empty, a folder
 * (a slash at the end), a component over 255 bytes, control characters.
 */
KCT_API int kct_xen_path(const char *name, char *path, struct kct_error *error);

/** What is in a gcda file. Growable: `size` is the caller's sizeof. */
struct kct_gcda {
	size_t size;
	bool big_endian;
	char version[5];    /**< such as "B22*" (gcc 12.2), NUL-terminated */
	unsigned major;	    /**< of gcc, 0 if the version is none of it */
	uint32_t stamp;	    /**< links it to its .gcno file */
	uint64_t functions; /**< that have counters here */
	uint64_t counters;  /**< of arcs */
	uint64_t hit;	    /**< of those, not 0 */
	uint64_t sum;	    /**< of those; at most UINT64_MAX */
	uint64_t others;    /**< counters of other kinds, such as conditions */
	uint64_t unknown;   /**< records of kinds that are not known, skipped by their length */
};

/**
 * Read a gcda file: how its records lie has changed over versions, which its version word tells.
 * KCT_ERR_SYNTAX: it is none; KCT_ERR_DAMAGED with the offset: a record that is cut or that cannot be;
 * `*ret_gcda` then has what stands before. `ret_gcda->size` must be set.
 */
KCT_API int kct_gcda_read(const void *data, size_t bytes, struct kct_gcda *ret_gcda,
			  struct kct_error *error);

#ifdef __cplusplus
}
#endif
#endif
