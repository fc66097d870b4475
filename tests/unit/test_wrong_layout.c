/* SPDX-License-Identifier: BSD-2-Clause */
/* Every file of a layout read in every other one: the score warns where the shapes differ. */
#include "area.h"

#include <kcovtrace/guess.h>

#include "base/macros.h"
#include "encoder.h"

enum { EVENTS = 1500 };

#define ODD 0.5 /* below, the command line warns */

/* Layouts with the same number have the same shape: the same words, the same meaning. */
static const struct {
	const char *layout;
	int shape;
} layouts[] = {
	{"linux-pc", 1},
	{"freebsd-pc", 1},
	{"netbsd-pc", 1},
	{"openbsd-pc", 1},
	{"linux-pc,endian=big", 2},
	{"linux-pc,word=4", 3},
	{"openbsd-pc,word=4", 3},
	{"linux-pc,word=4,endian=big", 4},
	{"linux-cmp", 5},
	{"freebsd-cmp", 5},
	{"netbsd-cmp", 5},
	{"openbsd-cmp", 5},
	{"linux-cmp,endian=big", 6},
	{"linux-cmp,word=4", 7},
	{"openbsd-cmp,word=4", 8},
	{"openbsd-cmp,word=4,endian=big", 9},
	{"linux-ext", 10},
	{"linux-ext,endian=big", 11},
	{"linux-ext-v1", 12},
	{"linux-mem", 13},
	{"linux-mem,endian=big", 14},
	{"linux-mem,memory-words=4", 15},
	{"linux-mem,memory-words=6", 16},
	{"linux-unique,bitmap-words=64", 17},
	{"linux-unique,bitmap-words=64,endian=big", 18},
	{"linux-unique,bitmap-words=2", 19},
};

/* What cannot be told apart: the same words have the same meaning in both. */
static const struct {
	const char *file, *used, *why;
} exceptions[] = {
	{"linux-ext", "linux-mem", "a trace of memory accesses that has none"},
	{"linux-ext", "linux-mem,memory-words=4", "a trace of memory accesses that has none"},
	{"linux-ext", "linux-mem,memory-words=6", "a trace of memory accesses that has none"},
	{"linux-ext,endian=big", "linux-mem,endian=big",
	 "a trace of memory accesses that has none"},
};

static bool is_exception(const char *file, const char *used)
{
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++) {
		if (strcmp(exceptions[i].file, file) == 0 && strcmp(exceptions[i].used, used) == 0)
			return true;
	}
	return false;
}

/** Two layouts that fit give the same records. */
static void check_same_records(const char *name, const struct kct_layout *one,
			       const struct kct_layout *other, const void *bytes, size_t n_bytes)
{
	size_t n, n_others;
	struct kct_record *records = area_decode(one, bytes, n_bytes, &n);
	struct kct_record *others = area_decode(other, bytes, n_bytes, &n_others);

	CHECK_EQ(name, n, n_others);
	CHECK(name, memcmp(records, others, n * sizeof(*records)) == 0);
	free(records);
	free(others);
}

/** What is advised must be what the file is. */
static bool advises(const struct kct_layout *file, const struct kct_layout *used, const void *bytes,
		    size_t n_bytes)
{
	struct kct_guess near;

	if (kct_guess_near(used, bytes, n_bytes, &near, NULL) < 0)
		return false;
	check_same_records(file->preset, file, &near.layout, bytes, n_bytes);
	return true;
}

static void test_matrix(void **state)
{
	struct enc_event *events = enc_random(5, EVENTS);
	size_t wrong = 0, warned = 0, advised = 0;

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(layouts); f++) {
		struct enc_form form = {.layout = area_layout(layouts[f].layout)};
		size_t n_bytes;
		unsigned char *bytes = enc_encode(events, EVENTS, &form, &n_bytes);

		for (size_t u = 0; u < ARRAY_SIZE(layouts); u++) {
			struct kct_layout used = area_layout(layouts[u].layout);
			bool same = layouts[f].shape == layouts[u].shape;
			char reason[256];
			double score;

			assert_int_equal(kct_layout_score(&used, bytes, n_bytes, &score, reason),
					 0);
			same |= is_exception(layouts[f].layout, layouts[u].layout);
			if (same)
				check_same_records(layouts[f].layout, &form.layout, &used, bytes,
						   n_bytes);
			else
				advised += advises(&form.layout, &used, bytes, n_bytes);
			warned += !same;
			if ((score >= ODD) == same)
				continue;
			printf("'%s' as '%s': %.2f, %s\n", layouts[f].layout, layouts[u].layout,
			       score, reason);
			wrong++;
		}
		free(bytes);
	}
	free(events);
	printf("%zu of %zu warnings name a layout that fits\n", advised, warned);
	assert_int_equal(wrong, 0);
}

static void test_advice(void **state)
{
	static const struct {
		const char *file, *used, *advised;
	} rows[] = {
		{"linux-pc,endian=big", "linux-pc", "linux-pc,endian=big"},
		{"freebsd-pc,endian=big", "freebsd-pc", "freebsd-pc,endian=big"},
		{"linux-pc,word=4", "linux-pc", "linux-pc,word=4"},
		{"linux-pc", "linux-pc,word=4,endian=big", "linux-pc"},
		{"openbsd-pc,word=4,endian=big", "openbsd-pc", "openbsd-pc,word=4,endian=big"},
		{"openbsd-cmp,word=4", "openbsd-cmp", "openbsd-cmp,word=4"},
		{"linux-cmp,word=4", "linux-cmp", "linux-cmp,word=4"},
		{"linux-cmp,endian=big", "linux-cmp", "linux-cmp,endian=big"},
		{"linux-cmp", "linux-pc", "linux-cmp"},
		{"freebsd-pc", "freebsd-cmp", "freebsd-pc"},
		{"openbsd-pc,word=4", "openbsd-cmp", "openbsd-pc,word=4"},
		{"linux-pc", "linux-ext", "linux-pc"},
		{"linux-ext", "linux-cmp", "linux-ext"},
		{"linux-ext,endian=big", "linux-ext", "linux-ext,endian=big"},
		{"linux-ext-v1", "linux-ext", "linux-ext,entry-words=1"},
		{"linux-mem,memory-words=6", "linux-mem", "linux-mem,memory-words=6"},
		{"linux-mem,endian=big", "linux-pc", "linux-mem,endian=big"},
		{"linux-unique,bitmap-words=64", "linux-pc", "linux-unique,bitmap-words=64"},
		{"linux-unique,bitmap-words=64", "linux-unique,bitmap-words=2",
		 "linux-unique,bitmap-words=64"},
		{"linux-pc", "linux-unique,bitmap-words=64", "linux-pc"},
		{"linux-unique,bitmap-words=8,word=4", "linux-pc,word=4",
		 "linux-unique,bitmap-words=8,word=4"},
	};
	struct enc_event *events = enc_random(6, EVENTS);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct enc_form form = {.layout = area_layout(rows[i].file)};
		struct kct_layout used = area_layout(rows[i].used);
		struct kct_layout advised = area_layout(rows[i].advised);
		struct kct_guess near;
		size_t n_bytes;
		unsigned char *bytes = enc_encode(events, EVENTS, &form, &n_bytes);

		CHECK_EQ(rows[i].file, kct_guess_near(&used, bytes, n_bytes, &near, NULL), 0);
		CHECK_STR(rows[i].file, near.layout.preset, advised.preset);
		CHECK(rows[i].file, memcmp(&near.layout, &advised, sizeof(advised)) == 0);
		CHECK(rows[i].file, near.confidence >= ODD);
		free(bytes);
	}
	free(events);
}

/* A kernel that changes its mode while it records: what is before and behind is of two modes. */
static void test_mixed_modes(void **state)
{
	static const struct {
		const char *name, *layout, *fault;
		bool fits;
		const char *says;
	} rows[] = {
		{"PCs only", "linux-pc", NULL, true, "no call records"},
		{"PCs, then comparisons", "linux-pc", "mode=1400:1", false,
		 "comparisons among PCs, the first at word "},
		{"PCs, then calls", "linux-pc", "mode=1400:2", false,
		 "look like entries and exits"},
		{"distinct PCs, then comparisons", "linux-unique,bitmap-words=64", "mode=1400:1",
		 false, "comparisons among PCs"},
		{"comparisons, then PCs", "linux-cmp", "mode=700:0", false, "do not fit"},
		{"calls, then comparisons", "linux-ext", "mode=700:1", false, "do not fit"},
		/* Points and functions that were entered, without returns: damage, and no nonsense. */
		{"calls, then PCs", "linux-ext", "mode=700:0", true, "entries"},
	};
	struct enc_event *events = enc_random(7, EVENTS + 1);

	(void)state;
	/* A PC behind the last comparison, so that it stands among PCs. */
	events[EVENTS] = (struct enc_event){.kind = ENC_PC, .pc = ENC_AT(1, 0x20)};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct enc_fault fault;
		struct enc_form form = {.layout = area_layout(rows[i].layout),
					.faults = &fault,
					.n_faults = rows[i].fault != NULL};
		size_t n_bytes;
		unsigned char *bytes;
		char reason[256];
		double score;

		assert_true(!rows[i].fault || enc_parse_fault(rows[i].fault, &fault));
		bytes = enc_encode(events, EVENTS + 1, &form, &n_bytes);
		CHECK_EQ(rows[i].name,
			 kct_layout_score(&form.layout, bytes, n_bytes, &score, reason), 0);
		if ((score >= ODD) != rows[i].fits || !strstr(reason, rows[i].says))
			fail_msg("row '%s': %.3f, '%s'", rows[i].name, score, reason);
		free(bytes);
	}
	free(events);
}

/** 100 PCs with words between the first ones. */
static void test_one_record_among_pcs(void **state)
{
	static const struct {
		const char *name;
		uint64_t words[5];
		size_t n_words;
		bool fits;
		const char *says;
	} rows[] = {
		/* type 4 bytes and constant, two operands, PC */
		{"a comparison",
		 {5, 0x54, 0x55, TEXT(0x110)},
		 4,
		 false,
		 "1 comparisons among PCs, the first at word 4"},
		{"of 1 byte, with operands", {0, 1, 2, TEXT(0x110)}, 4, false, "comparisons"},
		{"of 8 bytes", {6, UINT64_MAX, 1, TEXT(0x110)}, 4, false, "comparisons"},
		{"operands larger than the type says",
		 {4, 1ull << 32, 0, TEXT(0x110)},
		 4,
		 true,
		 ""},
		{"no PC behind", {5, 0x54, 0x55, 0x66}, 4, true, ""},
		{"words that were not written", {0, 0, 0}, 3, true, ""},
		{"an entry", {ENTRY(0x10)}, 1, false, "1 words look like entries and exits"},
		{"a user address", {0x7f0012345678}, 1, true, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct enc_form form = {.layout = area_layout("linux-pc")};
		struct enc_event events[128];
		size_t n = 0, n_bytes;
		unsigned char *bytes;
		char reason[256];
		double score;

		for (uint64_t pc = 0; pc < 100; pc++) {
			events[n++] = (struct enc_event){.kind = ENC_PC, .pc = TEXT(pc * 16)};
			for (size_t w = 0; pc == 2 && w < rows[i].n_words; w++)
				events[n++] =
					(struct enc_event){.kind = ENC_RAW, .pc = rows[i].words[w]};
		}
		bytes = enc_encode(events, n, &form, &n_bytes);
		CHECK_EQ(rows[i].name,
			 kct_layout_score(&form.layout, bytes, n_bytes, &score, reason), 0);
		if ((score >= ODD) != rows[i].fits || !strstr(reason, rows[i].says))
			fail_msg("row '%s': %.3f, '%s'", rows[i].name, score, reason);
		free(bytes);
	}
}

/* PCs that gVisor made up look like those of a kernel: ~(package << 20 | function << 8 | block). */
static void test_made_up_pcs(void **state)
{
	struct enc_form form = {.layout = area_layout("linux-pc")};
	struct enc_event events[64];
	unsigned char *bytes;
	size_t n_bytes;
	double score;

	(void)state;
	for (uint64_t i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = (struct enc_event){.kind = ENC_PC, .pc = ~(700u << 20 | i)};
	bytes = enc_encode(events, ARRAY_SIZE(events), &form, &n_bytes);
	assert_int_equal(kct_layout_score(&form.layout, bytes, n_bytes, &score, NULL), 0);
	assert_true(score < 0.2);
	free(bytes);
	/* Each a page before the other: calls may do that. */
	for (uint64_t i = 0; i < ARRAY_SIZE(events); i++)
		events[i].pc = ~(700u << 20 | i << 12);
	bytes = enc_encode(events, ARRAY_SIZE(events), &form, &n_bytes);
	assert_int_equal(kct_layout_score(&form.layout, bytes, n_bytes, &score, NULL), 0);
	assert_true(score > 0.9);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),	    cmocka_unit_test(test_advice),
		cmocka_unit_test(test_mixed_modes), cmocka_unit_test(test_one_record_among_pcs),
		cmocka_unit_test(test_made_up_pcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
