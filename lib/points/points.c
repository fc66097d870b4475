/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/options.h"
#include "points/kept.h"

/* More threads do not help: memory is the limit then. */
#define MAX_THREADS 64

/* Code of 32-bit ARM is little-endian in big-endian kernels too, if they are linked that way. */
#define ARM_FLAG_BE8 0x00800000u

int kct_points_add(struct kct_points *points, const struct kct_point *point)
{
	if (points->n >= KCT_MAX_POINTS)
		return KCT_ERR_LIMIT;
	if (kct_array_reserve(&points->items, &points->max, points->n + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	points->items[points->n++] = *point;
	return 0;
}

int kct_points_add_tail(struct kct_points *points, uint64_t address)
{
	if (kct_array_reserve(&points->tails, &points->max_tails, points->n_tails + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	points->tails[points->n_tails++] = address;
	return 0;
}

static int compare_points(const void *left, const void *right)
{
	const struct kct_point *a = left, *b = right;

	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static int compare_addresses(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/** Sort, and drop what overlapping sections of a damaged image gave twice. */
static void sort_points(struct kct_points *points)
{
	size_t n = 0;

	if (points->n)
		qsort(points->items, points->n, sizeof(*points->items), compare_points);
	for (size_t i = 0; i < points->n; i++) {
		if (n == 0 || points->items[n - 1].pc != points->items[i].pc)
			points->items[n++] = points->items[i];
	}
	points->n = n;
	if (points->n_tails)
		qsort(points->tails, points->n_tails, sizeof(*points->tails), compare_addresses);
	n = 0;
	for (size_t i = 0; i < points->n_tails; i++) {
		if (n == 0 || points->tails[n - 1] != points->tails[i])
			points->tails[n++] = points->tails[i];
	}
	points->n_tails = n;
}

/** Whether a function holds a coverage point, and where to look for those of the next. */
static bool has_coverage(const struct kct_points *points, const struct kct_image_function *function,
			 size_t *from)
{
	size_t i = *from;

	while (i < points->n && points->items[i].call < function->address)
		i++;
	*from = i;
	for (; i < points->n && points->items[i].call - function->address < function->size; i++) {
		if (kct_point_is_coverage(points->items[i].kind))
			return true;
	}
	return false;
}

static void count(struct kct_points *points)
{
	struct kct_points_stats *stats = &points->stats;
	size_t from = 0;

	for (size_t i = 0; i < points->n; i++) {
		stats->kinds[points->items[i].kind]++;
		stats->coverage += kct_point_is_coverage(points->items[i].kind);
	}
	stats->functions = points->n_functions;
	for (size_t i = 0; i < points->n_functions; i++)
		stats->with_points += has_coverage(points, &points->functions[i], &from);
	stats->tail_calls = points->n_tails;
	stats->cached = points->kept;
}

static unsigned default_threads(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static int map_sections(struct kct_points *points)
{
	const struct kct_image *image = points->image;
	int result = 0;

	for (size_t i = 0; i < image->n_sections && result >= 0; i++) {
		const struct kct_section *section = &image->sections[i];

		if (!(section->flags & SHF_ALLOC) || !section->placed ||
		    !kct_section_data(image, section) ||
		    section->size - 1 > UINT64_MAX - section->address)
			continue;
		result = kct_ranges_add(
			kct_section_is_code(section) ? &points->code : &points->data,
			section->address, section->address + section->size - 1, 0, (uint32_t)i);
	}
	if (result >= 0)
		result = kct_ranges_finish(&points->code);
	return result < 0 ? result : kct_ranges_finish(&points->data);
}

/** A symbol file, or an image of which only symbols and debug information were kept. */
static int fail_no_code(const struct kct_image *image, struct kct_error *error)
{
	return kct_fail(error, KCT_ERR_UNSUPPORTED,
			"%s: symbols without code, in which points cannot be found: that takes the "
			"image itself",
			image->name);
}

/** Whether an image has code that its user has not placed. */
static bool has_unplaced_code(const struct kct_image *image)
{
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];

		if ((section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR) &&
		    !section->placed && kct_section_data(image, section))
			return true;
	}
	return false;
}

static int fail_unplaced(const struct kct_image *image, struct kct_error *error)
{
	return kct_fail(error, KCT_ERR_NOT_FOUND,
			"%s: its points have no addresses, because none is known of its code",
			image->name);
}

/** Read what the walk needs of the image, and see that there is something to find. */
static int prepare(struct kct_points *points, struct kct_error *error)
{
	struct kct_image *image = points->image;
	const GElf_Ehdr *header = &image->header;
	int result;

	if (!image->elf)
		return fail_no_code(image, error);
	points->machine = kct_machine_find(header->e_machine, header->e_ident[EI_CLASS]);
	if (!points->machine)
		return kct_fail(error, KCT_ERR_UNSUPPORTED,
				"%s: points of ELF machine %u cannot be found", image->name,
				header->e_machine);
	points->big = header->e_ident[EI_DATA] == ELFDATA2MSB &&
		      (header->e_machine != EM_ARM || !(header->e_flags & ARM_FLAG_BE8));
	result = kct_image_functions(image, &points->functions, &points->n_functions, error);
	if (result < 0)
		return result;
	result = kct_roles_load(&points->roles, image);
	if (result >= 0 && image->relocatable)
		result = kct_relocs_load(&points->relocs, image);
	if (result < 0)
		return kct_fail_code(error, result);
	result = map_sections(points);
	if (result >= 0)
		result = kct_sites_load(points);
	if (result < 0)
		return kct_fail_code(error, result);
	if (!points->roles.has_callbacks) {
		if (points->roles.n_symbols == 0)
			return kct_fail(error, KCT_ERR_NOT_FOUND,
					"%s: no symbols, so callbacks cannot be told from other "
					"functions",
					image->name);
		return kct_fail(error, KCT_ERR_NOT_BUILT,
				"%s: not built with KCOV: it neither has nor calls "
				"__sanitizer_cov_trace_pc or another callback",
				image->name);
	}
	if (points->code.n == 0)
		return has_unplaced_code(image) ? fail_unplaced(image, error)
						: fail_no_code(image, error);
	if (!image->relocatable && !kct_machine_is_readable(points->machine))
		return kct_fail(error, KCT_ERR_UNSUPPORTED,
				"%s: this build lacks capstone, without which the points of linked "
				"x86 code cannot be found",
				image->name);
	return 0;
}

/** Take the points that the cache of the image has. */
static bool take_kept(struct kct_points *points)
{
	const void *block;
	size_t bytes;

	if (!points->image->stored.directory ||
	    kct_stored_block(points->image, KCT_SYMFILE_POINTS, &block, &bytes) <= 0)
		return false;
	if (!kct_points_unpack(points, block, bytes))
		kct_stored_doubt(points->image, "its coverage points are damaged");
	return points->kept;
}

/** Let the image keep the points that were found: they are then in its block alone. */
static int keep(struct kct_points *points)
{
	struct kct_point *items = points->items;
	uint64_t *tails = points->tails;
	size_t bytes;
	void *block;
	int result;

	if (!points->image->stored.directory)
		return 0;
	result = kct_points_pack(points, &block, &bytes);
	if (result <= 0)
		return result;
	kct_stored_add_block(points->image, KCT_SYMFILE_POINTS, block, bytes);
	kct_points_unpack(points, block, bytes);
	free(items);
	free(tails);
	return 0;
}

/** Find the points in the code. */
static int find(struct kct_points *points, unsigned threads, struct kct_error *error)
{
	struct kct_image *image = points->image;
	int result;

	if (image->relocatable)
		result = kct_walk_relocs(points);
	else
		result = kct_walk(points, threads ? threads : default_threads());
	if (result == KCT_ERR_ELF)
		return kct_fail(error, result, "%s: sections of code share bytes of the file",
				image->name);
	if (result >= 0) {
		sort_points(points);
		count(points);
		result = keep(points);
	}
	return result < 0 ? kct_fail_code(error, result) : 0;
}

static void points_cleanup(struct kct_points **points)
{
	kct_points_free(*points);
}

int kct_points_new(struct kct_image *image, const struct kct_points_options *options,
		   struct kct_points **ret_points, struct kct_error *error)
{
	struct kct_points_options known = {.size = sizeof(known)};
	struct kct_points *points KCT_CLEANUP(points_cleanup) = NULL;
	int result;

	if (!image || !ret_points ||
	    (options && kct_options_copy(options, sizeof(known), &known) < 0))
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	points = calloc(1, sizeof(*points));
	if (!points)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	points->image = image;
	points->spare = calloc(1, sizeof(*points->spare));
	if (!points->spare)
		return kct_fail_code(error, KCT_ERR_NO_MEMORY);
	result = prepare(points, error);
	if (result < 0)
		return result;
	if (take_kept(points))
		count(points);
	else
		result = find(points, known.threads, error);
	if (result < 0)
		return result;
	*ret_points = TAKE_PTR(points);
	return 0;
}

void kct_points_free(struct kct_points *points)
{
	if (!points)
		return;
	if (points->spare && *points->spare)
		kct_reader_close(*points->spare);
	if (points->spare)
		free(*points->spare);
	free(points->spare);
	kct_roles_clear(&points->roles);
	kct_relocs_clear(&points->relocs);
	kct_ranges_clear(&points->code);
	kct_ranges_clear(&points->data);
	free(points->sites);
	if (!points->kept) {
		free(points->items);
		free(points->tails);
	}
	free(points);
}

bool kct_points_code(const struct kct_points *points, uint64_t address, struct kct_piece *ret_piece)
{
	const struct kct_range *range = kct_ranges_find(&points->code, address);
	const struct kct_section *section;

	if (!range)
		return false;
	section = &points->image->sections[range->value];
	*ret_piece = (struct kct_piece){
		.code = kct_section_data(points->image, section) + (address - section->address),
		.bytes = range->last - address + 1,
		.address = address,
	};
	return true;
}

const uint8_t *kct_points_data(const struct kct_points *points, uint64_t address,
			       uint64_t *ret_bytes)
{
	const struct kct_range *range = kct_ranges_find(&points->data, address);
	const struct kct_section *section;

	if (!range)
		return NULL;
	section = &points->image->sections[range->value];
	*ret_bytes = range->last - address + 1;
	return kct_section_data(points->image, section) + (address - section->address);
}

struct kct_image *kct_points_image(const struct kct_points *points)
{
	return points->image;
}

const struct kct_point *kct_points_all(const struct kct_points *points, size_t *ret_n)
{
	*ret_n = points->n;
	return points->items;
}

const uint64_t *kct_points_tail_calls(const struct kct_points *points, size_t *ret_n)
{
	*ret_n = points->n_tails;
	return points->tails;
}

const struct kct_points_stats *kct_points_stats(const struct kct_points *points)
{
	return &points->stats;
}

/** Index of the first point whose pc is at or after `pc`. */
static size_t first_at(const struct kct_points *points, uint64_t pc)
{
	size_t low = 0, high = points->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->items[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct kct_point *kct_points_find(const struct kct_points *points, uint64_t pc)
{
	size_t i;

	if (points->machine == &kct_machine_arm)
		pc &= ~(uint64_t)1;
	i = first_at(points, pc);
	return i < points->n && points->items[i].pc == pc ? &points->items[i] : NULL;
}

size_t kct_points_from(const struct kct_points *points, uint64_t address)
{
	size_t i = first_at(points, address);

	while (i < points->n && points->items[i].call < address)
		i++;
	return i;
}
