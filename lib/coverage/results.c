/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of files put together, everything sorted and added up. */
#include <string.h>

#include "coverage/coverage.h"

/* Fewer lines than this are not worth the sorting. */
#define FEW_LINES 256

/** What two functions say of a line: the state that says most is shown. */
static uint8_t join_states(uint8_t a, uint8_t b)
{
	static const uint8_t ranks[KCT_STATES + 1] = {
		[KCT_STATE_NOT_REACHED] = 0, [KCT_COVER_NO_CODE] = 1, [KCT_STATE_UNKNOWN] = 2,
		[KCT_STATE_IMPLIED] = 3,     [KCT_STATE_HIT] = 4,
	};
	uint8_t most = ranks[a] > ranks[b] ? a : b;

	/* The code was missed, but the line may have run where it has none. */
	return most == KCT_COVER_NO_CODE && a != b ? KCT_STATE_UNKNOWN : most;
}

static bool is_covered(const struct kct_coverage_line *line)
{
	return line->state == KCT_STATE_HIT || line->state == KCT_STATE_IMPLIED;
}

/** Add what another function says of a line. It is wholly covered if it is in one function. */
static void join(struct kct_coverage_line *into, const struct kct_coverage_line *line)
{
	if (is_covered(into) && is_covered(line))
		into->partly &= line->partly;
	else if (is_covered(line))
		into->partly = line->partly;
	into->state = join_states(into->state, line->state);
	into->points += line->points;
	into->hit += line->hit;
	into->records = kct_count_sum(into->records, line->records);
}

static int compare_lines(const void *left, const void *right)
{
	const struct kct_coverage_line *a = left, *b = right;

	return a->line < b->line ? -1 : a->line > b->line;
}

static void make_unique(struct kct_cover_lines *lines)
{
	size_t n = 0;

	if (lines->n)
		qsort(lines->lines, lines->n, sizeof(*lines->lines), compare_lines);
	for (size_t i = 0; i < lines->n; i++) {
		if (n && lines->lines[n - 1].line == lines->lines[i].line)
			join(&lines->lines[n - 1], &lines->lines[i]);
		else
			lines->lines[n++] = lines->lines[i];
	}
	lines->n = lines->n_unique = n;
}

static void drop_lines_without_code(struct kct_cover_lines *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < lines->n; i++) {
		if (lines->lines[i].state != KCT_COVER_NO_CODE)
			lines->lines[n++] = lines->lines[i];
	}
	lines->n = n;
}

int kct_cover_add_line(struct kct_coverage *coverage, uint32_t file,
		       const struct kct_coverage_line *line)
{
	struct kct_cover_lines *lines = &coverage->lines[file];

	if (lines->n >= FEW_LINES && lines->n / 2 >= lines->n_unique)
		make_unique(lines);
	if (kct_array_reserve(&lines->lines, &lines->max, lines->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	lines->lines[lines->n++] = *line;
	return 0;
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_files(const void *left, const void *right)
{
	return strcmp(((const struct kct_coverage_file *)left)->path,
		      ((const struct kct_coverage_file *)right)->path);
}

/** Sort the files, tell the functions their new numbers. The old number waits in first_function. */
static int sort_files(struct kct_coverage *coverage)
{
	KCT_AUTO_FREE uint32_t *places = calloc(coverage->n_files + 1, sizeof(*places));
	KCT_AUTO_FREE struct kct_cover_lines *lines = calloc(coverage->n_files + 1, sizeof(*lines));

	if (!places || !lines)
		return KCT_ERR_NO_MEMORY;
	for (uint32_t i = 0; i < coverage->n_files; i++)
		coverage->files[i].first_function = i;
	if (coverage->n_files)
		qsort(coverage->files, coverage->n_files, sizeof(*coverage->files), compare_files);
	for (uint32_t i = 0; i < coverage->n_files; i++) {
		uint32_t old = coverage->files[i].first_function;

		places[old] = i;
		lines[i] = coverage->lines[old];
		coverage->files[i].first_function = 0;
	}
	if (coverage->n_files)
		memcpy(coverage->lines, lines, coverage->n_files * sizeof(*lines));
	for (size_t i = 0; i < coverage->n_functions; i++) {
		uint32_t *file = &coverage->functions[i].file;

		if (*file != KCT_COVERAGE_NONE)
			*file = places[*file];
	}
	for (size_t i = 0; i < coverage->n_inlined; i++)
		coverage->inlined[i].file = places[coverage->inlined[i].file];
	return 0;
}

static int compare_inlined(const void *left, const void *right)
{
	const struct kct_coverage_inlined *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void sort_inlined(struct kct_coverage *coverage)
{
	if (coverage->n_inlined)
		qsort(coverage->inlined, coverage->n_inlined, sizeof(*coverage->inlined),
		      compare_inlined);
	for (uint32_t i = 0; i < coverage->n_inlined; i++) {
		struct kct_coverage_file *file = &coverage->files[coverage->inlined[i].file];

		if (file->n_inlined++ == 0)
			file->first_inlined = i;
	}
}

struct numbered_function {
	struct kct_coverage_function function;
	uint32_t old;
};

static int compare_functions(const void *left, const void *right)
{
	const struct kct_coverage_function *a = &((const struct numbered_function *)left)->function;
	const struct kct_coverage_function *b =
		&((const struct numbered_function *)right)->function;
	int order;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	order = compare_texts(a->name, b->name);
	if (order != 0)
		return order;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/** Sort the functions, tell the points their new numbers. */
static int sort_functions(struct kct_coverage *coverage)
{
	size_t n = coverage->n_functions;
	KCT_AUTO_FREE struct numbered_function *sorted = calloc(n + 1, sizeof(*sorted));
	KCT_AUTO_FREE uint32_t *places = calloc(n + 1, sizeof(*places));

	if (!sorted || !places)
		return KCT_ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (struct numbered_function){coverage->functions[i], i};
	if (n)
		qsort(sorted, n, sizeof(*sorted), compare_functions);
	for (uint32_t i = 0; i < n; i++) {
		coverage->functions[i] = sorted[i].function;
		places[sorted[i].old] = i;
	}
	for (size_t i = 0; i < coverage->n_images; i++) {
		struct kct_cover_image *image = &coverage->images[i];

		for (size_t j = 0; j < image->n_all; j++) {
			if (image->functions[j] != KCT_COVERAGE_NONE)
				image->functions[j] = places[image->functions[j]];
		}
	}
	return 0;
}

static void add_up_files(struct kct_coverage *coverage)
{
	struct kct_coverage_total *total = &coverage->total;

	for (size_t i = 0; i < coverage->n_files; i++) {
		struct kct_coverage_file *file = &coverage->files[i];

		make_unique(&coverage->lines[i]);
		drop_lines_without_code(&coverage->lines[i]);
		file->lines = coverage->lines[i].lines;
		file->n_lines = coverage->lines[i].n;
		for (size_t j = 0; j < file->n_lines; j++) {
			file->states[file->lines[j].state]++;
			file->partly += file->lines[j].partly;
		}
		for (size_t j = 0; j < KCT_STATES; j++)
			total->lines[j] += file->states[j];
		total->partly += file->partly;
	}
}

static void add_up_functions(struct kct_coverage *coverage)
{
	struct kct_coverage_total *total = &coverage->total;

	for (uint32_t i = 0; i < coverage->n_functions; i++) {
		const struct kct_coverage_function *function = &coverage->functions[i];
		struct kct_coverage_module *module = &coverage->modules[function->module];

		module->points += function->points;
		module->hit += function->hit;
		module->functions++;
		module->hit_functions += function->hit != 0;
		total->points += function->points;
		total->hit += function->hit;
		total->functions++;
		total->hit_functions += function->hit != 0;
		if (function->file != KCT_COVERAGE_NONE) {
			struct kct_coverage_file *file = &coverage->files[function->file];

			if (file->n_functions++ == 0)
				file->first_function = i;
			file->points += function->points;
			file->hit += function->hit;
			file->hit_functions += function->hit != 0;
		}
	}
}

/** The coverage points of an image, for the outside. */
static int show_points(struct kct_coverage *coverage, struct kct_cover_image *image)
{
	image->shown = calloc(image->n_all + 1, sizeof(*image->shown));
	if (!image->shown)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < image->n_all; i++) {
		if (!kct_point_is_coverage(image->all[i].kind))
			continue;
		image->shown[image->n_shown++] = (struct kct_coverage_point){
			image->all[i].pc, image->all[i].call, image->records[i],
			image->functions[i], image->all[i].kind};
		coverage->total.matched += image->records[i] != 0;
	}
	return 0;
}

/** Where the code of an image lies. */
static void find_extent(const struct kct_image *image, struct kct_coverage_module *module)
{
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		if (!kct_section_is_code(section))
			continue;
		if (module->end == 0 || section->address < module->base)
			module->base = section->address;
		module->end = kct_max_u64(module->end, section->address + section->size);
	}
}

static int show_modules(struct kct_coverage *coverage)
{
	int result = 0;

	coverage->modules = calloc(coverage->n_images + 1, sizeof(*coverage->modules));
	if (!coverage->modules)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < coverage->n_images && result >= 0; i++) {
		struct kct_cover_image *image = &coverage->images[i];
		struct kct_coverage_module *module = &coverage->modules[i];

		result = show_points(coverage, image);
		module->name = image->member.name;
		module->image = image->member.image;
		module->offset = image->member.shift;
		find_extent(image->member.image, module);
		module->all = image->shown;
		module->n_all = image->n_shown;
	}
	return result;
}

/** Why PCs match no point. */
static int explain(struct kct_coverage *coverage)
{
	struct kct_counts *pcs = &coverage->pcs;
	KCT_AUTO_FREE struct kct_points_at *at = calloc(coverage->n_images + 1, sizeof(*at));
	KCT_AUTO_FREE uint64_t *numbers = NULL;
	int result = kct_counts_seal(pcs);

	if (result < 0)
		return result;
	coverage->total.pcs = pcs->n + coverage->total.elsewhere;
	numbers = calloc(pcs->n + 1, sizeof(*numbers));
	if (!at || !numbers)
		return KCT_ERR_NO_MEMORY;
	for (size_t i = 0; i < pcs->n; i++)
		numbers[i] = pcs->rows[i].pc;
	for (size_t i = 0; i < coverage->n_images; i++)
		at[i] = (struct kct_points_at){coverage->images[i].points,
					       coverage->images[i].member.shift};
	return kct_points_match(at, coverage->n_images, numbers, pcs->n, &coverage->total.match);
}

int kct_cover_results(struct kct_coverage *coverage)
{
	int result = sort_files(coverage);

	if (result >= 0)
		result = sort_functions(coverage);
	if (result >= 0)
		result = show_modules(coverage);
	if (result < 0)
		return result;
	sort_inlined(coverage);
	add_up_files(coverage);
	add_up_functions(coverage);
	return explain(coverage);
}
