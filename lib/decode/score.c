/* SPDX-License-Identifier: BSD-2-Clause */
/* Weighing: from counts to a score and a sentence. */
#include <stdarg.h>
#include <stdio.h>

#include "decode/evidence.h"

/* Beyond this a count is no area's: the kernels allow far fewer words. */
#define LARGEST_COUNT ((uint64_t)1 << 28)

/* As many PCs without a call among them are no trace of calls. */
#define MANY_PCS 64u

static double share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

/** How well the count word agrees with the size of the data. */
static double score_geometry(const struct kct_evidence *evidence)
{
	const struct kct_geometry *geometry = &evidence->geometry;
	double score = 1;

	/* A bad count is damage to one word: it must not outweigh records that all fit. But one that
	 * the next word repeats is no count at all: the data is filled with a value. */
	if (geometry->claimed_words > LARGEST_COUNT)
		score = evidence->is_filled ? 0.3 : 0.65;
	else if (geometry->missing_words != 0)
		score = 0.7;
	else if (geometry->unused_words != 0)
		score = evidence->zero_tail ? 0.98 : 0.75;
	return geometry->tail_bytes ? score * 0.9 : score;
}

/** How many of the words fit; squared, since a wrong layout also fits many by chance. */
static double score_content(const struct kct_evidence *evidence)
{
	uint64_t judged = evidence->good + evidence->weak + evidence->bad;
	double fits;

	if (judged == 0)
		return 0;
	fits = ((double)evidence->good + 0.8 * (double)evidence->weak) / (double)judged;
	return fits * fits * (1 - share(evidence->unwritten, judged + evidence->unwritten) / 2);
}

static double score_pc(const struct kct_evidence *evidence)
{
	/* Values with the tags of entries are no PCs on any machine. */
	if (evidence->has_bitmap || share(evidence->tagged, evidence->judged) > 0.01)
		return 0.3;
	/* One record of another mode is enough to say so. */
	return evidence->tagged != 0 || evidence->embedded != 0 ? 0.45 : 1;
}

/** Only PCs where at least context switches would leave records of other kinds. */
static bool is_pc_list(const struct kct_evidence *evidence)
{
	return evidence->records[KCT_RECORD_PC] >= MANY_PCS &&
	       evidence->records[KCT_RECORD_ENTRY] == 0 &&
	       evidence->records[KCT_RECORD_EXIT] == 0 &&
	       evidence->records[KCT_RECORD_EESUM] == 0 &&
	       evidence->records[KCT_RECORD_MEMORY] == 0;
}

static double score_calls(const struct kct_evidence *evidence)
{
	uint64_t entries = evidence->records[KCT_RECORD_ENTRY];
	double score = 1;

	if (evidence->layout.entry_words == 1) {
		/* Entries that a PC always follows have a second word; half of them is chance. */
		double pairs = share(evidence->entry_then_pc, entries);

		score = 0.95 * (1 - 0.6 * pairs * pairs * pairs);
	} else {
		double with_caller =
			1 - share(evidence->bad_callers, entries + evidence->bad_callers);

		score = with_caller * with_caller;
	}
	/* A plain list of PCs fits as well, and is then the simpler explanation. */
	if (is_pc_list(evidence))
		score *= 0.45;
	else if (entries + evidence->records[KCT_RECORD_EXIT] +
			 evidence->records[KCT_RECORD_MEMORY] ==
		 0)
		score *= 0.8;
	return score;
}

static double score_memory(const struct kct_evidence *evidence)
{
	uint64_t memory = evidence->records[KCT_RECORD_MEMORY];
	double score = score_calls(evidence);

	if (memory == 0)
		return score * 0.9;
	if (share(evidence->eaten, memory) > 0.6)
		score *= 0.4;
	if (share(evidence->trailed, memory) > 0.6)
		score *= 0.4;
	if (evidence->layout.memory_words == 4 && share(evidence->values, memory) > 0.1)
		score *= 0.4;
	return score;
}

double kct_evidence_score(const struct kct_evidence *evidence)
{
	double score = score_geometry(evidence) * score_content(evidence);

	switch (evidence->layout.mode) {
	case KCT_MODE_PC:
	case KCT_MODE_UNIQUE:
		return score * score_pc(evidence);
	case KCT_MODE_EXT:
		return score * score_calls(evidence);
	case KCT_MODE_MEMORY:
		return score * score_memory(evidence);
	case KCT_MODE_CMP:
		break;
	}
	return score;
}

/** A growing line. */
struct line {
	char *text;
	size_t used, max;
};

static void line_add(struct line *line, const char *format, ...) KCT_PRINTF(2, 3);

static void line_add(struct line *line, const char *format, ...)
{
	va_list args;
	int length;

	if (line->used + 1 >= line->max)
		return;
	va_start(args, format);
	length = vsnprintf(line->text + line->used, line->max - line->used, format, args);
	va_end(args);
	if (length > 0)
		line->used += (size_t)kct_min_u64((uint64_t)length, line->max - line->used - 1);
}

static unsigned long long records_of(const struct kct_evidence *evidence, enum kct_record_kind kind)
{
	return evidence->records[kind];
}

/** What speaks against the layout, if anything does. */
static void describe_doubts(const struct kct_evidence *evidence, struct line *line)
{
	uint64_t judged = evidence->good + evidence->weak + evidence->bad;
	uint64_t memory = evidence->records[KCT_RECORD_MEMORY];

	if (evidence->cmp_places != 0 && share(evidence->cmp_types, evidence->cmp_places) > 0.9)
		line_add(line, "every 4th word looks like a comparison type, ");
	else if (evidence->embedded != 0)
		line_add(line, "%llu comparisons among PCs, the first at word %llu, ",
			 (unsigned long long)evidence->embedded,
			 (unsigned long long)evidence->first_embedded);
	if (evidence->has_bitmap)
		line_add(line, "a count and PCs stand behind %llu words of bitmap, ",
			 (unsigned long long)evidence->bitmap_words);
	if (evidence->tagged != 0)
		line_add(line, "%llu words look like entries and exits, ",
			 (unsigned long long)evidence->tagged);
	if (share(evidence->halves, evidence->judged) > 0.9 && evidence->bad > evidence->good)
		line_add(line, "the words look like two PCs of 4 bytes, ");
	if (evidence->bad_callers != 0)
		line_add(line, "%llu entries without a caller PC, ",
			 (unsigned long long)evidence->bad_callers);
	if (memory != 0 && share(evidence->eaten, memory) > 0.6)
		line_add(line, "memory records of %u words hold the start of the next record, ",
			 evidence->layout.memory_words);
	if (memory != 0 && share(evidence->trailed, memory) > 0.6)
		line_add(line, "behind memory records of %u words are words that are no record, ",
			 evidence->layout.memory_words);
	if (judged != 0 && share(evidence->bad, judged) > 0.02)
		line_add(line, "%.0f%% of the words do not fit, ",
			 100 * share(evidence->bad, judged));
}

static void describe_calls(const struct kct_evidence *evidence, struct line *line)
{
	unsigned long long entries = records_of(evidence, KCT_RECORD_ENTRY);
	bool callers = evidence->layout.entry_words == 2;

	if (is_pc_list(evidence))
		line_add(line, "%llu PCs and no calls, most likely a trace in mode pc, ",
			 records_of(evidence, KCT_RECORD_PC));

	if (evidence->layout.mode == KCT_MODE_MEMORY)
		line_add(line, "%llu memory accesses of %u words, ",
			 records_of(evidence, KCT_RECORD_MEMORY), evidence->layout.memory_words);
	line_add(line, "%llu entries", entries);
	if (!callers)
		line_add(line, " without a caller PC");
	else if (entries != 0 && evidence->bad_callers == 0)
		line_add(line, " each followed by a caller PC");
	line_add(line, ", %llu exits, ", records_of(evidence, KCT_RECORD_EXIT));
}

static void describe_geometry(const struct kct_evidence *evidence, struct line *line)
{
	const struct kct_geometry *geometry = &evidence->geometry;
	unsigned long long claimed = geometry->claimed_words, used = geometry->used_words;
	unsigned long long unused = geometry->unused_words;

	if (geometry->missing_words != 0)
		line_add(line, "count claims %llu words, %llu are present", claimed, used);
	else if (unused == 0)
		line_add(line, "count equals the words present");
	else
		line_add(line, "count claims %llu of %llu words, %s after them", claimed,
			 used + unused, evidence->zero_tail ? "zeros" : "other data");
	if (geometry->tail_bytes != 0)
		line_add(line, ", %llu bytes left over", (unsigned long long)geometry->tail_bytes);
}

void kct_evidence_reason(const struct kct_evidence *evidence, char *ret_reason, size_t bytes)
{
	struct line line = {.text = ret_reason, .max = bytes};

	ret_reason[0] = '\0';
	if (evidence->is_front)
		line_add(&line, "in the front: ");
	describe_doubts(evidence, &line);
	switch (evidence->layout.mode) {
	case KCT_MODE_PC:
	case KCT_MODE_UNIQUE:
		line_add(&line, "%llu PCs of %u bytes%s, ", (unsigned long long)evidence->judged,
			 evidence->layout.word_bytes,
			 evidence->tagged == 0 ? " and no call records" : "");
		break;
	case KCT_MODE_CMP:
		line_add(&line, "%llu comparisons, ", records_of(evidence, KCT_RECORD_CMP));
		break;
	case KCT_MODE_EXT:
	case KCT_MODE_MEMORY:
		describe_calls(evidence, &line);
		break;
	}
	describe_geometry(evidence, &line);
}
