/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KCOV for tests of `record` on any kernel: these functions stand in for those of the library. A
 * capture is a memory file that all processes map, and enabling is an ioctl that every file knows,
 * so that threads are really made to call it. What is "recorded" in each area is always the same:
 * a return and a call of ptrace around one system call, in the form of EXT.
 *
 * FAKE=open: there is no device. FAKE=enable: it cannot be enabled. FAKE=attach: nor by another
 * thread. FAKE=full: the area is full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kcovtrace/kcovtrace.h>

#define WORDS 512

/* Words of EXT: the type is in the top bits. */
#define ENTRY(pc) ((pc)&UINT64_C(0x00ffffffffffffff))
#define EXIT(pc)  (ENTRY(pc) | UINT64_C(1) << 60)

#define NOTIFY UINT64_C(0xffffffff81000100)
#define CALL   UINT64_C(0xffffffff81000200)
#define KERNEL UINT64_C(0xffffffff81000f00) /* the entry code, not instrumented */

struct kct_capture {
	int fd;
	uint64_t *area;
	struct kct_layout layout;
};

static bool told(const char *what)
{
	const char *fake = getenv("FAKE");

	return fake && strcmp(fake, what) == 0;
}

static int fail(struct kct_error *error, int code, const char *text)
{
	if (error) {
		*error = (struct kct_error){
			.code = code, .offset = KCT_NOWHERE, .word_index = KCT_NOWHERE};
		snprintf(error->text, sizeof(error->text), "%s", text);
	}
	return code;
}

int kct_capture_open(const struct kct_capture_options *options, struct kct_capture **ret_capture,
		     struct kct_error *error)
{
	struct kct_capture *capture;

	if (told("open"))
		return fail(error, KCT_ERR_NO_DEBUGFS, "fake advice: mount debugfs");
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		abort();
	capture->fd = memfd_create("fake", MFD_CLOEXEC);
	if (capture->fd < 0 || ftruncate(capture->fd, WORDS * 8) < 0)
		abort();
	capture->area = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, capture->fd, 0);
	if (capture->area == MAP_FAILED || kct_layout_preset("linux-ext", &capture->layout) < 0)
		abort();
	capture->layout.endian = KCT_ENDIAN_LITTLE;
	capture->layout.capacity_words = options && options->words ? options->words : WORDS;
	*ret_capture = capture;
	return 0;
}

void kct_capture_free(struct kct_capture *capture)
{
	if (!capture)
		return;
	munmap(capture->area, WORDS * 8);
	close(capture->fd);
	free(capture);
}

int kct_capture_set_mode(struct kct_capture *capture, enum kct_mode mode, struct kct_error *error)
{
	(void)capture, (void)error;
	return mode == KCT_MODE_UNIQUE ? fail(error, KCT_ERR_NO_MODE, "fake: no such mode") : 0;
}

int kct_capture_enable(struct kct_capture *capture, enum kct_mode mode, struct kct_error *error)
{
	(void)capture, (void)mode;
	return told("enable") ? fail(error, KCT_ERR_BUSY_THREAD, "fake: traced already") : 0;
}

int kct_capture_enable_call(struct kct_capture *capture, enum kct_mode mode,
			    struct kct_capture_call *ret_call, struct kct_error *error)
{
	(void)capture, (void)mode, (void)error;
	*ret_call = (struct kct_capture_call){.request = told("attach") ? 0xdead : FIOCLEX};
	return 0;
}

int kct_capture_enable_remote(struct kct_capture *capture, enum kct_mode mode,
			      const struct kct_capture_remote *remote, struct kct_error *error)
{
	(void)capture, (void)mode, (void)remote;
	return told("remote") ? fail(error, KCT_ERR_BUSY_HANDLE, "fake: handle in use") : 0;
}

int kct_capture_disable(struct kct_capture *capture, struct kct_error *error)
{
	(void)capture, (void)error;
	return 0;
}

int kct_capture_reset(struct kct_capture *capture, struct kct_error *error)
{
	(void)error;
	capture->area[0] = 0;
	return 0;
}

void kct_capture_view(const struct kct_capture *capture, struct kct_capture_area *ret_area)
{
	static const uint64_t words[] = {
		EXIT(NOTIFY + 0x40),		    /* out of the stop at the entry */
		ENTRY(CALL),	     KERNEL,	    /* the system call */
		EXIT(CALL + 0x40),   ENTRY(NOTIFY), /* and into the next stop, */
		KERNEL + 0x20,			    /* from elsewhere */
	};
	uint64_t count = told("full") ? capture->layout.capacity_words - 1 : 6;

	memset(capture->area, 0, WORDS * 8);
	capture->area[0] = count;
	memcpy(capture->area + 1, words, sizeof(words));
	*ret_area = (struct kct_capture_area){
		.layout = &capture->layout,
		.data = capture->area,
		.bytes = (count + 1) * 8,
		.records = capture->area + 1,
		.count = count,
	};
}

int kct_capture_fd(const struct kct_capture *capture)
{
	return capture->fd;
}
