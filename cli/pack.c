/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef KCT_HAVE_ZLIB
#include <zlib.h>
#endif

#include "message.h"
#include "pack.h"

struct pack {
	struct output *to;
#ifdef KCT_HAVE_ZLIB
	z_stream stream;
#endif
	unsigned char rest[3]; /* not a whole group of Base64 yet */
	size_t n_rest;
	struct output from;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A group of 1 to 3 bytes. */
static void put_group(struct output *out, const unsigned char group[3], size_t n)
{
	unsigned bits = (unsigned)group[0] << 16 | (unsigned)group[1] << 8 | group[2];

	output_char(out, digits[bits >> 18]);
	output_char(out, digits[bits >> 12 & 63]);
	output_char(out, n > 1 ? digits[bits >> 6 & 63] : '=');
	output_char(out, n > 2 ? digits[bits & 63] : '=');
}

static void put_base64(struct pack *pack, const unsigned char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pack->rest[pack->n_rest++] = bytes[i];
		if (pack->n_rest == 3) {
			put_group(pack->to, pack->rest, 3);
			pack->n_rest = 0;
		}
	}
}

#ifdef KCT_HAVE_ZLIB
const char *pack_form(void)
{
	return "deflate";
}

static void deflate_bytes(struct pack *pack, const void *bytes, size_t n, int flush)
{
	unsigned char packed[4096];

	pack->stream.next_in = (unsigned char *)(uintptr_t)bytes; /* which it only reads */
	pack->stream.avail_in = (unsigned)n;
	do {
		pack->stream.next_out = packed;
		pack->stream.avail_out = sizeof(packed);
		if (deflate(&pack->stream, flush) == Z_STREAM_ERROR)
			return;
		put_base64(pack, packed, sizeof(packed) - pack->stream.avail_out);
	} while (pack->stream.avail_out == 0);
}

static void take_bytes(void *context, const void *bytes, size_t n)
{
	deflate_bytes(context, bytes, n, Z_NO_FLUSH);
}

static void begin(struct pack *pack)
{
	if (deflateInit(&pack->stream, Z_BEST_COMPRESSION) != Z_OK) {
		failure("%s: %s", pack->to->path, kct_strerror(KCT_ERR_NO_MEMORY));
		exit(STATUS_PARTLY);
	}
}

static void end(struct pack *pack)
{
	deflate_bytes(pack, "", 0, Z_FINISH);
	deflateEnd(&pack->stream);
}
#else
const char *pack_form(void)
{
	return "plain";
}

static void take_bytes(void *context, const void *bytes, size_t n)
{
	put_base64(context, bytes, n);
}

static void begin(struct pack *pack)
{
	(void)pack;
}

static void end(struct pack *pack)
{
	(void)pack;
}
#endif

struct pack *pack_open(struct output *to, struct output **ret_from)
{
	struct pack *pack = zeroed(struct pack, 1);

	pack->to = to;
	begin(pack);
	output_open_sink(&pack->from, take_bytes, pack);
	*ret_from = &pack->from;
	return pack;
}

void pack_close(struct pack *pack)
{
	output_flush(&pack->from);
	end(pack);
	if (pack->n_rest) {
		memset(pack->rest + pack->n_rest, 0, sizeof(pack->rest) - pack->n_rest);
		put_group(pack->to, pack->rest, pack->n_rest);
	}
	free(pack);
}
