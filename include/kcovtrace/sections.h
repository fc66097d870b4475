/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sections.h
 * Where stacks start anew in an area of remote coverage, or in traces put one behind the other.
 *
 * Nothing in the area says so (docs/formats.md, Remote coverage), so this is a guess, for who knows that
 * the area is of that kind. A record that does not go on where the stack is begins a section if no frame
 * that was open then is ever heard of again: such a record is an ENTRY from a function that is not open,
 * an EXIT or a PC of one that is not on top, or what follows a record that was cut. Code that is not
 * traced but calls or is called in the middle looks the same, so that functions from which a stack was seen to
 * go on do not count. Functions are needed for this, and decoders should have KCT_DECODE_SECTIONS.
 */
#ifndef KCOVTRACE_SECTIONS_H
#define KCOVTRACE_SECTIONS_H

#include <kcovtrace/stack.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kct_sections;

/** Begin to look for sections. KCT_ERR_ARGUMENT without a function source. */
KCT_API int kct_sections_new(const struct kct_function_source *functions,
			     struct kct_sections **ret_sections);

/** Free it; NULL is fine. */
KCT_API void kct_sections_free(struct kct_sections *sections);

/** Feed the records of an area in order, without KCT_DECODE_PC_RUNS, which hides PCs. Errors as
 *  kct_stack_feed(). */
KCT_API int kct_sections_feed(struct kct_sections *sections, const struct kct_record *records,
			      size_t n);

/**
 * Word indexes of the records that begin a section, by all that was fed: ascending, without the first
 * section and those that begin while no frame is open. For kct_stack_options.sections. Owned by
 * the sections, valid until the next change. KCT_ERR_NO_MEMORY.
 */
KCT_API int kct_sections_starts(struct kct_sections *sections, const uint64_t **ret_starts,
				size_t *ret_n);

#ifdef __cplusplus
}
#endif
#endif
