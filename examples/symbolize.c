/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize MODULE.ko TEXT_ADDRESS PC...: function, file and line, with what is inlined. */
#include <stdio.h>
#include <string.h>

#include <kcovtrace/kcovtrace.h>

static void print_symbol(const struct kct_symbol *symbol)
{
	printf("%#llx", (unsigned long long)symbol->pc);
	if (symbol->reason != KCT_SYMBOL_NONE)
		printf("  %s", kct_symbol_reason_text(symbol->reason));
	for (uint32_t i = 0; i < symbol->n_frames; i++) {
		const struct kct_symbol_frame *frame = &symbol->frames[i];

		printf("  %s %s:%u", frame->function ? frame->function : "?",
		       frame->file ? frame->file : "?", frame->line);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct kct_image *image;
	struct kct_symbolizer *symbolizer;
	struct kct_error error = {.text = "usage: symbolize MODULE.ko TEXT_ADDRESS PC..."};
	const struct kct_symbol *symbol;
	uint64_t text, pc;

	if (argc < 4 || kct_parse_address(argv[2], strlen(argv[2]), &text) < 0 ||
	    kct_image_open(argv[1], &image, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (kct_image_set_section(image, ".text", text) < 0 ||
	    kct_symbolizer_new(&symbolizer) < 0 ||
	    kct_symbolizer_add_image(symbolizer, image, "module", &error) < 0)
		return 1;
	for (int i = 3; i < argc; i++) {
		if (kct_parse_address(argv[i], strlen(argv[i]), &pc) < 0 ||
		    kct_symbolizer_lookup(symbolizer, pc, KCT_PC_RETURN, &symbol, &error) < 0)
			return 1;
		print_symbol(symbol);
	}
	kct_symbolizer_free(symbolizer);
	kct_image_free(image);
	return 0;
}
