/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kcovtrace/version.h>

#include "base/crc32c.h"
#include "image/image.h"

/* Summed at a time. */
#define STEP_BYTES ((size_t)4 << 20)

/** The build ID, or what stands for it, in hexadecimal. */
static void identity_text(const struct kct_image *image, uint32_t headers, char *text, size_t bytes)
{
	size_t at = 0;

	if (image->n_build_id == 0)
		snprintf(text, bytes, "none-%08x-%zx", headers, image->bytes);
	for (size_t i = 0; i < image->n_build_id && at + 3 <= bytes; i++, at += 2)
		snprintf(text + at, 3, "%02x", image->build_id[i]);
}

/** Sum of what the headers of the sections say but for addresses. Tools that take debug information
 *  away, pack or move it show here. */
static uint32_t sum_headers(const struct kct_image *image, const struct kct_crc32c *crc)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];
		const uint64_t numbers[] = {section->offset, section->size, section->flags,
					    section->type};

		sum = kct_crc32c(crc, sum, section->name, strlen(section->name) + 1);
		sum = kct_crc32c(crc, sum, numbers, sizeof(numbers));
	}
	return sum;
}

static uint32_t sum_addresses(const struct kct_image *image, const struct kct_crc32c *crc)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < image->n_sections; i++) {
		const uint64_t numbers[] = {image->sections[i].address, image->sections[i].placed};

		sum = kct_crc32c(crc, sum, numbers, sizeof(numbers));
	}
	return sum;
}

void kct_key_make(const struct kct_image *image, struct kct_key *ret_key)
{
	const struct kct_image *separate = image->separate;
	char identity[2 * KCT_MAX_BUILD_ID + 1];
	struct kct_key key = {0};
	struct kct_crc32c crc;
	uint32_t headers;
	size_t n;

	kct_crc32c_init(&crc);
	headers = sum_headers(image, &crc);
	identity_text(image, headers, identity, sizeof(identity));
	n = (size_t)snprintf(key.text, sizeof(key.text),
			     "kcovtrace %s\nimage %s\nheaders %08x\nbytes %zu\n"
			     "machine %u type %u class %u order %u\naddresses %08x\n",
			     KCT_VERSION, identity, headers, image->bytes, image->header.e_machine,
			     image->header.e_type, image->header.e_ident[EI_CLASS],
			     image->header.e_ident[EI_DATA], sum_addresses(image, &crc));
	if (separate) {
		uint32_t theirs = sum_headers(separate, &crc);

		snprintf(key.text + n, sizeof(key.text) - n, "debug file %08x\nbytes %zu\n", theirs,
			 separate->bytes);
		headers ^= theirs;
	}
	/* Files with and without debug information have one build ID and are both of use. */
	snprintf(key.name, sizeof(key.name), "%s-%08x", identity, headers);
	*ret_key = key;
}

/** Whether symbols come from a section, or coverage points. */
static bool is_source(const struct kct_section *section)
{
	return kct_section_is_code(section) || section->type == SHT_SYMTAB ||
	       section->type == SHT_DYNSYM || section->type == SHT_STRTAB ||
	       section->type == SHT_REL || section->type == SHT_RELA ||
	       strncmp(section->name, ".debug", 6) == 0 ||
	       strncmp(section->name, ".zdebug", 7) == 0;
}

/** Give pages of a mapped file back that were read once: they are as many as the image is large. */
static void give_back(const struct kct_image *image, const uint8_t *data, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)data + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)data + bytes) & ~(page - 1);

	/* Nothing but a file can be read again. */
	if (image->file && kct_file_is_mapped(image->file) && start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

/** Go on from a sum with a section, piece by piece. */
static uint32_t sum_section(const struct kct_image *image, const struct kct_crc32c *crc,
			    uint32_t sum, const uint8_t *data, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += STEP_BYTES) {
		size_t n = (size_t)kct_min_u64(bytes - at, STEP_BYTES);

		sum = kct_crc32c(crc, sum, data + at, n);
		give_back(image, data + at, n);
	}
	return sum;
}

/** Sum what symbols come from. */
static uint32_t sum_content(const struct kct_image *image)
{
	struct kct_crc32c crc;
	uint32_t sum = 0;

	kct_crc32c_init(&crc);
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];
		const uint8_t *data = kct_section_data(image, section);

		if (data && is_source(section))
			sum = sum_section(image, &crc, sum, data, section->size);
	}
	return sum;
}

/** Size and date of the file, now; the sum is 0. */
static void stamp_file(const struct kct_image *image, struct kct_stamp *ret_stamp)
{
	struct kct_stamp stamp = {.bytes = image->bytes};
	struct stat there;

	if (image->file && stat(image->name, &there) == 0 && S_ISREG(there.st_mode)) {
		stamp.seconds = there.st_mtim.tv_sec;
		stamp.nanoseconds = (uint32_t)there.st_mtim.tv_nsec;
	}
	*ret_stamp = stamp;
}

static bool holds(const struct kct_image *image, const struct kct_stamp *then)
{
	struct kct_stamp now;

	stamp_file(image, &now);
	if (now.bytes != then->bytes)
		return false;
	if (now.seconds != 0 && now.seconds == then->seconds &&
	    now.nanoseconds == then->nanoseconds)
		return true;
	return sum_content(image) == then->content;
}

void kct_stamps_make(const struct kct_image *image, struct kct_stamps *ret_stamps)
{
	struct kct_stamps stamps = {0};

	stamp_file(image, &stamps.image);
	stamps.image.content = sum_content(image);
	if (image->separate) {
		stamp_file(image->separate, &stamps.separate);
		stamps.separate.content = sum_content(image->separate);
	}
	*ret_stamps = stamps;
}

bool kct_stamps_hold(const struct kct_image *image, const struct kct_stamps *then)
{
	/* Whether there is a debug file is in the key. */
	return holds(image, &then->image) &&
	       (!image->separate || holds(image->separate, &then->separate));
}
