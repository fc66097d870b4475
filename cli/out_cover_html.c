/* SPDX-License-Identifier: BSD-2-Clause */
/* One page with everything in it: html/ has its frame, data and sources are packed into it. */
#include <string.h>

#include "html.h"
#include "out_cover.h"
#include "pack.h"
#include "source.h"

/** Something packed in a script element that no browser runs. */
struct blob {
	struct pack *pack;
	struct output *out; /* of the page */
};

static struct blob open_blob(struct output *out, const char *id, size_t number,
			     struct output **ret_from)
{
	struct blob blob = {.out = out};

	output_printf(out, "<script type=\"text/plain\" data-form=\"%s\" id=\"%s", pack_form(), id);
	if (number != SIZE_MAX)
		output_decimal(out, number, 0);
	output_string(out, "\">");
	blob.pack = pack_open(out, ret_from);
	return blob;
}

static void close_blob(struct blob *blob)
{
	pack_close(blob->pack);
	output_string(blob->out, "</script>\n");
}

/** A file of both sides; without --diff they are one. */
struct pair {
	const struct kct_coverage_file *here, *there;
	size_t source; /* number of its blob; SIZE_MAX: none */
	bool stale;
};

/** Only what was reached is shown line by line. */
static bool is_reached(const struct pair *pair)
{
	return pair->here->hit || pair->there->hit || lines_covered(pair->here->states) ||
	       lines_covered(pair->there->states);
}

static void put_text(struct json *json, const char *text)
{
	json_string(json, text ? text : "?");
}

static void put_sums(struct json *json, const struct cover *cover, const struct pair *pair)
{
	const struct kct_coverage_file *file = pair->here;
	uint64_t sides[SIDE_BOTH + 1] = {0};
	size_t i;

	json_open(json, '[');
	json_number(json, file->points);
	json_number(json, file->hit);
	json_number(json, file->n_functions);
	json_number(json, file->hit_functions);
	for (i = 0; i < KCT_STATES; i++)
		json_number(json, file->states[i]);
	json_number(json, file->partly);
	for (i = 0; cover->other && i < file->n_lines; i++)
		sides[cover_side(line_is_covered(&file->lines[i]),
				 line_is_covered(&pair->there->lines[i]))]++;
	if (cover->other) {
		json_number(json, sides[SIDE_HERE]);
		json_number(json, sides[SIDE_THERE]);
	}
	json_close(json, ']');
}

static void put_functions(struct json *json, const struct cover *cover, uint32_t first, size_t n)
{
	const struct kct_coverage_function *here, *there = NULL;
	size_t i;

	here = kct_coverage_functions(cover->coverage, &(size_t){0});
	if (cover->other)
		there = kct_coverage_functions(cover->other, &(size_t){0});
	json_open(json, '[');
	for (i = first; i < first + n; i++) {
		json_open(json, '[');
		put_text(json, here[i].name);
		json_number(json, here[i].line);
		json_number(json, here[i].points);
		json_number(json, here[i].hit);
		json_number(json, here[i].records);
		json_number(json, here[i].module);
		if (there)
			json_number(json, there[i].hit);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void put_lines(struct json *json, const struct cover *cover, const struct pair *pair)
{
	size_t i;

	json_open(json, '[');
	for (i = 0; is_reached(pair) && i < pair->here->n_lines; i++) {
		const struct kct_coverage_line *line = &pair->here->lines[i];

		json_open(json, '[');
		json_number(json, line->line);
		json_number(json, line->state);
		json_number(json, line->partly);
		json_number(json, line->points);
		json_number(json, line->hit);
		json_number(json, line->records);
		if (cover->other)
			json_number(json, cover_side(line_is_covered(line),
						     line_is_covered(&pair->there->lines[i])));
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void put_file(struct json *json, const struct cover *cover, const struct pair *pair)
{
	json_open(json, '[');
	json_string(json, pair->here->path);
	put_sums(json, cover, pair);
	put_functions(json, cover, pair->here->first_function, pair->here->n_functions);
	put_lines(json, cover, pair);
	json_signed(json, pair->source == SIZE_MAX ? -1 : (int64_t)pair->source);
	json_number(json, pair->stale);
	json_close(json, ']');
}

static void put_two(struct json *json, const char *key, uint64_t part, uint64_t all)
{
	json_key(json, key);
	json_open(json, '[');
	json_number(json, part);
	json_number(json, all);
	json_close(json, ']');
}

static void put_total(struct json *json, const struct cover *cover)
{
	const struct kct_coverage_total *total = kct_coverage_total(cover->coverage);
	size_t i;

	json_key_bool(json, "diff", cover->other != NULL);
	json_key_number(json, "traces", total->traces);
	json_key_number(json, "records", total->records);
	json_key_number(json, "pcs", total->pcs);
	json_key_number(json, "unmatched", total->pcs - total->matched);
	if (total->match.cause != KCT_MISMATCH_NONE)
		json_key_string(json, "cause", kct_mismatch_text(total->match.cause));
	put_two(json, "points", total->hit, total->points);
	put_two(json, "functions", total->hit_functions, total->functions);
	json_key_number(json, "partly", total->partly);
	json_key(json, "lines");
	json_open(json, '[');
	for (i = 0; i < KCT_STATES; i++)
		json_number(json, total->lines[i]);
	json_close(json, ']');
}

static void put_modules(struct json *json, const struct cover *cover)
{
	const struct kct_coverage_module *modules;
	size_t n, i;

	modules = kct_coverage_modules(cover->coverage, &n);
	json_key(json, "modules");
	json_open(json, '[');
	for (i = 0; i < n; i++) {
		json_open(json, '[');
		json_string(json, modules[i].name);
		json_number(json, modules[i].points);
		json_number(json, modules[i].hit);
		json_close(json, ']');
	}
	json_close(json, ']');
}

/** Functions of which no file is known, as a file without a path. */
static void put_homeless(struct json *json, const struct cover *cover)
{
	const struct kct_coverage_function *functions;
	uint64_t points = 0, hit = 0, hit_functions = 0;
	size_t n, first, i;

	functions = kct_coverage_functions(cover->coverage, &n);
	for (first = n; first && functions[first - 1].file == KCT_COVERAGE_NONE; first--) {
		points += functions[first - 1].points;
		hit += functions[first - 1].hit;
		hit_functions += functions[first - 1].hit != 0;
	}
	if (first == n)
		return;
	json_open(json, '[');
	json_string(json, "(file unknown)");
	json_open(json, '[');
	json_number(json, points);
	json_number(json, hit);
	json_number(json, n - first);
	json_number(json, hit_functions);
	for (i = 0; i < KCT_STATES + 1; i++)
		json_number(json, 0);
	json_close(json, ']');
	put_functions(json, cover, (uint32_t)first, n - first);
	json_open(json, '[');
	json_close(json, ']');
	json_signed(json, -1);
	json_number(json, 0);
	json_close(json, ']');
}

/** What page.js expands. */
static void write_data(const struct cover *cover, const struct pair *pairs, size_t n)
{
	struct json json = {0};
	struct blob blob = open_blob(cover->out, "data", SIZE_MAX, &json.out);
	size_t i;

	json_open(&json, '{');
	put_total(&json, cover);
	put_modules(&json, cover);
	json_key(&json, "files");
	json_open(&json, '[');
	for (i = 0; i < n; i++)
		put_file(&json, cover, &pairs[i]);
	put_homeless(&json, cover);
	json_close(&json, ']');
	json_close(&json, '}');
	close_blob(&blob);
}

/** Embed the source of a file that was reached, if it can be read. */
static void write_source(struct output *out, struct pair *pair, size_t number)
{
	const struct kct_coverage_file *file = pair->here;
	struct source source;
	struct output *from;
	struct blob blob;

	if (!is_reached(pair) || !source_read(file->path, &source))
		return;
	pair->source = number;
	pair->stale =
		file->n_lines && file->lines[file->n_lines - 1].line > source_count_lines(&source);
	blob = open_blob(out, "s", number, &from);
	output_bytes(from, source.text, source.bytes);
	close_blob(&blob);
	source_free(&source);
}

static void write_blobs(const struct cover *cover)
{
	const struct kct_coverage_file *here, *there;
	struct pair *pairs;
	size_t n, i;

	here = kct_coverage_files(cover->coverage, &n);
	there = cover->other ? kct_coverage_files(cover->other, &n) : here;
	pairs = zeroed(struct pair, n);
	for (i = 0; i < n && !output_dead(cover->out); i++) {
		pairs[i] = (struct pair){&here[i], &there[i], SIZE_MAX, false};
		write_source(cover->out, &pairs[i], i);
	}
	if (!output_dead(cover->out))
		write_data(cover, pairs, n);
	free(pairs);
}

static void put_part(struct output *out, const struct html_part *part)
{
	output_bytes(out, part->text, part->bytes);
}

/** What a `@NAME@` of the page stands for. False: nothing. */
static bool put_named(const struct cover *cover, const char *name, size_t length)
{
	if (length == 5 && memcmp(name, "STYLE", 5) == 0)
		put_part(cover->out, &html_style);
	else if (length == 6 && memcmp(name, "SCRIPT", 6) == 0)
		put_part(cover->out, &html_script);
	else if (length == 4 && memcmp(name, "DATA", 4) == 0)
		write_blobs(cover);
	else
		return false;
	return true;
}

int cover_html(const struct cover *cover)
{
	const char *at = html_page.text, *end = at + html_page.bytes, *open, *close;

	while ((open = memchr(at, '@', (size_t)(end - at)))) {
		output_bytes(cover->out, at, (size_t)(open - at));
		close = memchr(open + 1, '@', (size_t)(end - open - 1));
		if (!close || !put_named(cover, open + 1, (size_t)(close - open - 1))) {
			output_char(cover->out, '@');
			at = open + 1;
			continue;
		}
		at = close + 1;
	}
	output_bytes(cover->out, at, (size_t)(end - at));
	return STATUS_FINE;
}
