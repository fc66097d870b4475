/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder against bytes by hand, and against structs whose byte order gcc knows. */
#include "area.h"

#include "base/macros.h"
#include "encoder.h"
#include "witness.h"

static const struct {
	const char *name, *layout, *text;
	const char *bytes; /* hexadecimal, count word first */
} by_hand[] = {
	{"pc", "linux-pc", "pc 0xffffffff81000112", "0100000000000000 12010081ffffffff"},
	{"pc, big", "linux-pc,endian=big", "pc 0xffffffff81000112",
	 "0000000000000001 ffffffff81000112"},
	{"pc of 4 bytes", "linux-pc,word=4", "pc 0xffffffff81000112", "01000000 12010081"},
	{"pc of 4 bytes, big", "linux-pc,word=4,endian=big", "pc 0xc0101234", "00000001 c0101234"},
	{"cmp", "linux-cmp,word=4,endian=big", "cmp 5 0x54 0x55 0xc0101234",
	 "0000000000000001 0000000000000005 0000000000000054 0000000000000055 00000000c0101234"},
	{"cmp of 4 bytes", "openbsd-cmp,word=4", "cmp 5 0x1122334455 0x55 0xd0001234",
	 "01000000 05000000 55443322 55000000 341200d0"},
	{"entry", "linux-ext", "entry 0xffffffff81000104 0xffffffff81000901",
	 "0200000000000000 04010081ffffff00 01090081ffffffff"},
	{"entry of 1 word, big", "linux-ext-v1,endian=big",
	 "entry 0xffffffff81000104 0xffffffff81000901", "0000000000000001 00ffffff81000104"},
	{"entry in mode PC", "linux-pc", "entry 0xffffffff81000104 0xffffffff81000901",
	 "0100000000000000 04010081ffffffff"},
	{"exit in mode PC", "linux-pc", "exit 0xffffffff81000104", "0000000000000000"},
	{"exit, big", "linux-ext,endian=big", "exit 0xffffffff81000104",
	 "0000000000000001 10ffffff81000104"},
	{"eesum", "linux-ext", "eesum -2 -3", "0100000000000000 fefffdff00000020"},
	{"eesum, big", "linux-ext,endian=big", "eesum 1 0", "0000000000000001 2000000000000001"},
	{"timeout, big", "linux-mem,endian=big", "timeout 7", "0000000000000001 4010000000000007"},
	{"wake", "linux-mem", "wake 7", "0100000000000000 0700000000000050"},
	{"memory of 4 words", "linux-mem,memory-words=4",
	 "memory 0xffffffff81000104 0xff11000000277fc0 8 0x110 3 9",
	 "0400000000000000 04010081ffffff30 c07f27000000 11ff 0800000010000000 0300000000000000"},
	{"memory of 5 words, big", "linux-mem,endian=big",
	 "memory 0xffffffff81000104 0xff11000000277fc0 8 0x110 3 9",
	 "0000000000000005 30ffffff81000104 ff11000000277fc0 0000000800000110 0000000000000003"
	 "0000000000000009"},
	{"memory in mode EXT", "linux-ext", "memory 0xffffffff81000104 0 8 0 3 9",
	 "0000000000000000"},
	{"unique: bits 1 to 3, a PC once", "linux-unique,bitmap-words=1",
	 "pc 1\npc 2\npc 1\nentry 3 0\nexit 4\npc 2",
	 "0e00000000000000 0300000000000000 0100000000000000 0200000000000000 0300000000000000"},
	{"a raw word", "linux-pc,word=4", "word 0x100000002", "01000000 02000000"},
};

/** Events of the lines of a text. */
static struct enc_event *events_of(const char *text, size_t *ret_n)
{
	struct enc_event *events = calloc(16, sizeof(*events));
	char line[256];

	assert_non_null(events);
	for (*ret_n = 0; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		assert_int_equal(enc_parse_line(line, &events[(*ret_n)++]), 1);
	}
	return events;
}

static size_t bytes_of(const char *hex, unsigned char *ret_bytes)
{
	size_t n = 0;
	int used;

	while (sscanf(hex, " %2hhx%n", &ret_bytes[n], &used) == 1) {
		hex += used;
		n++;
	}
	return n;
}

static void check_bytes(const char *name, const char *layout, const char *text,
			const struct enc_fault *faults, size_t n_faults, const char *hex)
{
	struct enc_form form = {
		.layout = area_layout(layout), .faults = faults, .n_faults = n_faults};
	unsigned char expected[256], *bytes;
	size_t n, n_bytes, n_expected = bytes_of(hex, expected);
	struct enc_event *events = events_of(text, &n);

	bytes = enc_encode(events, n, &form, &n_bytes);
	CHECK_EQ(name, n_bytes, n_expected);
	CHECK(name, memcmp(bytes, expected, n_bytes) == 0);
	free(bytes);
	free(events);
}

static void test_bytes_by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(by_hand); i++)
		check_bytes(by_hand[i].name, by_hand[i].layout, by_hand[i].text, NULL, 0,
			    by_hand[i].bytes);
}

static void test_faults_by_hand(void **state)
{
	static const struct {
		const char *name, *layout, *text, *fault, *bytes;
	} rows[] = {
		{"bad count", "linux-pc,word=4", "pc 1\npc 2", "count=0x7f",
		 "7f000000 01000000 02000000"},
		{"cut tail", "linux-pc,word=4", "pc 1\npc 2", "cut=3", "02000000 01000000 02"},
		{"all cut", "linux-pc,word=4", "pc 1", "cut=99", ""},
		{"zero last", "linux-cmp", "cmp 1 2 3 4", "zero-last",
		 "0100000000000000 0000000000000000 0000000000000000 0000000000000000"
		 "0000000000000000"},
		{"zero last of an entry", "linux-ext", "pc 0xffffffff81000001\nentry 2 3",
		 "zero-last",
		 "0300000000000000 01000081ffffffff 0000000000000000 0000000000000000"},
		{"stale last", "linux-pc,word=4", "pc 1\npc 2\npc 3", "stale-last",
		 "03000000 01000000 02000000 01000000"},
		{"from PC to CMP", "linux-pc,word=4", "pc 1\ncmp 5 6 7 8\npc 2\ncmp 5 6 7 8",
		 "mode=3:1", "06000000 01000000 02000000 05000000 06000000 07000000 08000000"},
		{"from PC to EXT", "linux-pc", "entry 1 2\nexit 0xffffffff81000003", "mode=1:2",
		 "0200000000000000 0100000000000000 03000081ffffff10"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct enc_fault fault;

		CHECK(rows[i].name, enc_parse_fault(rows[i].fault, &fault));
		check_bytes(rows[i].name, rows[i].layout, rows[i].text, &fault, 1, rows[i].bytes);
	}
}

static void test_garbage_is_where_it_was_asked_for(void **state)
{
	struct enc_fault fault;
	struct enc_form form = {.layout = area_layout("linux-pc"), .faults = &fault};
	struct enc_event *events = enc_random(3, 200);
	unsigned char *good, *bad;
	size_t bytes;

	(void)state;
	assert_true(enc_parse_fault("garbage=5:3:1", &fault));
	good = enc_encode(events, 200, &form, &bytes);
	form.n_faults = 1;
	bad = enc_encode(events, 200, &form, &bytes);
	assert_memory_equal(good, bad, 5 * sizeof(uint64_t));
	for (size_t word = 5; word < 8; word++)
		assert_memory_not_equal(good + 8 * word, bad + 8 * word, 8);
	assert_memory_equal(good + 64, bad + 64, bytes - 64);
	free(good);
	free(bad);
	free(events);
}

static void test_bad_text(void **state)
{
	static const char *const lines[] = {
		"pc",	    "pc x",	  "pc 1 2", "cmp 1 2 3", "entry",    "eesum 1",
		"memory 1", "word 1 2 3", "jump 1", "pc 1 x",	 "wake 1 2", "memory 1 2 3 4 5 6 7",
	};
	static const char *const faults[] = {"",       "count", "count=", "garbage=0:1:1",
					     "cut=1x", "mode=1"};
	struct enc_event event;
	struct enc_fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		CHECK_EQ(lines[i], enc_parse_line(lines[i], &event), -1);
	assert_int_equal(enc_parse_line("  # nothing", &event), 0);
	assert_int_equal(enc_parse_line("pc 1 # a point", &event), 1);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		CHECK(faults[i], !enc_parse_fault(faults[i], &fault));
}

#ifdef KCT_NO_WITNESS
static void test_byte_order_of_structs(void **state)
{
	(void)state;
	SKIP("no gcc for structs with scalar_storage_order");
}
#else
static void check_order(const char *spec, const struct enc_event *events, size_t n)
{
	struct enc_form form = {.layout = area_layout(spec)};
	unsigned char expected[2 * WITNESS_BYTES], *bytes;
	size_t n_bytes, at, word_bytes = enc_word_bytes(&form.layout);

	for (size_t i = 0; i < n; i++) {
		struct enc_event event;
		uint64_t count;

		bytes = enc_encode(&events[i], 1, &form, &n_bytes);
		count = n_bytes / word_bytes - 1;
		if (form.layout.mode == KCT_MODE_CMP)
			count /= 4;
		at = witness_count(count, word_bytes, form.layout.endian, expected);
		if (enc_project(&events[i], &form.layout, &event))
			at += witness_event(&event, &form.layout, expected + at);
		CHECK_EQ(spec, n_bytes, at);
		CHECK(spec, memcmp(bytes, expected, at) == 0);
		free(bytes);
	}
}

static void test_byte_order_of_structs(void **state)
{
	static const char *const layouts[] = {
		"linux-pc",
		"linux-pc,endian=big",
		"linux-pc,word=4",
		"linux-pc,word=4,endian=big",
		"linux-cmp",
		"linux-cmp,endian=big",
		"linux-cmp,word=4,endian=big",
		"openbsd-cmp,word=4",
		"openbsd-cmp,word=4,endian=big",
		"freebsd-cmp,endian=big",
		"linux-ext",
		"linux-ext,endian=big",
		"linux-ext-v1,endian=big",
		"linux-mem",
		"linux-mem,endian=big",
		"linux-mem,memory-words=4",
		"linux-mem,memory-words=4,endian=big",
		"linux-mem,entry-words=1,endian=big",
	};
	struct enc_event *events = enc_random(9, 2000);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		check_order(layouts[i], events, 2000);
	free(events);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_by_hand),
		cmocka_unit_test(test_faults_by_hand),
		cmocka_unit_test(test_garbage_is_where_it_was_asked_for),
		cmocka_unit_test(test_bad_text),
		cmocka_unit_test(test_byte_order_of_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
