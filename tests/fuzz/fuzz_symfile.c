/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a symbol file, opened as an image. What must hold:
 * - opening ends, and what is opened answers for every address that its sections and kept ranges name
 * - strings of the answers end within the file
 * - it can be cut down once more, and then opens again
 * The sums make it hard to get through: with a first byte other than that of the marker the header and all
 * sums are put right before.
 */
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "base/crc32c.h"
#include "fuzz.h"
#include "image/image.h"
#include "symfile/form.h"

/* Addresses that are asked for, of each range. */
#define ADDRESSES 8

/** Put marker, version and sums right, and let the entries that lie in the file be believed. */
static void mend(uint8_t *data, size_t bytes)
{
	struct kct_symfile_header header;
	struct kct_symfile_entry entry;
	struct kct_crc32c crc;
	size_t room;

	if (bytes < sizeof(header))
		return;
	kct_crc32c_init(&crc);
	memcpy(&header, data, sizeof(header));
	memcpy(header.magic, KCT_SYMFILE_MAGIC, KCT_SYMFILE_MAGIC_BYTES);
	header.order = KCT_SYMFILE_ORDER;
	header.version = KCT_SYMFILE_VERSION;
	header.bytes = bytes;
	header.directory &= ~(uint64_t)7;
	if (header.directory > bytes)
		header.directory = sizeof(header);
	room = (bytes - (size_t)header.directory) / sizeof(entry);
	if (header.n_blocks > room)
		header.n_blocks = (uint32_t)room;
	for (size_t i = 0; i < header.n_blocks; i++) {
		uint8_t *at = data + header.directory + i * sizeof(entry);

		memcpy(&entry, at, sizeof(entry));
		if (entry.offset > bytes || entry.bytes > bytes - entry.offset)
			continue;
		entry.sum = kct_crc32c(&crc, 0, data + entry.offset, (size_t)entry.bytes);
		memcpy(at, &entry, sizeof(entry));
	}
	header.directory_sum =
		kct_crc32c(&crc, 0, data + header.directory, header.n_blocks * sizeof(entry));
	header.header_sum =
		kct_crc32c(&crc, 0, &header, offsetof(struct kct_symfile_header, header_sum));
	memcpy(data, &header, sizeof(header));
}

static void check_symbol(const struct kct_symbol *symbol)
{
	FUZZ_CHECK(!symbol->function || strlen(symbol->function) <= KCT_MAX_NAME);
	FUZZ_CHECK(!symbol->symbol || strlen(symbol->symbol) <= KCT_MAX_NAME);
	for (uint32_t i = 0; i < symbol->n_frames; i++)
		FUZZ_CHECK(!symbol->frames[i].function ||
			   strlen(symbol->frames[i].function) <= KCT_MAX_NAME);
}

/** Ask for the first and last addresses of a range. */
static void look_up(struct kct_symbolizer *symbolizer, uint64_t start, uint64_t end)
{
	const struct kct_symbol *symbol;
	struct kct_variable variable;

	for (uint64_t i = 0; i < ADDRESSES; i++) {
		uint64_t address = i % 2 ? start + i / 2 : end - i / 2;

		if (kct_symbolizer_lookup(symbolizer, address, KCT_PC_CALL, &symbol, NULL) == 0)
			check_symbol(symbol);
		if (kct_symbolizer_data(symbolizer, address, &variable, NULL) > 0)
			FUZZ_CHECK(strlen(variable.name) <= KCT_MAX_NAME);
	}
}

static void check_cut(struct kct_symbolizer *symbolizer, const struct kct_image *image)
{
	struct kct_portable_request request = {.size = sizeof(request)};
	struct kct_portable *portable;
	uint64_t pcs[2 * ADDRESSES];

	for (size_t i = 0; i < image->n_kept && i < ADDRESSES; i++) {
		pcs[request.n_pcs++] = image->kept[i].start + 1;
		pcs[request.n_pcs++] = image->kept[i].end;
	}
	request.pcs = request.data = pcs;
	request.n_data = request.n_pcs;
	for (int kind = KCT_PORTABLE_FUNCTIONS; kind <= KCT_PORTABLE_PCS; kind++) {
		struct kct_image *again;
		const void *data;
		size_t bytes;

		request.kind = (enum kct_portable_kind)kind;
		if (kct_portable_new(symbolizer, &request, &portable, NULL) < 0)
			continue;
		data = kct_portable_data(portable, 0, &bytes);
		FUZZ_CHECK(data);
		FUZZ_CHECK(kct_image_open_memory(data, bytes, "again", &again, NULL) == 0);
		kct_image_free(again);
		kct_portable_free(portable);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_symbolizer *symbolizer;
	struct kct_image *image;
	struct kct_error error;
	/* Aligned, and so that a read behind it is seen. */
	uint8_t *copy = malloc(bytes ? bytes : 1);

	FUZZ_CHECK(copy);
	if (bytes)
		memcpy(copy, data, bytes);
	if (bytes && copy[0] != 0x89)
		mend(copy, bytes);
	if (!kct_symfile_identify(copy, bytes) ||
	    kct_image_open_memory(copy, bytes, "fuzz", &image, &error) < 0) {
		free(copy);
		return 0;
	}
	FUZZ_CHECK(kct_symbolizer_new(&symbolizer) == 0);
	if (kct_symbolizer_add_image(symbolizer, image, "image", NULL) == 0) {
		for (size_t i = 0; i < image->n_kept && i < 64; i++)
			look_up(symbolizer, image->kept[i].start, image->kept[i].end);
		for (size_t i = 0; i < image->n_sections && i < 64; i++)
			look_up(symbolizer, image->sections[i].address,
				image->sections[i].address + image->sections[i].size);
		check_cut(symbolizer, image);
	}
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	free(copy);
	return 0;
}
