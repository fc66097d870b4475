/* SPDX-License-Identifier: BSD-2-Clause */
/* tree TRACE KALLSYMS: the calls of an EXT trace, one a line. */
#include <stdio.h>

#include <kcovtrace/kcovtrace.h>

static int fail(const char *what, const struct kct_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->text);
	return 1;
}

int main(int argc, char **argv)
{
	struct kct_layout layout;
	struct kct_file *trace, *names;
	struct kct_kallsyms *kallsyms;
	struct kct_symbolizer *symbolizer;
	struct kct_decoder *decoder;
	struct kct_stack *stack;
	struct kct_record record;
	struct kct_step step;
	const struct kct_symbol *symbol;
	struct kct_error error;
	const void *data, *text;
	size_t bytes, length, depth, calls = 0;
	int more;

	if (argc != 3) {
		fprintf(stderr, "usage: tree TRACE KALLSYMS\n");
		return 2;
	}
	if (kct_file_open(argv[1], &trace, &error) < 0)
		return fail(argv[1], &error);
	if (kct_file_open(argv[2], &names, &error) < 0)
		return fail(argv[2], &error);
	data = kct_file_data(trace, &bytes);
	text = kct_file_data(names, &length);
	if (kct_kallsyms_parse(text, length, &kallsyms, &error) < 0)
		return fail(argv[2], &error);
	if (kct_layout_preset("linux-ext", &layout) < 0 ||
	    kct_decoder_new(&layout, data, bytes, 0, &decoder, &error) < 0)
		return fail(argv[1], &error);
	/* All that is left to fail is memory. */
	if (kct_symbolizer_new(&symbolizer) < 0 ||
	    kct_symbolizer_add_kallsyms(symbolizer, kallsyms) < 0 ||
	    kct_stack_new(NULL, &stack) < 0)
		return 1;
	while ((more = kct_decoder_next(decoder, &record, &error)) > 0) {
		if (kct_stack_step(stack, &record, &step) < 0 || !step.pushed)
			continue;
		if (kct_symbolizer_lookup(symbolizer, record.pc, KCT_PC_RETURN, &symbol, &error) <
		    0)
			return fail("symbols", &error);
		kct_stack_frames(stack, &depth);
		calls++;
		printf("%*s%s\n", (int)depth * 2 - 2, "",
		       symbol->function ? symbol->function : "?");
	}
	kct_stack_free(stack);
	kct_decoder_free(decoder);
	kct_symbolizer_free(symbolizer);
	kct_kallsyms_free(kallsyms);
	kct_file_free(names);
	kct_file_free(trace);
	if (more < 0)
		return fail(argv[1], &error);
	if (!calls)
		fprintf(stderr, "%s: no calls: is it an EXT trace?\n", argv[1]);
	return !calls;
}
