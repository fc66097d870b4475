/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "message.h"
#include "record/recorder.h"

uint64_t recorder_now(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int recorder_open_capture(const struct recorder *recorder, struct kct_capture **ret_capture)
{
	const struct options *options = recorder->options;
	uint64_t words = options->area_words ? options->area_words : KCT_CAPTURE_WORDS;
	struct kct_capture_options wanted = {
		.size = sizeof(wanted),
		.device = options->device,
		.words = words,
		/* Half for what was seen, half for what is new. */
		.bitmap_words = options->mode == KCT_MODE_UNIQUE ? words / 2 : 0,
	};
	struct kct_capture *capture;
	struct kct_error error;

	if (kct_capture_open(&wanted, &capture, &error) < 0)
		return failure_of("record", &error);
	if (kct_capture_set_mode(capture, options->mode, &error) < 0) {
		kct_capture_free(capture);
		return failure_of("record", &error);
	}
	*ret_capture = capture;
	return STATUS_FINE;
}

static enum kct_overflow overflow_of(const struct kct_capture_area *area)
{
	struct kct_geometry geometry = {.overflow = KCT_OVERFLOW_UNKNOWN};
	struct kct_decoder *decoder;

	if (kct_decoder_new(area->layout, area->data, area->bytes, 0, &decoder, NULL) < 0)
		return KCT_OVERFLOW_UNKNOWN;
	kct_decoder_geometry(decoder, &geometry);
	kct_decoder_free(decoder);
	return geometry.overflow;
}

void recorder_write(struct recorder *recorder, struct kct_trace_segment *segment,
		    struct kct_capture_area *area)
{
	struct kct_error error;

	segment->size = sizeof(*segment);
	segment->fields |= KCT_SEGMENT_OVERFLOW | KCT_SEGMENT_TIME;
	segment->overflow = overflow_of(area);
	segment->end = recorder_now();
	segment->layout = *area->layout;
	recorder->capacity = segment->layout.capacity_words;
	if (segment->overflow == KCT_OVERFLOW_YES)
		recorder->full++;
	if (segment->fields & KCT_SEGMENT_SYSCALL)
		trim_apply(&recorder->trim, area);
	segment->data = area->data;
	segment->bytes = area->bytes;
	if (recorder->write_failed)
		return;
	if (!recorder->writer && recorder->begin(recorder->context) != STATUS_FINE) {
		recorder->write_failed = true;
		return;
	}
	if (kct_trace_writer_segment(recorder->writer, segment, &error) < 0) {
		failure_of("record", &error);
		recorder->write_failed = true;
		return;
	}
	recorder->segments++;
	recorder->bytes += segment->bytes;
}

void recorder_name(struct recorded *recorded)
{
	char name[PROC_NAME_BYTES];

	proc_name(recorded->thread, name);
	if (name[0])
		memcpy(recorded->name, name, sizeof(name));
}

/** Write the area of a thread as it is now; `fields` beside those of each thread. */
static void write_thread(struct recorder *recorder, struct recorded *recorded, uint32_t fields,
			 int64_t result)
{
	struct kct_trace_segment segment = {
		.fields = KCT_SEGMENT_THREAD | KCT_SEGMENT_PROCESS | fields,
		.thread = (uint32_t)recorded->thread,
		.process = (uint32_t)recorded->process,
		.syscall = recorded->syscall,
		.result = result,
		.begin = recorded->begin,
	};
	struct kct_capture_area area;

	memcpy(segment.arguments, recorded->arguments, sizeof(segment.arguments));
	recorder_name(recorded);
	segment.name = recorded->name[0] ? recorded->name : NULL;
	kct_capture_view(recorded->capture, &area);
	recorder_write(recorder, &segment, &area);
}

struct recorded *recorder_add(struct recorder *recorder, struct kct_capture *capture, pid_t thread,
			      pid_t process)
{
	struct recorded *recorded = zeroed(struct recorded, 1);

	recorded->capture = capture;
	recorded->thread = thread;
	recorded->process = process;
	recorded->begin = recorder_now();
	recorder->threads++;
	return recorded;
}

/** The capture of a thread that has ended can be enabled by another one. */
static void keep_capture(struct recorder *recorder, struct kct_capture *capture)
{
	grow(&recorder->spare, recorder->n_spare, &recorder->max_spare);
	recorder->spare[recorder->n_spare++] = capture;
}

void recorder_finish(struct recorder *recorder, struct recorded *recorded)
{
	write_thread(recorder, recorded, 0, 0);
	keep_capture(recorder, recorded->capture);
	free(recorded);
}

static void forget(struct recorder *recorder, pid_t thread, const char *reason)
{
	if (recorder->untraced++ == 0)
		snprintf(recorder->why_untraced, sizeof(recorder->why_untraced), "thread %d: %s",
			 (int)thread, reason);
}

static void on_began(void *context, struct traced *traced)
{
	struct recorder *recorder = context;
	char reason[ATTACH_REASON_BYTES];
	struct kct_capture *capture;

	if (recorder->first) { /* has enabled it itself */
		recorder->first->is_first = true;
		traced->data = recorder->first;
		recorder->first = NULL;
		return;
	}
	if (recorder->n_spare) {
		capture = recorder->spare[--recorder->n_spare];
	} else if (recorder_open_capture(recorder, &capture) != STATUS_FINE) {
		forget(recorder, traced->thread, "no capture can be had for it");
		return;
	}
	if (!attach(traced->thread, capture, recorder->options->mode, reason)) {
		forget(recorder, traced->thread, reason);
		/* It may have got as far as to enable it. */
		kct_capture_free(capture);
		return;
	}
	kct_capture_reset(capture, NULL);
	traced->data = recorder_add(recorder, capture, traced->thread, traced->process);
}

static void on_entered(void *context, struct traced *traced, const struct traced_call *call)
{
	struct recorder *recorder = context;
	struct recorded *recorded = traced->data;

	if (!recorded)
		return;
	if (!recorder->native)
		recorder->native = call->architecture;
	/* Only the recorder's own code makes other calls before this one. */
	if (recorded->is_first && call->number == SYS_execve)
		recorder->is_learning = false;
	recorded->syscall = (uint32_t)call->number;
	if (call->architecture != recorder->native)
		recorded->syscall |= (int64_t)((uint64_t)call->architecture << 32);
	memcpy(recorded->arguments, call->arguments, sizeof(recorded->arguments));
	recorded->begin = recorder_now();
	kct_capture_reset(recorded->capture, NULL);
}

static void on_left(void *context, struct traced *traced, int64_t result)
{
	struct recorder *recorder = context;
	struct recorded *recorded = traced->data;
	struct kct_capture_area area;

	if (!recorded)
		return;
	recorded->thread = traced->thread; /* execve may have changed it */
	if (recorder->is_learning) {
		kct_capture_view(recorded->capture, &area);
		trim_learn(&recorder->trim, &area);
		return;
	}
	write_thread(recorder, recorded, KCT_SEGMENT_SYSCALL | KCT_SEGMENT_RESULT, result);
}

static void on_ended(void *context, struct traced *traced)
{
	struct recorder *recorder = context;
	struct recorded *recorded = traced->data;

	traced->data = NULL;
	if (!recorded)
		return;
	recorded->thread = traced->thread;
	if (!recorder->options->syscalls) {
		recorder_finish(recorder, recorded);
		return;
	}
	if (traced->in_call && !recorder->is_learning)
		write_thread(recorder, recorded, KCT_SEGMENT_SYSCALL, 0);
	keep_capture(recorder, recorded->capture);
	free(recorded);
}

const struct tracer_events recorder_events = {on_began, on_entered, on_left, on_ended};

/** `1 thread`, `2 threads`. */
#define COUNT(n)	   (unsigned long long)(n), (n) == 1 ? "" : "s"
#define COUNT_FORMAT(noun) "%llu " noun "%s"

void recorder_summary(const struct recorder *recorder, const char *path)
{
	if (recorder->untraced)
		warning(COUNT_FORMAT("thread") " not recorded; %s", COUNT(recorder->untraced),
			recorder->why_untraced);
	if (recorder->full)
		warning("%llu of " COUNT_FORMAT("segment") " filled the buffer of %llu words: what "
							   "came after is missing, and nobody "
							   "counted how much; try -s %llu",
			(unsigned long long)recorder->full, COUNT(recorder->segments),
			(unsigned long long)recorder->capacity,
			(unsigned long long)recorder->capacity * 2);
	note("%s: " COUNT_FORMAT("segment") " of " COUNT_FORMAT("thread") ", " COUNT_FORMAT(
		     "byte") " of coverage",
	     path, COUNT(recorder->segments), COUNT(recorder->threads), COUNT(recorder->bytes));
}

void recorder_clear(struct recorder *recorder)
{
	if (recorder->first) { /* it never came to run */
		keep_capture(recorder, recorder->first->capture);
		free(recorder->first);
		recorder->first = NULL;
	}
	while (recorder->n_spare)
		kct_capture_free(recorder->spare[--recorder->n_spare]);
	free(recorder->spare);
	recorder->spare = NULL;
}
