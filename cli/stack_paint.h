/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stack_paint.h
 * From the frames of a stack to what is shown of them: names, places, and the
 * functions inlined there.
 */
#ifndef CLI_STACK_PAINT_H
#define CLI_STACK_PAINT_H

#include "filter.h"
#include "session.h"

/** A frame of a stack. */
struct plain_frame {
	uint64_t pc;	   /**< of its ENTRY; 0: untraced */
	uint64_t location; /**< where it is: a call site, or the PC of a record; 0 unknown */
	uint32_t sibling;
};

/** What is shown of a frame, or of a function inlined into it. */
struct shown_frame {
	const char *name; /**< owned by the stack */
	size_t name_at;	  /**< where the name begins in the stack's text */
	const char *file; /**< NULL unknown */
	uint32_t line;	  /**< 0 unknown */
	uint64_t pc;	  /**< of the ENTRY; of the location for inlined functions */
	uint32_t sibling;
	bool inlined;  /**< into the frame before */
	bool untraced; /**< called from the frame before, without an ENTRY */
};

/** A stack as it is shown, outermost first. All zero is empty; memory is kept for the next one. */
struct shown_stack {
	struct shown_frame *frames;
	size_t n, max;
	char *text; /**< the names, each with its NUL */
	size_t text_length, max_text;
};

struct painter {
	const struct options *options;
	struct session *session;
	struct filter *filter;
};

/** Show `n` frames, outermost first. `leaf`: the last location is the PC of a record. */
void paint_stack(const struct painter *painter, const struct plain_frame *frames, size_t n,
		 bool leaf, struct shown_stack *stack);

/** Show an address alone, with its function and those inlined there. */
void paint_address(const struct painter *painter, uint64_t pc, struct shown_stack *stack);

/** Show `[outside]`: no frame at all. */
void paint_outside(const struct painter *painter, struct shown_stack *stack);

void shown_stack_clear(struct shown_stack *stack);

#endif
