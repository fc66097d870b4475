/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function a point belongs to. */
#include "base/fail.h"
#include "coverage/coverage.h"

/* Results are thrown away, and the progress is told, after so many. */
#define STEP 1024

/* What is kept from one point to the next. */
struct search {
	struct kct_coverage *coverage;
	struct kct_cover_image *image;
	uint32_t number;      /* of the image */
	struct kct_map known; /* identity -> function + 1 */
	struct kct_pool results;
};

int kct_cover_file(struct kct_coverage *coverage, const char *path, uint32_t *ret_file)
{
	uint64_t *number;
	int result = kct_map_put(&coverage->file_numbers, (uintptr_t)path, &number);

	if (result < 0)
		return result;
	if (result > 0) {
		*number = 0;
		if (coverage->n_files >= KCT_COVERAGE_NONE)
			return KCT_ERR_LIMIT;
		if (kct_array_reserve(&coverage->files, &coverage->max_files,
				      coverage->n_files + 1) < 0 ||
		    kct_array_reserve(&coverage->lines, &coverage->max_lines,
				      coverage->n_files + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		coverage->files[coverage->n_files] = (struct kct_coverage_file){.path = path};
		coverage->lines[coverage->n_files] = (struct kct_cover_lines){0};
		*number = ++coverage->n_files;
	}
	*ret_file = (uint32_t)(*number - 1);
	return 0;
}

/* A name, which lies in the pool of the symbolizer once, and a file make the key: pointers of programs
 * have 48 bits at most, and there are fewer files than the rest can count. */
#define NAME_BITS 48

int kct_cover_inlined(struct kct_coverage *coverage, const struct kct_symbol_frame *frame)
{
	struct kct_coverage_inlined *inlined;
	uint64_t *number, key = (uintptr_t)frame->function;
	uint32_t file;
	int result;

	if (!frame->function || !frame->file || frame->line == 0)
		return 0;
	result = kct_cover_file(coverage, frame->file, &file);
	if (result < 0 || key >> NAME_BITS || file >> (64 - NAME_BITS))
		return result;
	result =
		kct_map_put(&coverage->inlined_numbers, key | (uint64_t)file << NAME_BITS, &number);
	if (result < 0)
		return result;
	if (result > 0) {
		*number = coverage->n_inlined;
		if (kct_array_reserve(&coverage->inlined, &coverage->max_inlined,
				      coverage->n_inlined + 1) < 0)
			return KCT_ERR_NO_MEMORY;
		coverage->inlined[coverage->n_inlined++] =
			(struct kct_coverage_inlined){frame->function, file, frame->line};
	}
	inlined = &coverage->inlined[*number];
	if (frame->line < inlined->line)
		inlined->line = frame->line;
	return 0;
}

/** A function that was not seen yet: its names, and where it begins. */
static int make_function(struct search *search, const struct kct_symbol *symbol,
			 struct kct_error *error)
{
	struct kct_coverage *coverage = search->coverage;
	struct kct_coverage_function function = {
		.name = symbol->function,
		.symbol = symbol->symbol,
		.module = search->number,
		.file = KCT_COVERAGE_NONE,
	};
	const struct kct_symbol *entry = symbol;
	const struct kct_symbol_frame *frame;
	int result = 0;

	if (symbol->identity) {
		function.address = symbol->identity + search->image->member.shift;
		result = kct_symbol_make(coverage->symbolizer, symbol->identity, KCT_PC_CALL,
					 &search->results, &entry, error);
	}
	if (result >= 0 && entry->n_frames) {
		frame = &entry->frames[entry->n_frames - 1];
		function.line = frame->line;
		if (frame->file)
			result = kct_cover_file(coverage, frame->file, &function.file);
	}
	if (result >= 0 && coverage->n_functions >= KCT_COVERAGE_NONE)
		result = KCT_ERR_LIMIT;
	if (result >= 0)
		result = kct_array_reserve(&coverage->functions, &coverage->max_functions,
					   coverage->n_functions + 1);
	if (result < 0)
		return kct_fail_code(error, result);
	coverage->functions[coverage->n_functions++] = function;
	return 0;
}

static int take_point(struct search *search, size_t index, struct kct_error *error)
{
	struct kct_coverage *coverage = search->coverage;
	struct kct_cover_image *image = search->image;
	struct kct_coverage_function *function;
	const struct kct_symbol *symbol;
	uint64_t *number;
	int result;

	result = kct_symbol_make(coverage->symbolizer, image->all[index].pc - image->member.shift,
				 KCT_PC_RETURN, &search->results, &symbol, error);
	if (result < 0 || !kct_cover_keeps(coverage, symbol))
		return result;
	result = kct_map_put(&search->known, symbol->identity, &number);
	if (result > 0)
		result = make_function(search, symbol, error);
	if (result < 0)
		return result;
	if (*number == 0)
		*number = coverage->n_functions;
	image->functions[index] = (uint32_t)(*number - 1);
	function = &coverage->functions[*number - 1];
	if (!function->entry && image->all[index].pc > function->address) {
		function->entry = image->all[index].pc;
		function->entries = image->records[index];
	}
	function->points++;
	function->hit += image->records[index] != 0;
	function->records = kct_count_sum(function->records, image->records[index]);
	return 0;
}

int kct_cover_functions(struct kct_coverage *coverage, uint32_t image, struct kct_error *error)
{
	const struct kct_coverage_options *options = &coverage->options;
	struct search search = {
		.coverage = coverage, .image = &coverage->images[image], .number = image};
	int result = 0;

	for (size_t i = 0; i < search.image->n_all && result >= 0; i++) {
		if (!kct_point_is_coverage(search.image->all[i].kind))
			continue;
		result = take_point(&search, i, error);
		if (i % STEP)
			continue;
		kct_pool_clear(&search.results);
		if (result >= 0 && options->progress &&
		    options->progress(options->context, i, search.image->n_all))
			result = kct_fail(error, KCT_ERR_LIMIT, "stopped");
	}
	kct_pool_clear(&search.results);
	kct_map_clear(&search.known);
	return result < 0 ? result : 0;
}
