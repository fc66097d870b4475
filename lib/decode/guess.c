/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include <kcovtrace/guess.h>

#include "base/fail.h"
#include "decode/evidence.h"
#include "decode/foreign.h"

/* Below this the best candidate is no better than chance. */
#define ENOUGH 0.5

/* Of a file of zeros no more is looked at than of any other. */
#define ZERO_BYTES ((size_t)1 << 19)

/* Of the score of an area whose bytes are certainly of another format. */
#define FOREIGN_SHARE 0.15

struct candidate {
	const char *preset;
	uint32_t word_bytes;
	uint32_t memory_words;
};

/* Of equally good ones the first is taken. The BSD areas look like those of Linux. */
static const struct candidate candidates[] = {
	{"linux-pc", 8, 0},  {"linux-ext", 8, 0}, {"linux-mem", 8, 5}, {"linux-mem", 8, 4},
	{"linux-mem", 8, 6}, {"linux-mem", 8, 7}, {"linux-mem", 8, 8}, {"linux-ext-v1", 8, 0},
	{"linux-cmp", 8, 0}, {"linux-pc", 4, 0},
};

static void candidate_layout(const struct candidate *candidate, enum kct_endian endian,
			     struct kct_layout *ret_layout)
{
	/* The table holds names of presets only. */
	if (kct_layout_preset(candidate->preset, ret_layout) < 0)
		return;
	ret_layout->endian = endian;
	ret_layout->word_bytes = candidate->word_bytes;
	ret_layout->memory_words = candidate->memory_words;
}

/** Few records are little to go by. */
static double confidence_of(const struct kct_evidence *evidence, double score)
{
	double records = (double)evidence->judged;

	return score * records / (records + 0.25);
}

/** Keep the candidate if it beats the best so far. */
static int try_candidate(const struct candidate *candidate, enum kct_endian endian,
			 const void *data, size_t bytes, struct kct_evidence *best,
			 double *best_score)
{
	struct kct_evidence evidence;
	struct kct_layout layout = {0};
	double score;
	int result;

	candidate_layout(candidate, endian, &layout);
	result = kct_evidence_gather(&layout, data, bytes, &evidence, NULL);
	/* Too short for the count word of this candidate only. */
	if (result == KCT_ERR_NO_COUNT)
		return 0;
	if (result < 0)
		return result;
	score = kct_evidence_score(&evidence);
	if (score > *best_score) {
		*best = evidence;
		*best_score = score;
	}
	return 0;
}

static bool is_all_zero(const unsigned char *data, size_t bytes)
{
	return bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0);
}

/** Say that there is nothing but zeros, in the front if the data is long. */
static int fail_zeros(size_t bytes, struct kct_error *error)
{
	if (bytes > ZERO_BYTES)
		return kct_fail(error, KCT_ERR_GUESS,
				"no layout can be guessed: the first %zu bytes are zero",
				ZERO_BYTES);
	return kct_fail(error, KCT_ERR_GUESS, "no layout can be guessed: all %zu bytes are zero",
			bytes);
}

/** Words before a count that fits, if PCs follow it in any order and size of words. 0: none. */
static uint64_t words_of_bitmap(const void *data, size_t bytes)
{
	struct kct_evidence evidence;
	struct kct_layout layout;

	kct_layout_preset("linux-pc", &layout);
	for (unsigned i = 0; i < 4; i++) {
		layout.endian = i & 1 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
		layout.word_bytes = i & 2 ? 4 : 8;
		if (kct_evidence_gather(&layout, data, bytes, &evidence, NULL) == 0 &&
		    evidence.has_bitmap)
			return evidence.bitmap_words;
	}
	return 0;
}

static int fail_guess(const void *data, size_t bytes, const struct kct_evidence *best,
		      double best_score, struct kct_error *error)
{
	const struct kct_foreign *foreign;
	uint64_t bitmap_words;
	char reason[160];

	if (kct_foreign_identify(data, bytes, &foreign) > 0)
		return kct_fail(error, KCT_ERR_GUESS, "no raw area: looks like %s (%s)",
				foreign->what, foreign->reader);
	if (is_all_zero(data, (size_t)kct_min_u64(bytes, ZERO_BYTES)))
		return fail_zeros(bytes, error);
	if (is_all_zero(data, (size_t)kct_min_u64(bytes, sizeof(uint64_t))))
		return kct_fail(error, KCT_ERR_GUESS,
				"no layout can be guessed: the count is 0, nothing is recorded");
	bitmap_words = words_of_bitmap(data, bytes);
	if (bitmap_words)
		return kct_fail(error, KCT_ERR_GUESS,
				"no layout is guessed: looks like a bitmap of %llu words, then a "
				"count and PCs (linux-unique,bitmap-words=%llu)",
				(unsigned long long)bitmap_words, (unsigned long long)bitmap_words);
	if (best_score <= 0)
		return kct_fail(error, KCT_ERR_GUESS,
				"no layout can be guessed: no word fits any of them");
	kct_evidence_reason(best, reason, sizeof(reason));
	return kct_fail(error, KCT_ERR_GUESS, "no layout can be guessed; nearest is %s: %s",
			best->layout.preset, reason);
}

static int give_guess(const struct kct_evidence *best, double confidence,
		      struct kct_guess *ret_guess)
{
	memset(ret_guess, 0, sizeof(*ret_guess));
	ret_guess->layout = best->layout;
	ret_guess->confidence = confidence;
	kct_evidence_reason(best, ret_guess->reason, sizeof(ret_guess->reason));
	return 0;
}

int kct_guess_layout(const void *data, size_t bytes, struct kct_guess *ret_guess,
		     struct kct_error *error)
{
	struct kct_evidence best = {0};
	double score = 0;

	if (bytes == 0)
		return kct_fail(error, KCT_ERR_NO_COUNT, "is empty");
	/* Nor do less bytes hold a record behind a count word of 4 bytes. */
	if (bytes < sizeof(uint64_t))
		return kct_fail(error, KCT_ERR_NO_COUNT, "%zu bytes are too short for a count word",
				bytes);
	for (int endian = KCT_ENDIAN_LITTLE; endian <= KCT_ENDIAN_BIG; endian++) {
		for (size_t i = 0; i < ARRAY_SIZE(candidates); i++) {
			int result = try_candidate(&candidates[i], (enum kct_endian)endian, data,
						   bytes, &best, &score);

			if (result < 0)
				return kct_fail_code(error, result);
		}
	}
	if (confidence_of(&best, score) < ENOUGH || kct_is_surely_foreign(data, bytes))
		return fail_guess(data, bytes, &best, score, error);
	return give_guess(&best, confidence_of(&best, score), ret_guess);
}

/** Keep a layout if it can be and fits better than the best so far. */
static void try_near(const struct kct_layout *layout, const void *data, size_t bytes,
		     struct kct_evidence *best, double *best_score)
{
	struct kct_evidence evidence;
	double score;

	if (kct_evidence_gather(layout, data, bytes, &evidence, NULL) < 0)
		return;
	score = confidence_of(&evidence, kct_evidence_score(&evidence));
	if (score > *best_score) {
		*best = evidence;
		*best_score = score;
	}
}

/** The same preset with other words. */
static void try_words(const struct kct_layout *layout, const void *data, size_t bytes,
		      struct kct_evidence *best, double *best_score)
{
	bool has_calls = layout->mode == KCT_MODE_EXT || layout->mode == KCT_MODE_MEMORY;
	uint32_t most = layout->mode == KCT_MODE_MEMORY ? 8 : 4;
	struct kct_layout near = *layout;

	for (unsigned i = 0; i < 4; i++) {
		near.endian = i & 1 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
		near.word_bytes = i & 2 ? 4 : 8;
		try_near(&near, data, bytes, best, best_score);
		for (uint32_t j = 4; has_calls && near.word_bytes == 8 && j <= most; j++) {
			near.memory_words = layout->mode == KCT_MODE_MEMORY ? j : 0;
			for (near.entry_words = 1; near.entry_words <= 2; near.entry_words++)
				try_near(&near, data, bytes, best, best_score);
			near.entry_words = layout->entry_words;
			near.memory_words = layout->memory_words;
		}
	}
}

/** The same words with the bitmap that was seen, or without one. */
static void try_bitmap(const struct kct_layout *layout, const void *data, size_t bytes,
		       struct kct_evidence *best, double *best_score)
{
	struct kct_evidence evidence;
	struct kct_layout near = *layout;

	if (layout->os != KCT_OS_LINUX ||
	    kct_evidence_gather(layout, data, bytes, &evidence, NULL) < 0 || !evidence.has_bitmap)
		return;
	kct_layout_preset(evidence.bitmap_words ? "linux-unique" : "linux-pc", &near);
	near.endian = layout->endian;
	near.word_bytes = layout->word_bytes;
	near.bitmap_words = evidence.bitmap_words;
	try_near(&near, data, bytes, best, best_score);
}

/** The areas of BSD look like those of Linux: the preset of the system that is known. */
static void keep_system(enum kct_os os, struct kct_layout *layout)
{
	struct kct_layout preset;
	const char *name;

	for (size_t i = 0; (name = kct_layout_preset_name(i)); i++) {
		if (kct_layout_preset(name, &preset) < 0 || preset.os != os ||
		    preset.mode != layout->mode)
			continue;
		preset.endian = layout->endian;
		preset.word_bytes = layout->word_bytes;
		if (kct_layout_check(&preset, NULL) == 0)
			*layout = preset;
		return;
	}
}

int kct_guess_near(const struct kct_layout *layout, const void *data, size_t bytes,
		   struct kct_guess *ret_guess, struct kct_error *error)
{
	struct kct_evidence best = {0};
	double score = 0;
	int result = kct_layout_check(layout, error);

	if (result < 0)
		return result;
	try_words(layout, data, bytes, &best, &score);
	try_bitmap(layout, data, bytes, &best, &score);
	if (score >= ENOUGH)
		return give_guess(&best, score, ret_guess);
	result = kct_guess_layout(data, bytes, ret_guess, error);
	if (result == 0 && layout->os != KCT_OS_LINUX)
		keep_system(layout->os, &ret_guess->layout);
	return result;
}

int kct_layout_score(const struct kct_layout *layout, const void *data, size_t bytes,
		     double *ret_score, char *ret_reason)
{
	struct kct_evidence evidence;
	int result = kct_evidence_gather(layout, data, bytes, &evidence, NULL);

	if (result < 0)
		return result;
	*ret_score = kct_evidence_score(&evidence);
	/* Numbers that look like kernel addresses. */
	if (kct_is_surely_foreign(data, bytes))
		*ret_score *= FOREIGN_SHARE;
	if (ret_reason)
		kct_evidence_reason(&evidence, ret_reason, sizeof(((struct kct_guess *)0)->reason));
	return 0;
}
