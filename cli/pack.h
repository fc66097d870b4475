/* SPDX-License-Identifier: BSD-2-Clause */
/** @file pack.h Text compressed and written in Base64, as it comes. */
#ifndef CLI_PACK_H
#define CLI_PACK_H

#include "output.h"

struct pack;

/** What the bytes are under the Base64: "deflate" (RFC 1950), or "plain" in a build without zlib. */
const char *pack_form(void);

/** Begin. What is written to `ret_from` comes out of `to`. */
struct pack *pack_open(struct output *to, struct output **ret_from);

/** Write the rest. */
void pack_close(struct pack *pack);

#endif
