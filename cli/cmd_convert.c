/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>

#include "commands.h"
#include "each_input.h"
#include "embed.h"
#include "embedded.h"
#include "message.h"
#include "trace.h"
#include "xen.h"

#define TOOL "kcovtrace " KCT_VERSION

/** What one capture goes into. */
struct target_capture {
	struct kct_trace_writer *writer; /* NULL: not begun */
	struct embed embed;
};

/** What all inputs go into. */
struct convert {
	const struct options *options;
	struct output *out;
	struct session session;	   /* with --embed-symbols */
	struct target_capture raw; /* of inputs that are no .kct */
	/* One a capture of one `.kct` file, so that each keeps its metadata. */
	struct target_capture *captures;
	size_t n_captures, file_number;
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

/** Whether an item of metadata is written anew. */
static bool is_replaced(const struct convert *convert, const struct kct_meta *meta)
{
	return strcmp(meta->name, KCT_META_TOOL) == 0 ||
	       (convert->options->embed != EMBED_NONE && embedded_name(meta));
}

/** The writer of a capture, with its metadata but for the tool, which is told when it begins. */
static int begin_capture(struct convert *convert, const struct kct_tracefile *file,
			 uint32_t capture)
{
	struct kct_meta meta = {.size = sizeof(meta)};
	struct target_capture *target = &convert->captures[capture];
	struct capture_facts facts;
	const char *tool = TOOL;
	size_t at = 0;
	int status;

	if (kct_tracefile_find_meta(file, capture, KCT_META_TOOL, KCT_META_TEXT, &meta) >= 0)
		tool = meta.data;
	capture_facts(file, capture, &facts);
	target->embed.has_kaslr = facts.has_kaslr;
	target->embed.has_build_id = facts.build_id != NULL;
	status = begin_writer(convert, kct_tracefile_capture_id(file, capture), tool,
			      &target->writer);
	while (target->writer && !output_dead(convert->out) &&
	       kct_tracefile_next_meta(file, capture, &at, &meta) > 0) {
		if (!is_replaced(convert, &meta))
			status = worst(status, copy_meta(convert, target->writer, &meta));
	}
	return status;
}

/** Write the symbols of a capture and end it. */
static int end_capture(struct convert *convert, struct target_capture *target)
{
	struct kct_error error;
	int status = STATUS_FINE;

	if (target->writer && session_has_symbols(&convert->session) &&
	    !output_dead(convert->out)) {
		int r = embed_write(&target->embed, &convert->session, target->writer, &error);

		if (r == KCT_ERR_IO)
			status = output_failed(convert->out, &error);
		else if (r < 0)
			status = failure_of("symbols", &error);
	}
	embed_clear(&target->embed);
	kct_trace_writer_free(target->writer);
	*target = (struct target_capture){0};
	return status;
}

static int end_captures(struct convert *convert)
{
	int status = STATUS_FINE;
	size_t i;

	for (i = 0; i < convert->n_captures; i++)
		status = worst(status, end_capture(convert, &convert->captures[i]));
	free(convert->captures);
	convert->captures = NULL;
	convert->n_captures = 0;
	return status;
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

/** Where an input goes. */
static struct target_capture *target_of(struct convert *convert, const struct input *input)
{
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};

	if (!input->tracefile)
		return &convert->raw;
	if (!convert->captures) {
		kct_tracefile_stats(input->tracefile, &stats);
		convert->n_captures = (size_t)stats.captures;
		convert->captures = zeroed(struct target_capture, convert->n_captures);
		convert->file_number = input->file_number;
	}
	return &convert->captures[input->segment.capture];
}

static int to_kct(struct convert *convert, const struct input *input)
{
	struct kct_trace_segment segment = input->tracefile ? input->segment : segment_of(input);
	uint32_t unknown = segment.fields & ~(uint32_t)KCT_SEGMENT_KNOWN_FIELDS;
	struct target_capture *target;
	int status = STATUS_FINE;

	target = target_of(convert, input);
	if (!target->writer)
		status = input->tracefile
				 ? begin_capture(convert, input->tracefile, segment.capture)
				 : begin_writer(convert, 0, TOOL, &target->writer);
	if (!target->writer || output_dead(convert->out))
		return status;
	if (unknown)
		note("%s: fields of a later version are left out", input->name);
	segment.fields &= KCT_SEGMENT_KNOWN_FIELDS;
	segment.layout = input->layout;
	if (session_has_symbols(&convert->session))
		status = worst(status, embed_note(&target->embed, input, convert->options,
						  &convert->session));
	return worst(status, write_segment(convert, target->writer, input, &segment));
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
	int status = STATUS_FINE;

	/* The captures of a file that was read are whole. */
	if (convert->captures && convert->file_number != input->file_number)
		status = end_captures(convert);
	switch (convert->options->target) {
	case TARGET_RAW:
		return worst(status, to_raw(convert, input));
	case TARGET_PCS:
		return worst(status, to_pcs(convert, input));
	default:
		return worst(status, to_kct(convert, input));
	}
}

/** See that the options fit each other. */
static int check_options(const struct options *options, size_t n, const struct output *out)
{
	bool symbols = options->vmlinux || options->modules.n || options->module_dir;

	if (!n)
		return usage_failure("convert", "no file given");
	if (options->from_xen != (options->output_dir != NULL))
		return usage_failure("convert", "--from xen and --output-dir DIR need each other");
	if (!options->from_xen && options->target != TARGET_PCS && isatty(out->fd))
		return usage_failure("convert", "the output is binary: give -o FILE");
	if (options->embed != EMBED_NONE && options->target != TARGET_KCT)
		return usage_failure("convert", "symbols are put into a .kct file only");
	if (options->embed == EMBED_NONE && symbols)
		return usage_failure("convert", "images are used with --embed-symbols only");
	return STATUS_FINE;
}

static int run(const struct options *options, char **arguments, size_t n, struct output *out)
{
	struct convert convert = {.options = options, .out = out};
	int status = check_options(options, n, out);

	if (status != STATUS_FINE)
		return status;
	if (options->from_xen)
		return xen_split(options->output_dir, arguments, n);
	session_begin(&convert.session, options);
	status = each_input(options, options->embed ? &convert.session : NULL, arguments, n,
			    INPUT_SANE, out, take, &convert);
	if (options->target == TARGET_RAW && status == STATUS_FINE && !convert.areas)
		status = failure("there is no area to write");
	status = worst(status, end_captures(&convert));
	status = worst(status, end_capture(&convert, &convert.raw));
	if (options->embed != EMBED_NONE && status == STATUS_FINE &&
	    !session_has_symbols(&convert.session))
		status = failure("there are no symbols to put into the file: give -k");
	session_close(&convert.session);
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
		"hypervisor that gcc built.\nThey lie below DIR as their names say; a name that "
		"would lead out of it is left out.\n",
	.takes = TAKES_OUTPUT | TAKES_LAYOUT | TAKES_SYMBOLS | TAKES_TARGET,
	.formats = 0,
	.run = run,
};
