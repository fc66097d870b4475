/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "capture/advice.h"
#include "capture/request.h"

/* Sizes of MEMORY records in bytes. The smallest kernels write; the largest is only there to tell
 * an answer from that of a request that means something else. */
#define MEMORY_MIN_BYTES 32
#define MEMORY_MAX_BYTES 4096

void kct_request_enable_call(const struct kct_device *device, enum kct_mode mode,
			     uint64_t bitmap_words, struct kct_capture_call *ret_call)
{
	/* The other modes have the kernel's numbers. */
	*ret_call = (struct kct_capture_call){.request = KCT_REQUEST_ENABLE, .argument = mode};
	if (mode == KCT_MODE_UNIQUE)
		*ret_call = (struct kct_capture_call){
			.request = KCT_REQUEST_UNIQUE_ENABLE(device->word_bytes),
			.argument = bitmap_words,
		};
}

int kct_request_enable(const struct kct_device *device, const struct kct_enabling *enabling)
{
	struct kct_capture_call call;
	int result;

	if (enabling->remote)
		return kct_device_ioctl(device, KCT_REQUEST_REMOTE_ENABLE,
					(uintptr_t)enabling->remote);
	kct_request_enable_call(device, enabling->mode, enabling->bitmap_words, &call);
	result = kct_device_ioctl(device, call.request, (uintptr_t)call.argument);
	/* UNIQUE has two numbers: its first posting declared the argument as read. */
	if (result == -ENOTTY && enabling->mode == KCT_MODE_UNIQUE)
		result = kct_device_ioctl(device,
					  KCT_REQUEST_UNIQUE_ENABLE_FIRST(device->word_bytes),
					  (uintptr_t)call.argument);
	return result;
}

int kct_request_disable(const struct kct_device *device)
{
	return kct_device_ioctl(device, KCT_REQUEST_DISABLE, 0);
}

int kct_request_reset(const struct kct_device *device)
{
	return kct_device_ioctl(device, KCT_REQUEST_RESET_TRACE, 0);
}

int kct_request_memory_words(const struct kct_device *device)
{
	int bytes = kct_device_ioctl(device, KCT_REQUEST_MEMORY_RECORD_SIZE, 0);

	if (bytes < 0)
		return bytes;
	if (bytes < MEMORY_MIN_BYTES || bytes > MEMORY_MAX_BYTES || bytes % 8 != 0)
		return -ENOTTY;
	return bytes / 8;
}

/** What a new descriptor says to the same, or -ENODEV when there can be none. */
static int ask_another(const struct kct_device *device, const char *path,
		       const struct kct_enabling *enabling)
{
	struct kct_device other;
	int result;

	if (kct_device_open(&device->system, path, device->words, false, &other, NULL) < 0)
		return -ENODEV;
	result = kct_request_enable(&other, enabling);
	if (result >= 0)
		kct_request_disable(&other);
	kct_device_close(&other);
	return result;
}

/** EINVAL on a new descriptor, too: the mode, or a handle that the kernel does not take. */
static int diagnose_invalid(const struct kct_device *device, const char *path,
			    const struct kct_enabling *enabling, struct kct_error *error)
{
	struct kct_remote_request no_handles;
	struct kct_enabling bare = {.mode = enabling->mode, .remote = &no_handles};

	if (!enabling->remote)
		return kct_advise_mode(error, enabling->mode, false, EINVAL);
	no_handles = (struct kct_remote_request){
		.mode = enabling->remote->mode,
		.section_words = enabling->remote->section_words,
	};
	if (ask_another(device, path, &bare) < 0)
		return kct_advise_mode(error, enabling->mode, true, EINVAL);
	return kct_fail(error, KCT_ERR_ARGUMENT,
			"the kernel does not take one of the remote handles: it knows no such "
			"subsystem");
}

int kct_request_diagnose(const struct kct_device *device, const char *path,
			 const struct kct_enabling *enabling, int failure, struct kct_error *error)
{
	bool remote = enabling->remote;

	switch (failure) {
	case ENOTTY:
	case KCT_ENOTSUPP:
	case EOPNOTSUPP:
		return kct_advise_mode(error, enabling->mode, remote, failure);
	case EEXIST:
		return kct_advise_busy(error, KCT_ERR_BUSY_HANDLE, failure);
	case EBUSY:
	case EINVAL:
		break;
	default:
		return kct_advise_other(error, "enabling", failure);
	}
	switch (-ask_another(device, path, enabling)) {
	case EBUSY:
		return kct_advise_busy(error, KCT_ERR_BUSY_THREAD, failure);
	case EINVAL:
		return diagnose_invalid(device, path, enabling, error);
	case KCT_ENOTSUPP:
	case EOPNOTSUPP:
		return kct_advise_mode(error, enabling->mode, remote, KCT_ENOTSUPP);
	case ENODEV:
		return kct_advise_unclear(error, enabling->mode, failure);
	default: /* it works there, or its handles are taken: only the state of ours is left */
		return kct_advise_busy(error, KCT_ERR_BUSY_DEVICE, failure);
	}
}
