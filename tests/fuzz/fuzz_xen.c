/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blobs of Xen and the gcda files in them. What must hold:
 * - objects lie in the blob behind each other, and writing them again gives its front
 * - a path has no component that is empty, `.` or `..`, does not begin with a slash, and its own path
 *   is itself
 * - a gcda file whose words are all turned round gives the same numbers
 */
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "fuzz.h"

static void check_path(const char *name)
{
	char path[KCT_XEN_MAX_NAME], again[KCT_XEN_MAX_NAME];
	struct kct_error error;
	size_t length;

	if (kct_xen_path(name, path, &error) < 0) {
		FUZZ_CHECK(error.code == KCT_ERR_ARGUMENT && !strchr(error.text, '\n'));
		return;
	}
	for (const char *part = path;; part += length + 1) {
		length = strcspn(part, "/");
		FUZZ_CHECK(length > 0 && length <= 255 && strncmp(part, "..", length) != 0);
		if (!part[length])
			break;
	}
	FUZZ_CHECK(kct_xen_path(path, again, NULL) == 0 && strcmp(path, again) == 0);
}

static void check_counters(const uint8_t *data, size_t bytes)
{
	struct kct_gcda here = {.size = sizeof(here)}, there = {.size = sizeof(there)};
	struct kct_error error, error2;
	uint8_t *turned = malloc(bytes + 1);
	int r, r2;

	FUZZ_CHECK(turned);
	for (size_t i = 0; i < bytes; i++)
		turned[i] = (i | 3) < bytes ? data[i ^ 3] : data[i];
	r = kct_gcda_read(data, bytes, &here, &error);
	r2 = kct_gcda_read(turned, bytes, &there, &error2);
	free(turned);
	FUZZ_CHECK(here.hit <= here.counters && here.sum >= here.hit);
	/* A record with bytes that are no whole word shifts what follows it. */
	if (r < 0 || r2 < 0 || here.unknown)
		return;
	FUZZ_CHECK(here.big_endian != there.big_endian);
	FUZZ_CHECK(here.functions == there.functions && here.counters == there.counters);
	FUZZ_CHECK(here.sum == there.sum && here.hit == there.hit && here.others == there.others);
}

static void append(uint8_t *copy, size_t *n, size_t most, const void *data, size_t bytes)
{
	FUZZ_CHECK(bytes <= most - *n);
	memcpy(copy + *n, data, bytes);
	*n += bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_xen_object object;
	struct kct_error error;
	uint64_t offset = 0;
	uint8_t *copy = malloc(bytes + 1);
	size_t n = 0;
	int r;

	FUZZ_CHECK(copy);
	check_counters(data, bytes);
	append(copy, &n, bytes, data, bytes < 4 ? 0 : 4);
	while ((r = kct_xen_next(data, bytes, &offset, &object, &error)) > 0) {
		append(copy, &n, bytes, object.name, strlen(object.name) + 1);
		append(copy, &n, bytes, data + object.offset - 4, 4);
		append(copy, &n, bytes, object.data, object.bytes);
		FUZZ_CHECK(n == offset);
		check_path(object.name);
		check_counters(object.data, object.bytes);
	}
	FUZZ_CHECK(memcmp(copy, data, n) == 0);
	FUZZ_CHECK(r == 0 ? n == bytes : error.code == r && error.text[0]);
	free(copy);
	return 0;
}
