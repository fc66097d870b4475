/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of somebody else: decodes an area and makes a symbolizer, so that all layers link. */
#include <stdio.h>
#include <string.h>

#include <kcovtrace/kcovtrace.h>

/* count, NORMAL */
static const uint64_t area[] = {1, 0xffffffff81000010};

int main(int argc, char **argv)
{
	struct kct_layout layout;
	struct kct_decoder *decoder;
	struct kct_symbolizer *symbolizer;
	struct kct_record record;

	if (argc != 2 || strcmp(argv[1], kct_version()) != 0 || strcmp(argv[1], KCT_VERSION) != 0) {
		fprintf(stderr, "headers %s, library %s\n", KCT_VERSION, kct_version());
		return 1;
	}
	if (kct_layout_preset("linux-ext", &layout) < 0)
		return 2;
	if (kct_decoder_new(&layout, area, sizeof(area), 0, &decoder, NULL) < 0)
		return 3;
	if (kct_decoder_next(decoder, &record, NULL) != 1 || record.kind != KCT_RECORD_PC)
		return 4;
	kct_decoder_free(decoder);
	if (kct_symbolizer_new(&symbolizer) < 0)
		return 5;
	kct_symbolizer_free(symbolizer);
	return 0;
}
