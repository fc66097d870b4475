/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "capture/advice.h"
#include "capture/device.h"
#include "capture/request.h"

/** The size in whole pages, which is all that the kernel maps; with its limits. */
static int device_size(struct kct_device *device, uint64_t words, struct kct_error *error)
{
	uint64_t page_words = (uint64_t)sysconf(_SC_PAGESIZE) / device->word_bytes;
	uint64_t max_words = (uint64_t)INT_MAX / device->word_bytes;

	if (words < 2)
		return kct_fail(error, KCT_ERR_TOO_SMALL,
				"a buffer needs at least 2 words: the count and a record");
	max_words -= max_words % page_words;
	if (words > max_words)
		return kct_fail(error, KCT_ERR_TOO_LARGE,
				"a buffer has at most %llu words: ask for fewer",
				(unsigned long long)max_words);
	words += page_words - 1;
	device->words = words - words % page_words;
	device->bytes = (size_t)device->words * device->word_bytes;
	return 0;
}

/**
 * Have the driver make the area. A 32-bit program cannot know the kernel's word size from itself,
 * and uname can be told to lie; but the wrong number of the request is ENOTTY and changes nothing.
 */
static int device_init(struct kct_device *device, const char *path, uint64_t words,
		       struct kct_error *error)
{
	int result = 0;

	for (device->word_bytes = 8; device->word_bytes >= 4; device->word_bytes /= 2) {
		int code = device_size(device, words, error);

		if (code < 0)
			return code;
		result = kct_device_ioctl(device, KCT_REQUEST_INIT(device->word_bytes),
					  (uintptr_t)device->words);
		if (result != -ENOTTY)
			break;
	}
	return result < 0 ? kct_advise_init(error, path, device->words, -result) : 0;
}

/** A read-only area is of no use if the kernel cannot reset it: it would know the request, but
 *  refuse it to a thread that is not traced. */
static int device_check_reset(const struct kct_device *device, struct kct_error *error)
{
	if (!device->read_only || kct_request_reset(device) != -ENOTTY)
		return 0;
	return kct_fail(error, KCT_ERR_NO_MODE,
			"this kernel cannot reset a buffer that is mapped read-only: it needs the "
			"patches of UNIQUE mode; or map it for writing");
}

static int device_map(struct kct_device *device, struct kct_error *error)
{
	int result = device->system.map(device->system.context, device->fd, device->bytes,
					device->read_only, &device->area);

	return result < 0 ? kct_advise_map(error, device->bytes, -result) : 0;
}

int kct_device_open(const struct kct_system *system, const char *path, uint64_t words,
		    bool read_only, struct kct_device *ret_device, struct kct_error *error)
{
	struct kct_device device = {.system = *system, .read_only = read_only};
	int result;

	device.fd = system->open(system->context, path);
	if (device.fd < 0)
		return kct_advise_open(error, system, path, -device.fd);
	result = device_init(&device, path, words, error);
	if (result == 0)
		result = device_check_reset(&device, error);
	if (result == 0)
		result = device_map(&device, error);
	if (result < 0) {
		system->close(system->context, device.fd);
		return result;
	}
	*ret_device = device;
	return 0;
}

void kct_device_close(struct kct_device *device)
{
	device->system.unmap(device->system.context, device->area, device->bytes);
	device->system.close(device->system.context, device->fd);
}
