/* SPDX-License-Identifier: BSD-2-Clause */
/* tree TRACE KALLSYMS: the calls of an EXT trace, one a line. */
#include <stdio.h>

#include <kcovtrace/kcovtrace.h>

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
	const void *data, *text;
	size_t bytes, length, depth;

	if (argc != 3 || kct_layout_preset("linux-ext", &layout) < 0 ||
	    kct_file_open(argv[1], &trace, NULL) < 0 || kct_file_open(argv[2], &names, NULL) < 0)
		return 1;
	data = kct_file_data(trace, &bytes);
	text = kct_file_data(names, &length);
	if (kct_kallsyms_parse(text, length, &kallsyms, NULL) < 0 ||
	    kct_symbolizer_new(&symbolizer) < 0 ||
	    kct_symbolizer_add_kallsyms(symbolizer, kallsyms) < 0 ||
	    kct_decoder_new(&layout, data, bytes, 0, &decoder, NULL) < 0 ||
	    kct_stack_new(NULL, &stack) < 0)
		return 1;
	while (kct_decoder_next(decoder, &record, NULL) > 0) {
		if (kct_stack_step(stack, &record, &step) < 0 || !step.pushed)
			continue;
		if (kct_symbolizer_lookup(symbolizer, record.pc, KCT_PC_RETURN, &symbol, NULL) < 0)
			return 1;
		kct_stack_frames(stack, &depth);
		printf("%*s%s\n", (int)depth * 2 - 2, "",
		       symbol->function ? symbol->function : "?");
	}
	kct_stack_free(stack);
	kct_decoder_free(decoder);
	kct_symbolizer_free(symbolizer);
	kct_kallsyms_free(kallsyms);
	kct_file_free(names);
	kct_file_free(trace);
	return 0;
}
