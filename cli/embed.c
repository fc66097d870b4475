/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "embed.h"
#include "embedded.h"
#include "message.h"
#include "trace.h"

void embed_clear(struct embed *embed)
{
	counter_clear(&embed->pcs);
	counter_clear(&embed->data);
}

static int take(void *context, const struct kct_record *records, size_t n)
{
	struct embed *embed = context;
	uint64_t pcs[2];
	size_t i, k, found;

	for (i = 0; i < n; i++) {
		found = record_pcs(&records[i], pcs);
		for (k = 0; k < found; k++)
			counter_add(&embed->pcs, pcs[k], 1);
		if (records[i].kind == KCT_RECORD_MEMORY)
			counter_add(&embed->data, records[i].memory.addr, 1);
	}
	return STATUS_FINE;
}

int embed_note(struct embed *embed, const struct input *input, const struct options *options,
	       struct session *session)
{
	int status = session_use_slide(session, input->layout.slid);

	if (status == STATUS_FINE)
		trace_read(input, options, TRACE_SILENT, take, embed, NULL);
	return status;
}

/** Write what names depend on and the capture does not say. */
static int write_facts(const struct session *session, const struct embed *embed,
		       struct kct_trace_writer *writer, struct kct_error *error)
{
	const uint8_t *build_id = NULL;
	size_t bytes;
	int r = 0;

	if (!embed->has_kaslr && session->knows_kaslr)
		r = kct_trace_writer_numbers(writer, KCT_META_KASLR, &session->kaslr, 1, error);
	if (session->vmlinux)
		build_id = kct_image_build_id(session->vmlinux, &bytes);
	if (r >= 0 && !embed->has_build_id && build_id)
		r = kct_trace_writer_bytes(writer, KCT_META_BUILD_ID, build_id, bytes, error);
	return r;
}

static int write_images(const struct kct_portable *portable, struct kct_trace_writer *writer,
			struct kct_error *error)
{
	size_t n = kct_portable_images(portable), i, bytes;
	int r = 0;

	for (i = 0; i < n && r >= 0; i++) {
		const void *data = kct_portable_data(portable, i, &bytes);
		char *name;

		if (asprintf(&name, EMBEDDED_PREFIX "%s", kct_portable_name(portable, i)) < 0)
			return KCT_ERR_NO_MEMORY;
		r = kct_trace_writer_bytes(writer, name, data, bytes, error);
		free(name);
	}
	return r;
}

int embed_write(struct embed *embed, struct session *session, struct kct_trace_writer *writer,
		struct kct_error *error)
{
	struct kct_portable_request request = {.size = sizeof(request)};
	struct kct_portable *portable;
	uint64_t *pcs, *data;
	int r;

	pcs = counter_keys(&embed->pcs, &request.n_pcs);
	data = counter_keys(&embed->data, &request.n_data);
	request.pcs = pcs;
	request.data = data;
	request.kind =
		session->options->embed == EMBED_PCS ? KCT_PORTABLE_PCS : KCT_PORTABLE_FUNCTIONS;
	r = kct_portable_new(session->symbolizer, &request, &portable, error);
	free(pcs);
	free(data);
	if (r < 0)
		return r;
	r = write_facts(session, embed, writer, error);
	if (r >= 0)
		r = write_images(portable, writer, error);
	kct_portable_free(portable);
	return r;
}
