/* SPDX-License-Identifier: BSD-2-Clause */
/* The running kernel's own driver, where there is one. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kcovtrace/kcovtrace.h>

#include "check.h"

/** A capture on the running kernel; ends the test with a reason if there can be none. */
static struct kct_capture *open_or_skip(uint64_t words)
{
	const struct kct_capture_options options = {.size = sizeof(options), .words = words};
	struct kct_capture *capture = NULL;
	struct kct_error error;

	if (kct_capture_open(&options, &capture, &error) < 0) {
		/* The error is as it should be, and the reason. */
		assert_true(error.code == KCT_ERR_NO_DEBUGFS || error.code == KCT_ERR_NO_KCOV ||
			    error.code == KCT_ERR_PERMISSION);
		SKIP(error.text);
	}
	return capture;
}

/** System calls with some code in them. */
static void make_system_calls(void)
{
	struct stat status;

	assert_int_equal(close(-1), -1);
	assert_int_equal(stat("/", &status), 0);
}

static void test_a_trace(void **state)
{
	struct kct_capture *capture = open_or_skip(0);
	struct kct_capture_area area;
	unsigned char *copy = malloc(kct_capture_bytes(capture));
	struct kct_decoder *decoder;
	struct kct_record record;
	size_t n = 0;

	(void)state;
	assert_non_null(copy);
	assert_int_equal(kct_capture_enable(capture, KCT_MODE_PC, NULL), 0);
	assert_int_equal(kct_capture_reset(capture, NULL), 0);
	make_system_calls();
	assert_int_equal(kct_capture_snapshot(capture, copy, kct_capture_bytes(capture), &area), 0);
	assert_int_equal(kct_capture_enable(capture, KCT_MODE_PC, NULL), KCT_ERR_BUSY_THREAD);
	assert_int_equal(kct_capture_disable(capture, NULL), 0);
	assert_int_equal(kct_capture_disable(capture, NULL), KCT_ERR_NOT_TRACED);
	assert_int_equal(kct_decoder_new(area.layout, area.data, area.bytes, KCT_DECODE_STRICT,
					 &decoder, NULL),
			 0);
	while (kct_decoder_next(decoder, &record, NULL) > 0)
		n += kct_classify_pc(record.pc) == KCT_PC_KERNEL;
	assert_true(area.count >= 10);
	assert_int_equal(n, area.count);
	kct_decoder_free(decoder);
	free(copy);
	kct_capture_free(capture);
}

/** Every mode that is said to be there can be enabled and its area decoded; the others cannot. */
static void test_modes_that_the_kernel_offers(void **state)
{
	struct kct_capture_features features = {.size = sizeof(features)};
	struct kct_capture *capture = open_or_skip(4096);
	struct kct_capture_area area;
	struct kct_decoder *decoder;
	struct kct_record record;

	(void)state;
	assert_int_equal(kct_capture_probe(NULL, &features, NULL), 0);
	for (int mode = KCT_MODE_PC; mode <= KCT_MODE_MEMORY; mode++) {
		const bool offered[] = {features.pc, features.cmp, features.ext, features.memory};
		int result = kct_capture_enable(capture, (enum kct_mode)mode, NULL);

		assert_int_equal(result == 0, offered[mode]);
		if (result < 0)
			continue;
		kct_capture_reset(capture, NULL);
		make_system_calls();
		assert_int_equal(kct_capture_disable(capture, NULL), 0);
		kct_capture_view(capture, &area);
		assert_true(area.count > 0);
		assert_int_equal(
			kct_decoder_new(area.layout, area.data, area.bytes, 0, &decoder, NULL), 0);
		while (kct_decoder_next(decoder, &record, NULL) > 0)
			assert_int_not_equal(record.kind, KCT_RECORD_UNKNOWN);
		kct_decoder_free(decoder);
	}
	kct_capture_free(capture);
}

/** A child that is traced through the capture until `until` is closed; says so through `ready`. */
static void be_traced(struct kct_capture *capture, int ready, int until)
{
	char byte = 0;

	if (kct_capture_enable(capture, KCT_MODE_PC, NULL) < 0 ||
	    kct_capture_reset(capture, NULL) < 0 || write(ready, &byte, 1) != 1)
		_exit(1);
	_exit(read(until, &byte, 1) == 0 ? 0 : 1);
}

/** Who is in the way is told, and a child's area is the parent's. */
static void test_in_use(void **state)
{
	struct kct_capture *capture = open_or_skip(4096), *other = open_or_skip(4096);
	struct kct_capture_area area;
	int ready[2], until[2], status;
	char byte;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(until), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(until[1]);
		be_traced(capture, ready[1], until[0]);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kct_capture_enable(capture, KCT_MODE_PC, NULL), KCT_ERR_BUSY_DEVICE);
	assert_int_equal(kct_capture_disable(capture, NULL), KCT_ERR_NOT_TRACED);
	assert_int_equal(kct_capture_enable(other, KCT_MODE_PC, NULL), 0);
	assert_int_equal(kct_capture_enable(capture, KCT_MODE_PC, NULL), KCT_ERR_BUSY_THREAD);
	close(until[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	kct_capture_view(capture, &area);
	assert_true(area.count >= 10);
	assert_int_equal(kct_capture_enable(capture, KCT_MODE_PC, NULL), KCT_ERR_BUSY_THREAD);
	kct_capture_free(other);
	assert_int_equal(kct_capture_enable(capture, KCT_MODE_PC, NULL), 0);
	kct_capture_free(capture);
	close(ready[0]);
	close(ready[1]);
	close(until[0]);
}

/** Sections with a handle need a driver that has some; that they can be asked for shows here. */
static void test_remote(void **state)
{
	const uint64_t usb[] = {KCT_REMOTE_USB(200)};
	const struct kct_capture_remote remote = {
		.handles = usb, .n_handles = 1, .common = KCT_REMOTE_COMMON(7)};
	struct kct_capture *capture = open_or_skip(4096), *other = open_or_skip(4096);
	struct kct_capture_features features = {.size = sizeof(features)};
	struct kct_error error;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(kct_capture_probe(NULL, &features, NULL), 0);
	if (!features.remote) {
		kct_capture_free(capture);
		kct_capture_free(other);
		SKIP("this kernel has no remote tracing");
	}
	assert_int_equal(kct_capture_enable_remote(capture, KCT_MODE_PC, &remote, &error), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(kct_capture_enable_remote(other, KCT_MODE_PC, &remote, NULL) !=
		      KCT_ERR_BUSY_HANDLE);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(kct_capture_disable(capture, NULL), 0);
	kct_capture_free(other);
	kct_capture_free(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trace),
		cmocka_unit_test(test_modes_that_the_kernel_offers),
		cmocka_unit_test(test_in_use),
		cmocka_unit_test(test_remote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
