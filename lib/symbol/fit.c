/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting what speaks for the images of a symbolizer, and weighing it. The limits come
 * from real traces: with their own image 97 % of the functions begin near their start and at
 * least 88 % of what chance leaves open; with images of other kernels, and moved by 64 bytes
 * to 16 MiB, at most 25 % of it.
 */
#include <string.h>

#include <kcovtrace/fit.h>

#include "base/array.h"
#include "base/fail.h"
#include "symbol/symbolizer.h"

/* The point at the entry of a function lies within so many bytes of its start, behind what saves
 * registers. Functions of twice the size tell something. */
#define START_BYTES 64u

/* Fewer PCs, functions prove nothing, nor do fewer PCs in code. */
#define ENOUGH	    8
#define ENOUGH_CODE 12

/* On x86-64 modules lie above this, and the kernel does not, wherever it is moved. */
#define X86_MODULES	0xffffffffc0000000u
#define X86_MODULES_END 0xffffffffff000000u

/* Where x86-64 may move the kernel to, and PCs that choose among these places. */
#define SLIDE_STEP  ((uint64_t)1 << 21)
#define SLIDE_LIMIT ((uint64_t)1 << 30)
#define VOTERS	    64

/* A PC in a larger function. */
struct start {
	uint64_t function; /* address of its start */
	uint64_t size;
	uint64_t offset; /* of the PC */
};

struct fitting {
	struct kct_space *space;
	enum kct_pc_kind kind;
	uint64_t slide; /* subtracted from PCs first */
	struct start *starts;
	size_t n_starts, max_starts;
	struct kct_fit fit;
};

/** Whether a call instruction ends (or begins) at an offset of a section. -1: no such byte. */
static int is_call(const struct kct_image *image, const struct kct_section *section,
		   const uint8_t *code, uint64_t offset, bool begins)
{
	uint16_t machine = image->header.e_machine;
	uint64_t length = machine == EM_AARCH64 ? 4 : 5;
	uint64_t at = begins ? offset : offset - length;

	if ((!begins && offset < length) || at > section->size || section->size - at < length)
		return -1;
	if (machine == EM_AARCH64) /* bl, in the order of the bytes of code */
		return code[at + 3] >> 2 == 0x25;
	return code[at] == 0xe8;
}

/** Look at the code around a PC, if it can be read. */
static void look_at_code(struct fitting *fitting, const struct kct_place *place, uint64_t pc)
{
	const struct kct_image *image = place->member->image;
	uint16_t machine = image->header.e_machine;
	bool begins = fitting->kind == KCT_PC_CALL;

	if (machine != EM_X86_64 && machine != EM_386 && machine != EM_AARCH64)
		return;
	for (size_t i = 0; i < image->n_sections; i++) {
		const struct kct_section *section = &image->sections[i];
		const uint8_t *code;
		int fits;

		if (!kct_section_is_code(section) ||
		    place->address - section->address >= section->size)
			continue;
		code = kct_section_data(image, section);
		if (!code)
			return;
		pc += place->shift - section->address;
		fits = is_call(image, section, code, pc, begins);
		if (fits < 0)
			return;
		fitting->fit.with_code++;
		fitting->fit.calls += (uint64_t)fits;
		if (!fits)
			fitting->fit.wrong_end += is_call(image, section, code, pc, !begins) > 0;
		return;
	}
}

/**
 * Whether a PC lies in a function that can have points. What compilers make has a size; a symbol of an
 * image without one, which seems to go on to the next, is assembly.
 */
static bool is_named(const struct kct_place *place)
{
	return place->symbol && !(place->member && place->symbol->guessed);
}

static bool may_be_in_module(const struct fitting *fitting, uint64_t pc)
{
	const struct kct_space *space = fitting->space;
	uint64_t address = pc + kct_slide_shift(&space->slide, true);

	return space->n_members > 0 && space->members[0].image->header.e_machine == EM_X86_64 &&
	       address - X86_MODULES < X86_MODULES_END - X86_MODULES;
}

/** Note where in its function a point lies, unless the function is small, or a part of another. */
static int note_start(struct fitting *fitting, const struct kct_place *place, uint64_t pc)
{
	const struct kct_symtab_entry *symbol = place->symbol, *base = symbol;
	int result = kct_symtab_cold_base(place->table, symbol, &base);
	struct start *start;

	if (result < 0 || base != symbol || symbol->size <= 2 * START_BYTES)
		return result < 0 ? result : 0;
	if (kct_array_reserve(&fitting->starts, &fitting->max_starts, fitting->n_starts + 1) < 0)
		return KCT_ERR_NO_MEMORY;
	start = &fitting->starts[fitting->n_starts++];
	*start = (struct start){symbol->address, symbol->size, pc + place->shift - symbol->address};
	return 0;
}

static int judge_pc(struct fitting *fitting, uint64_t pc, bool is_point, bool reads_code)
{
	struct kct_place place;

	pc -= fitting->slide;
	kct_space_symbol(fitting->space, pc, fitting->kind, &place);
	if (place.is_cut || (place.member && place.member->image->symtab.n == 0))
		return 0;
	fitting->fit.pcs++;
	fitting->fit.named += is_named(&place);
	if (!place.symbol)
		fitting->fit.modules += !place.member && may_be_in_module(fitting, pc);
	if (place.member && reads_code)
		look_at_code(fitting, &place, pc);
	return is_named(&place) && is_point ? note_start(fitting, &place, pc) : 0;
}

static int compare_starts(const void *left, const void *right)
{
	const struct start *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/** Count the functions whose lowest point is near the start, and those that chance would give. */
static void count_starts(struct fitting *fitting)
{
	const struct start *starts = fitting->starts;

	if (fitting->n_starts)
		qsort(fitting->starts, fitting->n_starts, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < fitting->n_starts;) {
		double far = 1, away = 1 - (double)START_BYTES / (double)starts[i].size;
		size_t first = i;

		for (; i < fitting->n_starts && starts[i].function == starts[first].function; i++)
			far *= away;
		fitting->fit.functions++;
		fitting->fit.begun += starts[first].offset <= START_BYTES;
		fitting->fit.chance += 1 - far;
	}
}

/** Count over all PCs, each of which is there once. */
static int count(struct fitting *fitting, const struct kct_fit_pcs *pcs, bool reads_code)
{
	int result = 0;

	fitting->n_starts = 0;
	fitting->fit = (struct kct_fit){.size = sizeof(fitting->fit)};
	for (size_t i = 0; i < pcs->n_points && result >= 0; i++)
		result = judge_pc(fitting, pcs->points[i], true, reads_code);
	for (size_t i = 0; i < pcs->n_others && result >= 0; i++)
		result = judge_pc(fitting, pcs->others[i], false, reads_code);
	if (result >= 0)
		count_starts(fitting);
	return result;
}

/** How many of the functions begin as they should of those that chance leaves open. */
static double starts_share(const struct kct_fit *fit)
{
	double open = (double)fit->functions - fit->chance;

	return open > 0 ? ((double)fit->begun - fit->chance) / open : 1;
}

static void speak_against(struct kct_fit *fit, unsigned verdict, unsigned cause)
{
	if (verdict > fit->verdict) {
		fit->verdict = verdict;
		fit->cause = verdict > KCT_FIT_GOOD ? cause : KCT_FIT_NONE;
		fit->against = fit->cause;
	}
}

/** A verdict of a share that is near 1 where all is right. */
static unsigned weigh(double share, double bad, double good)
{
	return share < bad ? KCT_FIT_BAD : share < good ? KCT_FIT_DOUBTFUL : KCT_FIT_GOOD;
}

static void decide(struct kct_fit *fit, enum kct_pc_kind kind)
{
	uint64_t judged = fit->pcs - fit->modules;

	if (judged >= ENOUGH)
		speak_against(fit, weigh((double)fit->named / (double)judged, 0.5, 0.75),
			      KCT_FIT_OUTSIDE);
	else if (judged >= ENOUGH / 2 && fit->named == 0)
		speak_against(fit, KCT_FIT_DOUBTFUL, KCT_FIT_OUTSIDE);
	/* Where there is code it says all; without it functions do. */
	if (fit->with_code >= ENOUGH_CODE) {
		bool turned = fit->wrong_end > fit->with_code / 2;

		speak_against(fit, weigh((double)fit->calls / (double)fit->with_code, 0.5, 0.8),
			      !turned		    ? KCT_FIT_NO_CALLS
			      : kind == KCT_PC_CALL ? KCT_FIT_RETURNS
						    : KCT_FIT_CALLS);
	} else if (fit->functions >= ENOUGH) {
		speak_against(fit, weigh(starts_share(fit), 0.35, 0.6), KCT_FIT_NO_STARTS);
	} else if (fit->functions >= ENOUGH / 2 && starts_share(fit) < 0.35) {
		speak_against(fit, KCT_FIT_DOUBTFUL, KCT_FIT_NO_STARTS);
	}
}

/** How many voters a slide puts into functions. */
static size_t count_votes(struct fitting *fitting, const struct kct_fit_pcs *pcs, uint64_t slide)
{
	const uint64_t *all = pcs->n_points ? pcs->points : pcs->others;
	size_t n = pcs->n_points ? pcs->n_points : pcs->n_others;
	size_t step = n / VOTERS + 1, votes = 0, voters = 0;
	struct kct_place place;

	for (size_t i = 0; i < n; i += step, voters++) {
		kct_space_symbol(fitting->space, all[i] - slide, fitting->kind, &place);
		votes += is_named(&place);
	}
	return voters - votes <= voters / 8 ? votes : 0;
}

/** Find an offset with which the PCs fit. */
static int find_slide(struct fitting *fitting, const struct kct_fit_pcs *pcs)
{
	struct fitting moved = *fitting;
	int result = 0;

	moved.starts = NULL;
	moved.max_starts = 0;
	for (uint64_t step = 1; step < 2 * (SLIDE_LIMIT / SLIDE_STEP) && result >= 0; step++) {
		/* Up and down by turns, the nearest first. */
		moved.slide = (step + 1) / 2 * SLIDE_STEP;
		if (step % 2 == 0)
			moved.slide = -moved.slide;
		if (count_votes(&moved, pcs, moved.slide) == 0)
			continue;
		result = count(&moved, pcs, true);
		if (result < 0 ||
		    (moved.fit.with_code < ENOUGH_CODE && moved.fit.functions < ENOUGH))
			continue;
		decide(&moved.fit, moved.kind);
		if (moved.fit.verdict == KCT_FIT_GOOD) {
			fitting->fit.cause = KCT_FIT_SLIDE;
			fitting->fit.slide = moved.slide;
			break;
		}
	}
	free(moved.starts);
	return result;
}

static int fit_pcs(struct fitting *fitting, const struct kct_fit_pcs *pcs)
{
	const struct kct_space *space = fitting->space;
	int result = count(fitting, pcs, true);

	if (result < 0)
		return result;
	decide(&fitting->fit, fitting->kind);
	if (fitting->fit.verdict < KCT_FIT_DOUBTFUL || fitting->fit.cause == KCT_FIT_CALLS ||
	    fitting->fit.cause == KCT_FIT_RETURNS || space->n_members == 0 ||
	    space->members[0].image->header.e_machine != EM_X86_64)
		return 0;
	return find_slide(fitting, pcs);
}

static int compare_pcs(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/** A sorted copy without repeats. */
static int make_unique(const uint64_t *pcs, size_t n, uint64_t **ret_copy, size_t *ret_n)
{
	size_t bytes, used = 0;
	uint64_t *copy;

	if (kct_mul_overflows(n, sizeof(*copy), &bytes))
		return KCT_ERR_NO_MEMORY;
	copy = malloc(bytes + 1);
	if (!copy)
		return KCT_ERR_NO_MEMORY;
	if (n) {
		memcpy(copy, pcs, bytes);
		qsort(copy, n, sizeof(*copy), compare_pcs);
	}
	for (size_t i = 0; i < n; i++) {
		if (used == 0 || copy[used - 1] != copy[i])
			copy[used++] = copy[i];
	}
	*ret_copy = copy;
	*ret_n = used;
	return 0;
}

int kct_symbolizer_fit(struct kct_symbolizer *symbolizer, const struct kct_fit_pcs *pcs,
		       enum kct_pc_kind kind, struct kct_fit *ret_fit, struct kct_error *error)
{
	uint64_t *points KCT_AUTO_FREE = NULL, *others KCT_AUTO_FREE = NULL;
	struct fitting fitting = {.kind = kind};
	struct kct_fit_pcs unique = {0};
	size_t size;
	int result;

	if (!symbolizer || !pcs || !ret_fit || (unsigned)kind >= KCT_PC_KINDS ||
	    ret_fit->size < sizeof(size) || ret_fit->size > sizeof(*ret_fit))
		return kct_fail_code(error, KCT_ERR_ARGUMENT);
	result = kct_symbolizer_start(symbolizer, error);
	if (result < 0)
		return result;
	fitting.space = &symbolizer->space;
	result = make_unique(pcs->points, pcs->n_points, &points, &unique.n_points);
	if (result >= 0)
		result = make_unique(pcs->others, pcs->n_others, &others, &unique.n_others);
	unique.points = points;
	unique.others = others;
	if (result >= 0)
		result = fit_pcs(&fitting, &unique);
	free(fitting.starts);
	if (result < 0)
		return kct_fail_code(error, result);
	size = ret_fit->size;
	memcpy(ret_fit, &fitting.fit, size);
	ret_fit->size = size;
	return 0;
}

const char *kct_fit_cause_text(unsigned cause)
{
	static const char *const texts[] = {
#define KCT_FIT_CAUSE_TEXT(name, text) text,
		KCT_FIT_CAUSE_LIST(KCT_FIT_CAUSE_TEXT)
#undef KCT_FIT_CAUSE_TEXT
	};

	return cause < ARRAY_SIZE(texts) ? texts[cause] : "unknown cause";
}
