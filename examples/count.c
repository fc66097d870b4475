/* SPDX-License-Identifier: BSD-2-Clause */
/* count LAYOUT TRACE: how many records of each kind a trace holds. */
#include <stdio.h>
#include <kcovtrace/kcovtrace.h>

int main(int argc, char **argv)
{
	struct kct_error error = {.text = "usage: count LAYOUT TRACE"};
	size_t counts[KCT_RECORD_KINDS] = {0}, bytes;
	struct kct_layout layout;
	struct kct_file *file = NULL;
	struct kct_decoder *decoder;
	struct kct_record record;
	const void *data;

	if (argc != 3 || kct_layout_parse(argv[1], &layout, &error) < 0 ||
	    kct_file_open(argv[2], &file, &error) < 0 || !(data = kct_file_data(file, &bytes)) ||
	    kct_decoder_new(&layout, data, bytes, 0, &decoder, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		kct_file_free(file);
		return 1;
	}
	while (kct_decoder_next(decoder, &record, NULL) > 0) /* damage is a record, too */
		counts[record.kind]++;
	for (unsigned kind = 0; kind < KCT_RECORD_KINDS; kind++)
		if (counts[kind])
			printf("%-8s %8zu\n", kct_record_kind_name(kind), counts[kind]);
	kct_decoder_free(decoder);
	kct_file_free(file);
	return 0;
}
