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

/** Whether a line has a DA: a function must begin on such a one. */
static bool has_line(const struct section *section, uint32_t number)
{
	const struct kct_coverage_file *file = section->file;
	size_t low = 0, high = file->n_lines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->lines[middle].line < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file->n_lines && file->lines[low].line == number &&
	       is_shown(section, &file->lines[low]);
}

/** A function of the source: what was compiled several times is one. */
struct source_function {
	const struct kct_coverage_function *first;
	uint64_t entries;
	bool shares_name; /* with a function on another line */
};

static bool is_same(const struct kct_coverage_function *a, const struct kct_coverage_function *b)
{
	return a->line == b->line && strcmp(a->name, b->name) == 0;
}

static int by_name(const void *left, const void *right)
{
	const struct source_function *a = *(const struct source_function *const *)left;
	const struct source_function *b = *(const struct source_function *const *)right;

	return strcmp(a->first->name, b->first->name);
}

/** Mark functions of one name on several lines. */
static void find_namesakes(struct source_function *functions, size_t n)
{
	struct source_function **sorted = zeroed(struct source_function *, n);
	size_t i;

	for (i = 0; i < n; i++)
		sorted[i] = &functions[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (i = 1; i < n; i++) {
		if (strcmp(sorted[i - 1]->first->name, sorted[i]->first->name) == 0)
			sorted[i - 1]->shares_name = sorted[i]->shares_name = true;
	}
	free(sorted);
}

/** The functions of a section that can be shown; the caller frees them. */
static struct source_function *collect(const struct section *section, size_t *ret_n)
{
	struct source_function *functions =
		zeroed(struct source_function, section->file->n_functions);
	size_t n = 0, i;

	for (i = 0; i < section->file->n_functions; i++) {
		const struct kct_coverage_function *function = &section->functions[i];

		if (!function->name || !cover_path_is_plain(function->name) ||
		    !has_line(section, function->line))
			continue;
		if (!n || !is_same(functions[n - 1].first, function))
			functions[n++].first = function;
		/* Hit, but not where it begins: it was entered all the same. */
		functions[n - 1].entries +=
			function->entries ? function->entries : function->hit != 0;
	}
	find_namesakes(functions, n);
	*ret_n = n;
	return functions;
}

static void write_name(struct output *out, const struct source_function *function)
{
	output_string(out, function->first->name);
	if (function->shares_name)
		output_printf(out, ":%u", function->first->line);
	output_char(out, '\n');
}

static void write_functions(const struct section *section)
{
	struct output *out = section->cover->out;
	struct source_function *functions;
	size_t n, i, hit = 0;

	functions = collect(section, &n);
	for (i = 0; i < n && !section->cover->options->lcov2; i++) {
		output_printf(out, "FN:%u,", functions[i].first->line);
		write_name(out, &functions[i]);
	}
	for (i = 0; i < n; i++) {
		unsigned long long entries = functions[i].entries;

		if (section->cover->options->lcov2)
			output_printf(out, "FNL:%zu,%u\nFNA:%zu,%llu,", i, functions[i].first->line,
				      i, entries);
		else
			output_printf(out, "FNDA:%llu,", entries);
		write_name(out, &functions[i]);
		hit += entries != 0;
	}
	output_printf(out, "FNF:%zu\nFNH:%zu\n", n, hit);
	free(functions);
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
