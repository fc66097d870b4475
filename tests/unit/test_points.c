/* SPDX-License-Identifier: BSD-2-Clause */
/* Points in hand-made code of all machines. Encodings are from the architecture manuals. */
#include "code_image.h"

#define CALLBACK 0x10200u /* __sanitizer_cov_trace_pc */
#define VENEER	 0x10300u
#define ENTRY	 0x10240u

#define FUNCTION(name, address, size)                        \
	{                                                    \
		name, address, size, STB_GLOBAL, STT_FUNC, 1 \
	}

static const struct elf_symbol symbols[] = {
	FUNCTION("f", CODE_BASE, 0x200),
	FUNCTION("__sanitizer_cov_trace_pc", CALLBACK, 0x40),
	FUNCTION("__sanitizer_cov_trace_pc_entry", ENTRY, 0x40),
	FUNCTION("____sanitizer_cov_trace_pc_veneer", VENEER, 0x10),
	{0},
};

struct expected {
	uint64_t call, pc;
	unsigned kind;
};

/** Compare all points and jumps with what is expected; `n` of each may be 0. */
static void check(const char *row, const struct code_image *self, const struct expected *expected,
		  size_t n, const uint64_t *tails, size_t n_tails)
{
	size_t found = 0;
	const struct kct_point *points;
	const uint64_t *jumps;

	if (self->result < 0)
		fail_msg("row '%s': %s", row, self->error.text);
	points = kct_points_all(self->points, &found);
	CHECK_EQ(row, found, n);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(row, points[i].call, expected[i].call);
		CHECK_EQ(row, points[i].pc, expected[i].pc);
		CHECK_EQ(row, points[i].kind, expected[i].kind);
		CHECK(row, kct_points_find(self->points, points[i].pc) == &points[i]);
	}
	CHECK(row, !kct_points_find(self->points, 1));
	jumps = kct_points_tail_calls(self->points, &found);
	CHECK_EQ(row, found, n_tails);
	CHECK_EQ(row, kct_points_stats(self->points)->tail_calls, n_tails);
	for (size_t i = 0; i < n_tails; i++)
		CHECK_EQ(row, jumps[i], tails[i]);
}

#ifdef KCT_HAVE_CAPSTONE

static void test_x86(void **state)
{
	static const struct {
		const char *name;
		uint16_t machine;
		uint8_t class;
	} rows[] = {{"x86-64", EM_X86_64, ELFCLASS64}, {"i386", EM_386, ELFCLASS32}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t code[CODE_BYTES];
		struct code_image self;
		size_t at = 0, call, hidden, prefixed, tail, branch;

		memset(code, 0x90, sizeof(code));
		call = at;
		at = x86_jump(code, at, 0xe8, CALLBACK);
		/* mov $0x.., %eax; its four bytes and the next one are e8 and the distance to the callback
		 * only from where they stand: b8 [e8 d0 d1 d2] [d3 ...], and d3 is 00: add %al,(%eax) */
		code[at] = 0xb8;
		hidden = at + 1;
		x86_jump(code, hidden, 0xe8, CALLBACK);
		code[hidden + 5] = 0x00; /* 00 00 is the whole of an add */
		at = hidden + 6;
		prefixed = at;
		code[at++] = 0x2e; /* a segment prefix, ignored */
		at = x86_jump(code, at, 0xe8, ENTRY);
		branch = at;
		at = x86_jump(code, at, 0x0f84, CALLBACK);	/* je */
		at = x86_jump(code, at, 0xe8, CALLBACK + 0x10); /* inside it: another function */
		tail = at;
		at = x86_jump(code, at, 0xe9, CALLBACK);
		code_open(&self, rows[i].machine, rows[i].class, ELFDATA2LSB, code, NULL, symbols);
		check(rows[i].name, &self,
		      (struct expected[]){
			      {CODE_BASE + call, CODE_BASE + call + 5, KCT_POINT_PC},
			      {CODE_BASE + prefixed, CODE_BASE + prefixed + 6, KCT_POINT_ENTRY}},
		      2, (uint64_t[]){CODE_BASE + branch, CODE_BASE + tail}, 2);
		CHECK_EQ(rows[i].name, kct_points_stats(self.points)->undecoded_bytes, 0);
		code_close(&self);
	}
}

/* 0x06 is no instruction of 64-bit code. */
static void test_undecoded(void **state)
{
	uint8_t code[CODE_BYTES];
	struct code_image self;
	size_t at;

	(void)state;
	memset(code, 0x90, sizeof(code));
	code[4] = code[5] = 0x06;
	at = x86_jump(code, 16, 0xe8, CALLBACK);
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	check("undecoded", &self,
	      (struct expected[]){{CODE_BASE + 16, CODE_BASE + at, KCT_POINT_PC}}, 1, NULL, 0);
	assert_int_equal(kct_points_stats(self.points)->undecoded_bytes, 2);
	assert_int_equal(kct_points_stats(self.points)->undecoded_at, CODE_BASE + 4);
	code_close(&self);
}

/* One call of each callback: three points count. */
static void test_kinds(void **state)
{
	static const char *const callbacks[] = {
#define CALLBACK_NAME(name, text, callback) callback,
		KCT_POINT_KIND_LIST(CALLBACK_NAME)
#undef CALLBACK_NAME
	};
	struct elf_symbol all[KCT_POINT_KINDS + 3] = {FUNCTION("f", CODE_BASE, 0x100)};
	const struct kct_points_stats *stats;
	uint8_t code[CODE_BYTES];
	struct code_image self;
	size_t at = 0;

	(void)state;
	memset(code, 0x90, sizeof(code));
	for (size_t i = 0; i < KCT_POINT_KINDS; i++) {
		all[i + 1] = (struct elf_symbol)FUNCTION(callbacks[i], CALLBACK + 16 * i, 16);
		at = x86_jump(code, at, 0xe8, CALLBACK + 16 * i);
	}
	/* Of compilers, but not of KCOV. */
	all[KCT_POINT_KINDS + 1] =
		(struct elf_symbol)FUNCTION("__sanitizer_cov_trace_div4", 0x103f0, 16);
	x86_jump(code, at, 0xe8, 0x103f0);
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, NULL, all);
	assert_int_equal(self.result, 0);
	stats = kct_points_stats(self.points);
	for (size_t i = 0; i < KCT_POINT_KINDS; i++)
		CHECK_EQ(callbacks[i], stats->kinds[i], 1);
	assert_int_equal(stats->coverage, 3);
	assert_int_equal(stats->with_points, 1);
	code_close(&self);
}

#endif

static void put_words(uint8_t *code, const uint32_t *words, size_t n, bool big)
{
	for (size_t i = 0; i < 4 * n; i++)
		code[i] = (uint8_t)(words[i / 4] >> 8 * (big ? 3 - i % 4 : i % 4));
}

static void test_arm64(void **state)
{
	/* bl with a distance of imm26 words: the opcode byte is 94 to 97. */
	static const uint32_t words[] = {
		0x94000080, /* 0x10000: bl +0x200, to the callback */
		0xd503201f, /* nop */
		0x940000be, /* 0x10008: bl +0x2f8, to the veneer */
		0x97fffffd, /* 0x1000c: bl -12, to f itself */
		0x1400007c, /* 0x10010: b +0x1f0, to the callback: a tail call */
		0x9400008b, /* 0x10014: bl +0x22c, to the entry callback */
	};
	uint8_t code[CODE_BYTES] = {0};
	struct code_image self;

	(void)state;
	put_words(code, words, 6, false);
	/* From above: 97 is a negative distance, 0x10380 - 0x180 and 0x10384 - 0x84. */
	put_words(code + 0x380, (uint32_t[]){0x97ffffa0, 0x97ffffdf}, 2, false);
	code_open(&self, EM_AARCH64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	check("arm64", &self,
	      (struct expected[]){{0x10000, 0x10004, KCT_POINT_PC},
				  {0x10008, 0x1000c, KCT_POINT_PC},
				  {0x10014, 0x10018, KCT_POINT_ENTRY},
				  {0x10380, 0x10384, KCT_POINT_PC},
				  {0x10384, 0x10388, KCT_POINT_PC}},
	      5, (uint64_t[]){0x10010}, 1);
	code_close(&self);
}

static void test_s390x(void **state)
{
	static const uint8_t bytes[] = {
		0xc0, 0xe5, 0x00, 0x00, 0x01, 0x00, /* 0x10000: brasl %r14, +0x200 */
		0x07, 0x00,			    /* nopr */
		0xeb, 0xef, 0xc0, 0xe5, 0x00, 0x24, /* 0x10008: stmg, with c0 e5 inside */
		0xc0, 0xf4, 0x00, 0x00, 0x00, 0xf9, /* 0x1000e: jg +0x1f2: a tail call */
		0xa7, 0xe5, 0x01, 0x16,		    /* 0x10014: bras %r14, +0x22c */
	};
	uint8_t code[CODE_BYTES] = {0};
	struct code_image self;

	(void)state;
	memcpy(code, bytes, sizeof(bytes));
	code_open(&self, EM_S390, ELFCLASS64, ELFDATA2MSB, code, NULL, symbols);
	check("s390x", &self,
	      (struct expected[]){{0x10000, 0x10006, KCT_POINT_PC},
				  {0x10014, 0x10018, KCT_POINT_ENTRY}},
	      2, (uint64_t[]){0x1000e}, 1);
	code_close(&self);
}

static void test_riscv64(void **state)
{
	static const uint32_t words[] = {
		0x00000097, /* 0x10000: auipc ra, 0 */
		0x200080e7, /* 0x10004: jalr ra, 0x200(ra) */
		0x1f8000ef, /* 0x10008: jal ra, +0x1f8 */
		0x00000317, /* 0x1000c: auipc t1, 0 */
		0x1f430067, /* 0x10010: jalr zero, 0x1f4(t1): a tail call */
		0x00010001, /* 0x10014: two instructions of 2 bytes */
		0x00000097, /* 0x10018 */
		0x228080e7, /* to 0x10018 + 0x228, the entry callback */
	};
	uint8_t code[CODE_BYTES] = {0};
	struct code_image self;

	(void)state;
	put_words(code, words, 8, false);
	code_open(&self, EM_RISCV, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	check("riscv64", &self,
	      (struct expected[]){{0x10004, 0x10008, KCT_POINT_PC},
				  {0x10008, 0x1000c, KCT_POINT_PC},
				  {0x1001c, 0x10020, KCT_POINT_ENTRY}},
	      3, (uint64_t[]){0x1000c}, 1);
	code_close(&self);
}

/* ARM state, then Thumb state, then data that looks like a call. */
static void test_arm(void **state)
{
	static const struct elf_symbol marked[] = {
		FUNCTION("f", CODE_BASE, 0x20),
		FUNCTION("g", CODE_BASE + 0x21, 0x20), /* Thumb: the lowest bit is set */
		FUNCTION("__sanitizer_cov_trace_pc", CALLBACK, 0x40),
		{"$a", CODE_BASE, 0, STB_LOCAL, STT_NOTYPE, 1},
		{"$t", CODE_BASE + 0x20, 0, STB_LOCAL, STT_NOTYPE, 1},
		{"$d", CODE_BASE + 0x40, 0, STB_LOCAL, STT_NOTYPE, 1},
		{0},
	};
	static const uint32_t words[] = {
		0xeb00007e, /* 0x10000: bl +0x200 */
		0x0b00007d, /* 0x10004: bleq +0x1fc */
		0xea00007c, /* 0x10008: b +0x1f8: a tail call */
		0xe320f000, /* nop */
	};
	/* 0x10020: blx +0x1e0, of two halfwords f000 e8f0 less 4; 0x10024: nop; 0x10026: nop.w with the
	 * bytes of a blx behind it inside; 0x1002a: nothing more */
	static const uint8_t thumb[] = {0x00, 0xf0, 0xee, 0xe8, 0x00, 0xbf};
	uint8_t code[CODE_BYTES] = {0};
	struct code_image self;

	(void)state;
	put_words(code, words, 4, false);
	memcpy(code + 0x20, thumb, sizeof(thumb));
	put_words(code + 0x40, (uint32_t[]){0xeb00006e}, 1, false);
	code_open(&self, EM_ARM, ELFCLASS32, ELFDATA2LSB, code, NULL, marked);
	check("arm", &self,
	      (struct expected[]){{0x10000, 0x10004, KCT_POINT_PC},
				  {0x10004, 0x10008, KCT_POINT_PC},
				  {0x10020, 0x10024, KCT_POINT_PC}},
	      3, (uint64_t[]){0x10008}, 1);
	/* As a kernel in Thumb state records it. */
	assert_non_null(kct_points_find(self.points, 0x10025));
	code_close(&self);
}

static void test_failures(void **state)
{
	static const struct elf_symbol none[] = {FUNCTION("f", CODE_BASE, 0x100), {0}};
	static const struct elf_symbol empty[] = {{0}};
	static const struct {
		const char *name;
		uint16_t machine;
		const struct elf_symbol *symbols;
		int result;
		const char *text;
	} rows[] = {
		{"no callback", EM_AARCH64, none, KCT_ERR_NOT_BUILT, "not built with KCOV"},
		{"no symbols", EM_AARCH64, empty, KCT_ERR_NOT_FOUND, "no symbols"},
		{"machine", EM_MIPS, symbols, KCT_ERR_UNSUPPORTED, "machine 8"},
	};
	uint8_t code[CODE_BYTES] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct code_image self;

		code_open(&self, rows[i].machine, ELFCLASS64, ELFDATA2LSB, code, NULL,
			  rows[i].symbols);
		CHECK_EQ(rows[i].name, self.result, rows[i].result);
		CHECK(rows[i].name, strstr(self.error.text, rows[i].text));
		code_close(&self);
	}
	assert_int_equal(kct_points_new(NULL, NULL, NULL, NULL), KCT_ERR_ARGUMENT);
	kct_points_free(NULL);
}

/** A module whose code was given no addresses is something else than symbols without code. */
static void test_unplaced(void **state)
{
	static const uint8_t code[CODE_BYTES];
	static const struct elf_section sections[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, CODE_BYTES, code, 0}, {0}};
	const struct elf_image module = {
		.type = ET_REL, .machine = EM_AARCH64, .sections = sections, .symbols = symbols};
	struct elf_bytes file = elf_make(&module);
	struct kct_points *points;
	struct kct_image *image;
	struct kct_error error;

	(void)state;
	assert_int_equal(kct_image_open_memory(file.data, file.n, "module", &image, &error), 0);
	assert_int_equal(kct_points_new(image, NULL, &points, &error), KCT_ERR_NOT_FOUND);
	assert_non_null(strstr(error.text, "no addresses"));
	kct_image_free(image);
	assert_int_equal(kct_image_open_memory(file.data, file.n, "module", &image, &error), 0);
	assert_int_equal(kct_image_set_section(image, ".text", CODE_BASE), 0);
	assert_int_equal(kct_points_new(image, NULL, &points, &error), 0);
	kct_points_free(points);
	kct_image_free(image);
	free(file.data);
}

static void test_names(void **state)
{
	unsigned kind;

	(void)state;
	for (unsigned i = 0; i < KCT_POINT_KINDS; i++) {
		assert_int_equal(kct_point_kind_parse(kct_point_kind_name(i), &kind), 0);
		assert_int_equal(kind, i);
		assert_int_equal(kct_point_is_coverage(i),
				 i == KCT_POINT_PC || i == KCT_POINT_ENTRY || i == KCT_POINT_GUARD);
	}
	assert_string_equal(kct_point_kind_name(KCT_POINT_CONST_CMP8), "const_cmp8");
	assert_string_equal(kct_point_kind_name(99), "?");
	assert_int_equal(kct_point_kind_parse("cmp3", &kind), KCT_ERR_NOT_FOUND);
	assert_string_equal(kct_block_state_name(KCT_STATE_NOT_REACHED), "not reached");
	assert_string_equal(kct_block_state_name(99), "?");
	assert_string_equal(kct_mismatch_text(99), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef KCT_HAVE_CAPSTONE
		cmocka_unit_test(test_x86),	 cmocka_unit_test(test_undecoded),
		cmocka_unit_test(test_kinds),
#endif
		cmocka_unit_test(test_arm64),	 cmocka_unit_test(test_s390x),
		cmocka_unit_test(test_riscv64),	 cmocka_unit_test(test_arm),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_unplaced),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
