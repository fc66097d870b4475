/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "call_view.h"
#include "stack_paint.h"
#include "text.h"

static void start(struct shown_stack *stack)
{
	stack->n = 0;
	stack->text_length = 0;
}

/** Add a frame with its name, and _[i] behind that if it is marked. */
static struct shown_frame *push(const struct painter *painter, struct shown_stack *stack,
				const char *name, bool marked)
{
	const char *mark = marked ? "_[i]" : "";
	size_t length = strlen(name), need = stack->text_length + length + strlen(mark) + 1;
	char *to;

	if (need > stack->max_text) {
		stack->max_text = need * 2;
		stack->text = grow_bytes(stack->text, stack->max_text, 1);
	}
	to = stack->text + stack->text_length;
	memcpy(to, name, length);
	/* A reader of folded stacks splits at these. */
	for (size_t i = 0; painter->options->format == FORMAT_FOLDED && i < length; i++) {
		if (to[i] == ';' || (to[i] > 0 && to[i] <= ' ') || to[i] == 0x7f)
			to[i] = '_';
	}
	memcpy(to + length, mark, strlen(mark) + 1);
	grow(&stack->frames, stack->n, &stack->max);
	stack->frames[stack->n] = (struct shown_frame){.name_at = stack->text_length};
	stack->text_length = need;
	return &stack->frames[stack->n++];
}

/** The names are known by their places until the text no longer moves. */
static void settle(struct shown_stack *stack)
{
	size_t i;

	for (i = 0; i < stack->n; i++)
		stack->frames[i].name = stack->text + stack->frames[i].name_at;
}

/** The functions inlined at a location, outermost first, without the machine function itself. */
static void push_inlined(const struct painter *painter, struct shown_stack *stack,
			 const struct kct_symbol *symbol, uint64_t location)
{
	uint32_t i = symbol->n_frames ? symbol->n_frames - 1 : 0;

	while (!painter->options->no_inlines && i--) {
		const struct kct_symbol_frame *inlined = &symbol->frames[i];
		const char *name = inlined->function ? inlined->function : "[unknown]";
		struct shown_frame *frame;

		if (filter_hides(painter->filter, name, symbol->module))
			continue;
		frame = push(painter, stack, name, painter->options->mark_inlines);
		frame->file = inlined->file;
		frame->line = inlined->line;
		frame->pc = location;
		frame->inlined = true;
	}
}

/** The function of a symbol at a location in it, with what is inlined there. */
static struct shown_frame *push_function(const struct painter *painter, struct shown_stack *stack,
					 uint64_t pc, const struct kct_symbol *symbol)
{
	const struct kct_symbol_frame *outer = text_outer(symbol);
	char name[NAME_MAX_BYTES];
	struct shown_frame *frame = push(painter, stack, text_name(name, pc, symbol), false);

	frame->pc = pc;
	if (outer) {
		frame->file = outer->file;
		frame->line = outer->line;
	}
	return frame;
}

static void push_frame(const struct painter *painter, struct shown_stack *stack,
		       const struct plain_frame *plain)
{
	const struct kct_symbol *entry = session_lookup(painter->session, plain->pc), *here;
	struct shown_frame *frame;

	if (!plain->pc) {
		push(painter, stack, "<untraced>", false);
		return;
	}
	here = plain->location ? session_lookup(painter->session, plain->location) : NULL;
	/* Called on through code that is not traced: where in this function is not known. */
	if (!same_function(entry, here)) {
		frame = push_function(painter, stack, plain->pc, entry);
		frame->sibling = plain->sibling;
		return;
	}
	frame = push_function(painter, stack, plain->pc, here);
	frame->sibling = plain->sibling;
	push_inlined(painter, stack, here, plain->location);
}

/** A memory access in a function that is not traced but was called from the last frame. */
static void push_untraced_leaf(const struct painter *painter, struct shown_stack *stack,
			       const struct plain_frame *last)
{
	const struct kct_symbol *entry, *here;

	if (!last->location)
		return;
	entry = session_lookup(painter->session, last->pc);
	here = session_lookup(painter->session, last->location);
	if (!entry || !entry->identity || !here || !here->identity || same_function(entry, here))
		return;
	if (!(filter_judge(painter->filter, last->location, here) & VERDICT_HIDDEN))
		push_function(painter, stack, last->location, here)->untraced = true;
	push_inlined(painter, stack, here, last->location);
}

void paint_stack(const struct painter *painter, const struct plain_frame *frames, size_t n,
		 bool leaf, struct shown_stack *stack)
{
	uint64_t limit = painter->options->depth;
	size_t i;

	start(stack);
	for (i = 0; i < n; i++)
		push_frame(painter, stack, &frames[i]);
	if (n && leaf && (!limit || n < limit))
		push_untraced_leaf(painter, stack, &frames[n - 1]);
	settle(stack);
}

void paint_address(const struct painter *painter, uint64_t pc, struct shown_stack *stack)
{
	const struct kct_symbol *symbol = session_lookup(painter->session, pc);

	start(stack);
	push_function(painter, stack, pc, symbol);
	if (symbol)
		push_inlined(painter, stack, symbol, pc);
	settle(stack);
}

void paint_outside(const struct painter *painter, struct shown_stack *stack)
{
	start(stack);
	push(painter, stack, "[outside]", false);
	settle(stack);
}

void shown_stack_clear(struct shown_stack *stack)
{
	free(stack->frames);
	free(stack->text);
	*stack = (struct shown_stack){0};
}
