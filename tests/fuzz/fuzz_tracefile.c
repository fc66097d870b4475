/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a `.kct` file. What must hold:
 * - opening ends, and what is in the file, damaged and behind the end adds up
 * - segments and metadata lie in the bytes, strings end there
 * - a segment that is given can be decoded
 * - what was read can be written and is read the same again
 * The sums make it hard to get through: with a first byte other than that of the marker, headers
 * and trailers that lie where they should are given the right sums before.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kcovtrace/kcovtrace.h>

#include "fuzz.h"
#include "trace/form.h"

/** Walk over the bytes by the sizes in the headers, and put marker, order and sums right. */
static void mend(uint8_t *data, size_t bytes)
{
	struct kct_crc32c crc;
	size_t at = 0;

	kct_crc32c_init(&crc);
	while (bytes - at >= KCT_HEADER_BYTES + KCT_TRAILER_BYTES) {
		uint8_t *header = data + at, *trailer;
		uint64_t body = kct_form_u64(header + KCT_HEADER_BODY_BYTES, false) & ~7u & 0xffff;

		if (body > bytes - at - KCT_HEADER_BYTES - KCT_TRAILER_BYTES)
			body = (bytes - at - KCT_HEADER_BYTES - KCT_TRAILER_BYTES) & ~(size_t)7;
		trailer = header + KCT_HEADER_BYTES + body;
		memcpy(header, KCT_MARKER, KCT_MARKER_BYTES);
		kct_form_put_u64(header + KCT_HEADER_ORDER, KCT_BYTE_ORDER_MARK);
		kct_form_put_u64(header + KCT_HEADER_BODY_BYTES, body);
		kct_form_put_u32(header + KCT_HEADER_SUM,
				 kct_crc32c(&crc, 0, header, KCT_HEADER_SUM));
		kct_form_put_u32(trailer, kct_crc32c(&crc, 0, header + KCT_HEADER_BYTES, body));
		memcpy(trailer + KCT_TRAILER_HEADER_SUM, header + KCT_HEADER_SUM, 4);
		at += KCT_HEADER_BYTES + (size_t)body + KCT_TRAILER_BYTES;
	}
}

struct span {
	const uint8_t *data;
	size_t bytes;
};

static bool is_inside(const struct span *all, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	return at >= all->data && bytes <= all->bytes &&
	       (size_t)(at - all->data) <= all->bytes - bytes;
}

static bool is_string_inside(const struct span *all, const char *text)
{
	const uint8_t *at = (const uint8_t *)text;

	return is_inside(all, text, 1) &&
	       memchr(text, '\0', all->bytes - (size_t)(at - all->data)) != NULL;
}

static void check_decodes(const struct kct_trace_segment *segment)
{
	struct kct_decoder *decoder = NULL;
	struct kct_record record;
	int result =
		kct_decoder_new(&segment->layout, segment->data, segment->bytes, 0, &decoder, NULL);

	FUZZ_CHECK(result == 0 || result == KCT_ERR_NO_COUNT);
	while (decoder && kct_decoder_next(decoder, &record, NULL) > 0)
		;
	kct_decoder_free(decoder);
}

static bool is_same_layout(const struct kct_layout *a, const struct kct_layout *b)
{
	return a->preset == b->preset && a->mode == b->mode && a->os == b->os &&
	       a->endian == b->endian && a->word_bytes == b->word_bytes &&
	       a->entry_words == b->entry_words && a->memory_words == b->memory_words &&
	       a->bitmap_words == b->bitmap_words && a->capacity_words == b->capacity_words &&
	       a->slid == b->slid && a->eesum_quirk == b->eesum_quirk;
}

/** Write a segment and read it back. */
static void check_again(int fd, const struct kct_trace_segment *segment)
{
	static const struct kct_trace_writer_options options = {.size = sizeof(options),
								.capture_id = 1};
	struct kct_trace_segment copy = *segment, again = {.size = sizeof(again)};
	struct kct_trace_writer *writer;
	struct kct_tracefile *file;
	struct kct_file *bytes;
	const void *data;
	size_t n;

	copy.fields &= KCT_SEGMENT_KNOWN_FIELDS;
	FUZZ_CHECK(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	FUZZ_CHECK(kct_trace_writer_new(fd, &options, &writer, NULL) == 0);
	FUZZ_CHECK(kct_trace_writer_segment(writer, &copy, NULL) == 0);
	kct_trace_writer_free(writer);
	FUZZ_CHECK(kct_file_open_fd(fd, "again", &bytes, NULL) == 0);
	data = kct_file_data(bytes, &n);
	FUZZ_CHECK(kct_tracefile_new(data, n, &file, NULL) == 0);
	FUZZ_CHECK(kct_tracefile_segment(file, 0, &again, NULL) == 0);
	FUZZ_CHECK(again.fields == copy.fields && again.bytes == copy.bytes);
	FUZZ_CHECK(memcmp(again.data, copy.data, copy.bytes) == 0);
	FUZZ_CHECK(!again.name == !copy.name);
	FUZZ_CHECK(!again.name || strcmp(again.name, copy.name) == 0);
	FUZZ_CHECK(is_same_layout(&again.layout, &copy.layout));
	FUZZ_CHECK(again.syscall == copy.syscall && again.result == copy.result);
	FUZZ_CHECK(memcmp(again.arguments, copy.arguments, sizeof(copy.arguments)) == 0);
	FUZZ_CHECK(again.process == copy.process && again.thread == copy.thread);
	FUZZ_CHECK(again.begin == copy.begin && again.end == copy.end);
	FUZZ_CHECK(again.remote_handle == copy.remote_handle && again.overflow == copy.overflow);
	kct_tracefile_free(file);
	kct_file_free(bytes);
}

static void check_metas(const struct kct_tracefile *file, const struct span *all)
{
	for (size_t i = 0; i < kct_tracefile_metas(file); i++) {
		struct kct_meta meta = {.size = sizeof(meta)}, found = {.size = sizeof(found)};
		uint64_t number;

		FUZZ_CHECK(kct_tracefile_meta(file, i, &meta) == 0);
		FUZZ_CHECK(is_inside(all, meta.data, meta.bytes + 1));
		FUZZ_CHECK(((const char *)meta.data)[meta.bytes] == '\0');
		FUZZ_CHECK(is_string_inside(all, meta.name));
		FUZZ_CHECK(kct_meta_number(&meta, meta.bytes / 8, &number) == KCT_ERR_NOT_FOUND);
		if (kct_tracefile_find_meta(file, meta.capture, meta.name, meta.type, &found) == 0)
			FUZZ_CHECK(found.offset >= meta.offset);
	}
}

static void check_segments(struct kct_tracefile *file, const struct span *all, int fd)
{
	for (size_t i = 0; i < kct_tracefile_segments(file); i++) {
		struct kct_trace_segment segment = {.size = sizeof(segment)};
		struct kct_error error = {0};
		int result = kct_tracefile_segment(file, i, &segment, &error);

		FUZZ_CHECK(result <= 0 && error.code == result);
		if (result < 0)
			continue;
		FUZZ_CHECK(is_inside(all, segment.data, segment.bytes));
		FUZZ_CHECK(!segment.name || is_string_inside(all, segment.name));
		check_decodes(&segment);
		if (segment.bytes && i < 4)
			check_again(fd, &segment);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};
	struct span all = {NULL, bytes};
	struct kct_tracefile *file;
	uint8_t *copy = malloc(bytes ? bytes : 1);
	int fd;

	FUZZ_CHECK(copy);
	if (bytes)
		memcpy(copy, data, bytes);
	if (bytes && data[0] != 0x89)
		mend(copy, bytes);
	all.data = copy;
	if (kct_tracefile_new(copy, bytes, &file, NULL) == 0) {
		fd = memfd_create("again", MFD_CLOEXEC);
		FUZZ_CHECK(fd >= 0);
		FUZZ_CHECK(kct_tracefile_stats(file, &stats) == 0);
		FUZZ_CHECK(stats.damaged_bytes + stats.tail_bytes <= bytes);
		FUZZ_CHECK(!stats.damaged == (stats.first_damage == KCT_NOWHERE));
		FUZZ_CHECK((stats.segments + stats.metas + stats.unknown_blocks) * 56 <= bytes);
		check_metas(file, &all);
		check_segments(file, &all, fd);
		kct_tracefile_free(file);
		close(fd);
	}
	free(copy);
	return 0;
}
