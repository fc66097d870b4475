/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture_double.h"

/* The numbers as documented, for the architectures with the usual encoding of requests. */
#define INIT_64		    0x80086301u
#define INIT_32		    0x80046301u
#define ENABLE		    0x6364u
#define DISABLE		    0x6365u
#define REMOTE_ENABLE	    0x40186366u
#define UNIQUE_ENABLE_64    0x40086367u
#define UNIQUE_ENABLE_32    0x40046367u
#define UNIQUE_ENABLE_FIRST 0x80086367u
#define RESET_TRACE	    0x6368u
#define MEMORY_RECORD_SIZE  0x6367u
#define NOT_SUPPORTED	    524
#define MAX_HANDLES	    256
#define MODE_PC		    0u
#define MODE_CMP	    1u
#define MODE_EXT	    2u
#define MODE_MEMORY	    3u
#define MODE_UNIQUE	    100u /* has no number for ENABLE */
#define SUBSYSTEM_USB	    0x0100000000000000u
#define HANDLE_RESERVED	    0x00ffffff00000000u
#define HANDLE_SUBSYSTEM    0xff00000000000000u

void double_init(struct capture_double *driver, const struct double_kernel *kernel)
{
	memset(driver, 0, sizeof(*driver));
	driver->kernel = *kernel;
	if (driver->kernel.word_bytes == 0)
		driver->kernel.word_bytes = 8;
	driver->thread = 1;
}

static struct double_descriptor *descriptor_of(struct capture_double *driver, int fd)
{
	return &driver->descriptors[fd - 100];
}

/** The descriptor through which a thread is traced, in either way. */
static struct double_descriptor *traced_by(struct capture_double *driver, int thread)
{
	for (size_t i = 0; i < DOUBLE_DESCRIPTORS; i++) {
		struct double_descriptor *descriptor = &driver->descriptors[i];

		if (descriptor->state == DOUBLE_ENABLED && descriptor->thread == thread)
			return descriptor;
	}
	return NULL;
}

/* What the hooks write. The count is raised before the record is written. */

static uint64_t get_word(const struct double_descriptor *descriptor, uint32_t bytes, uint64_t at)
{
	uint64_t word;
	uint32_t half;

	if (bytes == 8) {
		memcpy(&word, descriptor->area + at * 8, 8);
		return word;
	}
	memcpy(&half, descriptor->area + at * 4, 4);
	return half;
}

static void put_word(struct double_descriptor *descriptor, uint32_t bytes, uint64_t at,
		     uint64_t word)
{
	uint32_t half = (uint32_t)word;

	if (bytes == 8)
		memcpy(descriptor->area + at * 8, &word, 8);
	else
		memcpy(descriptor->area + at * 4, &half, 4);
}

/** `n` words that count as `step`, behind the count word at `base`; `limit` words in all. */
static void append(struct double_descriptor *descriptor, uint32_t bytes, uint64_t base,
		   uint64_t limit, const uint64_t *words, size_t n, uint64_t step)
{
	uint64_t count = get_word(descriptor, bytes, base);
	uint64_t start = base + 1 + (step == n ? count : count * n);

	if (count > limit || start + n > limit)
		return;
	put_word(descriptor, bytes, base, count + step);
	for (size_t i = 0; i < n; i++)
		put_word(descriptor, bytes, start + i, words[i]);
}

static void append_pc(struct capture_double *driver, struct double_descriptor *descriptor,
		      uint64_t pc)
{
	append(descriptor, driver->kernel.word_bytes, descriptor->bitmap_words, descriptor->words,
	       &pc, 1, 1);
}

void double_hit_pc(struct capture_double *driver, uint64_t pc)
{
	struct double_descriptor *descriptor = traced_by(driver, driver->thread);

	if (descriptor && !descriptor->remote && descriptor->mode != MODE_CMP)
		append_pc(driver, descriptor, pc);
}

void double_hit_guard(struct capture_double *driver, uint64_t guard, uint64_t pc)
{
	struct double_descriptor *descriptor = traced_by(driver, driver->thread);
	uint32_t bytes = driver->kernel.word_bytes;
	uint64_t bits = bytes * 8, word;

	if (!descriptor || descriptor->mode != MODE_UNIQUE)
		return;
	if (guard < descriptor->bitmap_words * bits) {
		word = get_word(descriptor, bytes, guard / bits);
		if (word >> guard % bits & 1)
			return;
		put_word(descriptor, bytes, guard / bits, word | (uint64_t)1 << guard % bits);
	}
	append_pc(driver, descriptor, pc);
}

void double_hit_cmp(struct capture_double *driver, uint64_t type, uint64_t arg1, uint64_t arg2,
		    uint64_t pc)
{
	struct double_descriptor *descriptor = traced_by(driver, driver->thread);
	const uint64_t words[] = {type, arg1, arg2, pc};

	/* 64-bit words on every kernel; the count is of records. */
	if (descriptor && !descriptor->remote && descriptor->mode == MODE_CMP)
		append(descriptor, 8, 0, descriptor->bytes / 8, words, 4, 1);
}

void double_hit_record(struct capture_double *driver, const uint64_t *words, size_t n)
{
	struct double_descriptor *descriptor = traced_by(driver, driver->thread);

	if (descriptor && !descriptor->remote &&
	    (descriptor->mode == MODE_EXT || descriptor->mode == MODE_MEMORY))
		append(descriptor, 8, 0, descriptor->words, words, n, n);
}

void double_remote_section(struct capture_double *driver, uint64_t handle, const uint64_t *pcs,
			   size_t n)
{
	for (size_t i = 0; i < DOUBLE_DESCRIPTORS; i++) {
		struct double_descriptor *descriptor = &driver->descriptors[i];

		if (descriptor->state != DOUBLE_ENABLED || !descriptor->remote)
			continue;
		for (size_t k = 0; k < descriptor->n_handles; k++) {
			if (descriptor->handles[k] != handle)
				continue;
			for (size_t p = 0; p < n && p < descriptor->section_words; p++)
				append_pc(driver, descriptor, pcs[p]);
		}
	}
}

/* The requests. */

static int request_init(struct capture_double *driver, struct double_descriptor *descriptor,
			uint64_t words)
{
	uint64_t limit = (uint64_t)INT_MAX / driver->kernel.word_bytes;

	if (driver->kernel.max_words != 0)
		limit = driver->kernel.max_words;
	if (words < 2 || words > limit)
		return -EINVAL;
	if (driver->kernel.no_memory)
		return -ENOMEM;
	if (descriptor->state != DOUBLE_OPEN)
		return -EBUSY;
	descriptor->words = words;
	descriptor->bytes = (size_t)words * driver->kernel.word_bytes;
	descriptor->memory_fd = memfd_create("double", 0);
	if (descriptor->memory_fd < 0 ||
	    ftruncate(descriptor->memory_fd, (off_t)descriptor->bytes) < 0)
		abort();
	descriptor->area = mmap(NULL, descriptor->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				descriptor->memory_fd, 0);
	if (descriptor->area == MAP_FAILED)
		abort();
	descriptor->state = DOUBLE_INIT;
	return 0;
}

static int has_error(enum double_has has)
{
	return has == DOUBLE_BUILT ? 0 : has == DOUBLE_NOT_BUILT ? -NOT_SUPPORTED : -EINVAL;
}

static int mode_error(const struct double_kernel *kernel, uint64_t mode)
{
	if (kernel->mode_bits && mode != 0 && mode <= 8 && mode % 2 == 0)
		return 0;
	switch (mode) {
	case MODE_PC:
		return 0;
	case MODE_CMP:
		return has_error(kernel->cmp);
	case MODE_EXT:
		return has_error(kernel->ext);
	case MODE_MEMORY:
		return has_error(kernel->memory);
	default:
		return -EINVAL;
	}
}

/** What every enabling request checks first. */
static int enable_error(struct capture_double *driver, const struct double_descriptor *descriptor)
{
	bool in_use = descriptor->state == DOUBLE_ENABLED;

	if (descriptor->state != DOUBLE_MAPPED && !(in_use && driver->kernel.busy_first))
		return -EINVAL;
	if (in_use || traced_by(driver, driver->thread))
		return -EBUSY;
	return 0;
}

static void enable(struct capture_double *driver, struct double_descriptor *descriptor,
		   unsigned mode, uint64_t bitmap_words)
{
	static const uint64_t exit_word =
		(DOUBLE_ENABLE_PC & 0x00ffffffffffffffu) | 0x1000000000000000u;

	descriptor->state = DOUBLE_ENABLED;
	descriptor->thread = driver->thread;
	descriptor->mode = mode;
	descriptor->remote = false;
	descriptor->bitmap_words = bitmap_words;
	if (mode == MODE_EXT || mode == MODE_MEMORY)
		double_hit_record(driver, &exit_word, 1);
	else
		double_hit_pc(driver, DOUBLE_ENABLE_PC);
}

static int request_enable(struct capture_double *driver, struct double_descriptor *descriptor,
			  uint64_t mode)
{
	int result = enable_error(driver, descriptor);

	if (result == 0)
		result = mode_error(&driver->kernel, mode);
	if (result == 0)
		enable(driver, descriptor, (unsigned)mode, 0);
	return result;
}

static int request_unique(struct capture_double *driver, struct double_descriptor *descriptor,
			  uint64_t bitmap_words)
{
	int result = has_error(driver->kernel.unique);

	if (result == 0)
		result = enable_error(driver, descriptor);
	if (result == 0 && (bitmap_words == 0 || bitmap_words >= descriptor->words - 1))
		result = -EINVAL;
	if (result == 0)
		enable(driver, descriptor, MODE_UNIQUE, bitmap_words);
	return result;
}

static void release(struct double_descriptor *descriptor)
{
	if (descriptor->state >= DOUBLE_INIT) {
		munmap(descriptor->area, descriptor->bytes);
		close(descriptor->memory_fd);
	}
	descriptor->state = DOUBLE_CLOSED;
}

static void disable(struct double_descriptor *descriptor)
{
	descriptor->state = DOUBLE_MAPPED;
	descriptor->n_handles = 0;
	descriptor->bitmap_words = 0;
	descriptor->remote = false;
	if (descriptor->orphan)
		release(descriptor);
}

static int request_disable(struct capture_double *driver, struct double_descriptor *descriptor,
			   uint64_t argument)
{
	if (argument != 0 || traced_by(driver, driver->thread) != descriptor)
		return -EINVAL;
	double_hit_pc(driver, DOUBLE_DISABLE_PC);
	disable(descriptor);
	return 0;
}

static int add_handle(struct capture_double *driver, struct double_descriptor *descriptor,
		      uint64_t handle)
{
	for (size_t i = 0; i < DOUBLE_DESCRIPTORS; i++) {
		const struct double_descriptor *other = &driver->descriptors[i];

		for (size_t k = 0; k < other->n_handles; k++) {
			if (other->handles[k] == handle)
				return -EEXIST;
		}
	}
	descriptor->handles[descriptor->n_handles++] = handle;
	return 0;
}

static int request_remote(struct capture_double *driver, struct double_descriptor *descriptor,
			  const unsigned char *argument)
{
	uint32_t head[3]; /* mode, words of a section, handles */
	uint64_t handle, common;
	int result;

	memcpy(head, argument, sizeof(head));
	memcpy(&common, argument + 16, sizeof(common));
	if (head[2] > MAX_HANDLES)
		return -EINVAL;
	result = enable_error(driver, descriptor);
	if (result == 0)
		result = mode_error(&driver->kernel, head[0]);
	for (uint32_t i = 0; result == 0 && i < head[2]; i++) {
		memcpy(&handle, argument + 24 + 8 * i, sizeof(handle));
		if (handle & HANDLE_RESERVED || (handle & HANDLE_SUBSYSTEM) != SUBSYSTEM_USB)
			result = -EINVAL;
		else
			result = add_handle(driver, descriptor, handle);
	}
	if (result == 0 && common != 0)
		result = common >> 32 ? -EINVAL : add_handle(driver, descriptor, common);
	if (result < 0) {
		if (descriptor->state != DOUBLE_ENABLED)
			descriptor->n_handles = 0;
		return result;
	}
	descriptor->state = DOUBLE_ENABLED;
	descriptor->thread = driver->thread;
	descriptor->mode = head[0];
	descriptor->remote = true;
	descriptor->section_words = head[1];
	return 0;
}

static int request_reset(struct capture_double *driver, struct double_descriptor *descriptor,
			 uint64_t argument)
{
	if (argument != 0 || traced_by(driver, driver->thread) != descriptor)
		return -EINVAL;
	for (uint64_t i = 0; i <= descriptor->bitmap_words; i++)
		put_word(descriptor, driver->kernel.word_bytes, i, 0);
	double_hit_pc(driver, DOUBLE_RESET_PC);
	return 0;
}

/** Request 103 and 104 of the kernels that have them; they differ in what they mean by them. */
static int request_patched(struct capture_double *driver, struct double_descriptor *descriptor,
			   uint32_t request, uintptr_t argument)
{
	const struct double_kernel *kernel = &driver->kernel;
	uint32_t unique = kernel->word_bytes == 8 ? UNIQUE_ENABLE_64 : UNIQUE_ENABLE_32;

	if (kernel->unique_first)
		unique = UNIQUE_ENABLE_FIRST;
	if (request == MEMORY_RECORD_SIZE && kernel->memory_record_bytes != 0)
		return kernel->memory_record_bytes;
	if (kernel->unique != DOUBLE_UNKNOWN && request == unique)
		return request_unique(driver, descriptor, argument);
	if (kernel->unique != DOUBLE_UNKNOWN && !kernel->unique_first && request == RESET_TRACE)
		return request_reset(driver, descriptor, argument);
	return -ENOTTY;
}

static int driver_ioctl(void *context, int fd, uint32_t request, uintptr_t argument)
{
	struct capture_double *driver = context;
	struct double_descriptor *descriptor = descriptor_of(driver, fd);

	driver->requests++;
	if (driver->kernel.other_device)
		return -ENOTTY;
	if (request == (driver->kernel.word_bytes == 8 ? INIT_64 : INIT_32))
		return request_init(driver, descriptor, argument);
	switch (request) {
	case ENABLE:
		return request_enable(driver, descriptor, argument);
	case DISABLE:
		return request_disable(driver, descriptor, argument);
	case REMOTE_ENABLE:
		if (driver->kernel.remote != DOUBLE_BUILT)
			return -ENOTTY;
		return request_remote(driver, descriptor, (const unsigned char *)argument);
	default:
		return request_patched(driver, descriptor, request, argument);
	}
}

/* The other system calls. */

static int driver_open(void *context, const char *path)
{
	struct capture_double *driver = context;

	(void)path;
	driver->requests++;
	if (driver->kernel.open_errno != 0)
		return -driver->kernel.open_errno;
	if (!driver->kernel.kcov)
		return -ENOENT;
	for (int i = 0; i < DOUBLE_DESCRIPTORS; i++) {
		if (driver->descriptors[i].state != DOUBLE_CLOSED)
			continue;
		memset(&driver->descriptors[i], 0, sizeof(driver->descriptors[i]));
		driver->descriptors[i].state = DOUBLE_OPEN;
		return 100 + i;
	}
	return -EMFILE;
}

static int driver_map(void *context, int fd, size_t bytes, bool read_only, void **ret_area)
{
	struct capture_double *driver = context;
	struct double_descriptor *descriptor = descriptor_of(driver, fd);
	void *area;

	driver->requests++;
	if (driver->kernel.map_errno != 0)
		return -driver->kernel.map_errno;
	if (descriptor->state < DOUBLE_INIT || bytes != descriptor->bytes ||
	    bytes % (size_t)sysconf(_SC_PAGESIZE) != 0)
		return -EINVAL;
	area = mmap(NULL, bytes, read_only ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED,
		    descriptor->memory_fd, 0);
	if (area == MAP_FAILED)
		return -errno;
	if (descriptor->state == DOUBLE_INIT)
		descriptor->state = DOUBLE_MAPPED;
	descriptor->map = area;
	*ret_area = area;
	return 0;
}

static void driver_unmap(void *context, void *area, size_t bytes)
{
	struct capture_double *driver = context;

	driver->requests++;
	munmap(area, bytes);
	for (size_t i = 0; i < DOUBLE_DESCRIPTORS; i++) {
		if (driver->descriptors[i].map == area && driver->descriptors[i].bytes == bytes) {
			driver->descriptors[i].map = NULL;
			return;
		}
	}
	abort();
}

static void driver_close(void *context, int fd)
{
	struct capture_double *driver = context;
	struct double_descriptor *descriptor = descriptor_of(driver, fd);

	driver->requests++;
	if (descriptor->state == DOUBLE_CLOSED || descriptor->orphan)
		abort();
	if (descriptor->state == DOUBLE_ENABLED)
		descriptor->orphan = true;
	else
		release(descriptor);
}

static bool driver_is_debugfs(void *context, const char *directory)
{
	struct capture_double *driver = context;

	return driver->kernel.debugfs && strcmp(directory, "/sys/kernel/debug") == 0;
}

struct kct_system double_system(struct capture_double *driver)
{
	return (struct kct_system){
		.open = driver_open,
		.ioctl = driver_ioctl,
		.map = driver_map,
		.unmap = driver_unmap,
		.close = driver_close,
		.is_debugfs = driver_is_debugfs,
		.context = driver,
	};
}

unsigned double_leaks(const struct capture_double *driver)
{
	unsigned leaks = 0;

	for (size_t i = 0; i < DOUBLE_DESCRIPTORS; i++)
		leaks += (driver->descriptors[i].state != DOUBLE_CLOSED) +
			 (driver->descriptors[i].map != NULL);
	return leaks;
}

void double_end_thread(struct capture_double *driver, int thread)
{
	struct double_descriptor *descriptor = traced_by(driver, thread);

	if (descriptor)
		disable(descriptor);
}
