/* SPDX-License-Identifier: BSD-2-Clause */
/* PCs that match no point, and the causes that are found. */
#include "code_image.h"

#define CALLBACK 0x10300u
#define N	 40u /* points, 6 bytes apart at most */

#define FUNCTION(name, address, size)                        \
	{                                                    \
		name, address, size, STB_GLOBAL, STT_FUNC, 1 \
	}

static const struct elf_symbol symbols[] = {
	FUNCTION("f", CODE_BASE, 0x200),
	FUNCTION("__sanitizer_cov_trace_pc", CALLBACK, 0x10),
	{0},
};

/** arm64 code with N calls at uneven places; with `tail` also a jump to the callback. */
static void make(struct code_image *self, bool tail, uint64_t pcs[N])
{
	uint8_t code[CODE_BYTES] = {0};
	size_t at = 0;

	for (size_t i = 0; i < N; i++) {
		uint32_t word = 0x94000000 | (uint32_t)((CALLBACK - CODE_BASE - at) / 4);

		memcpy(code + at, &word, 4);
		at += 4;
		pcs[i] = CODE_BASE + at;
		at += i % 3 * 4;
	}
	if (tail) {
		uint32_t word = 0x14000000 | (uint32_t)((CALLBACK - CODE_BASE - at) / 4);

		memcpy(code + at, &word, 4);
	}
	code_open(self, EM_AARCH64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	assert_int_equal(self->result, 0);
}

static void test_causes(void **state)
{
	static const struct {
		const char *name;
		uint64_t add;	 /* to each PC */
		uint64_t offset; /* as the caller knows it */
		unsigned others; /* so many of the PCs are elsewhere */
		bool tail;
		size_t points, calls;
		enum kct_mismatch cause;
		uint64_t slide;
	} rows[] = {
		{"all", 0, 0, 0, false, N, 0, KCT_MISMATCH_NONE, 0},
		{"with an offset", -(uint64_t)0x200000, 0x200000, 0, false, N, 0, KCT_MISMATCH_NONE,
		 0},
		{"one of many", 0, 0, 1, false, N - 1, 0, KCT_MISMATCH_FEW, 0},
		{"one of many, jumps", 0, 0, 1, true, N - 1, 0, KCT_MISMATCH_TAIL_CALLS, 0},
		{"half", 0, 0, N / 2, false, N / 2, 0, KCT_MISMATCH_SOME_IMAGE, 0},
		/* On arm64 a call is as long as an instruction: some are points all the same. */
		{"slide", -(uint64_t)0x1c000000, 0, 0, false, 0, 0, KCT_MISMATCH_SLIDE, 0x1c000000},
		{"other image", 0x5550001, 0, 0, false, 0, 0, KCT_MISMATCH_IMAGE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct code_image self;
		struct kct_match match;
		uint64_t pcs[2 * N];

		make(&self, rows[i].tail, pcs);
		for (size_t k = 0; k < N; k++)
			pcs[k] += k < rows[i].others ? 0x900000 : rows[i].add;
		memcpy(pcs + N, pcs, N * sizeof(*pcs)); /* repeats count once */
		assert_int_equal(
			kct_points_match(&(struct kct_points_at){self.points, rows[i].offset}, 1,
					 pcs, 2 * N, &match),
			0);
		CHECK_EQ(rows[i].name, match.pcs, N);
		CHECK_EQ(rows[i].name, match.points, rows[i].points);
		CHECK_EQ(rows[i].name, match.cause, rows[i].cause);
		CHECK_EQ(rows[i].name, match.slide, rows[i].slide);
		if (rows[i].points < N)
			CHECK(rows[i].name, match.n_samples > 0);
		code_close(&self);
	}
}

/* Addresses of calls, of points that do not follow each other. */
static void test_calls(void **state)
{
	struct code_image self;
	struct kct_match match;
	uint64_t pcs[N], calls[N];
	size_t n = 0;

	(void)state;
	make(&self, false, pcs);
	for (size_t i = 1; i < N; i++) {
		if (pcs[i] - pcs[i - 1] > 4)
			calls[n++] = pcs[i] - 4;
	}
	assert_int_equal(
		kct_points_match(&(struct kct_points_at){self.points, 0}, 1, calls, n, &match), 0);
	assert_int_equal(match.calls, n);
	assert_int_equal(match.points, 0);
	assert_int_equal(match.cause, KCT_MISMATCH_CALLS);
	assert_int_equal(match.n_samples, KCT_MISMATCH_SAMPLES);
	assert_int_equal(match.samples[0], calls[0]);
	assert_int_equal(
		kct_points_match(&(struct kct_points_at){self.points, 0}, 1, NULL, 0, &match), 0);
	assert_int_equal(match.cause, KCT_MISMATCH_NONE);
	assert_int_equal(kct_points_match(NULL, 0, pcs, N, &match), KCT_ERR_ARGUMENT);
	code_close(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
