/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/options.h"
#include "capture/advice.h"
#include "capture/capture.h"
#include "capture/request.h"

/* The parts of a remote handle: the subsystem, and the instance in the low half. */
#define HANDLE_SUBSYSTEM UINT64_C(0xff00000000000000)
#define HANDLE_INSTANCE	 UINT64_C(0x00000000ffffffff)

#define CMP_RECORD_BYTES (4 * sizeof(uint64_t))

static const char *const presets[] = {
	[KCT_MODE_PC] = "linux-pc",	    [KCT_MODE_CMP] = "linux-cmp",
	[KCT_MODE_EXT] = "linux-ext",	    [KCT_MODE_MEMORY] = "linux-mem",
	[KCT_MODE_UNIQUE] = "linux-unique",
};

/** Whether the mode can be read at all; learns the size of MEMORY records. */
static int check_mode(struct kct_capture *capture, enum kct_mode mode, struct kct_error *error)
{
	uint32_t word_bytes = capture->device.word_bytes;
	int words;

	if ((unsigned)mode >= ARRAY_SIZE(presets))
		return kct_fail(error, KCT_ERR_ARGUMENT, "unknown mode %u", (unsigned)mode);
	if (mode == KCT_MODE_UNIQUE && capture->bitmap_words == 0)
		return kct_fail(error, KCT_ERR_ARGUMENT,
				"mode unique needs a bitmap: set bitmap_words when opening");
	if ((mode == KCT_MODE_EXT || mode == KCT_MODE_MEMORY) && word_bytes != 8)
		return kct_advise_mode(error, mode, false, EINVAL);
	if (mode != KCT_MODE_MEMORY || capture->memory_words != 0)
		return 0;
	words = kct_request_memory_words(&capture->device);
	if (words < 0)
		return kct_advise_mode(error, mode, false, -words);
	capture->memory_words = (uint32_t)words;
	return 0;
}

/** Work out what a checked mode means for the area. */
static void apply_mode(struct kct_capture *capture, enum kct_mode mode)
{
	const struct kct_device *device = &capture->device;
	uint64_t bitmap_words = mode == KCT_MODE_UNIQUE ? capture->bitmap_words : 0;
	bool cmp = mode == KCT_MODE_CMP;
	uint32_t record_bytes = cmp ? CMP_RECORD_BYTES : device->word_bytes;
	struct kct_layout *layout = &capture->layout;

	kct_layout_preset(presets[mode], layout);
	layout->endian =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
	layout->word_bytes = device->word_bytes;
	layout->bitmap_words = bitmap_words;
	layout->capacity_words = device->words - bitmap_words;
	if (mode == KCT_MODE_MEMORY)
		layout->memory_words = capture->memory_words;

	/* Comparisons have 64-bit words on 32-bit kernels, too, with their count. */
	capture->count_bytes = cmp ? sizeof(uint64_t) : (uint8_t)device->word_bytes;
	capture->count = (unsigned char *)device->area + bitmap_words * device->word_bytes;
	capture->head_bytes = (size_t)bitmap_words * device->word_bytes + capture->count_bytes;
	capture->unit_shift = (uint8_t)__builtin_ctz(record_bytes);
	capture->max_count = (device->bytes - capture->head_bytes) / record_bytes;
	capture->fast = sizeof(size_t) == sizeof(uint64_t) && bitmap_words == 0 &&
			capture->count_bytes == sizeof(uint64_t);
	capture->fast_reset = capture->fast && !device->read_only;
}

int kct_capture_set_mode(struct kct_capture *capture, enum kct_mode mode, struct kct_error *error)
{
	int result = check_mode(capture, mode, error);

	if (result == 0 && mode != capture->layout.mode)
		apply_mode(capture, mode);
	return result;
}

/** The bitmap must leave a count and a PC; the kernel says no more than EINVAL. */
static int check_bitmap(const struct kct_capture *capture, struct kct_error *error)
{
	if (capture->bitmap_words < capture->device.words - 1)
		return 0;
	return kct_fail(error, KCT_ERR_TOO_SMALL,
			"a bitmap of %llu words leaves no room in a buffer of %llu: ask for more "
			"words, or for a smaller bitmap",
			(unsigned long long)capture->bitmap_words,
			(unsigned long long)capture->device.words);
}

int kct_capture_open_on(const struct kct_system *system, const struct kct_capture_options *options,
			struct kct_capture **ret_capture, struct kct_error *error)
{
	struct kct_capture_options copy = {0};
	struct kct_capture *capture;
	const char *path;
	size_t path_bytes;
	int result;

	if (options && kct_options_copy(options, sizeof(copy), &copy) < 0)
		return kct_fail(error, KCT_ERR_ARGUMENT, "capture options of unknown size");
	path = copy.device ? copy.device : KCT_CAPTURE_DEVICE;
	path_bytes = strlen(path) + 1;
	capture = calloc(1, sizeof(*capture) + path_bytes);
	if (!capture)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	memcpy(capture->path, path, path_bytes);
	capture->bitmap_words = copy.bitmap_words;
	result = kct_device_open(system, path, copy.words ? copy.words : KCT_CAPTURE_WORDS,
				 copy.read_only, &capture->device, error);
	if (result < 0) {
		free(capture);
		return result;
	}
	result = check_bitmap(capture, error);
	if (result < 0) {
		kct_capture_free(capture);
		return result;
	}
	apply_mode(capture, KCT_MODE_PC);
	*ret_capture = capture;
	return 0;
}

int kct_capture_open(const struct kct_capture_options *options, struct kct_capture **ret_capture,
		     struct kct_error *error)
{
	return kct_capture_open_on(&kct_real_system, options, ret_capture, error);
}

void kct_capture_free(struct kct_capture *capture)
{
	if (!capture)
		return;
	/* Closing alone would leave the thread traced until it ends. That it is not is no error. */
	kct_request_disable(&capture->device);
	kct_device_close(&capture->device);
	free(capture);
}

static int enable(struct kct_capture *capture, const struct kct_enabling *enabling,
		  struct kct_error *error)
{
	int result = check_mode(capture, enabling->mode, error);

	if (result < 0)
		return result;
	result = kct_request_enable(&capture->device, enabling);
	if (result < 0)
		return kct_request_diagnose(&capture->device, capture->path, enabling, -result,
					    error);
	if (enabling->mode != capture->layout.mode)
		apply_mode(capture, enabling->mode);
	return 0;
}

int kct_capture_enable(struct kct_capture *capture, enum kct_mode mode, struct kct_error *error)
{
	struct kct_enabling enabling = {.mode = mode, .bitmap_words = capture->bitmap_words};

	return enable(capture, &enabling, error);
}

int kct_capture_enable_call(struct kct_capture *capture, enum kct_mode mode,
			    struct kct_capture_call *ret_call, struct kct_error *error)
{
	int result = kct_capture_set_mode(capture, mode, error);

	if (result == 0)
		kct_request_enable_call(&capture->device, mode, capture->bitmap_words, ret_call);
	return result;
}

/** The kernel's rules for handles that no kernel changes; which subsystems there are it knows. */
static int check_remote(const struct kct_capture_remote *remote, struct kct_error *error)
{
	if (remote->n_handles > KCT_REMOTE_MAX_HANDLES)
		return kct_fail(error, KCT_ERR_ARGUMENT, "%zu remote handles, at most %d",
				remote->n_handles, KCT_REMOTE_MAX_HANDLES);
	for (size_t i = 0; i < remote->n_handles; i++) {
		uint64_t handle = remote->handles[i];

		if ((handle & ~(HANDLE_SUBSYSTEM | HANDLE_INSTANCE)) != 0 ||
		    (handle & HANDLE_SUBSYSTEM) == 0)
			return kct_fail(
				error, KCT_ERR_ARGUMENT,
				"%#llx is no remote handle: the subsystem (not 0) is in the "
				"top byte, the instance in the low four",
				(unsigned long long)handle);
	}
	if (remote->common & ~HANDLE_INSTANCE)
		return kct_fail(error, KCT_ERR_ARGUMENT,
				"%#llx is no common handle: it is a number of 32 bits",
				(unsigned long long)remote->common);
	return 0;
}

int kct_capture_enable_remote(struct kct_capture *capture, enum kct_mode mode,
			      const struct kct_capture_remote *remote, struct kct_error *error)
{
	struct kct_remote_request request;
	struct kct_enabling enabling = {.mode = mode, .remote = &request};
	uint32_t words = remote->section_words;
	int result;

	if (mode == KCT_MODE_UNIQUE)
		return kct_fail(error, KCT_ERR_MODE, "remote tracing has no mode unique");
	result = check_remote(remote, error);
	if (result < 0)
		return result;
	request = (struct kct_remote_request){
		.mode = mode,
		.section_words = words ? words : (uint32_t)capture->device.words,
		.n_handles = (uint32_t)remote->n_handles,
		.common = remote->common,
	};
	if (remote->n_handles > 0)
		memcpy(request.handles, remote->handles,
		       remote->n_handles * sizeof(*remote->handles));
	return enable(capture, &enabling, error);
}

int kct_capture_disable(struct kct_capture *capture, struct kct_error *error)
{
	int result = kct_request_disable(&capture->device);

	if (result == -EINVAL)
		return kct_advise_not_traced(error, EINVAL);
	return result < 0 ? kct_advise_other(error, "disabling", -result) : 0;
}

size_t kct_capture_bytes(const struct kct_capture *capture)
{
	return capture->device.bytes;
}

int kct_capture_fd(const struct kct_capture *capture)
{
	return capture->device.fd;
}
