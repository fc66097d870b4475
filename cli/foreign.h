/* SPDX-License-Identifier: BSD-2-Clause */
/** @file foreign.h Recognising files that are no KCOV traces. */
#ifndef CLI_FOREIGN_H
#define CLI_FOREIGN_H

#include "util.h"

struct foreign_format {
	const char *name;
	const char *what;   /**< what the file is */
	const char *reader; /**< what reads it */
};

/** The foreign format that the bytes begin with; NULL if none is known. */
const struct foreign_format *foreign_format(const void *data, size_t bytes);

#endif
