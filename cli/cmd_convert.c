/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>

#include "commands.h"
#include "each_input.h"
#include "message.h"
#include "trace.h"
#include "xen.h"

#define TOOL "kcovtrace " KCT_VERSION

/** What all inputs go into. */
struct convert {
	const struct options *options;
	struct output *out;
	struct kct_trace_writer *raw_writer; /* of inputs that are no .kct; NULL: none yet */
	/* One a capture of one `.kct` file, so that each keeps its metadata. */
	struct kct_trace_writer **writers;
	size_t n_writers, file_number;
	size_t areas; /* --to raw: that were found */
};

static int begin_writer(struct convert *convert, uint64_t id, const char *tool,
			struct kct_trace_writer **ret_writer)
{
	struct kct_trace_writer_options options = {
		.size = sizeof(options), .capture_id = id, .tool = tool};
	struct kct_error error;

	if (kct_trace_writer_new(convert->out->fd, &options, ret_writer, &error) < 0)
		return output_failed(convert->out, &error);
	return STATUS_FINE;
}

/** Write an item of metadata again, in this machine's byte order. */
static int copy_meta(struct convert *convert, struct kct_trace_writer *writer,
		     const struct kct_meta *meta)
{
	struct kct_error error;
	uint64_t *numbers;
	size_t n = 0;
	int r = 0;

	switch (meta->type) {
	case KCT_META_TEXT:
		r = kct_trace_writer_text(writer, meta->name, meta->data, &error);
		break;
	case KCT_META_BYTES:
		r = kct_trace_writer_bytes(writer, meta->name, meta->data, meta->bytes, &error);
		break;
	case KCT_META_NUMBERS:
		numbers = zeroed(uint64_t, meta->bytes / sizeof(*numbers));
		while (kct_meta_number(meta, n, &numbers[n]) >= 0 &&
		       ++n < meta->bytes / sizeof(*numbers))
			;
		r = kct_trace_writer_numbers(writer, meta->name, numbers, n, &error);
		free(numbers);
		break;
	default:
		note("metadata '%s' of a later version is left out", meta->name);
	}
	return r < 0 ? output_failed(convert->out, &error) : STATUS_FINE;
}

/** The writer of a capture, with its metadata but for the tool, which is told when it begins. */
static int begin_capture(struct convert *convert, const struct kct_tracefile *file,
			 uint32_t capture)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	struct kct_trace_writer **writer = &convert->writers[capture];
	const char *tool = TOOL;
	int status;
	size_t i;

	if (kct_tracefile_find_meta(file, capture, KCT_META_TOOL, KCT_META_TEXT, &meta) >= 0)
		tool = meta.data;
	status = begin_writer(convert, kct_tracefile_capture_id(file, capture), tool, writer);
	for (i = 0; *writer && !output_dead(convert->out) && i < kct_tracefile_metas(file); i++) {
		kct_tracefile_meta(file, i, &meta);
		if (meta.capture == capture && strcmp(meta.name, KCT_META_TOOL) != 0)
			status = worst(status, copy_meta(convert, *writer, &meta));
	}
	return status;
}

static void end_captures(struct convert *convert)
{
	size_t i;

	for (i = 0; i < convert->n_writers; i++)
		kct_trace_writer_free(convert->writers[i]);
	free(convert->writers);
	convert->writers = NULL;
	convert->n_writers = 0;
}

/** What is known of an input that is no `.kct`. */
static struct kct_trace_segment segment_of(const struct input *input)
{
	struct kct_trace_segment segment = {
		.size = sizeof(segment),
		.layout = input->layout,
		.data = input->data,
		.bytes = input->bytes,
	};
	struct kct_geometry geometry;
	struct kct_decoder *decoder;

	if (kct_decoder_new(&input->layout, input->data, input->bytes, 0, &decoder, NULL) < 0)
		return segment;
	kct_decoder_geometry(decoder, &geometry);
	kct_decoder_free(decoder);
	segment.overflow = geometry.overflow;
	if (geometry.overflow != KCT_OVERFLOW_UNKNOWN)
		segment.fields |= KCT_SEGMENT_OVERFLOW;
	return segment;
}

static int write_segment(struct convert *convert, struct kct_trace_writer *writer,
			 const struct input *input, const struct kct_trace_segment *segment)
{
	struct kct_error error;
	int r = kct_trace_writer_segment(writer, segment, &error);

	if (r == KCT_ERR_IO)
		return output_failed(convert->out, &error);
	return r < 0 ? failure_of(input->name, &error) : STATUS_FINE;
}

/** The place of the writer for an input. */
static struct kct_trace_writer **place_of_writer(struct convert *convert, const struct input *input)
{
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};

	if (!input->tracefile)
		return &convert->raw_writer;
	if (!convert->writers || convert->file_number != input->file_number) {
		end_captures(convert);
		kct_tracefile_stats(input->tracefile, &stats);
		convert->n_writers = (size_t)stats.captures;
		convert->writers = zeroed(struct kct_trace_writer *, convert->n_writers);
		convert->file_number = input->file_number;
	}
	return &convert->writers[input->segment.capture];
}

static int to_kct(struct convert *convert, const struct input *input)
{
	struct kct_trace_segment segment = input->tracefile ? input->segment : segment_of(input);
	struct kct_trace_writer **writer = place_of_writer(convert, input);
	uint32_t unknown = segment.fields & ~(uint32_t)KCT_SEGMENT_KNOWN_FIELDS;
	int status = STATUS_FINE;

	if (!*writer)
		status = input->tracefile
				 ? begin_capture(convert, input->tracefile, segment.capture)
				 : begin_writer(convert, 0, TOOL, writer);
	if (!*writer || output_dead(convert->out))
		return status;
	if (unknown)
		note("%s: fields of a later version are left out", input->name);
	segment.fields &= KCT_SEGMENT_KNOWN_FIELDS;
	segment.layout = input->layout;
	return worst(status, write_segment(convert, *writer, input, &segment));
}

static int to_raw(struct convert *convert, const struct input *input)
{
	if (convert->areas++)
		return usage_failure("convert", "--to raw writes one area: choose it with "
						"--segment, or give one file");
	output_bytes(convert->out, input->data, input->bytes);
	return STATUS_FINE;
}

static int take_pcs(void *context, const struct kct_record *records, size_t n)
{
	struct output *out = context;
	size_t i;

	for (i = 0; i < n && !output_dead(out); i++) {
		if (records[i].kind != KCT_RECORD_PC && records[i].kind != KCT_RECORD_ENTRY)
			continue;
		output_hex(out, records[i].pc, 1);
		output_char(out, '\n');
	}
	return output_dead(out) ? STATUS_USAGE : STATUS_FINE;
}

static int to_pcs(struct convert *convert, const struct input *input)
{
	int status;

	if (input->layout.mode == KCT_MODE_CMP)
		return failure("%s: comparisons are no coverage points: there is no list of them",
			       input->name);
	if (input->layout.slid)
		note("%s: the addresses hold the KASLR offset, which a list cannot tell",
		     input->name);
	status = trace_read(input, convert->options, 0, take_pcs, convert->out, NULL);
	return status == STATUS_USAGE ? STATUS_FINE : status;
}

static int take(void *context, const struct input *input)
{
	struct convert *convert = context;

	switch (convert->options->target) {
	case TARGET_RAW:
		return to_raw(convert, input);
	case TARGET_PCS:
		return to_pcs(convert, input);
	default:
		return to_kct(convert, input);
	}
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct convert convert = {.options = options, .out = out};
	int status;

	if (!n)
		return usage_failure("convert", "no file given");
	if (options->from_xen != (options->output_dir != NULL))
		return usage_failure("convert", "--from xen and --output-dir DIR need each other");
	if (options->from_xen)
		return xen_split(options->output_dir, arguments, n);
	if (options->target != TARGET_PCS && isatty(out->fd))
		return usage_failure("convert", "the output is binary: give -o FILE");
	status = each_input(options, NULL, arguments, n, INPUT_SANE, out, take, &convert);
	if (options->target == TARGET_RAW && status == STATUS_FINE && !convert.areas)
		status = failure("there is no area to write");
	end_captures(&convert);
	kct_trace_writer_free(convert.raw_writer);
	return status;
}

const struct command command_convert = {
	.name = "convert",
	.arguments = "FILE... -o OUT",
	.summary = "write traces as a .kct file, as raw bytes or as a list of PCs",
	.details =
		"The areas of all files become the segments of a .kct file, which keeps what is "
		"known of\nthem: the layout given with -l or guessed, and of .kct files all that "
		"they hold. Bytes of\nareas are not changed. A list of PCs has those of pc and "
		"entry records.\n\n--from xen takes the .gcda files out of the coverage of a Xen "
		"hypervisor "
		"that gcc built.\nThey lie below DIR as their names say; a name that would lead "
		"out "
		"of it is left out.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_TARGET,
	.formats = 0,
	.run = run,
};
