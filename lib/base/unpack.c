/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <string.h>

#ifdef KCT_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef KCT_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef KCT_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/array.h"
#include "base/fail.h"
#include "base/unpack.h"

#define UNPACK_STEP ((size_t)1 << 16)

/* Of zstd: the shortest start of a frame that says how it goes on; what starts a block. */
#define FRAME_HEADER_BYTES 5u
#define BLOCK_HEADER_BYTES 3u

/* A gzip header without name and time, read as a little-endian word. */
#define DOUBTFUL_COUNT 0x088b1fu

/* A decoder of xz may want the memory of its largest window; `xz -9` needs 65 MiB. */
#define XZ_MEMORY_LIMIT ((uint64_t)256 << 20)

const char kct_packing_gzip[] = "gzip";
const char kct_packing_zlib[] = "zlib";
const char kct_packing_zstd[] = "zstd";
const char kct_packing_xz[] = "xz";

static bool starts_with(const void *data, size_t bytes, const char *magic, size_t length)
{
	return bytes >= length && memcmp(data, magic, length) == 0;
}

const char *kct_packing_of(const void *data, size_t bytes)
{
	/* The third byte is the method: deflate is the only one there is. */
	if (starts_with(data, bytes, "\x1f\x8b\x08", 3))
		return kct_packing_gzip;
	if (starts_with(data, bytes, "\x28\xb5\x2f\xfd", 4))
		return kct_packing_zstd;
	if (starts_with(data, bytes,
			"\xfd"
			"7zXZ\0",
			6))
		return kct_packing_xz;
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

#if defined(KCT_HAVE_ZLIB) || defined(KCT_HAVE_ZSTD) || defined(KCT_HAVE_LZMA)
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

#if defined(KCT_HAVE_ZLIB) || defined(KCT_HAVE_LZMA)
/** Step over the padding of zeros that may follow a member. */
static size_t skip_zeros(const unsigned char *data, size_t at, size_t bytes)
{
	while (at < bytes && data[at] == 0)
		at++;
	return at;
}
#endif

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

/** `window`: the largest window, and what zlib adds to it for a gzip header. */
static int unpack_deflate(const char *packing, int window, const unsigned char *data, size_t bytes,
			  uint64_t limit, struct kct_bytes *out, struct kct_error *error)
{
	z_stream stream KCT_CLEANUP(inflate_cleanup) = {0};
	size_t at = 0, member = 0;

	if (inflateInit2(&stream, window) != Z_OK)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	for (;;) {
		int code, result;

		result = bytes_grow(out, limit, error);
		if (result < 0)
			return result;
		code = gzip_step(&stream, data, &at, bytes, limit, out);
		if (code == Z_STREAM_END) {
			if (skip_zeros(data, at, bytes) == bytes)
				return 0;
			if (inflateReset(&stream) != Z_OK)
				return kct_fail_code(error, KCT_ERR_NO_MEMORY);
			member = at;
		} else if (code == Z_MEM_ERROR) {
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		} else if (code != Z_OK || (at == bytes && stream.avail_out != 0)) {
			return fail_damaged(packing, data, member, bytes, at,
					    gzip_damage(&stream, code), error);
		}
	}
}

static int unpack_gzip(const unsigned char *data, size_t bytes, uint64_t limit,
		       struct kct_bytes *out, struct kct_error *error)
{
	return unpack_deflate(kct_packing_gzip, 15 + 16, data, bytes, limit, out, error);
}

static int unpack_zlib(const unsigned char *data, size_t bytes, uint64_t limit,
		       struct kct_bytes *out, struct kct_error *error)
{
	return unpack_deflate(kct_packing_zlib, 15, data, bytes, limit, out, error);
}
#else
#define unpack_gzip NULL
#define unpack_zlib NULL
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
			return fail_damaged(kct_packing_zstd, data, start, bytes, in.pos,
					    ZSTD_getErrorName(want), error);
		out->n = step.pos;
		/* 0: a frame is complete and flushed; else more is wanted or still to come. */
	} while (in.pos < bytes || (want != 0 && step.pos == step.size));
	if (want != 0)
		return fail_damaged(kct_packing_zstd, data, start, bytes, in.pos, "the data is cut",
				    error);
	return 0;
}
#else
#define unpack_zstd NULL
#endif

#ifdef KCT_HAVE_LZMA
static void lzma_cleanup(lzma_stream *stream)
{
	lzma_end(stream);
}

static const char *xz_damage(lzma_ret code)
{
	switch (code) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return "the data is cut";
	case LZMA_FORMAT_ERROR:
		return "not a stream";
	case LZMA_OPTIONS_ERROR:
		return "made with options that this liblzma does not know";
	default:
		return "the data is damaged";
	}
}

/** Unpack the stream at `*at`, which ends behind it. */
static int unpack_xz_stream(lzma_stream *stream, const unsigned char *data, size_t *at,
			    size_t bytes, uint64_t limit, struct kct_bytes *out,
			    struct kct_error *error)
{
	size_t start = *at;

	stream->next_in = data + start;
	stream->avail_in = bytes - start;
	for (;;) {
		lzma_ret code;
		size_t room;
		int result = bytes_grow(out, limit, error);

		if (result < 0)
			return result;
		room = bytes_end(out, limit) - out->n;
		stream->next_out = out->data + out->n;
		stream->avail_out = room;
		code = lzma_code(stream, LZMA_RUN);
		out->n += room - stream->avail_out;
		*at = bytes - stream->avail_in;
		if (code == LZMA_STREAM_END)
			return 0;
		if (code == LZMA_MEM_ERROR)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		if (code == LZMA_MEMLIMIT_ERROR)
			return kct_fail(error, KCT_ERR_LIMIT,
					"xz: needs more than %llu bytes of memory: unpack it first",
					(unsigned long long)XZ_MEMORY_LIMIT);
		if (code != LZMA_OK || (stream->avail_in == 0 && stream->avail_out != 0))
			return fail_damaged(kct_packing_xz, data, start, bytes, *at,
					    xz_damage(code), error);
	}
}

static int unpack_xz(const unsigned char *data, size_t bytes, uint64_t limit, struct kct_bytes *out,
		     struct kct_error *error)
{
	lzma_stream stream KCT_CLEANUP(lzma_cleanup) = LZMA_STREAM_INIT;
	size_t at = 0;
	int result;

	do {
		if (lzma_stream_decoder(&stream, XZ_MEMORY_LIMIT, 0) != LZMA_OK)
			return kct_fail_code(error, KCT_ERR_NO_MEMORY);
		result = unpack_xz_stream(&stream, data, &at, bytes, limit, out, error);
		if (result < 0)
			return result;
		at = skip_zeros(data, at, bytes);
	} while (at < bytes);
	return 0;
}
#else
#define unpack_xz NULL
#endif

typedef int unpack_function(const unsigned char *data, size_t bytes, uint64_t limit,
			    struct kct_bytes *out, struct kct_error *error);

static unpack_function *function_of(const char *packing)
{
	static const struct {
		const char *packing;
		unpack_function *function; /* NULL: the build lacks the library */
	} rows[] = {
		{kct_packing_gzip, unpack_gzip},
		{kct_packing_zlib, unpack_zlib},
		{kct_packing_zstd, unpack_zstd},
		{kct_packing_xz, unpack_xz},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].packing == packing)
			return rows[i].function;
	}
	return NULL;
}

int kct_unpack(const char *packing, const void *data, size_t bytes, uint64_t limit,
	       struct kct_bytes *to, struct kct_error *error)
{
	unpack_function *function = function_of(packing);
	size_t before = to->n;
	uint64_t end;
	int result;

	if (!function)
		return kct_fail(error, KCT_ERR_UNSUPPORTED, "this build cannot read %s", packing);
	if (__builtin_add_overflow(limit, before, &end))
		end = UINT64_MAX - 1;
	result = function(data, bytes, end, to, error);
	if (result >= 0)
		result = check_limit(to, end, error);
	if (result == KCT_ERR_SYNTAX && to->n > before)
		return 1;
	if (result < 0)
		to->n = before;
	return result;
}
