/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loop of a fuzzer: no system call, no allocation. The kernel raises the count before it
 * writes a record, so the count is loaded with acquire order, and what it claims beyond the end of
 * the area (a program can write there, too) is cut off.
 */
#include <errno.h>
#include <string.h>

#include "capture/advice.h"
#include "capture/capture.h"
#include "capture/request.h"

/* Atomic accesses of 64 bits are not to be had in every 32-bit program. */
#if SIZE_MAX == UINT64_MAX
static inline uint64_t load_wide(const unsigned char *at)
{
	return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

static inline void clear_wide(unsigned char *at)
{
	__atomic_store_n((uint64_t *)at, 0, __ATOMIC_RELAXED);
}
#else
/** The low half: the other is 0 in any area that can be mapped. */
static inline uint64_t load_wide(const unsigned char *at)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		at += sizeof(uint32_t);
	return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

static inline void clear_wide(unsigned char *at)
{
	__atomic_store_n((uint32_t *)at, 0, __ATOMIC_RELAXED);
	__atomic_store_n((uint32_t *)at + 1, 0, __ATOMIC_RELAXED);
}
#endif

static inline uint64_t load_count(const struct kct_capture *capture)
{
	if (capture->count_bytes == sizeof(uint64_t))
		return load_wide(capture->count);
	return __atomic_load_n((const uint32_t *)capture->count, __ATOMIC_ACQUIRE);
}

static inline void clear_count(const struct kct_capture *capture)
{
	if (likely(capture->count_bytes == sizeof(uint64_t)))
		clear_wide(capture->count);
	else
		__atomic_store_n((uint32_t *)capture->count, 0, __ATOMIC_RELAXED);
}

/** A reset that takes more than the count. */
static __attribute__((noinline)) int reset_all(struct kct_capture *capture, struct kct_error *error)
{
	int result;

	if (!capture->device.read_only) {
		memset(capture->device.area, 0, capture->head_bytes - capture->count_bytes);
		clear_count(capture);
		return 0;
	}
	result = kct_request_reset(&capture->device);
	if (result == -EINVAL)
		return kct_advise_not_traced(error, EINVAL);
	return result < 0 ? kct_advise_other(error, "resetting", -result) : 0;
}

int kct_capture_reset(struct kct_capture *capture, struct kct_error *error)
{
	if (unlikely(!capture->fast_reset))
		return reset_all(capture, error);
	clear_wide(capture->count);
	return 0;
}

int kct_capture_reset_count(struct kct_capture *capture)
{
	if (capture->device.read_only)
		return KCT_ERR_MODE;
	clear_count(capture);
	return 0;
}

static inline void set_area(const struct kct_capture *capture, const void *data, size_t bytes,
			    uint64_t count, struct kct_capture_area *ret_area)
{
	ret_area->layout = &capture->layout;
	ret_area->data = data;
	ret_area->bytes = bytes;
	ret_area->records = (const unsigned char *)data + capture->head_bytes;
	ret_area->count = count;
}

void kct_capture_view(const struct kct_capture *capture, struct kct_capture_area *ret_area)
{
	uint64_t count = kct_min_u64(load_count(capture), capture->max_count);
	size_t bytes = capture->head_bytes + ((size_t)count << capture->unit_shift);

	set_area(capture, capture->device.area, bytes, count, ret_area);
}

static __attribute__((noinline)) int copy_any(const struct kct_capture *capture, void *buffer,
					      size_t bytes, struct kct_capture_area *ret_area)
{
	unsigned char *to = buffer;
	struct kct_capture_area area;
	size_t before_count;
	uint32_t half;

	kct_capture_view(capture, &area);
	if (area.bytes > bytes)
		return KCT_ERR_TOO_SMALL;
	memcpy(to, area.data, area.bytes);
	/* The kernel may have raised the count since: the copy counts what it holds. */
	before_count = capture->head_bytes - capture->count_bytes;
	half = (uint32_t)area.count;
	if (capture->count_bytes == sizeof(area.count))
		memcpy(to + before_count, &area.count, sizeof(area.count));
	else
		memcpy(to + before_count, &half, sizeof(half));
	set_area(capture, to, area.bytes, area.count, ret_area);
	return 0;
}

static __attribute__((noinline)) int copy_records(unsigned char *to, const unsigned char *from,
						  size_t bytes)
{
	int result = 0;

	memcpy(to, from, bytes);
	/* Hide the value: a caller that knows it is made to call instead of jump. */
	__asm__("" : "+r"(result));
	return result;
}

/* As copy_any(). The calls are all at the end, so that an empty area, which needs none, costs no
 * saving of registers. */
int kct_capture_snapshot(const struct kct_capture *capture, void *buffer, size_t bytes,
			 struct kct_capture_area *ret_area)
{
	unsigned char *records = (unsigned char *)buffer + sizeof(uint64_t);
	uint64_t count;
	size_t used;

	if (unlikely(!capture->fast))
		return copy_any(capture, buffer, bytes, ret_area);
	count = load_wide(capture->count);
	if (unlikely(count > capture->max_count))
		count = capture->max_count;
	used = (size_t)count << capture->unit_shift;
	if (unlikely(used + sizeof(count) > bytes))
		return KCT_ERR_TOO_SMALL;
	ret_area->layout = &capture->layout;
	ret_area->data = buffer;
	ret_area->bytes = used + sizeof(count);
	ret_area->records = records;
	ret_area->count = count;
	memcpy(buffer, &count, sizeof(count));
	if (count == 0)
		return 0;
	return copy_records(records, capture->count + sizeof(count), used);
}
