/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel offers can only be learnt by doing it: there is no request that asks. All is done
 * on one descriptor that is closed again, and nothing stays enabled.
 */
#include <errno.h>

#include "capture/advice.h"
#include "capture/capture.h"
#include "capture/request.h"

/* Enough for every mode, and for a bitmap of one word. */
#define PROBE_WORDS 512

/* Another series of patches numbers its modes as bits, among them 2 and 4: where both together can
 * be enabled, 2 alone is not EXT but a list of distinct PCs. */
#define MODE_BITS_2_AND_4 6

/** Enable for a moment. Whether it worked; KCT_ERR_BUSY_THREAD hides the answer. */
static int probe_enabling(const struct kct_device *device, const struct kct_enabling *enabling,
			  bool *ret_works, struct kct_error *error)
{
	int result = kct_request_enable(device, enabling);

	if (result == -EBUSY)
		return kct_advise_busy(error, KCT_ERR_BUSY_THREAD, EBUSY);
	if (result >= 0)
		kct_request_disable(device);
	*ret_works = result >= 0;
	return 0;
}

static int probe_mode(const struct kct_device *device, unsigned mode, bool *ret_works,
		      struct kct_error *error)
{
	struct kct_enabling enabling = {.mode = (enum kct_mode)mode, .bitmap_words = 1};

	return probe_enabling(device, &enabling, ret_works, error);
}

static int probe_remote(const struct kct_device *device, bool *ret_works, struct kct_error *error)
{
	struct kct_remote_request no_handles = {.mode = KCT_MODE_PC, .section_words = PROBE_WORDS};
	struct kct_enabling enabling = {.mode = KCT_MODE_PC, .remote = &no_handles};

	return probe_enabling(device, &enabling, ret_works, error);
}

/** The modes, the other features are settled by them. */
static int probe_modes(const struct kct_device *device, struct kct_capture_features *features,
		       struct kct_error *error)
{
	const struct {
		unsigned mode;
		bool *works;
	} modes[] = {
		{KCT_MODE_PC, &features->pc},	      {KCT_MODE_CMP, &features->cmp},
		{KCT_MODE_EXT, &features->ext},	      {KCT_MODE_MEMORY, &features->memory},
		{KCT_MODE_UNIQUE, &features->unique},
	};
	bool other_series = false;
	int result;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		result = probe_mode(device, modes[i].mode, modes[i].works, error);
		if (result < 0)
			return result;
	}
	result = probe_mode(device, MODE_BITS_2_AND_4, &other_series, error);
	if (result < 0)
		return result;
	if (other_series || device->word_bytes != 8)
		features->ext = features->memory = false;
	return 0;
}

int kct_capture_probe_on(const struct kct_system *system, const char *path,
			 struct kct_capture_features *ret_features, struct kct_error *error)
{
	struct kct_capture_features features = {.size = sizeof(features)};
	struct kct_device device;
	int result, words;

	if (ret_features->size != sizeof(features))
		return kct_fail(error, KCT_ERR_ARGUMENT, "capture features of unknown size");
	result = kct_device_open(system, path ? path : KCT_CAPTURE_DEVICE, PROBE_WORDS, false,
				 &device, error);
	if (result < 0)
		return result;
	result = probe_modes(&device, &features, error);
	if (result == 0)
		result = probe_remote(&device, &features.remote, error);
	features.word_bytes = device.word_bytes;
	/* A thread that is not traced is refused, but not as one that asks for the unknown. */
	features.reset_trace = kct_request_reset(&device) != -ENOTTY;
	words = kct_request_memory_words(&device);
	features.memory = features.memory && words > 0;
	if (features.memory)
		features.memory_words = (uint32_t)words;
	kct_device_close(&device);
	if (result == 0)
		*ret_features = features;
	return result;
}

int kct_capture_probe(const char *device, struct kct_capture_features *ret_features,
		      struct kct_error *error)
{
	return kct_capture_probe_on(&kct_real_system, device, ret_features, error);
}
