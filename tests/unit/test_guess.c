/* SPDX-License-Identifier: BSD-2-Clause */
/* One logical trace in every layout: each is named by its words alone. */
#include <sys/mman.h>

#include "trace.h"

#include <kcovtrace/guess.h>

#include "base/macros.h"

static void put_pcs(struct trace *trace, uint64_t base)
{
	for (uint64_t i = 0; i < 100; i++)
		put(trace, base + i * 37);
}

static void put_cmps(struct trace *trace)
{
	for (uint64_t i = 0; i < 25; i++) {
		put(trace, i % 8);
		put(trace, i);
		put(trace, 200 - i);
		put(trace, TEXT(i * 16));
	}
}

enum content { PCS, PCS_32, CMPS, CALLS, CALLS_V1, MEM_4, MEM_5, MEM_6 };

static const struct {
	const char *name;
	enum content content;
	const char *preset;
	uint32_t word_bytes, memory_words;
} rows[] = {
	{"pc", PCS, "linux-pc", 8, 0},
	{"pc of 4 bytes", PCS_32, "linux-pc", 4, 0},
	{"cmp", CMPS, "linux-cmp", 8, 0},
	{"ext", CALLS, "linux-ext", 8, 0},
	{"ext with entries of one word", CALLS_V1, "linux-ext-v1", 8, 0},
	{"memory of 4 words", MEM_4, "linux-mem", 8, 4},
	{"memory of 5 words", MEM_5, "linux-mem", 8, 5},
	{"memory of 6 words", MEM_6, "linux-mem", 8, 6},
};

static void make_trace(enum content content, enum kct_endian endian, struct trace *trace)
{
	uint64_t count;

	*trace = (struct trace){.word_bytes = content == PCS_32 ? 4 : 8, .endian = endian};
	put(trace, 0);
	if (content == PCS)
		put_pcs(trace, TEXT(0));
	else if (content == PCS_32)
		put_pcs(trace, 0xc0100000);
	else if (content == CMPS)
		put_cmps(trace);
	else if (content == CALLS || content == CALLS_V1)
		put_calls(trace, content == CALLS ? 2 : 1, 0, 7);
	else
		put_calls(trace, 2, 4 + (content - MEM_4), 6);
	count = trace->n_words - 1;
	area_put(trace->bytes, content == CMPS ? count / 4 : count, trace->word_bytes, endian);
}

static void check_guess(const char *name, size_t row, const struct trace *trace, size_t bytes)
{
	struct kct_guess guess;
	struct kct_error error;

	if (kct_guess_layout(trace->bytes, bytes, &guess, &error) < 0)
		fail_msg("row '%s': %s", name, error.text);
	CHECK_STR(name, guess.layout.preset, rows[row].preset);
	CHECK_EQ(name, guess.layout.word_bytes, rows[row].word_bytes);
	CHECK_EQ(name, guess.layout.memory_words, rows[row].memory_words);
	CHECK_EQ(name, guess.layout.endian, trace->endian);
	CHECK(name, guess.confidence >= 0.5 && guess.confidence <= 1);
	CHECK(name, guess.reason[0] != '\0' && !strchr(guess.reason, '\n'));
}

static void test_every_layout_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct trace trace;
		size_t used;

		make_trace(rows[i / 2].content, i % 2 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE, &trace);
		used = trace.n_words * trace.word_bytes;
		check_guess(rows[i / 2].name, i / 2, &trace, used);
		/* A dump of the whole mapping: zeros after the used words. */
		check_guess(rows[i / 2].name, i / 2, &trace, sizeof(trace.bytes));
		/* The end is missing. */
		check_guess(rows[i / 2].name, i / 2, &trace, used * 3 / 4);
	}
}

/* The count word is one word: whatever it says, the others name the layout. */
static void test_bad_counts(void **state)
{
	static const uint64_t counts[] = {
		(uint64_t)1 << 63, UINT64_MAX, (uint64_t)1 << 62, 0x123456789u, 0xdeadbeef00000005u,
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
			struct kct_guess right, wrong;
			struct trace trace;
			uint64_t count = counts[c];
			size_t used;

			make_trace(rows[i / 2].content, i % 2 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE,
				   &trace);
			used = trace.n_words * trace.word_bytes;
			assert_int_equal(kct_guess_layout(trace.bytes, used, &right, NULL), 0);
			/* Of a smaller word the upper half. */
			if (trace.word_bytes == 4)
				count = count >> 32 | 1u << 30;
			area_put(trace.bytes, count, trace.word_bytes, trace.endian);
			check_guess(rows[i / 2].name, i / 2, &trace, used);
			check_guess(rows[i / 2].name, i / 2, &trace, used - 1);
			assert_int_equal(kct_guess_layout(trace.bytes, used, &wrong, NULL), 0);
			CHECK(rows[i / 2].name, wrong.confidence < right.confidence);
			CHECK(rows[i / 2].name, strstr(wrong.reason, "count claims "));
			CHECK(rows[i / 2].name, strstr(wrong.reason, " are present"));
		}
	}
}

static void test_reason_says_what_was_seen(void **state)
{
	struct kct_guess guess;
	struct trace trace;

	(void)state;
	make_trace(CALLS, KCT_ENDIAN_LITTLE, &trace);
	assert_int_equal(kct_guess_layout(trace.bytes, 8 * trace.n_words, &guess, NULL), 0);
	assert_non_null(strstr(guess.reason, "entries each followed by a caller PC"));
	assert_non_null(strstr(guess.reason, "count equals the words present"));
	make_trace(PCS, KCT_ENDIAN_LITTLE, &trace);
	assert_int_equal(kct_guess_layout(trace.bytes, sizeof(trace.bytes), &guess, NULL), 0);
	assert_non_null(strstr(guess.reason, "100 PCs of 8 bytes and no call records"));
	assert_non_null(strstr(guess.reason, "count claims 100 of 4095 words, zeros after them"));
}

static const unsigned char zeros[4096];
static unsigned char noise[4096], filled[4096];
/* Blocks 0 to 3 of a function, each the complement of its number. */
static const uint64_t made_up[] = {4, ~0x502000ull, ~0x502001ull, ~0x502002ull, ~0x502003ull};

static const struct {
	const char *name;
	const void *data;
	size_t bytes;
	const char *says;
	int result;
} no_areas[] = {
	{"empty", "", 0, "is empty", KCT_ERR_NO_COUNT},
	{"3 bytes", "abc", 3, "3 bytes are too short for a count word", KCT_ERR_NO_COUNT},
	{"7 bytes", "abcdefg", 7, "7 bytes are too short for a count word", KCT_ERR_NO_COUNT},
	{"one value all over", filled, sizeof(filled), "nearest", KCT_ERR_GUESS},
	{"zeros", zeros, sizeof(zeros), "zero", KCT_ERR_GUESS},
	{"one zero word", zeros, 8, "zero", KCT_ERR_GUESS},
	{"old words behind a count of 0", "\0\0\0\0\0\0\0\0\x10\0\0\x81\xff\xff\xff\xff", 16,
	 "the count is 0", KCT_ERR_GUESS},
	{"noise", noise, sizeof(noise), "nearest", KCT_ERR_GUESS},
	{"elf",
	 "\x7f"
	 "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0\1\0\0\0",
	 24, "ELF", KCT_ERR_GUESS},
	{"gcda", "adcg*33B\0\0\0\0\0\0\0\0", 16, "gcov counters", KCT_ERR_GUESS},
	{"gcno, big-endian", "gcno*33B\0\0\0\0\0\0\0\0", 16, "gcov notes", KCT_ERR_GUESS},
	{"profraw", "\x81rforpl\xff\x08\0\0\0\0\0\0\0", 16, "raw LLVM profile", KCT_ERR_GUESS},
	{"sancov", "\x64\xff\xff\xff\xff\xff\xbf\xc0\1\0\0\0\0\0\0\0", 16, "SanitizerCoverage",
	 KCT_ERR_GUESS},
	/* Decodes as three PCs behind an absurd count. */
	{"sancov with kernel PCs",
	 "\x64\xff\xff\xff\xff\xff\xbf\xc0\x04\x10\0\x81\xff\xff\xff\xff"
	 "\x20\x10\0\x81\xff\xff\xff\xff",
	 24, "SanitizerCoverage", KCT_ERR_GUESS},
	{"gvisor", made_up, sizeof(made_up), "gVisor", KCT_ERR_GUESS},
	{"perf", "PERFILE2h\0\0\0\0\0\0\0", 16, "perf", KCT_ERR_GUESS},
	{"gzip", "\x1f\x8b\x08\0\0\0\0\0\2\3zzzzzz", 16, "gzip", KCT_ERR_GUESS},
	{"zstd", "\x28\xb5\x2f\xfd\4\x58zzzzzzzzzz", 16, "zstd", KCT_ERR_GUESS},
	{"text", "All work and no play makes a dull trace.\n", 41, "text", KCT_ERR_GUESS},
	{"addresses", "0xffffffff81000000\n0xffffffff81000010\n", 38, "list of PCs", KCT_ERR_GUESS},
};

static void test_what_is_no_area(void **state)
{
	uint64_t seed = 7;

	(void)state;
	/* Words of 4 bytes that look like PCs of a 32-bit kernel. */
	memset(filled, 0x81, sizeof(filled));
	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		noise[i] = (unsigned char)(seed >> 56);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_areas); i++) {
		struct kct_guess guess = {.confidence = -1};
		struct kct_error error;

		CHECK_EQ(no_areas[i].name,
			 kct_guess_layout(no_areas[i].data, no_areas[i].bytes, &guess, &error),
			 no_areas[i].result);
		if (!strstr(error.text, no_areas[i].says))
			fail_msg("row '%s' says '%s'", no_areas[i].name, error.text);
		CHECK(no_areas[i].name, guess.confidence == -1.0);
	}
}

/* Only the front may be touched, however long the data is. */
static void test_long_zeros(void **state)
{
	enum { FRONT = 1 << 20, WHOLE = 1 << 24 };
	struct kct_guess guess;
	struct kct_error error;
	void *data = mmap(NULL, WHOLE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(data != MAP_FAILED);
	assert_int_equal(mprotect(data, FRONT, PROT_READ), 0);
	assert_int_equal(kct_guess_layout(data, WHOLE, &guess, &error), KCT_ERR_GUESS);
	assert_non_null(strstr(error.text, "the first 524288 bytes are zero"));
	munmap(data, WHOLE);
}

static void test_scores_of_explicit_layouts(void **state)
{
	static const struct {
		const char *name;
		enum content content;
		const char *layout;
		bool fits;
		const char *says;
	} table[] = {
		{"pc as pc", PCS, "linux-pc", true, "100 PCs"},
		{"pc as freebsd-pc", PCS, "freebsd-pc", true, "100 PCs"},
		{"pc as ext", PCS, "linux-ext", false, "100 PCs and no calls"},
		{"pc as memory", PCS, "linux-mem", false, "100 PCs and no calls"},
		{"pc as cmp", PCS, "linux-cmp", false, "do not fit"},
		{"cmp as pc", CMPS, "linux-pc", false,
		 "every 4th word looks like a comparison type"},
		{"cmp as ext", CMPS, "linux-ext", false, "do not fit"},
		{"ext as pc", CALLS, "linux-pc", false, "look like entries and exits"},
		{"ext as ext-v1", CALLS, "linux-ext-v1", false, "without a caller PC"},
		{"ext-v1 as ext", CALLS_V1, "linux-ext", false, "entries without a caller PC"},
		{"mem as ext", MEM_5, "linux-ext", false, "do not fit"},
		{"mem of 4 words as 5", MEM_4, "linux-mem", false, "start of the next record"},
		{"mem of 5 words as 4", MEM_5, "linux-mem,memory-words=4", false, ""},
		{"mem of 5 words as 6", MEM_5, "linux-mem,memory-words=6", false,
		 "start of the next record"},
		{"the other byte order", CALLS, "linux-ext,endian=big", false, "do not fit"},
		{"4 bytes as 8", PCS_32, "linux-pc", false, "two PCs of 4 bytes"},
		{"8 bytes as 4", PCS, "linux-pc,word=4", false, "do not fit"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct kct_layout layout = area_layout(table[i].layout);
		struct trace trace;
		char reason[256];
		double score;

		make_trace(table[i].content, KCT_ENDIAN_LITTLE, &trace);
		CHECK_EQ(table[i].name,
			 kct_layout_score(&layout, trace.bytes, trace.n_words * trace.word_bytes,
					  &score, reason),
			 0);
		if ((score >= 0.5) != table[i].fits || !strstr(reason, table[i].says))
			fail_msg("row '%s': %.3f, '%s'", table[i].name, score, reason);
		CHECK_EQ(table[i].name, kct_layout_score(&layout, trace.bytes, 8, &score, NULL), 0);
	}
}

static void test_points_without_calls(void **state)
{
	/* An EESUM: delta 0, lowest point 0. */
	static const uint64_t switched = 0x2000000000000000u;
	static const struct {
		const char *name;
		size_t n_pcs;
		uint64_t last; /* 0: none */
		bool fits;
	} table[] = {
		{"63 points may be all there was", 63, 0, true},
		{"64 points", 64, 0, false},
		{"64 points and an exit", 64, EXIT(8), true},
		{"64 points and a context switch", 64, switched, true},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(table); i++) {
		struct kct_layout layout = area_layout(i % 2 ? "linux-mem" : "linux-ext");
		struct trace trace = {.word_bytes = 8};
		double score;

		put(&trace, table[i / 2].n_pcs + (table[i / 2].last != 0));
		for (size_t pc = 0; pc < table[i / 2].n_pcs; pc++)
			put(&trace, TEXT(pc * 16));
		if (table[i / 2].last)
			put(&trace, table[i / 2].last);
		CHECK_EQ(table[i / 2].name,
			 kct_layout_score(&layout, trace.bytes, 8 * trace.n_words, &score, NULL),
			 0);
		if ((score >= 0.5) != table[i / 2].fits || score < 0.2)
			fail_msg("row '%s': %.3f", table[i / 2].name, score);
	}
}

static void test_pcs_of_the_lower_half_pass(void **state)
{
	/* s390x kernel text lies low: an explicit layout must not be called wrong. */
	struct kct_layout layout = area_layout("linux-pc,endian=big");
	struct trace trace = {.word_bytes = 8, .endian = KCT_ENDIAN_BIG};
	double score;

	(void)state;
	put(&trace, 100);
	put_pcs(&trace, 0x000003ffe0001234u);
	assert_int_equal(kct_layout_score(&layout, trace.bytes, 8 * trace.n_words, &score, NULL),
			 0);
	assert_true(score >= 0.5);
}

static void test_score_fails_as_the_decoder(void **state)
{
	struct kct_layout layout = area_layout("linux-pc");
	double score = -1;

	(void)state;
	assert_int_equal(kct_layout_score(&layout, "1234567", 7, &score, NULL), KCT_ERR_NO_COUNT);
	assert_true(score == -1.0);
}

static void test_real_traces(void **state)
{
	static const struct {
		const char *name;
		const char *preset;
	} table[] = {
		{"file.pc", "linux-pc"},	  {"file.cmp", "linux-cmp"},
		{"file.ext", "linux-ext"},	  {"file.mem", "linux-mem"},
		{"fork.pc", "linux-pc"},	  {"fork.ext", "linux-ext"},
		{"fork.mem", "linux-mem"},	  {"loop.pc", "linux-pc"},
		{"loop.ext", "linux-ext"},	  {"loop.mem", "linux-mem"},
		{"read.pc", "linux-pc"},	  {"read.cmp", "linux-cmp"},
		{"read.ext", "linux-ext"},	  {"read.mem", "linux-mem"},
		{"sleep.pc", "linux-pc"},	  {"sleep.ext", "linux-ext"},
		{"sleep.mem", "linux-mem"},	  {"race-dup-t0.mem", "linux-mem"},
		{"race-dup-t1.mem", "linux-mem"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		size_t bytes;
		unsigned char *data = area_read_trace(table[i].name, &bytes);
		struct kct_guess guess;

		if (!data)
			skip();
		CHECK_EQ(table[i].name, kct_guess_layout(data, bytes, &guess, NULL), 0);
		CHECK_STR(table[i].name, guess.layout.preset, table[i].preset);
		CHECK_EQ(table[i].name, guess.layout.endian, KCT_ENDIAN_LITTLE);
		CHECK(table[i].name, guess.confidence > 0.9);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_layout_is_named),
		cmocka_unit_test(test_bad_counts),
		cmocka_unit_test(test_reason_says_what_was_seen),
		cmocka_unit_test(test_what_is_no_area),
		cmocka_unit_test(test_long_zeros),
		cmocka_unit_test(test_scores_of_explicit_layouts),
		cmocka_unit_test(test_points_without_calls),
		cmocka_unit_test(test_pcs_of_the_lower_half_pass),
		cmocka_unit_test(test_score_fails_as_the_decoder),
		cmocka_unit_test(test_real_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
