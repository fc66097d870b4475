/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file system.h
 * The system calls of a capture as a table, so that tests bring a driver of their own. All results
 * are 0 or more, or a negative errno.
 */
#ifndef KCT_CAPTURE_SYSTEM_H
#define KCT_CAPTURE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kct_system {
	/** Open a device for reading and writing, not to be inherited by execve. The descriptor. */
	int (*open)(void *context, const char *path);
	/** `argument` is a number or a pointer, as the request wants. */
	int (*ioctl)(void *context, int fd, uint32_t request, uintptr_t argument);
	/** Map the area from its start, shared. */
	int (*map)(void *context, int fd, size_t bytes, bool read_only, void **ret_area);
	void (*unmap)(void *context, void *area, size_t bytes);
	void (*close)(void *context, int fd);
	/** Whether a directory lies in a debugfs. */
	bool (*is_debugfs)(void *context, const char *directory);
	void *context;
};

/** The calls of the running system. */
extern const struct kct_system kct_real_system;

#endif
