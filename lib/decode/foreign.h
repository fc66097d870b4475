/* SPDX-License-Identifier: BSD-2-Clause */
/** @file foreign.h Naming files that are no raw area, for messages. */
#ifndef KCT_DECODE_FOREIGN_H
#define KCT_DECODE_FOREIGN_H

#include <stddef.h>

/** What data that is no raw area looks like, such as `an ELF file`; NULL when it could be anything.
 *  Static. */
const char *kct_foreign_name(const void *data, size_t bytes);

#endif
