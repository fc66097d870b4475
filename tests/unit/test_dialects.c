/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Areas of each system by hand, from what its kernel source says (docs/formats.md), and the records that
 * each preset must give.
 */
#include "area.h"

#include <kcovtrace/guess.h>

#include "base/macros.h"

#define BSD(offset) \
	(0xffffffff80200000u + (offset)) /* FreeBSD, NetBSD: kernel text with its slide */

struct row {
	const char *name, *layout;
	uint64_t words[16]; /* bitmap, count, records */
	size_t n_words;
	struct kct_record records[5]; /* up to kind KCT_RECORD_KINDS */
};

#define PC_RECORD(i, where)                                                                \
	{                                                                                  \
		.index = (i), .pc = (where), .words = 1, .kind = KCT_RECORD_PC, .count = 1 \
	}
#define CMP_RECORD(i, t, a, b, where, bytes, constant)                                       \
	{                                                                                    \
		.index = (i), .pc = (where), .words = 4, .kind = KCT_RECORD_CMP, .count = 1, \
		.cmp = {.type = (t),                                                         \
			.arg1 = (a),                                                         \
			.arg2 = (b),                                                         \
			.size = (bytes),                                                     \
			.is_const = (constant) }                                             \
	}
#define ENTRY_RECORD(i, where, n, from)                                                          \
	{                                                                                        \
		.index = (i), .pc = (where), .words = (n), .kind = KCT_RECORD_ENTRY, .count = 1, \
		.entry = {                                                                       \
			.caller = (from)                                                         \
		}                                                                                \
	}
#define EXIT_RECORD(i, where)                                                                \
	{                                                                                    \
		.index = (i), .pc = (where), .words = 1, .kind = KCT_RECORD_EXIT, .count = 1 \
	}
#define STALE_RECORD(i, n)                                                                 \
	{                                                                                  \
		.index = (i), .words = (n), .kind = KCT_RECORD_LOST, .count = 1, .lost = { \
			.reason = KCT_LOST_UNWRITTEN                                       \
		}                                                                          \
	}
#define END                              \
	{                                \
		.kind = KCT_RECORD_KINDS \
	}

static const struct row rows[] = {
	{"linux pc of a 32-bit kernel",
	 "linux-pc,word=4",
	 {2, 0xc0101234, 0xbf000044},
	 3,
	 {PC_RECORD(1, 0xc0101234), PC_RECORD(2, 0xbf000044), END}},
	/* if (x == 0x54) with an int, on a kernel of 32 bits: words of 64 bits all the same. */
	{"linux cmp of a 32-bit kernel",
	 "linux-cmp,word=4",
	 {1, 5, 0x54, 0x55, 0xc0101234},
	 5,
	 {CMP_RECORD(1, 5, 0x54, 0x55, 0xc0101234, 4, true), END}},
	/* switch (byte) { case 1: case 2: }: a record a case, the constant first. */
	{"linux switch",
	 "linux-cmp",
	 {2, 1, 1, 7, TEXT(4), 1, 2, 7, TEXT(4)},
	 9,
	 {CMP_RECORD(1, 1, 1, 7, TEXT(4), 1, true), CMP_RECORD(5, 1, 2, 7, TEXT(4), 1, true), END}},
	{"freebsd pc",
	 "freebsd-pc",
	 {2, BSD(1), BSD(2)},
	 3,
	 {PC_RECORD(1, BSD(1)), PC_RECORD(2, BSD(2)), END}},
	/* The slip: bit 0 is set in the value, not in the type, and the case comes second:
	 * switch (6) { case 1: case 2: }, 4 bytes. Not constant, as if they were plain comparisons. */
	{"freebsd switch",
	 "freebsd-cmp",
	 {2, 4, 7, 1, BSD(4), 4, 7, 2, BSD(4)},
	 9,
	 {CMP_RECORD(1, 4, 7, 1, BSD(4), 4, false), CMP_RECORD(5, 4, 7, 2, BSD(4), 4, false), END}},
	{"freebsd cmp with a constant",
	 "freebsd-cmp",
	 {1, 7, 0x1122334455667788, 9, BSD(8)},
	 5,
	 {CMP_RECORD(1, 7, 0x1122334455667788, 9, BSD(8), 8, true), END}},
	{"netbsd pc", "netbsd-pc", {1, BSD(1), 0, 0}, 4, {PC_RECORD(1, BSD(1)), END}},
	{"netbsd cmp, big-endian sparc64",
	 "netbsd-cmp,endian=big",
	 {1, 3, 0xffff, 0, BSD(8)},
	 5,
	 {CMP_RECORD(1, 3, 0xffff, 0, BSD(8), 2, true), END}},
	/* A slot is claimed before it is written: the last one of a live copy may be stale or 0. */
	{"openbsd pc, live",
	 "openbsd-pc",
	 {2, BSD(1), 0},
	 3,
	 {PC_RECORD(1, BSD(1)), STALE_RECORD(2, 1), END}},
	{"openbsd pc of a 32-bit port",
	 "openbsd-pc,word=4",
	 {2, 0xd0201234, 0xd0201238},
	 3,
	 {PC_RECORD(1, 0xd0201234), PC_RECORD(2, 0xd0201238), END}},
	{"openbsd cmp",
	 "openbsd-cmp",
	 {1, 7, 0x1122334455667788, 9, BSD(8)},
	 5,
	 {CMP_RECORD(1, 7, 0x1122334455667788, 9, BSD(8), 8, true), END}},
	/* Operands of 64 bits are cut by the kernel. */
	{"openbsd cmp of a 32-bit port",
	 "openbsd-cmp,word=4",
	 {2, 7, 0x55667788, 9, 0xd0201234, 0, 1, 2, 0xd0201238},
	 9,
	 {CMP_RECORD(1, 7, 0x55667788, 9, 0xd0201234, 8, true),
	  CMP_RECORD(5, 0, 1, 2, 0xd0201238, 1, false), END}},
	{"openbsd cmp of a big-endian 32-bit port, live",
	 "openbsd-cmp,word=4,endian=big",
	 {2, 2, 1, 2, 0xd0201234, 0, 0, 0, 0},
	 9,
	 {CMP_RECORD(1, 2, 1, 2, 0xd0201234, 2, false), STALE_RECORD(5, 4), END}},
	/* Points 1 to 3 of two words of bitmap, the third one hit first. */
	{"linux unique",
	 "linux-unique,bitmap-words=2",
	 {0xe, 0, 3, TEXT(3), TEXT(1), TEXT(2)},
	 6,
	 {PC_RECORD(1, TEXT(3)), PC_RECORD(2, TEXT(1)), PC_RECORD(3, TEXT(2)), END}},
	/* A point whose number lies beyond the bitmap is recorded each time. */
	{"linux unique, a small bitmap",
	 "linux-unique,bitmap-words=1,word=4",
	 {2, 3, 0xc0000001, 0xc0000040, 0xc0000040},
	 5,
	 {PC_RECORD(1, 0xc0000001), PC_RECORD(2, 0xc0000040), PC_RECORD(3, 0xc0000040), END}},
	/* Entries of one word: the word behind an entry is a record. */
	{"linux ext, first posting",
	 "linux-ext-v1",
	 {4, ENTRY(0x10), TEXT(0x18), ENTRY(0x1010), EXIT(0x1040)},
	 5,
	 {ENTRY_RECORD(1, TEXT(0x10), 1, 0), PC_RECORD(2, TEXT(0x18)),
	  ENTRY_RECORD(3, TEXT(0x1010), 1, 0), EXIT_RECORD(4, TEXT(0x1040)), END}},
	{"linux ext, with callers",
	 "linux-ext",
	 {3, ENTRY(0x10), TEXT(0x2018), EXIT(0x40)},
	 4,
	 {ENTRY_RECORD(1, TEXT(0x10), 2, TEXT(0x2018)), EXIT_RECORD(3, TEXT(0x40)), END}},
	/* The kernel has the hooks, the mode is 0: entries are points and returns nothing. */
	{"linux pc of an ext kernel",
	 "linux-pc",
	 {2, TEXT(0x10), TEXT(0x18)},
	 3,
	 {PC_RECORD(1, TEXT(0x10)), PC_RECORD(2, TEXT(0x18)), END}},
};

/** The area of a row. Linux has comparisons of 8 bytes on all machines. */
static unsigned char *row_bytes(size_t i, const struct kct_layout *layout, size_t *ret_bytes)
{
	size_t word_bytes =
		layout->mode == KCT_MODE_CMP && layout->os == KCT_OS_LINUX ? 8 : layout->word_bytes;

	*ret_bytes = rows[i].n_words * word_bytes;
	return area_bytes(rows[i].words, rows[i].n_words, word_bytes, layout->endian);
}

static void test_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_layout layout = area_layout(rows[i].layout);
		size_t bytes;
		unsigned char *data = row_bytes(i, &layout, &bytes);
		size_t n, expected = 0;
		struct kct_record *records = area_decode(&layout, data, bytes, &n);

		while (rows[i].records[expected].kind != KCT_RECORD_KINDS)
			expected++;
		CHECK_EQ(rows[i].name, n, expected);
		for (size_t r = 0; r < n; r++)
			if (memcmp(&records[r], &rows[i].records[r], sizeof(*records)) != 0)
				fail_msg("row '%s': record %zu", rows[i].name, r);
		free(records);
		free(data);
	}
}

/* Its own preset does not warn of any of them, however short. */
static void test_own_preset_fits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kct_layout layout = area_layout(rows[i].layout);
		size_t bytes;
		unsigned char *data = row_bytes(i, &layout, &bytes);
		char reason[256];
		double score;

		CHECK_EQ(rows[i].name, kct_layout_score(&layout, data, bytes, &score, reason), 0);
		if (score < 0.5)
			fail_msg("row '%s': %.2f, %s", rows[i].name, score, reason);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_own_preset_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
