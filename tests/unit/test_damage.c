/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One word of a real trace is overwritten, at many places and in many ways: the
 * records before it stay as they are, and those from eight words after the next
 * valid record on are as in the undamaged trace. A damaged word that happens to
 * look like the head of a longer record may swallow words up to that length: the
 * window is wide enough for this, so there is no exception to make. The traces are
 * made ones and, if there are any, real ones.
 */
#include "trace.h"

#include "base/macros.h"

#define WINDOW 8

/** Ways to overwrite a word; `seed` varies them. */
static uint64_t garble(uint64_t word, unsigned way, uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	switch (way) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return *seed ^ *seed >> 29; /* anything */
	case 3:
		return word ^ (uint64_t)1 << (*seed >> 33) % 64; /* a bit flipped */
	case 4:
		return (word & 0x00ffffffffffffffu) | (*seed >> 33) << 60; /* another type */
	case 5:
		return (*seed >> 33) % 1000; /* a small number */
	case 6:
		return MEM(*seed >> 44); /* the head of the longest record */
	default:
		return ENTRY(*seed >> 44);
	}
}
#define WAYS 8

/** Index of the first record that starts at a word or later. */
static size_t record_from(const struct kct_record *records, size_t n, uint64_t word)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (records[middle].index < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** Compare the records around a damaged word with the clean ones. */
static void check_heals(const char *name, const struct kct_layout *layout,
			const unsigned char *data, size_t bytes, uint64_t word,
			const struct kct_record *clean, size_t n_clean)
{
	/* The record that the word is in, and the first one that must be right again. */
	size_t hit = record_from(clean, n_clean, word + 1) - 1;
	uint64_t after = clean[hit].index + clean[hit].words;
	size_t healed = record_from(clean, n_clean, after + WINDOW);
	size_t stop = healed + 4 < n_clean ? healed + 4 : n_clean;
	size_t start = hit > 4 ? hit - 4 : 0, at = start;
	struct kct_decoder *decoder;
	struct kct_record record;

	assert_int_equal(kct_decoder_new(layout, data, bytes, 0, &decoder, NULL), 0);
	assert_int_equal(kct_decoder_seek(decoder, clean[start].index), 0);
	while (at < stop && kct_decoder_next(decoder, &record, NULL) > 0) {
		if (record.index >= clean[hit].index && record.index < after + WINDOW)
			continue;
		if (record.index >= after + WINDOW && at < healed)
			at = healed;
		if (memcmp(&record, &clean[at], sizeof(record)) != 0)
			fail_msg("%s: word %llu damaged, record at %llu differs", name,
				 (unsigned long long)word, (unsigned long long)clean[at].index);
		at++;
	}
	/* The end of the trace can be in the window. */
	if (at < healed && healed == n_clean)
		at = healed;
	CHECK(name, at >= stop);
	kct_decoder_free(decoder);
}

/** Damage each word of an area in turn, in all ways. */
static void damage_area(const char *name, const struct kct_layout *layout, unsigned char *data,
			size_t bytes)
{
	uint64_t seed = 1;
	size_t n;
	struct kct_record *clean = area_decode(layout, data, bytes, &n);

	for (uint64_t word = 1; word < bytes / 8; word++) {
		for (unsigned way = 0; way < WAYS; way++) {
			unsigned char saved[8];
			uint64_t old = 0;

			memcpy(saved, data + 8 * word, 8);
			for (size_t i = 8; i-- > 0;)
				old = old << 8 | saved[i];
			area_put(data + 8 * word, garble(old, way, &seed), 8, KCT_ENDIAN_LITTLE);
			check_heals(name, layout, data, bytes, word, clean, n);
			memcpy(data + 8 * word, saved, 8);
		}
	}
	free(clean);
}

static void damage_trace(const char *name, const char *spec)
{
	struct kct_layout layout = area_layout(spec);
	size_t bytes;
	unsigned char *data = area_read_trace(name, &bytes);

	if (!data)
		skip();
	damage_area(name, &layout, data, bytes);
	free(data);
}

static void damage_made(const char *spec)
{
	struct kct_layout layout = area_layout(spec);
	struct trace trace = {.word_bytes = 8};

	put(&trace, 0);
	put_calls(&trace, layout.entry_words, layout.memory_words, 5);
	area_put(trace.bytes, trace.n_words - 1, 8, KCT_ENDIAN_LITTLE);
	damage_area(spec, &layout, trace.bytes, 8 * trace.n_words);
}

static void test_made_traces(void **state)
{
	(void)state;
	damage_made("linux-ext");
	damage_made("linux-ext-v1");
	damage_made("linux-mem");
	damage_made("linux-mem,memory-words=4");
}

/** Kinds and PCs of the made trace without its memory records, as one number. */
static uint64_t calls_hash(const char *spec)
{
	struct kct_layout layout = area_layout(spec);
	struct trace trace = {.word_bytes = 8};
	struct kct_record *records;
	uint64_t hash = 0;
	size_t n;

	put(&trace, 0);
	put_calls(&trace, layout.entry_words, layout.memory_words, 7);
	area_put(trace.bytes, trace.n_words - 1, 8, KCT_ENDIAN_LITTLE);
	records = area_decode(&layout, trace.bytes, 8 * trace.n_words, &n);
	assert_true(n > 100);
	for (size_t i = 0; i < n; i++) {
		assert_true(records[i].kind != KCT_RECORD_LOST);
		if (records[i].kind != KCT_RECORD_MEMORY)
			hash = (hash ^ records[i].pc ^ records[i].kind) * 0x9e3779b97f4a7c15u;
	}
	free(records);
	return hash;
}

/** One logical trace in every width of its records: the same calls. */
static void test_widths_agree(void **state)
{
	uint64_t expected = calls_hash("linux-ext");

	(void)state;
	assert_true(calls_hash("linux-ext-v1") == expected);
	assert_true(calls_hash("linux-mem") == expected);
	assert_true(calls_hash("linux-mem,memory-words=4") == expected);
	assert_true(calls_hash("linux-mem,memory-words=6,entry-words=1") == expected);
}

static void test_ext(void **state)
{
	(void)state;
	damage_trace("file.ext", "linux-ext");
	damage_trace("sleep.ext", "linux-ext");
}

static void test_mem(void **state)
{
	(void)state;
	damage_trace("file.mem", "linux-mem");
	damage_trace("race-dup-t0.mem", "linux-mem");
	damage_trace("sleep.mem", "linux-mem");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_traces),
		cmocka_unit_test(test_widths_agree),
		cmocka_unit_test(test_ext),
		cmocka_unit_test(test_mem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
