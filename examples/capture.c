/* SPDX-License-Identifier: BSD-2-Clause */
/* capture PATH: the coverage points that the kernel passes in a stat() of PATH, one a line. */
#include <stdio.h>
#include <sys/stat.h>
#include <kcovtrace/kcovtrace.h>

int main(int argc, char **argv)
{
	struct kct_error error = {.text = "usage: capture PATH"};
	struct kct_capture *capture = NULL;
	struct kct_capture_area area;
	struct kct_decoder *decoder;
	struct kct_record record;
	struct stat status;

	if (argc != 2 || kct_capture_open(NULL, &capture, &error) < 0 ||
	    kct_capture_enable(capture, KCT_MODE_PC, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		kct_capture_free(capture);
		return 1;
	}
	kct_capture_reset(capture, NULL);
	stat(argv[1], &status);
	kct_capture_view(capture, &area); /* what comes later is not counted in */
	kct_capture_disable(capture, NULL);
	if (kct_decoder_new(area.layout, area.data, area.bytes, 0, &decoder, &error) == 0) {
		while (kct_decoder_next(decoder, &record, NULL) > 0)
			printf("%#llx\n", (unsigned long long)record.pc);
		kct_decoder_free(decoder);
	}
	kct_capture_free(capture);
	return 0;
}
