/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <string.h>

#include <kcovtrace/xen.h>

#include "base/fail.h"

/* The first word, in the hypervisor's byte order. */
#define MAGIC	     0x58434f56u
#define LONGEST_PART 255u /* NAME_MAX of Linux */
#define SIZE_OF_WORD sizeof(uint32_t)

static uint32_t word_at(const uint8_t *at, bool swap)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return swap ? __builtin_bswap32(word) : word;
}

/** 1: a blob, `*ret_swap` says whether in the other byte order. */
static int identify(const void *data, size_t bytes, bool *ret_swap)
{
	uint32_t magic;

	if (bytes < SIZE_OF_WORD)
		return 0;
	magic = word_at(data, false);
	*ret_swap = magic == __builtin_bswap32(MAGIC);
	return magic == MAGIC || *ret_swap;
}

int kct_xen_identify(const void *data, size_t bytes)
{
	bool swap;

	return data ? identify(data, bytes, &swap) : 0;
}

int kct_xen_next(const void *data, size_t bytes, uint64_t *offset,
		 struct kct_xen_object *ret_object, struct kct_error *error)
{
	const uint8_t *blob = data, *end;
	uint64_t at;
	size_t size;
	bool swap;

	if (!data || !offset || !ret_object || *offset > bytes)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (!identify(data, bytes, &swap))
		return kct_fail_at(error, KCT_ERR_SYNTAX, 0,
				   "no Xen coverage: it begins otherwise");
	at = kct_max_u64(*offset, SIZE_OF_WORD);
	if (at >= bytes)
		return 0;
	end = memchr(blob + at, '\0', (size_t)kct_min_u64(bytes - at, KCT_XEN_MAX_NAME));
	if (!end)
		return kct_fail_at(error, KCT_ERR_DAMAGED, at, "a name has no end");
	ret_object->offset = (uint64_t)(end + 1 - blob) + SIZE_OF_WORD;
	if (ret_object->offset > bytes)
		return kct_fail_at(error, KCT_ERR_DAMAGED, at, "cut behind a name");
	size = word_at(end + 1, swap);
	if (size > bytes - ret_object->offset)
		return kct_fail_at(error, KCT_ERR_DAMAGED, at,
				   "an object of %zu bytes, but %llu are left", size,
				   (unsigned long long)(bytes - ret_object->offset));
	ret_object->name = (const char *)blob + at;
	ret_object->data = blob + ret_object->offset;
	ret_object->bytes = size;
	*offset = ret_object->offset + size;
	return 1;
}

static int bad_name(struct kct_error *error, const char *name, const char *why)
{
	return kct_fail(error, KCT_ERR_ARGUMENT, "the name '%.120s' %s", name, why);
}

/** Append a component to a path of `n` bytes. Returns the new length, 0 after a failure. */
static size_t append_part(const char *name, const char *part, size_t length, char *path, size_t n,
			  struct kct_error *error)
{
	if (length == 2 && memcmp(part, "..", 2) == 0) {
		bad_name(error, name, "leads out of the folder");
		return 0;
	}
	if (length > LONGEST_PART) {
		bad_name(error, name, "has a part that is too long");
		return 0;
	}
	if (n)
		path[n++] = '/';
	memcpy(path + n, part, length);
	return n + length;
}

int kct_xen_path(const char *name, char *path, struct kct_error *error)
{
	size_t length = 0, n = 0;

	if (!name || !path)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	if (strnlen(name, KCT_XEN_MAX_NAME) == KCT_XEN_MAX_NAME)
		return bad_name(error, name, "is too long");
	for (const char *c = name; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return bad_name(error, name, "has control characters");
	}
	for (const char *part = name; *part; part += length) {
		part += *part == '/';
		length = strcspn(part, "/");
		if (length == 0 || (length == 1 && *part == '.'))
			continue;
		n = append_part(name, part, length, path, n, error);
		if (!n)
			return KCT_ERR_ARGUMENT;
	}
	/* The last component must be a file: it had a name, and no slash behind it. */
	if (n == 0 || length == 0 ||
	    (length == 1 && name[strlen(name) - 1] == '.' &&
	     (name[1] == '\0' || name[strlen(name) - 2] == '/')))
		return bad_name(error, name, n ? "is that of a folder" : "is empty");
	path[n] = '\0';
	return 0;
}
