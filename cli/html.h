/* SPDX-License-Identifier: BSD-2-Clause */
/** @file html.h The parts of the page in html/, put into the program when it is built. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include <stddef.h>

struct html_part {
	const char *text;
	size_t bytes;
};

extern const struct html_part html_page;   /**< page.html: `@NAME@` stands for what is put in */
extern const struct html_part html_style;  /**< page.css */
extern const struct html_part html_script; /**< page.js */

#endif
