/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "coverage/coverage.h"

int kct_coverage_new(struct kct_symbolizer *symbolizer, const struct kct_coverage_options *options,
		     struct kct_coverage **ret_coverage)
{
	struct kct_coverage *coverage;
	int result;

	if (!symbolizer || !ret_coverage)
		return KCT_ERR_ARGUMENT;
	coverage = calloc(1, sizeof(*coverage));
	if (!coverage)
		return KCT_ERR_NO_MEMORY;
	coverage->symbolizer = symbolizer;
	result = options ? kct_options_copy(options, sizeof(*options), &coverage->options) : 0;
	if (result >= 0)
		result = kct_symbolizer_start(symbolizer, NULL);
	if (result < 0) {
		free(coverage);
		return result;
	}
	*ret_coverage = coverage;
	return 0;
}

void kct_coverage_free(struct kct_coverage *coverage)
{
	if (!coverage)
		return;
	for (size_t i = 0; i < coverage->n_images; i++) {
		free(coverage->images[i].records);
		free(coverage->images[i].functions);
		free(coverage->images[i].shown);
	}
	for (size_t i = 0; i < coverage->n_files; i++)
		free(coverage->lines[i].lines);
	free(coverage->images);
	kct_counts_clear(&coverage->pcs);
	kct_map_clear(&coverage->file_numbers);
	free(coverage->files);
	free(coverage->lines);
	free(coverage->functions);
	kct_map_clear(&coverage->inlined_numbers);
	free(coverage->inlined);
	free(coverage->modules);
	free(coverage);
}

int kct_coverage_add_points(struct kct_coverage *coverage, const struct kct_points *points,
			    struct kct_error *error)
{
	struct kct_cover_image image = {.points = points};
	const struct kct_member *member;

	if (!coverage || !points || coverage->finished)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	member = kct_cover_member(coverage->symbolizer, kct_points_image(points), NULL);
	if (!member)
		return kct_fail(error, KCT_ERR_NOT_FOUND,
				"the symbolizer does not have this image");
	image.member = *member;
	image.all = kct_points_all(points, &image.n_all);
	image.records = calloc(image.n_all + 1, sizeof(*image.records));
	image.functions = malloc((image.n_all + 1) * sizeof(*image.functions));
	if (!image.records || !image.functions ||
	    kct_array_reserve(&coverage->images, &coverage->max_images, coverage->n_images + 1) <
		    0) {
		free(image.records);
		free(image.functions);
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	}
	memset(image.functions, 0xff, (image.n_all + 1) * sizeof(*image.functions));
	coverage->images[coverage->n_images++] = image;
	return 0;
}

static struct kct_cover_image *image_of(const struct kct_coverage *coverage,
					const struct kct_member *member)
{
	for (size_t i = 0; member && i < coverage->n_images; i++) {
		if (coverage->images[i].member.image == member->image)
			return &coverage->images[i];
	}
	return NULL;
}

/** The point with this address of its call. They are sorted by it as by the return address. */
static const struct kct_point *find_call(const struct kct_cover_image *image, uint64_t call)
{
	size_t low = 0, high = image->n_all;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->all[middle].call < call)
			low = middle + 1;
		else
			high = middle;
	}
	return low < image->n_all && image->all[low].call == call ? &image->all[low] : NULL;
}

/** Count a PC of an image that has points. */
static int hit(struct kct_coverage *coverage, struct kct_cover_image *image, enum kct_pc_kind kind,
	       uint64_t address, uint64_t count)
{
	const struct kct_point *point = kind == KCT_PC_CALL
						? find_call(image, address)
						: kct_points_find(image->points, address);
	uint64_t *records;

	if (point && kct_point_is_coverage(point->kind)) {
		records = &image->records[point - image->all];
		*records = kct_count_sum(*records, count);
		address = point->pc; /* a call address that is one is explained */
	}
	return kct_counts_add(&coverage->pcs, address - image->member.shift, count);
}

/** The image and base of the PCs of a part; false if they are not here. For addresses as recorded the
 *  member differs from PC to PC. */
static bool resolve(const struct kct_coverage *coverage, const struct kct_pc_origin *origin,
		    const struct kct_member **ret_member, uint64_t *ret_base)
{
	const struct kct_member *member =
		kct_cover_member(coverage->symbolizer, NULL, origin->image);
	const struct kct_section *section;

	if (!member || !image_of(coverage, member))
		return false;
	*ret_base = 0;
	if (*origin->section) {
		section = kct_image_find_section(member->image, origin->section);
		if (!section)
			return false;
		*ret_base = section->address;
	}
	*ret_member = member;
	return true;
}

static int add_recorded(struct kct_coverage *coverage, const struct kct_pc_set *set,
			const struct kct_counts *counts)
{
	int result = 0;

	for (size_t i = 0; i < counts->n && result >= 0; i++) {
		struct kct_pc_count row = counts->rows[i];
		const struct kct_member *member =
			kct_cover_member_at(coverage->symbolizer, row.pc, set->kind);
		struct kct_cover_image *image = image_of(coverage, member);

		if (image)
			result = hit(coverage, image, set->kind, row.pc + member->shift, row.count);
		else if (member) /* its points are not known */
			coverage->total.elsewhere++;
		else
			result = kct_counts_add(&coverage->pcs, row.pc, row.count);
	}
	return result;
}

static int add_part(struct kct_coverage *coverage, const struct kct_pc_set *set,
		    const struct kct_pc_part *part)
{
	const struct kct_counts *counts = &part->counts;
	const struct kct_member *member;
	uint64_t base;
	int result = 0;

	if (!*part->origin.image)
		return add_recorded(coverage, set, counts);
	if (!resolve(coverage, &part->origin, &member, &base)) {
		coverage->total.elsewhere += counts->n;
		return 0;
	}
	for (size_t i = 0; i < counts->n && result >= 0; i++)
		result = hit(coverage, image_of(coverage, member), set->kind,
			     base + counts->rows[i].pc, counts->rows[i].count);
	return result;
}

/** Compare the build IDs of a set with those of the images. */
static int check_builds(const struct kct_coverage *coverage, const struct kct_pc_set *set,
			struct kct_error *error)
{
	struct kct_pc_set *ours;
	size_t part;
	int result = kct_pc_set_new(set->kind, &ours);

	for (size_t i = 0; i < coverage->n_images && result >= 0; i++) {
		const struct kct_member *member = &coverage->images[i].member;
		struct kct_pc_origin origin = {.image = member->name, .section = ""};

		origin.build_id = kct_image_build_id(member->image, &origin.build_id_bytes);
		result = kct_pc_set_part(ours, &origin, &part);
		if (result < 0)
			kct_pc_set_free(ours);
	}
	if (result < 0)
		return kct_fail_code(error, result);
	result = kct_pc_set_check(ours, set, error);
	kct_pc_set_free(ours);
	return result;
}

int kct_coverage_add_set(struct kct_coverage *coverage, struct kct_pc_set *set, bool force,
			 struct kct_error *error)
{
	int result = 0;

	if (!coverage || !set || coverage->finished)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	/* Once more: images of portable symbols may have come. */
	result = kct_symbolizer_start(coverage->symbolizer, error);
	if (result >= 0 && !force)
		result = check_builds(coverage, set, error);
	if (result < 0)
		return result;
	result = kct_pc_set_seal(set);
	for (size_t i = 0; i < set->n_parts && result >= 0; i++) {
		const struct kct_counts *counts = &set->parts[i].counts;

		for (size_t j = 0; j < counts->n; j++)
			coverage->total.records =
				kct_count_sum(coverage->total.records, counts->rows[j].count);
		result = add_part(coverage, set, &set->parts[i]);
	}
	coverage->total.traces = kct_count_sum(coverage->total.traces, set->traces);
	return result < 0 ? kct_fail_code(error, result) : 0;
}

int kct_coverage_finish(struct kct_coverage *coverage, struct kct_error *error)
{
	int result = 0;

	if (!coverage || coverage->finished || coverage->n_images == 0)
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	coverage->finished = true;
	result = kct_symbolizer_start(coverage->symbolizer, error);
	for (uint32_t i = 0; i < coverage->n_images && result >= 0; i++)
		result = kct_cover_functions(coverage, i, error);
	for (uint32_t i = 0; i < coverage->n_images && result >= 0 && !coverage->options.no_lines;
	     i++)
		result = kct_cover_lines(coverage, i, error);
	if (result < 0)
		return result;
	result = kct_cover_results(coverage);
	return result < 0 ? kct_fail_code(error, result) : 0;
}

const struct kct_coverage_total *kct_coverage_total(const struct kct_coverage *coverage)
{
	return &coverage->total;
}

const struct kct_coverage_module *kct_coverage_modules(const struct kct_coverage *coverage,
						       size_t *ret_n)
{
	*ret_n = coverage->modules ? coverage->n_images : 0;
	return coverage->modules;
}

const struct kct_coverage_file *kct_coverage_files(const struct kct_coverage *coverage,
						   size_t *ret_n)
{
	*ret_n = coverage->n_files;
	return coverage->files;
}

const struct kct_coverage_function *kct_coverage_functions(const struct kct_coverage *coverage,
							   size_t *ret_n)
{
	*ret_n = coverage->n_functions;
	return coverage->functions;
}

const struct kct_coverage_inlined *kct_coverage_inlined(const struct kct_coverage *coverage,
							size_t *ret_n)
{
	*ret_n = coverage->n_inlined;
	return coverage->inlined;
}
