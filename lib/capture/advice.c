/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <kcovtrace/capture.h>

#include "capture/advice.h"

/* Paths are cut in texts, so that the advice after them has room. */
#define PATH "%.72s"

/* The directory of KCT_CAPTURE_DEVICE. */
#define DEBUGFS "/sys/kernel/debug"

static int with_errno(struct kct_error *error, int failure, int code)
{
	if (error)
		error->sys_errno = failure;
	return code;
}

/** The directory of a path, cut when it is too long. No printf: this runs in signal handlers, too. */
static void directory_of(const char *path, char *ret_directory, size_t max)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 1;

	if (length == 0)
		length = 1; /* the root */
	if (length >= max)
		length = max - 1;
	memcpy(ret_directory, slash ? path : ".", length);
	ret_directory[length] = '\0';
}

static int advise_missing(struct kct_error *error, const struct kct_system *system,
			  const char *path)
{
	char directory[PATH_MAX];

	directory_of(path, directory, sizeof(directory));
	if (system->is_debugfs(system->context, directory))
		return kct_fail(error, KCT_ERR_NO_KCOV,
				"there is no " PATH ": this kernel was built without CONFIG_KCOV",
				path);
	/* Nobody wants another file system over a directory that has something else. */
	if (strcmp(directory, DEBUGFS) != 0)
		return kct_fail(error, KCT_ERR_NO_DEBUGFS,
				"there is no " PATH ": no debugfs is there; its usual place has "
				"it: " KCT_CAPTURE_DEVICE ", after mount -t debugfs none " DEBUGFS,
				path);
	return kct_fail(error, KCT_ERR_NO_DEBUGFS,
			"there is no " PATH ": debugfs is not mounted there; as root: "
			"mount -t debugfs none " DEBUGFS,
			path);
}

int kct_advise_open(struct kct_error *error, const struct kct_system *system, const char *path,
		    int failure)
{
	int code;

	switch (failure) {
	case ENOENT:
	case ENOTDIR:
		code = advise_missing(error, system, path);
		break;
	case EACCES:
		code = kct_fail(error, KCT_ERR_PERMISSION,
				"no permission to open " PATH
				": run as root, or give this user access to it and to its "
				"directory (chmod, chown)",
				path);
		break;
	case EPERM:
		code = kct_fail(error, KCT_ERR_PERMISSION,
				"the kernel forbids to open " PATH
				": it is locked down; boot without Secure Boot or with "
				"lockdown=none",
				path);
		break;
	case ENXIO:
	case ENODEV:
		code = kct_fail(error, KCT_ERR_NO_KCOV, "no driver is behind " PATH, path);
		break;
	default:
		errno = failure;
		return kct_fail_errno(error, "cannot open " PATH, path);
	}
	return with_errno(error, failure, code);
}

int kct_advise_init(struct kct_error *error, const char *path, uint64_t words, int failure)
{
	unsigned long long n = words;
	int code;

	switch (failure) {
	case ENOTTY:
		code = kct_fail(error, KCT_ERR_NO_KCOV, PATH " is not a KCOV device of Linux",
				path);
		break;
	case EINVAL:
		code = kct_fail(error, KCT_ERR_TOO_LARGE,
				"the kernel does not take a buffer of %llu words: ask for fewer",
				n);
		break;
	case ENOMEM:
		code = kct_fail(error, KCT_ERR_TOO_LARGE,
				"the kernel has no memory for a buffer of %llu words: ask for "
				"fewer",
				n);
		break;
	default:
		return kct_advise_other(error, "making the buffer", failure);
	}
	return with_errno(error, failure, code);
}

int kct_advise_map(struct kct_error *error, size_t bytes, int failure)
{
	int code = kct_fail(error, KCT_ERR_MAP,
			    "the buffer of %zu bytes cannot be mapped: %s; ask for fewer words, or "
			    "raise the limits of the process (ulimit -v)",
			    bytes, failure == ENOMEM ? "no room" : "the kernel refuses");

	return with_errno(error, failure, code);
}

/** What brings a mode to a kernel. */
static const struct {
	const char *config, *kernel;
} needs[] = {
	[KCT_MODE_PC] = {"CONFIG_KCOV", "Linux 4.6 or newer"},
	[KCT_MODE_CMP] = {"CONFIG_KCOV_ENABLE_COMPARISONS", "Linux 4.14 or newer"},
	[KCT_MODE_EXT] = {"CONFIG_KCOV_EXT_RECORDS", "the patches of EXT mode and 64 bits"},
	[KCT_MODE_MEMORY] = {"CONFIG_KCOV_MEMORY", "the patches of MEMORY mode and 64 bits"},
	[KCT_MODE_UNIQUE] = {"CONFIG_KCOV_UNIQUE", "the patches of UNIQUE mode"},
};

int kct_advise_mode(struct kct_error *error, enum kct_mode mode, bool remote, int failure)
{
	int code;

	if (failure == ENOTTY && remote)
		code = kct_fail(error, KCT_ERR_NO_MODE,
				"this kernel has no remote tracing: it needs Linux 5.5 or newer");
	else if (failure == EINVAL || failure == ENOTTY)
		code = kct_fail(error, KCT_ERR_NO_MODE,
				"this kernel does not know mode %s: it needs %s",
				kct_mode_name(mode), needs[mode].kernel);
	else
		code = kct_fail(error, KCT_ERR_NOT_BUILT,
				"this kernel was built without mode %s: build it with %s",
				kct_mode_name(mode), needs[mode].config);
	return with_errno(error, failure, code);
}

int kct_advise_unclear(struct kct_error *error, enum kct_mode mode, int failure)
{
	if (failure == EBUSY)
		return kct_advise_busy(error, KCT_ERR_BUSY, failure);
	return with_errno(error, failure,
			  kct_fail(error, KCT_ERR_NO_MODE,
				   "this kernel does not know mode %s, or another thread is traced "
				   "through this descriptor: the driver cannot be opened again to "
				   "tell which",
				   kct_mode_name(mode)));
}

int kct_advise_busy(struct kct_error *error, int code, int failure)
{
	const char *text = "this thread is traced already, or another one through this "
			   "descriptor: disable that first";

	if (code == KCT_ERR_BUSY_THREAD)
		text = "this thread is traced already, through this or another descriptor: disable "
		       "that first, a thread has one at a time";
	else if (code == KCT_ERR_BUSY_DEVICE)
		text = "another thread is traced through this descriptor: open one for each "
		       "thread, "
		       "or disable it there first";
	else if (code == KCT_ERR_BUSY_HANDLE)
		text = "another descriptor traces one of the handles: disable it there first, a "
		       "handle has one at a time";
	return with_errno(error, failure, kct_fail(error, code, "%s", text));
}

int kct_advise_not_traced(struct kct_error *error, int failure)
{
	int code =
		kct_fail(error, KCT_ERR_NOT_TRACED,
			 "this thread is not traced through this descriptor: enabling is for one "
			 "thread, and neither for its children nor for other threads");

	return with_errno(error, failure, code);
}

int kct_advise_other(struct kct_error *error, const char *request, int failure)
{
	if (failure == ENOMEM)
		return with_errno(error, failure, kct_fail_code(error, KCT_ERR_NO_MEMORY));
	errno = failure;
	return kct_fail_errno(error, "%s", request);
}
