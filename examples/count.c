/* SPDX-License-Identifier: BSD-2-Clause */
/* count LAYOUT TRACE: how many records of each kind a trace holds. */
#include <inttypes.h>
#include <stdio.h>

#include <kcovtrace/kcovtrace.h>

int main(int argc, char **argv)
{
	uint64_t counts[KCT_RECORD_KINDS] = {0};
	struct kct_layout layout;
	struct kct_file *file;
	struct kct_decoder *decoder;
	struct kct_record record;
	struct kct_error error = {.text = "usage: count LAYOUT TRACE"};
	const void *data;
	size_t bytes;

	if (argc != 3 || kct_layout_parse(argv[1], &layout, &error) < 0 ||
	    kct_file_open(argv[2], &file, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	data = kct_file_data(file, &bytes);
	if (kct_decoder_new(&layout, data, bytes, 0, &decoder, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	/* Damage is a record too, of kind LOST: without KCT_DECODE_STRICT nothing fails. */
	while (kct_decoder_next(decoder, &record, NULL) > 0)
		counts[record.kind]++;
	for (unsigned kind = 0; kind < KCT_RECORD_KINDS; kind++)
		if (counts[kind])
			printf("%-8s %8" PRIu64 "\n", kct_record_kind_name(kind), counts[kind]);
	kct_decoder_free(decoder);
	kct_file_free(file);
	return 0;
}
