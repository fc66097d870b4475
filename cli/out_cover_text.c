/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cover_tree.h"
#include "text.h"

#define BAR_WIDTH 10

/** `12.3 %`, right-aligned; blanks where there is nothing to be covered. */
static void write_percent(struct output *out, uint64_t part, uint64_t all)
{
	unsigned permille = cover_permille(part, all);

	if (all)
		output_printf(out, "%3u.%u %%", permille / 10, permille % 10);
	else
		output_string(out, "      -");
}

static void write_bar(struct output *out, uint64_t part, uint64_t all)
{
	/* Something is never shown as nothing. */
	size_t full = all ? (size_t)((part * BAR_WIDTH + all - 1) / all) : 0;

	output_fill(out, '#', full);
	output_fill(out, '.', BAR_WIDTH - full);
}

/** `name   part of all  percent`. */
static void write_total(struct output *out, const char *name, uint64_t part, uint64_t all)
{
	output_printf(out, "%-10s %8llu of %8llu  ", name, (unsigned long long)part,
		      (unsigned long long)all);
	write_percent(out, part, all);
}

static void write_lines_total(struct output *out, const struct kct_coverage_total *total)
{
	uint64_t covered = total->lines[KCT_STATE_HIT] + total->lines[KCT_STATE_IMPLIED];

	write_total(out, "lines", covered, covered + total->lines[KCT_STATE_NOT_REACHED]);
	output_printf(out, "  (%llu hit, %llu implied, %llu of them partly; %llu unknown)\n",
		      (unsigned long long)total->lines[KCT_STATE_HIT],
		      (unsigned long long)total->lines[KCT_STATE_IMPLIED],
		      (unsigned long long)total->partly,
		      (unsigned long long)total->lines[KCT_STATE_UNKNOWN]);
}

static void write_match(struct output *out, const struct kct_coverage_total *total)
{
	const struct kct_match *match = &total->match;
	uint64_t unmatched = total->pcs - total->matched;
	uint32_t i;

	output_printf(out, "PCs        %8llu from ", (unsigned long long)total->pcs);
	text_count(out, total->traces, "trace");
	output_string(out, " with ");
	text_count(out, total->records, "record");
	output_printf(out, "; %llu match no coverage point\n", (unsigned long long)unmatched);
	if (total->elsewhere)
		output_printf(out, "  %llu lie in images whose points are not here\n",
			      (unsigned long long)total->elsewhere);
	if (match->cause == KCT_MISMATCH_NONE)
		return;
	output_printf(out, "  %s, such as", kct_mismatch_text(match->cause));
	for (i = 0; i < match->n_samples; i++) {
		output_char(out, ' ');
		output_hex(out, match->samples[i], 1);
	}
	output_char(out, '\n');
}

static void write_modules(const struct cover *cover)
{
	const struct kct_coverage_module *modules;
	size_t n, i;

	modules = kct_coverage_modules(cover->coverage, &n);
	for (i = 0; n > 1 && i < n; i++) {
		output_string(cover->out, "module     ");
		write_percent(cover->out, modules[i].hit, modules[i].points);
		output_printf(cover->out, "  %u of %u points  ", modules[i].hit, modules[i].points);
		text_put(cover->out, modules[i].name);
		output_char(cover->out, '\n');
	}
}

static void write_node(const struct cover *cover, const struct cover_node *node, unsigned level)
{
	struct output *out = cover->out;
	bool directory = !node->file;
	size_t i;

	write_percent(out, node->hit, node->points);
	output_char(out, ' ');
	write_bar(out, node->hit, node->points);
	output_printf(out, " %7llu/%-7llu ", (unsigned long long)node->hit,
		      (unsigned long long)node->points);
	write_percent(out, node->covered, node->lines);
	output_printf(out, " %7llu/%-7llu ", (unsigned long long)node->covered,
		      (unsigned long long)node->lines);
	output_fill(out, ' ', (size_t)level * 2);
	for (i = 0; i < node->length; i++)
		output_char(out, (unsigned char)node->name[i] < ' ' || node->name[i] == 0x7f
					 ? '?'
					 : node->name[i]);
	output_string(out, directory ? "/\n" : "\n");
	/* Of what was not reached at all its sum says everything. */
	if (!node->hit && !node->covered)
		return;
	for (i = 0; i < node->n; i++) {
		if (!cover->options->depth || level + 1 < cover->options->depth)
			write_node(cover, &node->children[i], level + 1);
	}
}

int cover_text(const struct cover *cover)
{
	const struct kct_coverage_total *total = kct_coverage_total(cover->coverage);
	const struct kct_coverage_file *files;
	struct output *out = cover->out;
	struct cover_node root;
	size_t n, i;

	write_total(out, "points", total->hit, total->points);
	output_char(out, '\n');
	write_total(out, "functions", total->hit_functions, total->functions);
	output_char(out, '\n');
	write_lines_total(out, total);
	write_match(out, total);
	write_modules(cover);
	files = kct_coverage_files(cover->coverage, &n);
	cover_tree_build(&root, files, n, cover->options->order);
	if (root.n)
		output_string(out, "\n points             hit/all         lines covered/known\n");
	for (i = 0; i < root.n; i++)
		write_node(cover, &root.children[i], 0);
	cover_tree_free(&root);
	return STATUS_FINE;
}

/** How many things only one side covers, and both. */
struct sides {
	uint64_t n[SIDE_BOTH + 1];
};

static void write_sides(struct output *out, const char *name, const struct sides *sides)
{
	output_printf(
		out, "%-10s %10llu %10llu %10llu\n", name, (unsigned long long)sides->n[SIDE_HERE],
		(unsigned long long)sides->n[SIDE_THERE], (unsigned long long)sides->n[SIDE_BOTH]);
}

static struct sides sides_of_points(const struct cover *cover)
{
	const struct kct_coverage_module *here, *there;
	struct sides sides = {0};
	size_t n, i, j;

	here = kct_coverage_modules(cover->coverage, &n);
	there = kct_coverage_modules(cover->other, &n);
	for (i = 0; i < n; i++) {
		for (j = 0; j < here[i].n_all; j++) {
			if (here[i].all[j].function != KCT_COVERAGE_NONE)
				sides.n[cover_side(here[i].all[j].records,
						   there[i].all[j].records)]++;
		}
	}
	return sides;
}

static struct sides sides_of_functions(const struct cover *cover)
{
	const struct kct_coverage_function *here, *there;
	struct sides sides = {0};
	size_t n, i;

	here = kct_coverage_functions(cover->coverage, &n);
	there = kct_coverage_functions(cover->other, &n);
	for (i = 0; i < n; i++)
		sides.n[cover_side(here[i].hit, there[i].hit)]++;
	return sides;
}

static void add_lines(const struct kct_coverage_file *here, const struct kct_coverage_file *there,
		      struct sides *sides)
{
	size_t i;

	for (i = 0; i < here->n_lines; i++)
		sides->n[cover_side(line_is_covered(&here->lines[i]),
				    line_is_covered(&there->lines[i]))]++;
}

/** The numbers of the lines that one side covers alone, in ranges. */
static void write_lines(struct output *out, const char *mark, const struct kct_coverage_file *here,
			const struct kct_coverage_file *there)
{
	const char *between = " ";
	size_t i, end;

	output_string(out, mark);
	for (i = 0; i < here->n_lines; i = end) {
		for (end = i; end < here->n_lines && line_is_covered(&here->lines[end]) &&
			      !line_is_covered(&there->lines[end]);
		     end++)
			;
		if (end == i) {
			end++;
			continue;
		}
		output_printf(out, "%s%u", between, here->lines[i].line);
		if (end - i > 1)
			output_printf(out, "-%u", here->lines[end - 1].line);
		between = ",";
	}
	output_char(out, '\n');
}

static void write_functions(const struct cover *cover, const struct kct_coverage_file *file)
{
	const struct kct_coverage_function *here, *there;
	uint32_t i;

	here = kct_coverage_functions(cover->coverage, &(size_t){0}) + file->first_function;
	there = kct_coverage_functions(cover->other, &(size_t){0}) + file->first_function;
	for (i = 0; i < file->n_functions; i++) {
		enum cover_side side = cover_side(here[i].hit, there[i].hit);

		if (side != SIDE_HERE && side != SIDE_THERE)
			continue;
		output_string(cover->out, side == SIDE_HERE ? "  < function " : "  > function ");
		text_put(cover->out, here[i].name ? here[i].name : "?");
		output_printf(cover->out, ":%u  %u of %u points\n", here[i].line,
			      side == SIDE_HERE ? here[i].hit : there[i].hit, here[i].points);
	}
}

int cover_text_diff(const struct cover *cover)
{
	const struct kct_coverage_file *here, *there;
	struct sides points = sides_of_points(cover), functions = sides_of_functions(cover);
	struct sides lines = {0};
	struct output *out = cover->out;
	size_t n, i;

	here = kct_coverage_files(cover->coverage, &n);
	there = kct_coverage_files(cover->other, &n);
	for (i = 0; i < n; i++)
		add_lines(&here[i], &there[i], &lines);
	output_string(out, "            only here only there       both\n");
	write_sides(out, "points", &points);
	write_sides(out, "functions", &functions);
	write_sides(out, "lines", &lines);
	for (i = 0; i < n; i++) {
		struct sides of_file = {0};

		add_lines(&here[i], &there[i], &of_file);
		if (!of_file.n[SIDE_HERE] && !of_file.n[SIDE_THERE])
			continue;
		output_char(out, '\n');
		text_put(out, here[i].path);
		output_char(out, '\n');
		write_functions(cover, &here[i]);
		if (of_file.n[SIDE_HERE])
			write_lines(out, "  < lines", &here[i], &there[i]);
		if (of_file.n[SIDE_THERE])
			write_lines(out, "  > lines", &there[i], &here[i]);
	}
	return STATUS_FINE;
}
