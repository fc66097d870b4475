/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "layout_spec.h"
#include "message.h"
#include "syscall_view.h"
#include "text.h"

#define SCORE_ODD     0.5 /* below: said, and no success unless --force */
#define SCORE_REFUSED 0.2 /* below: refused */
#define SCORE_ADVISED 0.8 /* below: may be chance, too */
#define FEW_WORDS     64  /* can be looked through */

int open_file(const char *path, struct kct_file **ret_file)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "<stdin>" : path, *damage;
	struct kct_error error;
	uint64_t offset = 0;
	int r;

	*ret_file = NULL;
	r = is_stdin ? kct_file_open_fd(STDIN_FILENO, name, ret_file, &error)
		     : kct_file_open(path, ret_file, &error);
	if (r < 0)
		return failure_of(name, &error);
	damage = kct_file_damage(*ret_file, &offset);
	return damage ? failure("%s: offset %llu: %s", name, (unsigned long long)offset, damage)
		      : STATUS_FINE;
}

static int report_bad_line(const char *name, const struct kct_pclist_bad *bad)
{
	return failure("%s:%llu: not an address (offset %llu)", name, (unsigned long long)bad->line,
		       (unsigned long long)bad->offset);
}

int report_bad_lines(const char *name, const struct kct_pclist *list)
{
	const size_t shown = 10;
	const struct kct_pclist_bad *bad;
	size_t n, i;

	bad = kct_pclist_bad(list, &n);
	for (i = 0; i < n && i < shown; i++)
		report_bad_line(name, &bad[i]);
	if (n > shown)
		failure("%s: and %zu more lines that are no address", name, n - shown);
	return n ? STATUS_PARTLY : STATUS_FINE;
}

static int bad_layout(struct input *input, const struct options *options, const char *why)
{
	input->layout.size = 0;
	return usage_failure(options->command->name, "--layout '%s': %s", options->layout, why);
}

/** The keys behind the name in --layout. */
static const char *layout_keys(const struct options *options)
{
	return options->layout ? options->layout + strcspn(options->layout, ",") : "";
}

static bool layout_is(const struct options *options, const char *name)
{
	size_t length = strlen(name);

	return options->layout && strncmp(options->layout, name, length) == 0 &&
	       (!options->layout[length] || options->layout[length] == ',');
}

/** The keys of --layout, put on a layout that was found. */
static int change_layout(struct input *input, const struct options *options)
{
	struct kct_error error;

	if (layout_change(&input->layout, layout_keys(options), &error) < 0)
		return bad_layout(input, options, error.text);
	return STATUS_FINE;
}

/** A list of PCs as an area of mode PC, so that everything else sees records. */
static int encode_list(struct input *input, const struct options *options,
		       const struct kct_pclist *list)
{
	const uint64_t *pcs;
	uint64_t *words;
	size_t n, i;

	pcs = kct_pclist_pcs(list, &n);
	words = zeroed(uint64_t, n + 1);
	words[0] = htole64(n);
	for (i = 0; i < n; i++)
		words[i + 1] = htole64(pcs[i]);
	input->encoded = words;
	input->data = words;
	input->bytes = (n + 1) * sizeof(*words);
	input->is_list = true;
	kct_layout_preset("linux-pc", &input->layout);
	if (change_layout(input, options) != STATUS_FINE)
		return STATUS_USAGE;
	if (input->layout.word_bytes != 8 || input->layout.endian != KCT_ENDIAN_LITTLE)
		return bad_layout(input, options, "a list of addresses has no words");
	return STATUS_FINE;
}

static int parse_list(const struct input *input, size_t bytes, struct kct_pclist **ret_list)
{
	int r = kct_pclist_parse(input->data, bytes, ret_list);

	return r < 0 ? failure_code(input->name, r) : STATUS_FINE;
}

static int read_list(struct input *input, const struct options *options)
{
	const struct kct_pclist_bad *bad;
	struct kct_pclist *list;
	size_t n;
	int status = parse_list(input, input->bytes, &list);

	if (status != STATUS_FINE)
		return status;
	bad = kct_pclist_bad(list, &n);
	if (options->strict && n) { /* only what stands before the first bad line */
		size_t good = (size_t)bad->offset;

		status = report_bad_line(input->name, bad);
		kct_pclist_free(list);
		if (parse_list(input, good, &list) != STATUS_FINE)
			return status;
	}
	status = worst(status, encode_list(input, options, list));
	if (status != STATUS_USAGE)
		status = worst(status, report_bad_lines(input->name, list));
	kct_pclist_free(list);
	return status;
}

/** Text that begins with at least one line with an address, and mostly has such lines. */
static bool looks_like_list(const struct input *input)
{
	const unsigned char *text = input->data;
	size_t front = input->bytes < 4096 ? input->bytes : 4096, i, good, bad;
	struct kct_pclist *list;

	for (i = 0; i < front; i++) {
		if (text[i] >= 0x7f || (text[i] < ' ' && !strchr("\t\r\n", text[i])) || !text[i])
			return false;
	}
	if (kct_pclist_parse(input->data, front, &list) < 0)
		return false;
	kct_pclist_pcs(list, &good);
	kct_pclist_bad(list, &bad);
	kct_pclist_free(list);
	return good > bad;
}

static int cannot_guess(struct input *input, const struct kct_error *error)
{
	const char *packing = kct_file_packing(input->file);
	const struct kct_foreign *foreign;

	if (kct_foreign_identify(input->data, input->bytes, &foreign) > 0) {
		input->format = foreign->name;
		return failure("%s: %s (%s), not a KCOV trace: %s", input->name, foreign->what,
			       foreign->name, foreign->reader);
	}
	input->format = packing ? packing : error->code == KCT_ERR_GUESS ? "unknown" : NULL;
	if (packing)
		return failure("%s: %s data whose content is no KCOV trace (%s): %s", input->name,
			       packing, packing, error->text);
	failure_of(input->name, error);
	/* No layout makes a trace of a file that is too short for one. */
	if (error->code == KCT_ERR_GUESS)
		failure("%s: say how it is laid out with -l", input->name);
	return STATUS_PARTLY;
}

static int guess(struct input *input, const struct options *options)
{
	char spec[LAYOUT_SPEC_BYTES];
	struct kct_guess found;
	struct kct_error error;

	input->guessed = true;
	if (looks_like_list(input)) {
		input->confidence = 1;
		snprintf(input->reason, sizeof(input->reason), "text with an address a line");
		note("%s: guessed layout pcs (confidence 1.00): %s", input->name, input->reason);
		return read_list(input, options);
	}
	if (kct_guess_layout(input->data, input->bytes, &found, &error) < 0)
		return cannot_guess(input, &error);
	input->layout = found.layout;
	input->confidence = found.confidence;
	memcpy(input->reason, found.reason, sizeof(input->reason));
	layout_spec(&found.layout, spec);
	note("%s: guessed layout %s (confidence %.2f): %s", input->name, spec, found.confidence,
	     found.reason);
	return change_layout(input, options);
}

bool input_geometry(const struct input *input, struct kct_geometry *ret_geometry)
{
	struct kct_decoder *decoder;

	if (kct_decoder_new(&input->layout, input->data, input->bytes, 0, &decoder, NULL) < 0)
		return false;
	kct_decoder_geometry(decoder, ret_geometry);
	kct_decoder_free(decoder);
	return true;
}

/** What the bytes are, or would fit better, in words; nothing if nothing does. */
static void advise(const struct input *input, char *ret_text, size_t bytes)
{
	const struct kct_foreign *foreign;
	char spec[LAYOUT_SPEC_BYTES];
	struct kct_guess near;

	ret_text[0] = '\0';
	if (kct_foreign_identify(input->data, input->bytes, &foreign) > 0) {
		snprintf(ret_text, bytes, "; it looks like %s (%s)", foreign->what, foreign->name);
		return;
	}
	if (kct_guess_near(&input->layout, input->data, input->bytes, &near, NULL) < 0 ||
	    near.confidence < SCORE_ADVISED)
		return;
	layout_spec(&near.layout, spec);
	snprintf(ret_text, bytes, "; %s%s fits (%.2f)", input->tracefile ? "" : "-l ", spec,
		 near.confidence);
}

/** Whether words that do not agree are too much for what the command makes of them. */
static bool is_refused(const struct input *input, double score, uint64_t words)
{
	bool few = words <= FEW_WORDS;

	if (score >= SCORE_REFUSED)
		return false;
	/* A file says itself how its segments are laid out: of a few words one may be damaged. */
	return input->care == INPUT_SANE ? !(few && input->tracefile)
					 : input->care == INPUT_LINES && !few;
}

/** The sanity check of a layout that the user, or a `.kct` file, gave. */
static int check_score(struct input *input, const struct options *options)
{
	struct kct_geometry geometry = {0};
	char reason[256], advice[LAYOUT_SPEC_BYTES + 128], own[LAYOUT_SPEC_BYTES];
	const char *spec = input->tracefile ? own : options->layout;
	uint64_t words;
	double score;

	input->is_doubted = false;
	/* Of what is no area the decoder of the command says why. */
	words = input_geometry(input, &geometry) ? geometry.used_words : 0;
	if (!words ||
	    kct_layout_score(&input->layout, input->data, input->bytes, &score, reason) < 0 ||
	    score >= SCORE_ODD)
		return STATUS_FINE;
	input->is_doubted = true;
	advise(input, advice, sizeof(advice));
	layout_spec(&input->layout, own);
	if (options->force) {
		warning("%s: the words hardly agree with layout %s (score %.2f): %s%s", input->name,
			spec, score, reason, advice);
		return STATUS_FINE;
	}
	if (!is_refused(input, score, words))
		return failure("%s: the words hardly agree with layout %s (score %.2f): %s%s",
			       input->name, spec, score, reason, advice);
	input->layout.size = 0;
	return failure("%s: the words do not agree with layout %s (score %.2f): %s%s; --force goes "
		       "on all the same",
		       input->name, spec, score, reason, advice);
}

/** A set of PCs is no area; its layout is only there to be usable. */
static int open_set(struct input *input, const struct options *options)
{
	input->layout.size = 0;
	if (!(options->command->takes & TAKES_SETS))
		return failure("%s: a set of PCs, not a trace: kcovtrace cover and merge read it",
			       input->name);
	input->is_set = true;
	kct_layout_preset("linux-pc", &input->layout);
	return STATUS_FINE;
}

/** A file with segments says itself how they are laid out: see input_segment(). */
static int open_tracefile(struct input *input)
{
	struct kct_error error;

	input->layout.size = 0;
	if (kct_tracefile_new(input->data, input->bytes, &input->tracefile, &error) < 0)
		return failure_of(input->name, &error);
	return STATUS_FINE;
}

int input_open(struct input *input, const char *path, const struct options *options,
	       enum input_care care)
{
	bool guessed = !options->layout || layout_is(options, "auto");
	bool listed = layout_is(options, "pcs");
	struct kct_error error;
	int status;

	*input = (struct input){.path = strcmp(path, "-") == 0 ? "<stdin>" : path};
	input->name = input->path;
	input->care = care;
	if (!guessed && !listed && kct_layout_parse(options->layout, &input->layout, &error) < 0)
		return bad_layout(input, options, error.text);
	status = open_file(path, &input->file);
	if (!input->file) {
		input->layout.size = 0;
		return status;
	}
	input->data = kct_file_data(input->file, &input->bytes);
	if (kct_tracefile_identify(input->data, input->bytes) > 0)
		return worst(status, open_tracefile(input));
	if (kct_pc_set_identify(input->data, input->bytes) > 0)
		return worst(status, open_set(input, options));
	if (guessed)
		status = worst(status, guess(input, options));
	else if (listed)
		status = worst(status, read_list(input, options));
	else
		status = worst(status, check_score(input, options));
	if (input_usable(input) && options->eesum_quirk != KCT_EESUM_NONE)
		input->layout.eesum_quirk = options->eesum_quirk;
	return status;
}

int input_segment(struct input *input, size_t number, const struct options *options)
{
	struct kct_error error;

	input->number = number;
	input->layout.size = 0;
	input->segment = (struct kct_trace_segment){.size = sizeof(input->segment)};
	free(input->segment_name);
	if (asprintf(&input->segment_name, "%s: segment %zu", input->path, number) < 0)
		input->segment_name = NULL;
	input->name = input->segment_name ? input->segment_name : input->path;
	if (kct_tracefile_segment(input->tracefile, number, &input->segment, &error) < 0)
		return failure_of(input->name, &error);
	input->layout = input->segment.layout;
	if (options->eesum_quirk != KCT_EESUM_NONE)
		input->layout.eesum_quirk = options->eesum_quirk;
	input->data = input->segment.data;
	input->bytes = input->segment.bytes;
	/* Segments are converted as they are. */
	return options->command->takes & TAKES_TARGET ? STATUS_FINE : check_score(input, options);
}

int input_check_order(const struct input *input, const char *what)
{
	if (input->layout.mode == KCT_MODE_CMP)
		return failure("%s: comparisons are no calls: %s a trace of mode ext or mem",
			       input->name, what);
	if (input->layout.mode == KCT_MODE_UNIQUE)
		return failure(
			"%s: in mode unique a point is recorded when it is first hit, not "
			"each time: %s the order in which code ran, a trace of mode ext, mem or "
			"pc",
			input->name, what);
	return STATUS_FINE;
}

int input_report_damage(const struct input *input)
{
	struct kct_tracefile_stats stats = {.size = sizeof(stats)};
	int status = STATUS_FINE;

	if (!input->tracefile || kct_tracefile_stats(input->tracefile, &stats) < 0)
		return STATUS_FINE;
	if (stats.damaged)
		status = failure("%s: offset %llu: %llu bytes are damaged, in %llu place%s",
				 input->path, (unsigned long long)stats.first_damage,
				 (unsigned long long)stats.damaged_bytes,
				 (unsigned long long)stats.damaged, stats.damaged == 1 ? "" : "s");
	if (stats.tail_bytes)
		status = failure("%s: the file is cut: after %llu whole segments the last %llu "
				 "bytes are no whole one",
				 input->path, (unsigned long long)stats.segments,
				 (unsigned long long)stats.tail_bytes);
	if (stats.unknown_blocks)
		note("%s: %llu blocks of a later version were skipped", input->path,
		     (unsigned long long)stats.unknown_blocks);
	return status;
}

/** The thread of a segment: `thread 42 cat`. False if nothing is known of it. */
static bool text_thread(struct output *out, const struct kct_trace_segment *segment)
{
	bool known = segment->fields & KCT_SEGMENT_THREAD;

	if (known)
		output_printf(out, "thread %u", (unsigned)segment->thread);
	if (segment->name) {
		output_string(out, known ? " " : "thread ");
		text_put(out, segment->name);
	}
	return known || segment->name;
}

void input_heading(struct output *out, const struct input *input)
{
	const struct kct_trace_segment *segment = &input->segment;

	if (!input->tracefile && !input->one_of_many)
		return;
	if (segment->fields & KCT_SEGMENT_SYSCALL) {
		text_syscall(out, input);
		output_string(out, "  [");
		if (text_thread(out, segment))
			output_string(out, ", ");
		output_printf(out, "%s]\n", input->name);
		return;
	}
	output_printf(out, "==> %s", input->name);
	if (segment->fields & KCT_SEGMENT_THREAD || segment->name) {
		output_string(out, ", ");
		text_thread(out, segment);
	}
	output_string(out, " <==\n");
}

void json_segment(struct json *json, const struct input *input)
{
	if (!input->tracefile)
		return;
	json_key_number(json, "segment", input->number);
	json_key(json, "thread");
	if (input->segment.fields & KCT_SEGMENT_THREAD)
		json_number(json, input->segment.thread);
	else
		json_null(json);
	json_syscall(json, input);
}

void input_close(struct input *input)
{
	kct_tracefile_free(input->tracefile);
	free(input->segment_name);
	kct_file_free(input->file);
	free(input->encoded);
	*input = (struct input){0};
}
