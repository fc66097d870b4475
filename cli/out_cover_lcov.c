/* SPDX-License-Identifier: BSD-2-Clause */
/* lcov tracefiles. What lcov 2 refuses must not be written: see docs/coverage.md. */
#include <string.h>

#include "message.h"
#include "out_cover.h"
#include "source.h"

/** A file while it is written. */
struct section {
	const struct cover *cover;
	const struct kct_coverage_file *file;
	const struct kct_coverage_function *functions; /* of the file, by line and name */
	uint32_t last_line;			       /* of the source; UINT32_MAX: not known */
};

/** How often a line ran; an implied one at least once. */
static uint64_t count_of(const struct kct_coverage_line *line)
{
	if (line->state == KCT_STATE_NOT_REACHED)
		return 0;
	return line->state == KCT_STATE_HIT && line->records ? line->records : 1;
}

static bool is_shown(const struct section *section, const struct kct_coverage_line *line)
{
	return line_is_known(line) && line->line <= section->last_line;
}

/** The first line >= `from` and < `end` that has a DA; 0 if there is none. */
static uint32_t first_line(const struct section *section, uint32_t from, uint32_t end)
{
	const struct kct_coverage_file *file = section->file;
	size_t low = 0, high = file->n_lines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->lines[middle].line < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < file->n_lines && file->lines[low].line < end; low++) {
		if (is_shown(section, &file->lines[low]))
			return file->lines[low].line;
	}
	return 0;
}

/** A function of the source: all that was compiled and inlined of it. */
struct source_function {
	const char *name;
	uint32_t line;
	uint32_t end; /* the last line that is known of it */
	uint64_t entries;
	bool shares_name; /* with a function on another line */
	bool hidden;	  /* only there to end the one before */
};

struct source_functions {
	struct source_function *functions;
	size_t n, max;
};

static int by_line(const void *left, const void *right)
{
	const struct source_function *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_name(const void *left, const void *right)
{
	const struct source_function *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/** Whether lcov reads a name as it is. lcov 2 takes a number and a comma in front for a last line. */
static bool is_name(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return *name && !(digits && name[digits] == ',') && cover_path_is_plain(name);
}

static void add_function(const struct section *section, struct source_functions *all,
			 const struct source_function *function)
{
	if (!function->name || !function->line)
		return;
	grow(&all->functions, all->n, &all->max);
	all->functions[all->n] = *function;
	all->functions[all->n++].hidden = !is_name(function->name) ||
					  !first_line(section, function->line, function->line + 1);
}

/** Whether one of n functions, sorted by name, begins at or before a line. */
static bool begins_before(const struct source_functions *sorted, size_t n, const char *name,
			  uint32_t line)
{
	const struct source_function key = {.name = name, .line = line};
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_name(&sorted->functions[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && strcmp(sorted->functions[low - 1].name, name) == 0;
}

/** Those that were compiled, and those that were only inlined, without which their lines would seem to be
 *  of the function before. */
static void collect(const struct section *section, struct source_functions *all)
{
	const struct kct_coverage_inlined *inlined;
	size_t compiled, n, i;

	for (i = 0; i < section->file->n_functions; i++) {
		const struct kct_coverage_function *function = &section->functions[i];
		/* Hit, but not where it begins: it was entered all the same. */
		uint64_t entries = function->entries ? function->entries : function->hit != 0;

		add_function(section, all,
			     &(struct source_function){.name = function->name,
						       .line = function->line,
						       .entries = entries});
	}
	compiled = all->n;
	if (compiled)
		qsort(all->functions, compiled, sizeof(*all->functions), by_name);
	inlined = kct_coverage_inlined(section->cover->coverage, &n) + section->file->first_inlined;
	for (i = 0; i < section->file->n_inlined; i++) {
		if (!begins_before(all, compiled, inlined[i].name, inlined[i].line))
			add_function(section, all,
				     &(struct source_function){.name = inlined[i].name,
							       .line = inlined[i].line});
	}
}

/** Put those together that were compiled several times, mark those of one name on several lines, and sort
 *  by line. */
static void unite(struct source_functions *all)
{
	struct source_function *functions = all->functions;
	size_t n = 0, i;

	if (all->n)
		qsort(functions, all->n, sizeof(*functions), by_name);
	for (i = 0; i < all->n; i++) {
		bool same_name = n && strcmp(functions[n - 1].name, functions[i].name) == 0;

		if (same_name && functions[n - 1].line == functions[i].line) {
			functions[n - 1].entries += functions[i].entries;
			continue;
		}
		functions[n] = functions[i];
		if (same_name)
			functions[n - 1].shares_name = functions[n].shares_name = true;
		n++;
	}
	all->n = n;
	if (n)
		qsort(functions, n, sizeof(*functions), by_line);
}

/** Let a function without a DA on its first line begin on the next one that has one: else nothing would tell its
 *  lines from those of the function before. */
static void move_starts(const struct section *section, struct source_functions *all)
{
	size_t next = 0, i;

	for (i = 0; i < all->n; i++) {
		struct source_function *function = &all->functions[i];
		uint32_t line;

		while (next < all->n && (next <= i || all->functions[next].line <= function->line))
			next++;
		if (!function->hidden || !is_name(function->name))
			continue;
		line = first_line(section, function->line,
				  next < all->n ? all->functions[next].line : UINT32_MAX);
		if (line) {
			function->line = line;
			function->hidden = false;
		}
	}
}

/** Where the lines of function i end: before the next one. To lcov 2, which is not told ends in the old form,
 *  hidden ones are not there. */
static uint32_t next_start(const struct section *section, const struct source_functions *all,
			   size_t i)
{
	const bool new_form = section->cover->options->lcov2;
	uint32_t start = all->functions[i].line;

	/* Of several on one line each has the lines. */
	for (; i < all->n; i++) {
		if (all->functions[i].line > start && (new_form || !all->functions[i].hidden))
			return all->functions[i].line;
	}
	return UINT32_MAX;
}

/** Find the end of each function. Where lines of it ran and no call of it, inlined copies did: lcov 2 refuses
 *  anything else. */
static void look_at_lines(const struct section *section, struct source_functions *all)
{
	const struct kct_coverage_file *file = section->file;
	size_t line = 0, at, i;

	for (i = 0; i < all->n; i++) {
		struct source_function *function = &all->functions[i];
		uint32_t next = next_start(section, all, i);
		uint64_t most = 0;

		function->end = function->line;
		while (line < file->n_lines && file->lines[line].line < function->line)
			line++;
		for (at = line; at < file->n_lines && file->lines[at].line < next; at++) {
			if (!is_shown(section, &file->lines[at]))
				continue;
			function->end = file->lines[at].line;
			if (count_of(&file->lines[at]) > most)
				most = count_of(&file->lines[at]);
		}
		if (!function->entries)
			function->entries = most;
	}
}

static void write_name(struct output *out, const struct source_function *function)
{
	output_string(out, function->name);
	if (function->shares_name)
		output_printf(out, ":%u", function->line);
	output_char(out, '\n');
}

static void write_functions(const struct section *section)
{
	const bool new_form = section->cover->options->lcov2;
	struct output *out = section->cover->out;
	struct source_functions all = {0};
	size_t i, found = 0, hit = 0;

	collect(section, &all);
	unite(&all);
	move_starts(section, &all);
	look_at_lines(section, &all);
	for (i = 0; i < all.n && !new_form; i++) {
		if (all.functions[i].hidden)
			continue;
		output_printf(out, "FN:%u,", all.functions[i].line);
		write_name(out, &all.functions[i]);
	}
	for (i = 0; i < all.n; i++) {
		const struct source_function *function = &all.functions[i];
		unsigned long long entries = function->entries;

		if (function->hidden)
			continue;
		if (new_form)
			output_printf(out, "FNL:%zu,%u,%u\nFNA:%zu,%llu,", found, function->line,
				      function->end, found, entries);
		else
			output_printf(out, "FNDA:%llu,", entries);
		write_name(out, function);
		found++;
		hit += entries != 0;
	}
	output_printf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
	free(all.functions);
}

static void write_lines(const struct section *section)
{
	const struct kct_coverage_file *file = section->file;
	struct output *out = section->cover->out;
	uint32_t found = 0, hit = 0;
	size_t i;

	for (i = 0; i < file->n_lines; i++) {
		const struct kct_coverage_line *line = &file->lines[i];
		uint64_t count = count_of(line);

		if (!is_shown(section, line))
			continue;
		output_printf(out, "DA:%u,%llu\n", line->line, (unsigned long long)count);
		found++;
		hit += count != 0;
	}
	output_printf(out, "LF:%u\nLH:%u\nend_of_record\n", found, hit);
}

/** Lines of a source that ends before the last one that the debug information knows: it is not the
 *  source of this image. */
static void check_source(struct section *section)
{
	const struct kct_coverage_file *file = section->file;
	size_t n = 0, i;

	section->last_line = source_lines(file->path);
	for (i = file->n_lines; i-- && file->lines[i].line > section->last_line;)
		n++;
	if (n)
		warning("%s: has %u lines, but the debug information knows line %u: another "
			"version? "
			"%zu lines are left out",
			file->path, section->last_line, file->lines[file->n_lines - 1].line, n);
}

bool cover_path_is_plain(const char *path)
{
	for (; *path; path++) {
		if ((unsigned char)*path < ' ' || *path == 0x7f)
			return false;
	}
	return true;
}

int cover_lcov(const struct cover *cover)
{
	const struct kct_coverage_function *functions;
	const struct kct_coverage_file *files;
	int status = STATUS_FINE;
	size_t n, i;

	files = kct_coverage_files(cover->coverage, &n);
	functions = kct_coverage_functions(cover->coverage, &(size_t){0});
	for (i = 0; i < n && !output_dead(cover->out); i++) {
		struct section section = {.cover = cover, .file = &files[i]};

		/* Nothing is known of it: lcov has no place for that. */
		if (lines_known(files[i].states) == 0)
			continue;
		if (!cover_path_is_plain(files[i].path)) {
			status = failure("a source file is left out: control characters in its "
					 "path");
			continue;
		}
		section.functions = functions + files[i].first_function;
		check_source(&section);
		output_printf(cover->out, "TN:kcovtrace\nSF:%s\n", files[i].path);
		write_functions(&section);
		write_lines(&section);
	}
	return status;
}
