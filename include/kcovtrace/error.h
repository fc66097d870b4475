/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file error.h
 * Result codes and the optional detail of a failure.
 *
 * Every call that can fail returns an int: `>= 0` is fine, `< 0` is one of the
 * KCT_ERR_* codes below. Outputs (named `ret_*`, always last) are untouched on
 * failure. A call that can say more takes a `struct kct_error *` which may be
 * NULL; it is filled only on failure and owns no memory.
 */
#ifndef KCOVTRACE_ERROR_H
#define KCOVTRACE_ERROR_H

#include <stdint.h>

#if defined(__GNUC__)
#define KCT_API __attribute__((visibility("default")))
#else
#define KCT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * All codes: X(NAME, value, text). Values are part of the ABI; gaps are for
 * later codes of the same group.
 */
#define KCT_ERROR_LIST(X)                                  \
	X(ARGUMENT, -1, "invalid argument")                \
	X(NO_MEMORY, -2, "out of memory")                  \
	X(IO, -3, "input or output failed")                \
	X(LIMIT, -4, "a limit was exceeded")               \
	X(UNSUPPORTED, -5, "not supported")                \
	X(LAYOUT, -20, "unknown or impossible layout")     \
	X(NO_COUNT, -21, "too short to hold a count word") \
	X(RECORD, -22, "odd record")                       \
	X(MODE, -23, "not possible in this mode")          \
	X(GUESS, -24, "the layout cannot be guessed")      \
	X(DAMAGED, -25, "damaged data")                    \
	X(ELF, -40, "not a usable ELF file")               \
	X(DWARF, -41, "unusable debug information")        \
	X(SYNTAX, -42, "malformed text")                   \
	X(NOT_FOUND, -43, "not found")                     \
	X(BUILD, -44, "of another build")                  \
	X(NO_DEBUGFS, -60, "debugfs is not mounted")       \
	X(NO_KCOV, -61, "there is no KCOV device")         \
	X(PERMISSION, -62, "not permitted")                \
	X(NOT_BUILT, -63, "the kernel was built without")  \
	X(NO_MODE, -64, "the kernel does not know it")     \
	X(BUSY, -65, "tracing is on already")              \
	X(BUSY_THREAD, -66, "the thread is traced")        \
	X(BUSY_DEVICE, -67, "the descriptor is in use")    \
	X(BUSY_HANDLE, -68, "a remote handle is in use")   \
	X(NOT_TRACED, -69, "the thread is not traced")     \
	X(TOO_LARGE, -70, "the buffer is too large")       \
	X(TOO_SMALL, -71, "the buffer is too small")       \
	X(MAP, -72, "the buffer cannot be mapped")

enum kct_error_code {
	KCT_OK = 0,
#define KCT_ERROR_ENUM(name, value, text) KCT_ERR_##name = (value),
	KCT_ERROR_LIST(KCT_ERROR_ENUM)
#undef KCT_ERROR_ENUM
};

/** "Does not apply" in the offset and word_index of a struct kct_error. */
#define KCT_NOWHERE UINT64_MAX

/**
 * What went wrong, where. Owned by the caller, copied freely, needs no
 * initialisation before and no freeing after a call.
 */
struct kct_error {
	int code;	     /**< one of enum kct_error_code */
	int sys_errno;	     /**< errno of the system call that failed, else 0 */
	uint64_t offset;     /**< byte offset in the input, or KCT_NOWHERE */
	uint64_t word_index; /**< word index in the area, or KCT_NOWHERE */
	uint64_t word;	     /**< the raw word at word_index, else 0 */
	char text[256];	     /**< one line without a newline, never empty */
};

/** Text of a code; never NULL, also for values that are no code. Static. */
KCT_API const char *kct_strerror(int code);

/** Name of a code such as "KCT_ERR_IO"; "KCT_OK" for `>= 0`; never NULL. Static. */
KCT_API const char *kct_error_name(int code);

#ifdef __cplusplus
}
#endif
#endif
