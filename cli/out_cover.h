/* SPDX-License-Identifier: BSD-2-Clause */
/** @file out_cover.h What `cover` writes, one file a format. */
#ifndef CLI_OUT_COVER_H
#define CLI_OUT_COVER_H

#include <kcovtrace/coverage.h>

#include "json.h"
#include "options.h"

/** A coverage, and with --diff the one it is compared with: of the same points, so that functions, files
 *  and lines have the same numbers in both. */
struct cover {
	const struct options *options;
	struct output *out;
	struct kct_coverage *coverage;
	struct kct_coverage *other; /**< NULL: none */
};

/** Each returns an enum status. */
int cover_text(const struct cover *cover);
int cover_text_diff(const struct cover *cover);
int cover_json(const struct cover *cover);
int cover_json_diff(const struct cover *cover);
int cover_lcov(const struct cover *cover);
int cover_sancov(const struct cover *cover);
int cover_drcov(const struct cover *cover);
int cover_pcs(const struct cover *cover);
int cover_html(const struct cover *cover);

/** Which side covers something that both sides know. */
enum cover_side { SIDE_NONE, SIDE_HERE, SIDE_THERE, SIDE_BOTH };

static inline enum cover_side cover_side(bool here, bool there)
{
	return (here ? SIDE_HERE : SIDE_NONE) + (there ? SIDE_THERE : SIDE_NONE);
}

/** Whether a line counts as covered. */
static inline bool line_is_covered(const struct kct_coverage_line *line)
{
	return line->state == KCT_STATE_HIT || line->state == KCT_STATE_IMPLIED;
}

/** Whether it is known of a line whether it ran. */
static inline bool line_is_known(const struct kct_coverage_line *line)
{
	return line->state != KCT_STATE_UNKNOWN;
}

/** Lines that are covered, and lines of which it is known, of the numbers of lines in each state. */
static inline uint64_t lines_covered(const uint32_t states[KCT_STATES])
{
	return (uint64_t)states[KCT_STATE_HIT] + states[KCT_STATE_IMPLIED];
}

static inline uint64_t lines_known(const uint32_t states[KCT_STATES])
{
	return lines_covered(states) + states[KCT_STATE_NOT_REACHED];
}

/** A path that must stay one line of a text file: control characters are none of it. */
bool cover_path_is_plain(const char *path);

/** A part in tenths of a percent, rounded down, so that 100.0 means all. */
static inline unsigned cover_permille(uint64_t part, uint64_t all)
{
	return all ? (unsigned)((double)part * 1000 / (double)all) : 0;
}

#endif
