/* SPDX-License-Identifier: BSD-2-Clause */
/* One logical trace in every layout: the same records, the same stacks, the same bytes again. */
#include "area.h"

#include <kcovtrace/kcovtrace.h>

#include "base/macros.h"
#include "encoder.h"

#define SLIDE 0x1e400000u

enum { SEEDS = 8, EVENTS = 3000 };

/** What else is there for every layout of the table below. */
struct variant {
	const char *keys;
	enum kct_eesum_quirk quirk;
};

static const struct variant variants[] = {
	{.keys = "endian=little"},
	{.keys = "endian=big"},
	{.keys = "slid=yes"},
	{.keys = "endian=big,slid=yes"},
	{.keys = "slid=no"},
	{.keys = "capacity=100000"},
	{.keys = "endian=little", .quirk = KCT_EESUM_SIGN_EXTENDED},
	{.keys = "endian=big", .quirk = KCT_EESUM_SIGN_EXTENDED},
};

static const char *const layouts[] = {
	"linux-pc",
	"linux-pc,word=4",
	"linux-cmp",
	"linux-cmp,word=4",
	"linux-unique,bitmap-words=64",
	"linux-unique,bitmap-words=64,word=4",
	"freebsd-pc",
	"freebsd-cmp",
	"netbsd-pc",
	"netbsd-cmp",
	"openbsd-pc",
	"openbsd-pc,word=4",
	"openbsd-cmp",
	"openbsd-cmp,word=4",
	"linux-ext",
	"linux-ext-v1",
	"linux-ext,entry-words=1",
	"linux-mem",
	"linux-mem,memory-words=4",
	"linux-mem,memory-words=6",
	"linux-mem,memory-words=9",
	"linux-mem,entry-words=1",
	"linux-mem,entry-words=1,memory-words=4",
	"linux-mem,entry-words=1,memory-words=7",
};

/** Handmade: limits of numbers, and what random traces have seldom. */
static const struct enc_event odd_events[] = {
	{.kind = ENC_EXIT, .pc = TEXT(0xf0)}, /* of a call before the trace */
	{.kind = ENC_ENTRY, .pc = TEXT(0x1010), .caller = TEXT(0x80)},
	{.kind = ENC_EESUM, .delta = 32767},
	{.kind = ENC_EESUM, .delta = -32768, .min = -32768},
	{.kind = ENC_EESUM, .delta = 3, .min = -1},
	{.kind = ENC_MEMORY, .pc = TEXT(0x1050)}, /* 0 bytes at address 0 */
	{.kind = ENC_MEMORY,
	 .pc = TEXT(0x1050),
	 .addr = UINT64_MAX,
	 .size = 0x80000000,
	 .flags = 0x8000fe1f,
	 .time = UINT64_MAX,
	 .value = 1},
	{.kind = ENC_WAIT, .bit = 65535, .timeout = true},
	{.kind = ENC_WAKE},
	{.kind = ENC_CMP, .pc = TEXT(0x60), .type = 0xffffffff, .arg1 = UINT64_MAX},
	{.kind = ENC_CMP, .pc = TEXT(0x60), .arg2 = 1},
	{.kind = ENC_PC, .pc = TEXT(0xeffff0)},
};

static struct enc_form form_of(const char *layout, const struct variant *variant)
{
	struct enc_form form = {.slide = SLIDE};
	char spec[128];

	snprintf(spec, sizeof(spec), "%s,%s", layout, variant->keys);
	form.layout = area_layout(spec);
	form.layout.eesum_quirk = variant->quirk;
	return form;
}

/** Decode, and compare with the records that must be; area_decode() looks for gaps. */
static struct kct_record *check_records(const char *name, const struct enc_form *form,
					const struct enc_event *events, size_t n,
					const unsigned char *bytes, size_t n_bytes, size_t *ret_n)
{
	size_t n_expected;
	struct kct_record *expected = enc_records(events, n, form, &n_expected);
	struct kct_record *records = area_decode(&form->layout, bytes, n_bytes, ret_n);
	size_t words = n_bytes / enc_word_bytes(&form->layout) - 1 - form->layout.bitmap_words;

	CHECK_EQ(name, *ret_n, n_expected);
	for (size_t i = 0; i < n_expected; i++) {
		if (memcmp(&records[i], &expected[i], sizeof(records[i])) != 0)
			fail_msg("'%s': record %zu, at word %llu", name, i,
				 (unsigned long long)records[i].index);
		words -= records[i].words;
	}
	CHECK_EQ(name, words, 0);
	free(expected);
	return records;
}

/** encode(decode(x)) = x, but for the bitmap: it is no record. */
static void check_encoded_again(const char *name, const struct enc_form *form,
				const struct kct_record *records, size_t n,
				const unsigned char *bytes, size_t n_bytes)
{
	size_t skipped = form->layout.bitmap_words * enc_word_bytes(&form->layout), n_again;
	struct enc_form again = {.layout = form->layout};
	struct enc_event *events = calloc(n + 1, sizeof(*events));
	unsigned char *copy;

	assert_non_null(events);
	for (size_t i = 0; i < n; i++)
		CHECK(name, enc_event_of(&records[i], &events[i]));
	/* Words of kernels to come are not in the records. */
	copy = enc_encode(events, n, &again, &n_again);
	CHECK_EQ(name, n_again, n_bytes);
	CHECK(name, memcmp(copy + skipped, bytes + skipped, n_bytes - skipped) == 0);
	free(copy);
	free(events);
}

static void check_layout(const char *layout, const struct variant *variant,
			 const struct enc_event *events, size_t n)
{
	struct enc_form form = form_of(layout, variant);
	struct kct_record *records;
	unsigned char *bytes;
	size_t n_bytes, n_records;

	bytes = enc_encode(events, n, &form, &n_bytes);
	records = check_records(layout, &form, events, n, bytes, n_bytes, &n_records);
	CHECK(layout, n_records > 0);
	check_encoded_again(layout, &form, records, n_records, bytes, n_bytes);
	free(records);
	free(bytes);
}

static void test_same_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		for (size_t v = 0; v < ARRAY_SIZE(variants); v++) {
			for (uint64_t seed = 1; seed <= SEEDS; seed++) {
				struct enc_event *events = enc_random(seed, EVENTS);

				check_layout(layouts[i], &variants[v], events, EVENTS);
				free(events);
			}
			/* Such a kernel's words for lowest points below -256 are those of PCs. */
			if (variants[v].quirk == KCT_EESUM_NONE)
				check_layout(layouts[i], &variants[v], odd_events,
					     ARRAY_SIZE(odd_events));
		}
	}
}

/** Each page is a function; the context is the slide. */
static int page_of(void *context, uint64_t pc, uint64_t *ret_function)
{
	uint64_t at = pc - 1 - *(const uint64_t *)context - ENC_CODE;

	if (at >= 0x1000 * ENC_FUNCTIONS)
		return 0;
	*ret_function = at / 0x1000 + 1;
	return 1;
}

/** Numbers that stand for the stack after each call, return and untraced region. */
struct stacks {
	uint64_t *sums;
	size_t n;
};

static uint64_t sum_of_frames(const struct kct_stack *stack, uint64_t slide)
{
	uint64_t sum = 14695981039346656037u;
	size_t depth;
	const struct kct_frame *frames = kct_stack_frames(stack, &depth);

	for (size_t i = 0; i < depth; i++) {
		uint64_t pc = frames[i].pc ? frames[i].pc - slide : 0;

		sum = (sum ^ pc) * 1099511628211u;
		sum = (sum ^ frames[i].kind) * 1099511628211u;
	}
	return sum + depth;
}

static struct stacks stacks_of(const struct enc_form *form, const struct enc_event *events,
			       size_t n)
{
	uint64_t slide = form->layout.slid ? form->slide : 0;
	struct kct_stack_options options = {.size = sizeof(options),
					    .functions = {page_of, &slide}};
	struct stacks stacks = {calloc(n + 1, sizeof(uint64_t)), 0};
	size_t n_bytes, n_records;
	unsigned char *bytes = enc_encode(events, n, form, &n_bytes);
	struct kct_record *records = area_decode(&form->layout, bytes, n_bytes, &n_records);
	struct kct_stack *stack;
	struct kct_step step;

	assert_non_null(stacks.sums);
	assert_int_equal(kct_stack_new(&options, &stack), 0);
	for (size_t i = 0; i < n_records; i++) {
		unsigned kind = records[i].kind;

		assert_int_equal(kct_stack_step(stack, &records[i], &step), 0);
		if (kind == KCT_RECORD_ENTRY || kind == KCT_RECORD_EXIT || kind == KCT_RECORD_EESUM)
			stacks.sums[stacks.n++] = sum_of_frames(stack, slide);
	}
	kct_stack_free(stack);
	free(records);
	free(bytes);
	return stacks;
}

/** The functions that the encoder's calls are in: what the first layout must give. */
static struct stacks stacks_of_events(const struct enc_event *events, size_t n)
{
	struct stacks stacks = {calloc(n + 1, sizeof(uint64_t)), 0};
	uint64_t open[64];
	size_t depth = 0;

	assert_non_null(stacks.sums);
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = 14695981039346656037u;

		if (events[i].kind == ENC_ENTRY)
			open[depth++] = events[i].pc;
		else if (events[i].kind == ENC_EESUM && events[i].delta == 1)
			open[depth++] = 0;
		else if (events[i].kind == ENC_EXIT || events[i].delta == -1)
			depth--;
		else if (events[i].kind != ENC_EESUM)
			continue;
		for (size_t f = 0; f < depth; f++) {
			sum = (sum ^ open[f]) * 1099511628211u;
			sum = (sum ^ (open[f] ? KCT_FRAME_CALLED : KCT_FRAME_UNTRACED)) *
			      1099511628211u;
		}
		stacks.sums[stacks.n++] = sum + depth;
	}
	return stacks;
}

static void test_same_stacks(void **state)
{
	size_t compared = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct enc_event *events = enc_random(seed, EVENTS);
		struct stacks first = stacks_of_events(events, EVENTS);

		for (size_t i = 0; i < ARRAY_SIZE(layouts) * ARRAY_SIZE(variants); i++) {
			const char *layout = layouts[i / ARRAY_SIZE(variants)];
			struct enc_form form = form_of(layout, &variants[i % ARRAY_SIZE(variants)]);
			struct stacks stacks;

			if (form.layout.entry_words == 0)
				continue;
			stacks = stacks_of(&form, events, EVENTS);
			CHECK_EQ(layout, stacks.n, first.n);
			for (size_t at = 0; at < first.n; at++)
				CHECK_EQ(layout, stacks.sums[at], first.sums[at]);
			compared += stacks.n;
			free(stacks.sums);
		}
		free(first.sums);
		free(events);
	}
	assert_true(compared > 100000);
}

/** Records before a fault are those without it, and all words are told. */
static void test_faults_hurt_nothing_before(void **state)
{
	static const struct {
		const char *name, *fault;
		size_t hurt; /* records at the end that may differ */
	} rows[] = {
		{"absurd count", "count=0x7fffffffffffffff", 0},
		{"zero count", "count=0", SIZE_MAX},
		{"cut in the last record", "cut=3", 1},
		{"cut more", "cut=100", 25},
		{"last not written", "zero-last", 1},
		{"last of an older run", "stale-last", 1},
		{"noise near the end", "garbage=2000:40:7", SIZE_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts) * ARRAY_SIZE(rows); i++) {
		const char *layout = layouts[i / ARRAY_SIZE(rows)];
		size_t row = i % ARRAY_SIZE(rows), n_bytes, n, n_good, same = 0;
		struct enc_event *events = enc_random(i, EVENTS);
		struct enc_form form = form_of(layout, &variants[i % 4]);
		struct kct_record *good, *bad;
		struct enc_fault fault;
		unsigned char *bytes;

		assert_true(enc_parse_fault(rows[row].fault, &fault));
		good = enc_records(events, EVENTS, &form, &n_good);
		form.faults = &fault;
		form.n_faults = 1;
		bytes = enc_encode(events, EVENTS, &form, &n_bytes);
		bad = area_decode(&form.layout, bytes, n_bytes, &n);
		while (same < n && same < n_good &&
		       memcmp(&good[same], &bad[same], sizeof(good[same])) == 0)
			same++;
		if (rows[row].hurt != SIZE_MAX && same + rows[row].hurt < n_good)
			fail_msg("%s, '%s': %zu of %zu records are as before", layout,
				 rows[row].name, same, n_good);
		if (fault.kind == ENC_GARBAGE && same < n_good)
			CHECK(layout, good[same].index + good[same].words > fault.at);
		free(bad);
		free(good);
		free(bytes);
		free(events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_records),
		cmocka_unit_test(test_same_stacks),
		cmocka_unit_test(test_faults_hurt_nothing_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
