/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON, one object a line; docs/coverage.md describes it. */
#include "out_cover.h"

#define SCHEMA	       "kcovtrace-cover"
#define SCHEMA_DIFF    "kcovtrace-cover-diff"
#define SCHEMA_VERSION 1

static const char *const state_names[KCT_STATES] = {
	[KCT_STATE_UNKNOWN] = "unknown",
	[KCT_STATE_NOT_REACHED] = "missed",
	[KCT_STATE_IMPLIED] = "implied",
	[KCT_STATE_HIT] = "hit",
};

static void open_object(struct json *json, const char *kind)
{
	json_open(json, '{');
	json_key_string(json, "kind", kind);
}

static void close_object(struct json *json)
{
	json_close(json, '}');
	json_line(json);
}

/** `{"total":4,"hit":1}`. */
static void put_part(struct json *json, const char *key, const char *part_key, uint64_t part,
		     uint64_t all)
{
	json_key(json, key);
	json_open(json, '{');
	json_key_number(json, "total", all);
	json_key_number(json, part_key, part);
	json_close(json, '}');
}

/** Numbers of lines by state. `total` and `covered` are those of the percentages. */
static void put_lines(struct json *json, const uint64_t states[KCT_STATES], uint64_t partly)
{
	uint64_t covered = states[KCT_STATE_HIT] + states[KCT_STATE_IMPLIED];
	unsigned i;

	json_key(json, "lines");
	json_open(json, '{');
	json_key_number(json, "total", covered + states[KCT_STATE_NOT_REACHED]);
	json_key_number(json, "covered", covered);
	for (i = KCT_STATES; i--;)
		json_key_number(json, state_names[i], states[i]);
	json_key_number(json, "partly", partly);
	json_close(json, '}');
}

static void put_match(struct json *json, const struct kct_coverage_total *total)
{
	const struct kct_match *match = &total->match;
	uint32_t i;

	json_key(json, "pcs");
	json_open(json, '{');
	json_key_number(json, "total", total->pcs);
	json_key_number(json, "matched", total->matched);
	json_key_number(json, "elsewhere", total->elsewhere);
	if (match->cause != KCT_MISMATCH_NONE) {
		json_key_string(json, "cause", kct_mismatch_text(match->cause));
		json_key(json, "samples");
		json_open(json, '[');
		for (i = 0; i < match->n_samples; i++)
			json_hex(json, match->samples[i]);
		json_close(json, ']');
	}
	json_close(json, '}');
}

static void put_summary(struct json *json, const struct kct_coverage_total *total)
{
	open_object(json, "summary");
	json_key_string(json, "schema", SCHEMA);
	json_key_number(json, "version", SCHEMA_VERSION);
	json_key_number(json, "traces", total->traces);
	json_key_number(json, "records", total->records);
	put_match(json, total);
	put_part(json, "points", "hit", total->hit, total->points);
	put_part(json, "functions", "hit", total->hit_functions, total->functions);
	put_lines(json, total->lines, total->partly);
	close_object(json);
}

static void put_build_id(struct json *json, const struct kct_image *image)
{
	char hex[2 * 64 + 1] = "";
	const uint8_t *build_id;
	size_t bytes, i;

	build_id = kct_image_build_id(image, &bytes);
	if (!build_id)
		return;
	for (i = 0; i < bytes && i < 64; i++) {
		hex[2 * i] = "0123456789abcdef"[build_id[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[build_id[i] & 15];
	}
	json_key_string(json, "build_id", hex);
}

static void put_module(struct json *json, const struct kct_coverage_module *module)
{
	open_object(json, "module");
	json_key_string(json, "module", module->name);
	json_key_string(json, "path", kct_image_name(module->image));
	put_build_id(json, module->image);
	put_part(json, "points", "hit", module->hit, module->points);
	put_part(json, "functions", "hit", module->hit_functions, module->functions);
	close_object(json);
}

static void put_line(struct json *json, const struct kct_coverage_line *line)
{
	json_open(json, '{');
	json_key_number(json, "line", line->line);
	json_key_string(json, "state", state_names[line->state]);
	if (line->partly)
		json_key_bool(json, "partly", true);
	if (line->points)
		put_part(json, "points", "hit", line->hit, line->points);
	if (line->records)
		json_key_number(json, "records", line->records);
	json_close(json, '}');
}

static void put_file(struct json *json, const struct kct_coverage_file *file)
{
	uint64_t states[KCT_STATES];
	size_t i;

	for (i = 0; i < KCT_STATES; i++)
		states[i] = file->states[i];
	open_object(json, "file");
	json_key_string(json, "file", file->path);
	put_part(json, "points", "hit", file->hit, file->points);
	put_part(json, "functions", "hit", file->hit_functions, file->n_functions);
	put_lines(json, states, file->partly);
	json_key(json, "line");
	json_open(json, '[');
	for (i = 0; i < file->n_lines; i++)
		put_line(json, &file->lines[i]);
	json_close(json, ']');
	close_object(json);
}

/** Keys that say which function it is. */
static void put_identity(struct json *json, const struct cover *cover,
			 const struct kct_coverage_function *function)
{
	size_t n;

	if (function->name)
		json_key_string(json, "func", function->name);
	json_key_string(json, "module",
			kct_coverage_modules(cover->coverage, &n)[function->module].name);
	if (function->file != KCT_COVERAGE_NONE) {
		json_key_string(json, "file",
				kct_coverage_files(cover->coverage, &n)[function->file].path);
		if (function->line)
			json_key_number(json, "line", function->line);
	}
	json_key_hex(json, "address", function->address);
}

static void put_function(struct json *json, const struct cover *cover,
			 const struct kct_coverage_function *function)
{
	open_object(json, "function");
	put_identity(json, cover, function);
	put_part(json, "points", "hit", function->hit, function->points);
	json_key_number(json, "records", function->records);
	json_key_number(json, "entries", function->entries);
	close_object(json);
}

int cover_json(const struct cover *cover)
{
	const struct kct_coverage_function *functions;
	const struct kct_coverage_module *modules;
	const struct kct_coverage_file *files;
	struct json json = {.out = cover->out};
	size_t n, i;

	put_summary(&json, kct_coverage_total(cover->coverage));
	modules = kct_coverage_modules(cover->coverage, &n);
	for (i = 0; i < n; i++)
		put_module(&json, &modules[i]);
	files = kct_coverage_files(cover->coverage, &n);
	for (i = 0; i < n && !output_dead(cover->out); i++)
		put_file(&json, &files[i]);
	functions = kct_coverage_functions(cover->coverage, &n);
	for (i = 0; i < n && !output_dead(cover->out); i++)
		put_function(&json, cover, &functions[i]);
	return STATUS_FINE;
}

/** The lines that `here` covers and `there` does not. */
static void put_only(struct json *json, const char *key, const struct kct_coverage_file *here,
		     const struct kct_coverage_file *there)
{
	size_t i;

	json_key(json, key);
	json_open(json, '[');
	for (i = 0; i < here->n_lines; i++) {
		if (line_is_covered(&here->lines[i]) && !line_is_covered(&there->lines[i]))
			json_number(json, here->lines[i].line);
	}
	json_close(json, ']');
}

static bool differ(const struct kct_coverage_file *here, const struct kct_coverage_file *there)
{
	size_t i;

	for (i = 0; i < here->n_lines; i++) {
		if (line_is_covered(&here->lines[i]) != line_is_covered(&there->lines[i]))
			return true;
	}
	return false;
}

static void put_points(struct json *json, const struct kct_coverage_module *here,
		       const struct kct_coverage_module *there, enum cover_side wanted)
{
	size_t i;

	json_key(json, wanted == SIDE_HERE ? "here" : "there");
	json_open(json, '[');
	for (i = 0; i < here->n_all; i++) {
		if (here->all[i].function != KCT_COVERAGE_NONE &&
		    cover_side(here->all[i].records, there->all[i].records) == wanted)
			json_hex(json, here->all[i].pc);
	}
	json_close(json, ']');
}

static void diff_functions(struct json *json, const struct cover *cover)
{
	const struct kct_coverage_function *here, *there;
	size_t n, i;

	here = kct_coverage_functions(cover->coverage, &n);
	there = kct_coverage_functions(cover->other, &n);
	for (i = 0; i < n; i++) {
		enum cover_side side = cover_side(here[i].hit, there[i].hit);

		if (side != SIDE_HERE && side != SIDE_THERE)
			continue;
		open_object(json, "function");
		put_identity(json, cover, &here[i]);
		json_key_string(json, "only", side == SIDE_HERE ? "here" : "there");
		put_part(json, "points", "hit", side == SIDE_HERE ? here[i].hit : there[i].hit,
			 here[i].points);
		close_object(json);
	}
}

int cover_json_diff(const struct cover *cover)
{
	const struct kct_coverage_module *here, *there;
	const struct kct_coverage_file *ours, *theirs;
	struct json json = {.out = cover->out};
	size_t n, i;

	open_object(&json, "summary");
	json_key_string(&json, "schema", SCHEMA_DIFF);
	json_key_number(&json, "version", SCHEMA_VERSION);
	close_object(&json);
	here = kct_coverage_modules(cover->coverage, &n);
	there = kct_coverage_modules(cover->other, &n);
	for (i = 0; i < n; i++) {
		open_object(&json, "points");
		json_key_string(&json, "module", here[i].name);
		put_points(&json, &here[i], &there[i], SIDE_HERE);
		put_points(&json, &here[i], &there[i], SIDE_THERE);
		close_object(&json);
	}
	ours = kct_coverage_files(cover->coverage, &n);
	theirs = kct_coverage_files(cover->other, &n);
	for (i = 0; i < n; i++) {
		if (!differ(&ours[i], &theirs[i]))
			continue;
		open_object(&json, "file");
		json_key_string(&json, "file", ours[i].path);
		put_only(&json, "here", &ours[i], &theirs[i]);
		put_only(&json, "there", &theirs[i], &ours[i]);
		close_object(&json);
	}
	diff_functions(&json, cover);
	return STATUS_FINE;
}
