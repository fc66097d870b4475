/* SPDX-License-Identifier: BSD-2-Clause */
/** @file images.h Opening the images of a session, with the files that belong to them. */
#ifndef CLI_IMAGES_H
#define CLI_IMAGES_H

#include "session.h"

/**
 * Open an image, which the session owns from now on, and look for its debug file. NULL after a
 * message.
 */
struct kct_image *images_open(struct session *session, const char *path);

/** Say what the debug information of an image lacks, and where it was looked for. */
void images_report(struct kct_image *image);

/** Add the modules that the options and the capture name. Returns a status. */
int images_add_modules(struct session *session);

/** Processors that this program may use, for the threads that read images. */
unsigned count_processors(void);

/**
 * Place a module that is looked at alone: where the options say, else its code from 0 on, which a note says.
 * Stores its name, the caller's to free. Returns a status.
 */
int images_place_alone(struct session *session, struct kct_image *image, const char *path,
		       char **ret_name);

#endif
