/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCs against images. The kernel has functions of 0x400 bytes one behind the other, each with
 * three points: the calls of the callback end at the offsets in `points`.
 */
#include "elf_image.h"

#include <kcovtrace/fit.h>

#include "base/macros.h"

#define BASE	  0xffffffff81000000u
#define FUNCTIONS 32
#define SIZE	  0x400u
#define POINTS	  3
#define CALL	  0xe8 /* with a distance of 4 bytes, on x86 */

static const uint64_t points[POINTS] = {0x20, 0x150, 0x2b4};

enum code { WITH_CODE, WITHOUT_CODE };

struct row {
	const char *name;
	enum code code;
	enum kct_pc_kind kind;
	size_t first, functions; /* those whose PCs are taken */
	bool chosen;		 /* they are not all that ran */
	uint64_t moved;		 /* added to all PCs */
	unsigned verdict, cause;
	uint64_t slide;
};

/* clang-format off */
static const struct row rows[] = {
	{"the very kernel", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0, KCT_FIT_GOOD, KCT_FIT_NONE, 0},
	{"without code", WITHOUT_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0, KCT_FIT_GOOD, KCT_FIT_NONE, 0},
	{"moved by KASLR", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0x1c000000, KCT_FIT_BAD, KCT_FIT_SLIDE, 0x1c000000},
	{"the same without code", WITHOUT_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0x1c000000, KCT_FIT_BAD, KCT_FIT_SLIDE, 0x1c000000},
	{"an offset subtracted that was none", WITHOUT_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, -(uint64_t)0x200000, KCT_FIT_BAD, KCT_FIT_SLIDE, -(uint64_t)0x200000},
	{"moved further than a kernel is", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, -(uint64_t)0x60000000, KCT_FIT_BAD, KCT_FIT_OUTSIDE, 0},
	{"moved a little: another kernel", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0x80, KCT_FIT_BAD, KCT_FIT_NO_CALLS, 0},
	{"the same without code", WITHOUT_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0x80, KCT_FIT_BAD, KCT_FIT_NO_STARTS, 0},
	{"the same, few functions", WITHOUT_CODE, KCT_PC_RETURN, 0, 5, false, 0x80, KCT_FIT_DOUBTFUL, KCT_FIT_NO_STARTS, 0},
	{"the same, few PCs in code", WITH_CODE, KCT_PC_RETURN, 0, 3, false, 0x80, KCT_FIT_GOOD, KCT_FIT_NONE, 0},
	{"chosen PCs need not begin anything", WITHOUT_CODE, KCT_PC_RETURN, 0, FUNCTIONS, true, 0x80, KCT_FIT_GOOD, KCT_FIT_NONE, 0},
	{"but follow calls", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, true, 0x80, KCT_FIT_BAD, KCT_FIT_NO_CALLS, 0},
	{"addresses of calls", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, -(uint64_t)5, KCT_FIT_BAD, KCT_FIT_CALLS, 0},
	{"addresses of calls, as such", WITH_CODE, KCT_PC_CALL, 0, FUNCTIONS, false, -(uint64_t)5, KCT_FIT_GOOD, KCT_FIT_NONE, 0},
	{"return addresses as those of calls", WITH_CODE, KCT_PC_CALL, 0, FUNCTIONS, false, 0, KCT_FIT_BAD, KCT_FIT_RETURNS, 0},
	{"one function", WITH_CODE, KCT_PC_RETURN, 3, 1, false, 0, KCT_FIT_UNKNOWN, KCT_FIT_NONE, 0},
	{"nothing", WITH_CODE, KCT_PC_RETURN, 0, 0, false, 0, KCT_FIT_UNKNOWN, KCT_FIT_NONE, 0},
	{"a few PCs outside", WITH_CODE, KCT_PC_RETURN, 0, 2, false, 0x3000000, KCT_FIT_DOUBTFUL, KCT_FIT_OUTSIDE, 0},
	{"modules that were not given", WITH_CODE, KCT_PC_RETURN, 0, FUNCTIONS, false, 0x3f100000, KCT_FIT_UNKNOWN, KCT_FIT_NONE, 0},
};
/* clang-format on */

static struct elf_bytes make_kernel(enum code code)
{
	struct elf_symbol symbols[FUNCTIONS + 1] = {{0}};
	static char names[FUNCTIONS][16];
	static uint8_t text[FUNCTIONS * SIZE];
	struct elf_section sections[] = {
		{".text", code == WITH_CODE ? SHT_PROGBITS : SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
		 BASE, sizeof(text), text, 0},
		{0},
	};

	memset(text, 0x90, sizeof(text));
	for (size_t i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		symbols[i] = (struct elf_symbol){names[i],   BASE + i * SIZE, SIZE,
						 STB_GLOBAL, STT_FUNC,	      1};
		for (size_t k = 0; k < POINTS; k++)
			text[i * SIZE + points[k] - 5] = CALL;
	}
	return elf_make(&(struct elf_image){.class = ELFCLASS64,
					    .order = ELFDATA2LSB,
					    .machine = EM_X86_64,
					    .sections = sections,
					    .symbols = symbols});
}

static void fit_row(const struct row *row, struct kct_symbolizer *symbolizer, struct kct_fit *fit)
{
	uint64_t pcs[2 * FUNCTIONS * POINTS];
	struct kct_fit_pcs all = {0};
	struct kct_error error;
	size_t n = 0;

	for (size_t i = 0; i < row->functions; i++) {
		for (size_t k = 0; k < POINTS; k++)
			pcs[n++] = BASE + (row->first + i) * SIZE + points[k] + row->moved;
	}
	memcpy(pcs + n, pcs, n * sizeof(*pcs)); /* repeats change nothing */
	all.points = row->chosen ? NULL : pcs;
	all.n_points = row->chosen ? 0 : 2 * n;
	all.others = row->chosen ? pcs : NULL;
	all.n_others = row->chosen ? 2 * n : 0;
	fit->size = sizeof(*fit);
	if (kct_symbolizer_fit(symbolizer, &all, row->kind, fit, &error) < 0)
		fail_msg("%s: %s", row->name, error.text);
	CHECK_EQ(row->name, fit->pcs, n);
}

static void test_rows(void **state)
{
	(void)state;
	for (int code = WITH_CODE; code <= WITHOUT_CODE; code++) {
		struct elf_bytes file = make_kernel((enum code)code);
		struct kct_symbolizer *symbolizer;
		struct kct_image *image;

		assert_int_equal(kct_image_open_memory(file.data, file.n, "kernel", &image, NULL),
				 0);
		assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
		assert_int_equal(kct_symbolizer_add_image(symbolizer, image, "vmlinux", NULL), 0);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			const struct row *row = &rows[i];
			struct kct_fit fit;

			if (row->code != (enum code)code)
				continue;
			fit_row(row, symbolizer, &fit);
			CHECK_EQ(row->name, fit.verdict, row->verdict);
			CHECK_EQ(row->name, fit.cause, row->cause);
			CHECK_EQ(row->name, fit.slide, row->slide);
			CHECK_EQ(row->name, fit.modules, row->moved == 0x3f100000 ? fit.pcs : 0);
		}
		kct_symbolizer_free(symbolizer);
		kct_image_free(image);
		free(file.data);
	}
}

/* Symbols of a running kernel have no sizes and no code, but functions begin all the same. */
static void test_kallsyms(void **state)
{
	char text[FUNCTIONS * 32];
	size_t used = 0;
	struct kct_symbolizer *symbolizer;
	struct kct_kallsyms *kallsyms;
	struct kct_fit fit;

	(void)state;
	for (size_t i = 0; i < FUNCTIONS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx t f%zu\n",
					 (unsigned long long)(BASE + i * SIZE), i);
	assert_int_equal(kct_kallsyms_parse(text, used, &kallsyms, NULL), 0);
	assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
	assert_int_equal(kct_symbolizer_add_kallsyms(symbolizer, kallsyms), 0);
	fit_row(&rows[1], symbolizer, &fit);
	assert_int_equal(fit.verdict, KCT_FIT_GOOD);
	fit_row(&rows[7], symbolizer, &fit);
	assert_int_equal(fit.verdict, KCT_FIT_BAD);
	assert_int_equal(fit.cause, KCT_FIT_NO_STARTS);
	assert_int_equal(fit.begun, 0);
	/* By hand: 31 * (1 - (1 - 64 / 1024) ^ 3) = 5.46; the last one goes on to the end. */
	assert_true(fit.chance > 5.4 && fit.chance < 5.5);
	kct_symbolizer_free(symbolizer);
	kct_kallsyms_free(kallsyms);
}

static void test_arguments(void **state)
{
	struct kct_fit fit = {.size = 4};
	struct kct_fit_pcs none = {0};
	struct kct_symbolizer *symbolizer;

	(void)state;
	assert_int_equal(kct_symbolizer_new(&symbolizer), 0);
	assert_int_equal(kct_symbolizer_fit(symbolizer, &none, KCT_PC_RETURN, &fit, NULL),
			 KCT_ERR_ARGUMENT);
	fit.size = sizeof(fit);
	assert_int_equal(kct_symbolizer_fit(symbolizer, NULL, KCT_PC_RETURN, &fit, NULL),
			 KCT_ERR_ARGUMENT);
	assert_int_equal(kct_symbolizer_fit(symbolizer, &none, KCT_PC_RETURN, &fit, NULL), 0);
	assert_int_equal(fit.verdict, KCT_FIT_UNKNOWN);
	assert_string_equal(kct_fit_cause_text(KCT_FIT_NONE), "");
	assert_string_equal(kct_fit_cause_text(KCT_FIT_CAUSES), "unknown cause");
	kct_symbolizer_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
