/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of EXT and MEMORY areas, one row a record, in both byte orders. */
#include "area.h"

#include "base/macros.h"

#define MAX_WORDS 12

struct row {
	const char *name;
	const char *layout;
	uint64_t words[MAX_WORDS]; /* after the count */
	size_t n_words;
	struct kct_record first; /* index 1 and count 1 are added */
};

#define WORDS(...) .words = {__VA_ARGS__}, .n_words = ARRAY_SIZE(((uint64_t[]){__VA_ARGS__}))

#define LOST(REASON, raw, n_words_lost)    \
	.first = {.kind = KCT_RECORD_LOST, \
		  .pc = (raw),             \
		  .words = (n_words_lost), \
		  .lost = {.reason = KCT_LOST_##REASON}}

#define RECORD(KIND, ...) .first = {.kind = KCT_RECORD_##KIND, .words = 1, __VA_ARGS__}

/* clang-format off */
static const struct row rows[] = {
	/* Plain records. */
	{"entry", "linux-ext", WORDS(ENTRY(0x10), TEXT(0x99)),
	 .first = {.kind = KCT_RECORD_ENTRY, .words = 2, .pc = TEXT(0x10),
		   .entry = {.caller = TEXT(0x99)}}},
	{"entry of one word", "linux-ext-v1", WORDS(ENTRY(0x10), TEXT(0x99)),
	 RECORD(ENTRY, .pc = TEXT(0x10))},
	{"entry, bits 56-59 have no meaning", "linux-ext-v1", WORDS(0x0affffff81000010u),
	 RECORD(ENTRY, .pc = TEXT(0x10))},
	{"exit", "linux-ext", WORDS(EXIT(0x20)), RECORD(EXIT, .pc = TEXT(0x20))},
	{"pc", "linux-ext", WORDS(TEXT(0x30)), RECORD(PC, .pc = TEXT(0x30))},
	{"pc of a 48-bit arm64 kernel", "linux-ext", WORDS(0xffff800080123458u),
	 RECORD(PC, .pc = 0xffff800080123458u)},
	{"last pc before the last 16 MiB", "linux-ext", WORDS(0xfffffffffeffffffu),
	 RECORD(PC, .pc = 0xfffffffffeffffffu)},
	/* EESUM: bits 0-15 delta, 16-31 lowest point. */
	{"eesum 0/0", "linux-ext", WORDS(0x2000000000000000u), RECORD(EESUM, .pc = 0)},
	{"eesum -2/0: pop two, push two", "linux-ext", WORDS(0x20000000fffe0000u),
	 RECORD(EESUM, .eesum = {.delta = 0, .min = -2})},
	{"eesum 0/+3", "linux-ext", WORDS(0x2000000000000003u),
	 RECORD(EESUM, .eesum = {.delta = 3, .min = 0})},
	{"eesum of the smallest numbers", "linux-ext", WORDS(0x2000000080008000u),
	 RECORD(EESUM, .flags = KCT_RECORD_SATURATED, .eesum = {.delta = -32768, .min = -32768})},
	{"eesum with the lowest point at the limit", "linux-ext", WORDS(0x2000000080000005u),
	 RECORD(EESUM, .flags = KCT_RECORD_SATURATED, .eesum = {.delta = 5, .min = -32768})},
	{"eesum one above the limit", "linux-ext", WORDS(0x2000000080018001u),
	 RECORD(EESUM, .eesum = {.delta = -32767, .min = -32767})},
	{"eesum of the largest delta", "linux-ext", WORDS(0x2000000000007fffu),
	 RECORD(EESUM, .eesum = {.delta = 32767, .min = 0})},
	{"eesum that ends below its lowest point", "linux-ext", WORDS(0x20000000fffffffeu),
	 RECORD(EESUM, .flags = KCT_RECORD_INVALID, .eesum = {.delta = -2, .min = -1})},
	{"the same at the limit", "linux-ext", WORDS(0x2000000000008000u),
	 RECORD(EESUM, .flags = KCT_RECORD_INVALID | KCT_RECORD_SATURATED,
		.eesum = {.delta = -32768, .min = 0})},
	{"eesum with a lowest point above 0", "linux-ext", WORDS(0x2000000000010000u),
	 RECORD(EESUM, .flags = KCT_RECORD_INVALID, .eesum = {.delta = 0, .min = 1})},
	{"eesum with bit 32", "linux-ext", WORDS(0x2000000100000000u),
	 RECORD(EESUM, .flags = KCT_RECORD_ODD_BITS | KCT_RECORD_INVALID,
		.pc = 0x2000000100000000u)},
	{"slipped eesum, quirk off", "linux-ext", WORDS(0xffffffffffff0000u),
	 RECORD(UNKNOWN, .flags = KCT_RECORD_SUSPECT, .pc = 0xffffffffffff0000u)},
	{"first suspect word", "linux-ext", WORDS(0xffffffffff000000u),
	 RECORD(UNKNOWN, .flags = KCT_RECORD_SUSPECT, .pc = 0xffffffffff000000u)},
	{"slipped eesum, quirk on", "quirk", WORDS(0xffffffffffff0000u),
	 RECORD(EESUM, .eesum = {.delta = 0, .min = -1})},
	{"slipped eesum -3/-2, quirk on", "quirk", WORDS(0xfffffffffffdfffeu),
	 RECORD(EESUM, .eesum = {.delta = -2, .min = -3})},
	/* Delay injection. */
	{"wait", "linux-ext", WORDS(0x4000000000000007u), RECORD(WAIT, .delay = {.bit = 7})},
	{"wait that timed out", "linux-ext", WORDS(0x401000000000ffffu),
	 RECORD(WAIT, .delay = {.bit = 0xffff, .timeout = true})},
	{"wait with bit 16", "linux-ext", WORDS(0x4000000000010007u),
	 RECORD(WAIT, .flags = KCT_RECORD_ODD_BITS, .pc = 0x4000000000010007u, .delay = {.bit = 7})},
	{"wake", "linux-mem", WORDS(0x5000000000000003u), RECORD(WAKE, .delay = {.bit = 3})},
	{"wake knows no timeout", "linux-ext", WORDS(0x5010000000000003u),
	 RECORD(WAKE, .flags = KCT_RECORD_ODD_BITS, .pc = 0x5010000000000003u, .delay = {.bit = 3})},
	/* Types without a meaning. */
	{"nibble 6", "linux-ext", WORDS(0x6000000000000001u), RECORD(UNKNOWN, .pc = 0x6000000000000001u)},
	{"a ppc64 PC", "linux-ext", WORDS(0xc000000000001234u), RECORD(UNKNOWN, .pc = 0xc000000000001234u)},
	{"nibble 0xe", "linux-ext", WORDS(0xe000000000000001u), RECORD(UNKNOWN, .pc = 0xe000000000000001u)},
	{"memory record in mode ext", "linux-ext", WORDS(MEM(1), 1, 1, 1, 1), RECORD(UNKNOWN, .pc = MEM(1))},
	/* Never written. */
	{"zero", "linux-ext", WORDS(0), LOST(UNWRITTEN, 0, 1)},
	{"zeros are one element", "linux-ext", WORDS(0, 0, 0, TEXT(1)), LOST(UNWRITTEN, 0, 3)},
	{"zero before a PC, which may be the caller of an entry", "linux-ext", WORDS(0, TEXT(1)),
	 LOST(UNWRITTEN, 0, 1)},
	{"entry without a caller yet", "linux-ext", WORDS(ENTRY(0x10), 0), LOST(UNWRITTEN, ENTRY(0x10), 2)},
	{"the same and zeros", "linux-ext", WORDS(ENTRY(0x10), 0, 0, 0), LOST(UNWRITTEN, ENTRY(0x10), 4)},
	/* Damage. */
	{"entry at no text", "linux-ext", WORDS(0x0000ffff81000010u, TEXT(1)), LOST(BAD_PC, 0x0000ffff81000010u, 1)},
	{"exit at no text", "linux-ext", WORDS(0x1000000000000010u), LOST(BAD_PC, 0x1000000000000010u, 1)},
	{"pc below 0xfff", "linux-ext", WORDS(0xff0fffffffffffffu), LOST(BAD_PC, 0xff0fffffffffffffu, 1)},
	{"bad words in a row", "linux-ext", WORDS(0xf000000000000000u, 0x1000000000000001u, TEXT(1)),
	 LOST(BAD_PC, 0xf000000000000000u, 2)},
	{"caller with a tag", "linux-ext", WORDS(ENTRY(0x10), EXIT(0x20)), LOST(BAD_CALLER, ENTRY(0x10), 1)},
	{"caller in the last 16 MiB", "linux-ext", WORDS(ENTRY(0x10), 0xffffffffffff0000u),
	 LOST(BAD_CALLER, ENTRY(0x10), 1)},
	{"entry cut after its first word", "linux-ext", WORDS(ENTRY(0x10)), LOST(CUT, ENTRY(0x10), 1)},
	/* MEMORY. */
	{"access", "linux-mem", WORDS(MEM(8), 0xff11000000277fc8u, 0x0000015000000008u, 77, 0x1234),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 5, .pc = TEXT(8),
		   .memory = {.addr = 0xff11000000277fc8u, .size = 8, .flags = 0x150, .time = 77,
			      .value = 0x1234}}},
	{"access of four words", "linux-mem,memory-words=4", WORDS(MEM(8), 1, 0x0000001000000004u, 77, TEXT(1)),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 4, .pc = TEXT(8),
		   .memory = {.addr = 1, .size = 4, .flags = 0x10, .time = 77}}},
	{"access of six words", "linux-mem,memory-words=6", WORDS(MEM(8), 1, 4, 77, 5, 6),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 6, .pc = TEXT(8),
		   .memory = {.addr = 1, .size = 4, .time = 77, .value = 5}}},
	{"size 0 at address 0", "linux-mem", WORDS(MEM(8), 0, 0, 0, 0),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 5, .pc = TEXT(8)}},
	{"all flags that are known", "linux-mem", WORDS(MEM(8), 1, 0x000001f000000001u, 2, 3),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 5, .pc = TEXT(8),
		   .memory = {.addr = 1, .size = 1, .flags = 0x1f0, .time = 2, .value = 3}}},
	{"a kind of access that is not known", "linux-mem", WORDS(MEM(8), 1, 0x000001ff00000001u, 2, 3),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 5, .pc = TEXT(8), .flags = KCT_RECORD_ODD_BITS,
		   .memory = {.addr = 1, .size = 1, .flags = 0x1ff, .time = 2, .value = 3}}},
	{"a flag that is not known", "linux-mem", WORDS(MEM(8), 1, 0x0000020000000001u, 2, 3),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 5, .pc = TEXT(8), .flags = KCT_RECORD_ODD_BITS,
		   .memory = {.addr = 1, .size = 1, .flags = 0x200, .time = 2, .value = 3}}},
	{"access from no text", "linux-mem", WORDS(0x3000000000000008u, TEXT(1), 8, 2, 3),
	 LOST(BAD_MEMORY, 0x3000000000000008u, 1)},
	{"size above 2^31", "linux-mem", WORDS(MEM(8), TEXT(1), 0x80000001u, 2, 3), LOST(BAD_MEMORY, MEM(8), 1)},
	{"size of 2^31", "linux-mem", WORDS(MEM(8), 1, 0x80000000u, 2, 3),
	 .first = {.kind = KCT_RECORD_MEMORY, .words = 5, .pc = TEXT(8),
		   .memory = {.addr = 1, .size = 0x80000000u, .time = 2, .value = 3}}},
	{"access cut after four words", "linux-mem", WORDS(MEM(8), 1, 8, 2), LOST(CUT, MEM(8), 4)},
	{"access cut after one word", "linux-mem", WORDS(MEM(8)), LOST(CUT, MEM(8), 1)},
	{"cut where the size is wrong already", "linux-mem", WORDS(MEM(8), TEXT(1), 0x80000001u),
	 LOST(BAD_MEMORY, MEM(8), 1)},
};
/* clang-format on */

static struct kct_layout row_layout(const struct row *row)
{
	struct kct_layout layout;

	if (strcmp(row->layout, "quirk") != 0)
		return area_layout(row->layout);
	layout = area_layout("linux-ext");
	layout.eesum_quirk = KCT_EESUM_SIGN_EXTENDED;
	return layout;
}

/** Word 2 of an access is two fields of four bytes: their order does not depend on the bytes'. */
static bool is_size_and_flags(const struct row *row, size_t i)
{
	return i == 2 && row->words[0] >> 60 == 3 && strncmp(row->layout, "linux-mem", 9) == 0;
}

static void test_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i / 2];
		struct kct_layout layout = row_layout(row);
		struct kct_record expected = row->first, *records;
		unsigned char bytes[8 * (MAX_WORDS + 1)];
		size_t n;

		layout.endian = i % 2 ? KCT_ENDIAN_BIG : KCT_ENDIAN_LITTLE;
		area_put(bytes, row->n_words, 8, layout.endian);
		for (size_t word = 0; word < row->n_words; word++) {
			unsigned char *at = bytes + 8 * (word + 1);

			area_put(at, row->words[word], 8, layout.endian);
			if (is_size_and_flags(row, word)) {
				area_put(at, row->words[word] & UINT32_MAX, 4, layout.endian);
				area_put(at + 4, row->words[word] >> 32, 4, layout.endian);
			}
		}
		expected.index = 1;
		expected.count = 1;
		records = area_decode(&layout, bytes, 8 * (row->n_words + 1), &n);
		CHECK(row->name, n > 0);
		CHECK_STR(row->name, kct_record_kind_name(records[0].kind),
			  kct_record_kind_name(expected.kind));
		CHECK_EQ(row->name, records[0].index, 1);
		CHECK_EQ(row->name, records[0].words, expected.words);
		CHECK_EQ(row->name, records[0].pc, expected.pc);
		CHECK_EQ(row->name, records[0].flags, expected.flags);
		/* All fields that the kind does not use are zero. */
		CHECK(row->name, memcmp(&records[0], &expected, sizeof(expected)) == 0);
		free(records);
	}
}

static void test_record_after_damage_is_right(void **state)
{
	/* ENTRY whose caller was overwritten, then what follows: nothing is swallowed. */
	static const uint64_t words[] = {5, ENTRY(0x10), 0x1234, TEXT(0x20), EXIT(0x30), TEXT(1)};
	static const uint8_t kinds[] = {KCT_RECORD_LOST, KCT_RECORD_LOST, KCT_RECORD_PC,
					KCT_RECORD_EXIT, KCT_RECORD_PC};
	struct kct_layout layout = area_layout("linux-ext");
	unsigned char *bytes = area_bytes(words, ARRAY_SIZE(words), 8, KCT_ENDIAN_LITTLE);
	struct kct_record *records;
	size_t n;

	(void)state;
	records = area_decode(&layout, bytes, sizeof(words), &n);
	assert_int_equal(n, ARRAY_SIZE(kinds));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(records[i].kind, kinds[i]);
	assert_int_equal(records[0].lost.reason, KCT_LOST_BAD_CALLER);
	assert_int_equal(records[1].lost.reason, KCT_LOST_BAD_PC);
	free(records);
	free(bytes);
}

/* clang-format off */
static const uint64_t cut_sections[] = {
	27,
	ENTRY(0x10),                                        /* 1: cut after one word */
	EXIT(0x20),                                         /* 2 */
	MEM(8), 0xffff888000001000u, 8, 77, TEXT(3),        /* 3: whole but for its value */
	MEM(8), TEXT(4), 0x0000010000000008u, 78, TEXT(5),  /* 8: data and value in text */
	MEM(8), 0xffff888000001000u,                        /* 13: cut after two words */
	MEM(9), 1, 0x0000010000000008u, 79, ENTRY(0x30),    /* 15: cut after four words */
	TEXT(6),                                            /* the caller of 19 */
	MEM(8), 1, 0x0000010000000008u, 80,                 /* 21: its value looks like an exit */
	0x16f42e0c522bd71bu,
	MEM(8), 0xffff888000001000u,                        /* 26: cut by the end */
};
/* clang-format on */

/** The words as a kernel of a byte order has them: size and flags are two numbers in one word. */
static void words_of(enum kct_endian endian, uint64_t *words)
{
	memcpy(words, cut_sections, sizeof(cut_sections));
	for (size_t i = 0; endian == KCT_ENDIAN_BIG && i < ARRAY_SIZE(cut_sections); i++) {
		if (words[i] << 32 == (uint64_t)8 << 32)
			words[i] = words[i] << 32 | words[i] >> 32;
	}
}

/* The last record of each section is cut; values and addresses that are no records are not taken for any. */
static void test_cut_sections(void **state)
{
	static const struct {
		uint8_t kind;
		uint64_t index, words;
	} expected[] = {
		{KCT_RECORD_LOST, 1, 1},   {KCT_RECORD_EXIT, 2, 1},    {KCT_RECORD_LOST, 3, 4},
		{KCT_RECORD_PC, 7, 1},	   {KCT_RECORD_MEMORY, 8, 5},  {KCT_RECORD_LOST, 13, 6},
		{KCT_RECORD_ENTRY, 19, 2}, {KCT_RECORD_MEMORY, 21, 5}, {KCT_RECORD_LOST, 26, 2},
	};
	struct kct_layout layout = area_layout("linux-mem");
	uint64_t words[ARRAY_SIZE(cut_sections)];

	(void)state;
	for (int endian = KCT_ENDIAN_LITTLE; endian <= KCT_ENDIAN_BIG; endian++) {
		unsigned char *bytes;
		struct kct_record *records;
		size_t n;

		layout.endian = (enum kct_endian)endian;
		words_of(layout.endian, words);
		bytes = area_bytes(words, ARRAY_SIZE(words), 8, layout.endian);
		records = area_decode_flags(&layout, bytes, sizeof(words), KCT_DECODE_SECTIONS, &n);
		assert_int_equal(n, ARRAY_SIZE(expected));
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(records[i].kind, expected[i].kind);
			assert_int_equal(records[i].index, expected[i].index);
			assert_int_equal(records[i].words, expected[i].words);
			if (records[i].kind == KCT_RECORD_LOST)
				assert_int_equal(records[i].lost.reason, KCT_LOST_CUT);
		}
		free(records);
		free(bytes);
	}
}

static void test_runs(void **state)
{
	/* Runs end at a tag, at a suspect word and at the end of the area. */
	static const uint64_t words[] = {16,
					 TEXT(1),
					 TEXT(2),
					 TEXT(3),
					 TEXT(4),
					 TEXT(5),
					 TEXT(6),
					 EXIT(7),
					 TEXT(8),
					 ENTRY(9),
					 TEXT(10),
					 TEXT(11),
					 0xffffffffffff0000u,
					 TEXT(12),
					 TEXT(13),
					 TEXT(14),
					 TEXT(15),
					 TEXT(16)};
	static const struct {
		uint8_t kind;
		uint32_t count;
		uint64_t pc;
	} expected[] = {
		{KCT_RECORD_PC, 6, TEXT(1)},  {KCT_RECORD_EXIT, 1, TEXT(7)},
		{KCT_RECORD_PC, 1, TEXT(8)},  {KCT_RECORD_ENTRY, 1, TEXT(9)},
		{KCT_RECORD_PC, 1, TEXT(11)}, {KCT_RECORD_UNKNOWN, 1, 0xffffffffffff0000u},
		{KCT_RECORD_PC, 4, TEXT(12)}, /* the word after the count's last is not in it */
	};
	struct kct_layout layout = area_layout("linux-ext");

	(void)state;
	for (int endian = KCT_ENDIAN_LITTLE; endian <= KCT_ENDIAN_BIG; endian++) {
		unsigned char *bytes;
		struct kct_record *records;
		size_t n;

		layout.endian = (enum kct_endian)endian;
		bytes = area_bytes(words, ARRAY_SIZE(words), 8, layout.endian);
		records = area_decode_flags(&layout, bytes, sizeof(words), KCT_DECODE_PC_RUNS, &n);
		assert_int_equal(n, ARRAY_SIZE(expected));
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(records[i].kind, expected[i].kind);
			assert_int_equal(records[i].count, expected[i].count);
			assert_true(records[i].pc == expected[i].pc);
		}
		free(records);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_record_after_damage_is_right),
		cmocka_unit_test(test_cut_sections),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
