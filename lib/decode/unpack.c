/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <string.h>

#ifdef KCT_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef KCT_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/array.h"
#include "base/fail.h"
#include "decode/unpack.h"

#define UNPACK_STEP ((size_t)1 << 16)

/* Of zstd: the shortest start of a frame that says how it goes on; what starts a block. */
#define FRAME_HEADER_BYTES 5u
#define BLOCK_HEADER_BYTES 3u

/* A gzip header without name and time, read as a little-endian word. */
#define DOUBTFUL_COUNT 0x088b1fu

static const char packing_gzip[] = "gzip";
static const char packing_zstd[] = "zstd";

static bool starts_with(const void *data, size_t bytes, const char *magic, size_t length)
{
	return bytes >= length && memcmp(data, magic, length) == 0;
}

const char *kct_packing_of(const void *data, size_t bytes)
{
	/* The third byte is the method: deflate is the only one there is. */
	if (starts_with(data, bytes, "\x1f\x8b\x08", 3))
		return packing_gzip;
	if (starts_with(data, bytes, "\x28\xb5\x2f\xfd", 4))
		return packing_zstd;
	return NULL;
}

bool kct_packing_is_doubtful(const void *data, size_t bytes)
{
	return bytes / sizeof(uint64_t) > DOUBTFUL_COUNT &&
	       starts_with(data, bytes, "\x1f\x8b\x08\0\0\0\0\0", 8);
}

/** Whether there is more than may be. */
static int check_limit(const struct kct_bytes *bytes, uint64_t limit, struct kct_error *error)
{
	if (bytes->n <= limit)
		return 0;
	return kct_fail(error, KCT_ERR_LIMIT, "unpacks to more than %llu bytes: unpack it first",
			(unsigned long long)limit);
}

#if defined(KCT_HAVE_ZLIB) || defined(KCT_HAVE_ZSTD)
/** Room for another step of output. */
static int bytes_grow(struct kct_bytes *bytes, uint64_t limit, struct kct_error *error)
{
	size_t want;
	int result = check_limit(bytes, limit, error);

	if (result < 0)
		return result;
	if (kct_add_overflows(bytes->n, UNPACK_STEP, &want) ||
	    kct_array_reserve(&bytes->data, &bytes->max, want) < 0)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	return 0;
}

/** Where output must end: a byte past the limit tells that there is more. */
static size_t bytes_end(const struct kct_bytes *bytes, uint64_t limit)
{
	return (size_t)kct_min_u64(bytes->max, limit + 1);
}

/** Say what is wrong with the member or frame that starts at `start`. */
static int fail_damaged(const char *packing, const unsigned char *data, size_t start, size_t bytes,
			size_t at, const char *why, struct kct_error *error)
{
	if (start > 0 && !kct_packing_of(data + start, bytes - start))
		return kct_fail_at(error, KCT_ERR_SYNTAX, start,
				   "%s: other data follows the packed data", packing);
	return kct_fail_at(error, KCT_ERR_SYNTAX, at, "%s: %s", packing, why);
}
#endif

#ifdef KCT_HAVE_ZLIB
static void inflate_cleanup(z_stream *stream)
{
	inflateEnd(stream);
}

/** After a member: the start of the next one, or only padding of zeros. */
static bool gzip_ends_at(const unsigned char *data, size_t at, size_t bytes)
{
	while (at < bytes && data[at] == 0)
		at++;
	return at == bytes;
}

/** One call of inflate(): advances `*at` and appends to `out`. Returns zlib's code. */
static int gzip_step(z_stream *stream, const unsigned char *data, size_t *at, size_t bytes,
		     uint64_t limit, struct kct_bytes *out)
{
	/* avail_in is an unsigned int. */
	size_t give = (size_t)kct_min_u64(bytes - *at, UINT_MAX / 2);
	size_t room = (size_t)kct_min_u64(bytes_end(out, limit) - out->n, UINT_MAX / 2);
	int code;

	stream->next_in = (Bytef *)(uintptr_t)(data + *at);
	stream->avail_in = (uInt)give;
	stream->next_out = out->data + out->n;
	stream->avail_out = (uInt)room;
	code = inflate(stream, Z_NO_FLUSH);
	*at += give - stream->avail_in;
	out->n += room - stream->avail_out;
	return code;
}

/** What inflate()'s code says of the data. */
static const char *gzip_damage(const z_stream *stream, int code)
{
	if (code == Z_OK || code == Z_BUF_ERROR)
		return "the data is cut";
	return stream->msg ? stream->msg : "bad stream";
}

static int unpack_gzip(const unsigned char *data, size_t bytes, uint64_t limit,
		       struct kct_bytes *out, struct kct_error *error)
{
	z_stream stream KCT_CLEANUP(inflate_cleanup) = {0};
	size_t at = 0, member = 0;

	/* 15 + 16: the largest window, a gzip header. */
	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	for (;;) {
		int code, result;

		result = bytes_grow(out, limit, error);
		if (result < 0)
			return result;
		code = gzip_step(&stream, data, &at, bytes, limit, out);
		if (code == Z_STREAM_END) {
			if (gzip_ends_at(data, at, bytes))
				return 0;
			if (inflateReset(&stream) != Z_OK)
				return kct_fail_code(error, KCT_ERR_NO_MEMORY);
			member = at;
		} else if (code == Z_MEM_ERROR) {
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		} else if (code != Z_OK || (at == bytes && stream.avail_out != 0)) {
			return fail_damaged(packing_gzip, data, member, bytes, at,
					    gzip_damage(&stream, code), error);
		}
	}
}
#else
static int unpack_gzip(const unsigned char *data, size_t bytes, uint64_t limit,
		       struct kct_bytes *out, struct kct_error *error)
{
	(void)data;
	(void)bytes;
	(void)limit;
	(void)out;
	return kct_fail(error, KCT_ERR_UNSUPPORTED, "this build cannot read gzip");
}
#endif

#ifdef KCT_HAVE_ZSTD
static void zstd_cleanup(ZSTD_DCtx **context)
{
	ZSTD_freeDCtx(*context);
}

static int unpack_zstd(const unsigned char *data, size_t bytes, uint64_t limit,
		       struct kct_bytes *out, struct kct_error *error)
{
	ZSTD_DCtx *context KCT_CLEANUP(zstd_cleanup) = ZSTD_createDCtx();
	ZSTD_inBuffer in = {.src = data};
	ZSTD_outBuffer step = {.size = 1};
	size_t want = FRAME_HEADER_BYTES, start = 0;
	int result;

	if (!context)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	do {
		result = bytes_grow(out, limit, error);
		if (result < 0)
			return result;
		if (want == 0) {
			start = in.pos;
			want = FRAME_HEADER_BYTES;
		}
		/* A step that fails gives nothing, so each gets one block at most. What zstd wants
		 * has the header of the next block with it. */
		if (want > BLOCK_HEADER_BYTES)
			want -= BLOCK_HEADER_BYTES;
		if (step.pos < step.size)
			in.size += (size_t)kct_min_u64(bytes - in.size, want);
		step = (ZSTD_outBuffer){
			.dst = out->data, .size = bytes_end(out, limit), .pos = out->n};
		want = ZSTD_decompressStream(context, &step, &in);
		if (ZSTD_getErrorCode(want) == ZSTD_error_memory_allocation)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		if (ZSTD_isError(want))
			return fail_damaged(packing_zstd, data, start, bytes, in.pos,
					    ZSTD_getErrorName(want), error);
		out->n = step.pos;
		/* 0: a frame is complete and flushed; else more is wanted or still to come. */
	} while (in.pos < bytes || (want != 0 && step.pos == step.size));
	if (want != 0)
		return fail_damaged(packing_zstd, data, start, bytes, in.pos, "the data is cut",
				    error);
	return 0;
}
#else
static int unpack_zstd(const unsigned char *data, size_t bytes, uint64_t limit,
		       struct kct_bytes *out, struct kct_error *error)
{
	(void)data;
	(void)bytes;
	(void)limit;
	(void)out;
	return kct_fail(error, KCT_ERR_UNSUPPORTED, "this build cannot read zstd");
}
#endif

int kct_unpack(const char *packing, const void *data, size_t bytes, uint64_t limit,
	       struct kct_bytes *ret_bytes, struct kct_error *error)
{
	struct kct_bytes out = {0};
	int result;

	if (packing == packing_gzip)
		result = unpack_gzip(data, bytes, limit, &out, error);
	else
		result = unpack_zstd(data, bytes, limit, &out, error);
	if (result >= 0)
		result = check_limit(&out, limit, error);
	if (result == KCT_ERR_SYNTAX && out.n > 0)
		result = 1;
	if (result < 0) {
		free(out.data);
		return result;
	}
	*ret_bytes = out;
	return result;
}
