/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kct-encode -l LAYOUT [--from LAYOUT] [--slide N] [--unused WORDS] [--fault FAULT]... FILE
 *
 * Write a logical trace in a layout to standard output. FILE has events as text (enc_parse_line()), or
 * is a raw area in the layout of --from: this one is decoded by the library, what its count does not
 * claim becomes words, and what is no record too.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kcovtrace/kcovtrace.h>

#include "encoder.h"

#define MAX_FAULTS 16u

struct events {
	struct enc_event *list;
	size_t n, max;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "kct-encode: %s: %s\n", what, why);
	exit(2);
}

static void add(struct events *events, struct enc_event event)
{
	if (events->n == events->max) {
		events->max = 2 * events->max + 64;
		events->list = realloc(events->list, events->max * sizeof(event));
		if (!events->list)
			die("memory", "none");
	}
	events->list[events->n++] = event;
}

static struct kct_layout layout_of(const char *spec)
{
	struct kct_layout layout;
	struct kct_error error;

	if (kct_layout_parse(spec, &layout, &error) < 0)
		die(spec, error.text);
	return layout;
}

static unsigned char *read_all(const char *path, size_t *ret_bytes)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;
	size_t used = 0, max = 0, got;

	if (!file)
		die(path, "cannot open");
	do {
		if (max - used < 65536) {
			max = 2 * max + 65536;
			bytes = realloc(bytes, max + 1);
			if (!bytes)
				die("memory", "none");
		}
		got = fread(bytes + used, 1, max - used, file);
		used += got;
	} while (got > 0);
	fclose(file);
	bytes[used] = '\0';
	*ret_bytes = used;
	return bytes;
}

static void read_text(const char *path, char *text, struct events *events)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		struct enc_event event;
		int result = enc_parse_line(line, &event);

		if (result < 0)
			die(path, line);
		if (result > 0)
			add(events, event);
	}
}

/** Words that are no record, or no event has. */
static void add_raw(struct events *events, const unsigned char *area, uint64_t index, uint64_t n,
		    const struct kct_layout *layout)
{
	size_t bytes = enc_word_bytes(layout);

	for (uint64_t i = index; i < index + n; i++) {
		struct enc_event event = {.kind = ENC_RAW};

		event.pc = enc_get(area + i * bytes, bytes, layout->endian);
		add(events, event);
	}
}

/** Returns how many of the events are not claimed by the count. */
static uint64_t read_area(const char *path, const struct kct_layout *layout,
			  const unsigned char *data, size_t bytes, struct events *events)
{
	const unsigned char *area = data + layout->bitmap_words * enc_word_bytes(layout);
	struct kct_geometry geometry;
	struct kct_decoder *decoder;
	struct kct_record record;
	struct kct_error error;
	struct enc_event event;

	if (layout->mode == KCT_MODE_UNIQUE)
		die(path, "a bitmap cannot be had from the PCs");
	if (kct_decoder_new(layout, data, bytes, 0, &decoder, &error) < 0)
		die(path, error.text);
	kct_decoder_geometry(decoder, &geometry);
	if (geometry.missing_words || geometry.tail_bytes)
		die(path, "words are missing");
	while (kct_decoder_next(decoder, &record, NULL) > 0) {
		if (enc_event_of(&record, &event))
			add(events, event);
		else
			add_raw(events, area, record.index, record.words, layout);
	}
	kct_decoder_free(decoder);
	add_raw(events, area, 1 + geometry.used_words, geometry.unused_words, layout);
	return geometry.unused_words;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"layout", required_argument, NULL, 'l'}, {"from", required_argument, NULL, 'r'},
		{"slide", required_argument, NULL, 's'},  {"unused", required_argument, NULL, 'u'},
		{"fault", required_argument, NULL, 'f'},  {0},
	};
	struct enc_fault faults[MAX_FAULTS];
	struct enc_form form = {.faults = faults};
	struct events events = {0};
	const char *from = NULL, *spec = NULL;
	unsigned char *data, *bytes;
	struct kct_layout layout;
	size_t size;
	int option;

	while ((option = getopt_long(argc, argv, "l:", options, NULL)) != -1) {
		if (option == 'l')
			spec = optarg;
		else if (option == 'r')
			from = optarg;
		else if (option == 's')
			form.slide = strtoull(optarg, NULL, 0);
		else if (option == 'u')
			form.unused_words = strtoull(optarg, NULL, 0);
		else if (option != 'f' || form.n_faults == MAX_FAULTS)
			return 2;
		else if (!enc_parse_fault(optarg, &faults[form.n_faults++]))
			die(optarg, "no fault");
	}
	if (optind + 1 != argc || !spec)
		die("usage", "kct-encode -l LAYOUT [OPTION...] FILE");
	form.layout = layout_of(spec);
	data = read_all(argv[optind], &size);
	if (from) {
		layout = layout_of(from);
		form.unused_events = read_area(argv[optind], &layout, data, size, &events);
	} else {
		read_text(argv[optind], (char *)data, &events);
	}
	bytes = enc_encode(events.list, events.n, &form, &size);
	fwrite(bytes, 1, size, stdout);
	free(bytes);
	free(data);
	free(events.list);
	return fflush(stdout) == 0 ? 0 : 1;
}
