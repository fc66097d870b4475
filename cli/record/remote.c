/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "record/remote.h"

#define SUBSYSTEM_SHIFT 56

const char *remote_parse(const char *text, uint64_t *ret_handle)
{
	static const char usb[] = "usb:", common[] = "common:";
	bool is_usb = strncmp(text, usb, strlen(usb)) == 0;
	bool is_common = strncmp(text, common, strlen(common)) == 0;
	const char *digits = text + (is_usb ? strlen(usb) : is_common ? strlen(common) : 0);
	uint64_t number;
	char *end;

	errno = 0;
	number = strtoull(digits, &end, 0);
	if (*digits < '0' || *digits > '9' || *end || errno)
		return "usb:BUS, common:NUMBER or a number";
	if ((is_usb || is_common) && number > UINT32_MAX)
		return "that number is too large";
	if (is_common && !number)
		return "a common handle is a number above 0";
	*ret_handle = is_usb ? KCT_REMOTE_USB(number) : number;
	return *ret_handle ? NULL : "0 is no handle";
}

/** Enabling and disabling in one thread, which does nothing between them. */
static void *hold(void *context)
{
	struct remote_handle *handle = context;
	struct kct_capture_remote remote = {.handles = &handle->handle, .n_handles = 1};

	handle->result =
		kct_capture_enable_remote(handle->capture, handle->mode, &remote, &handle->error);
	pthread_barrier_wait(&handle->enabled);
	pthread_barrier_wait(&handle->over);
	if (handle->result >= 0)
		kct_capture_disable(handle->capture, NULL);
	return NULL;
}

static int begin(struct remote_handle *handle, const struct recorder *recorder)
{
	int status = recorder_open_capture(recorder, &handle->capture);

	handle->mode = recorder->options->mode;
	handle->begin = recorder_now();
	if (status != STATUS_FINE || handle->is_common)
		return status;
	pthread_barrier_init(&handle->enabled, NULL, 2);
	pthread_barrier_init(&handle->over, NULL, 2);
	if (pthread_create(&handle->thread, NULL, hold, handle) != 0)
		return failure("record: no thread for a remote handle can be had");
	handle->has_thread = true;
	pthread_barrier_wait(&handle->enabled);
	return handle->result < 0 ? failure_of("record", &handle->error) : STATUS_FINE;
}

int remotes_begin(struct remotes *remotes, const struct recorder *recorder)
{
	const struct value_list *wanted = &recorder->options->remotes;
	int status = STATUS_FINE;
	size_t i;

	*remotes = (struct remotes){.handles = zeroed(struct remote_handle, wanted->n)};
	for (i = 0; i < wanted->n && status == STATUS_FINE; i++) {
		struct remote_handle *handle = &remotes->handles[remotes->n++];

		remote_parse(wanted->values[i], &handle->handle);
		handle->is_common = handle->handle >> SUBSYSTEM_SHIFT == 0;
		if (handle->is_common && remotes_common(remotes) != handle)
			return failure("record: a program can have one common handle only");
		status = begin(handle, recorder);
	}
	return status;
}

struct remote_handle *remotes_common(const struct remotes *remotes)
{
	size_t i;

	for (i = 0; i < remotes->n; i++) {
		if (remotes->handles[i].is_common)
			return &remotes->handles[i];
	}
	return NULL;
}

static void end(struct remote_handle *handle, struct recorder *recorder)
{
	struct kct_trace_segment segment = {
		.fields = KCT_SEGMENT_REMOTE,
		.remote_handle = handle->handle,
		.begin = handle->begin,
	};
	struct kct_capture_area area;

	if (handle->has_thread) {
		pthread_barrier_wait(&handle->over);
		pthread_join(handle->thread, NULL);
		pthread_barrier_destroy(&handle->enabled);
		pthread_barrier_destroy(&handle->over);
	}
	if (recorder && handle->capture) {
		kct_capture_view(handle->capture, &area);
		recorder_write(recorder, &segment, &area);
	}
	kct_capture_free(handle->capture);
}

void remotes_end(struct remotes *remotes, struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < remotes->n; i++)
		end(&remotes->handles[i], recorder);
	free(remotes->handles);
	*remotes = (struct remotes){0};
}
