/* SPDX-License-Identifier: BSD-2-Clause */
/** @file device.h A descriptor of the driver with its area. */
#ifndef KCT_CAPTURE_DEVICE_H
#define KCT_CAPTURE_DEVICE_H

#include <kcovtrace/error.h>

#include "base/macros.h"
#include "capture/system.h"

struct kct_device {
	struct kct_system system;
	int fd;
	uint32_t word_bytes; /* of the kernel's words */
	uint64_t words;	     /* of the area */
	size_t bytes;	     /* of the area: whole pages */
	void *area;
	bool read_only;
};

/**
 * Open the driver, have it make an area of at least `words` words and map it. Allocates nothing.
 * Errors as kct_capture_open().
 */
int kct_device_open(const struct kct_system *system, const char *path, uint64_t words,
		    bool read_only, struct kct_device *ret_device, struct kct_error *error);

/** Unmap and close. Does not stop the tracing. */
void kct_device_close(struct kct_device *device);

static inline int kct_device_ioctl(const struct kct_device *device, uint32_t request,
				   uintptr_t argument)
{
	return device->system.ioctl(device->system.context, device->fd, request, argument);
}

#endif
