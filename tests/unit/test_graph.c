/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs and states of hand-made x86-64 functions; what is expected was drawn on paper. */
#include "code_image.h"

#define CALLBACK 0x10300u
#define EXIT	 0x10340u
#define F	 CODE_BASE

#define FUNCTION(name, address, size)                        \
	{                                                    \
		name, address, size, STB_GLOBAL, STT_FUNC, 1 \
	}

enum { CALL = 0xe8, JUMP = 0xe9, JE = 0x0f84 };

static const struct elf_symbol symbols[] = {
	FUNCTION("f", F, 0x100),
	FUNCTION("g", F + 0x100, 0x80),
	FUNCTION("f.cold", F + 0x200, 0x40),
	FUNCTION("__sanitizer_cov_trace_pc", CALLBACK, 0x10),
	FUNCTION("exit", EXIT, 0x10),
	{0},
};

static struct kct_graph *graph_of(struct code_image *self, uint64_t address)
{
	struct kct_graph *graph = NULL;

	if (self->result < 0 || kct_graph_new(self->points, address, &graph, &self->error) < 0)
		fail_msg("%s", self->error.text);
	return graph;
}

/** "ENTRY+CALL: 1 2" of a block; flags as letters. */
static const char *describe(const struct kct_graph *graph, size_t block, char text[128])
{
	static const char letters[] = "ERCSDIU";
	size_t n, n_edges, used = 0;
	const struct kct_block *b = &kct_graph_blocks(graph, &n)[block];
	const uint32_t *edges = kct_graph_edges(graph, &n_edges);

	used += (size_t)snprintf(text, 128, "%llx-%llx ", (unsigned long long)(b->start - F),
				 (unsigned long long)(b->end - F));
	for (unsigned i = 0; i < 7; i++) {
		if (b->flags >> i & 1)
			text[used++] = letters[i];
	}
	text[used] = '\0';
	for (uint32_t i = 0; i < b->n_successors; i++)
		used += (size_t)snprintf(text + used, 128 - used, " %u",
					 edges[b->first_successor + i]);
	return text;
}

static void check_graph(const char *row, const struct kct_graph *graph, const char *const *expected)
{
	size_t n;
	char text[128];

	kct_graph_blocks(graph, &n);
	for (size_t i = 0; i < n; i++)
		CHECK_STR(row, describe(graph, i, text), expected[i] ? expected[i] : "nothing");
	CHECK(row, !expected[n]);
}

/** Compare states when the points with these numbers are hit. */
static void check_states(const char *row, struct code_image *self, const struct kct_graph *graph,
			 uint64_t hits, const char *expected)
{
	static const char letters[] = "?-ih"; /* unknown, not reached, implied, hit */
	struct kct_states *states;
	uint8_t of[64] = {0};
	char text[64] = "";
	size_t n;

	kct_graph_blocks(graph, &n);
	assert_int_equal(kct_states_new(self->points, &hits, &states, &self->error), 0);
	assert_int_equal(kct_states_blocks(states, graph, of, &self->error), 0);
	for (size_t i = 0; i < n; i++)
		text[i] = letters[of[i]];
	CHECK_STR(row, text, expected);
	kct_states_free(states);
}

/* Two branches in a row; points in some blocks. */
static void test_diamond(void **state)
{
	static const char *const blocks[] = {"0-6 E 2 1", "6-10  3", "10-20  3", "20-26  5 4",
					     "26-2c R",	  "30-31 R", NULL};
	/* Which points were hit, and the state of each block. */
	static const struct {
		const char *name;
		uint64_t hits;
		const char *states;
	} rows[] = {
		{"nothing", 0, "?-----"},	       /* both ways to the middle were missed */
		{"left, then the point", 5, "ih-ih?"}, /* another time perhaps 30 */
		{"right alone", 2, "i-hi-i"},	       /* not point 2, so the return at 30 */
		{"point 2 alone", 4, "?--ih?"}, /* lost records: the middle is entered somehow */
		{"all", 7, "ihhih?"},		/* the return at 30 may or may not have been */
	};
	uint8_t code[CODE_BYTES];
	struct code_image self;
	struct kct_graph *graph;
	size_t found;

	(void)state;
	memset(code, 0x90, sizeof(code));
	x86_jump(code, 0, JE, F + 0x10);
	x86_jump(code, 6, CALL, CALLBACK); /* point 0 */
	x86_jump(code, 0xb, JUMP, F + 0x20);
	x86_jump(code, 0x10, CALL, CALLBACK); /* point 1, then nops on to 20 */
	x86_jump(code, 0x20, JE, F + 0x30);
	x86_jump(code, 0x26, CALL, CALLBACK);	 /* point 2 */
	code[0x2b] = 0xc3;			 /* ret, then padding that nothing reaches */
	code[0x30] = 0xc3;			 /* ret */
	memset(code + 0x31, 0xcc, 0x100 - 0x31); /* int3 to the end */
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	graph = graph_of(&self, F + 0x12);
	check_graph("diamond", graph, blocks);
	assert_int_equal(kct_graph_find(graph, F + 0x1f, &found), 0);
	assert_int_equal(found, 2);
	assert_int_equal(kct_graph_find(graph, F + 0x2c, &found), KCT_ERR_NOT_FOUND);
	assert_int_equal(kct_graph_find(graph, F - 1, &found), KCT_ERR_NOT_FOUND);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_states(rows[i].name, &self, graph, rows[i].hits, rows[i].states);
	kct_graph_free(graph);
	code_close(&self);
}

/* f calls g and goes on; g may exit. */
static void test_calls(void **state)
{
	static const struct {
		const char *name;
		uint64_t hits;
		const char *states; /* of f: before the call, behind it */
	} rows[] = {
		{"g came back", 3, "hi"}, /* its way to exit was missed */
		{"g may have exited", 7, "h?"},
		{"g was not entered", 1, "h?"}, /* it would have hit its point */
	};
	uint8_t code[CODE_BYTES];
	struct code_image self;
	struct kct_graph *graph;

	(void)state;
	memset(code, 0xcc, sizeof(code));
	x86_jump(code, 0, CALL, CALLBACK); /* point 0 */
	x86_jump(code, 5, CALL, F + 0x100);
	code[0xa] = 0xc3;
	x86_jump(code, 0x100, CALL, CALLBACK); /* point 1 */
	x86_jump(code, 0x105, JE, F + 0x110);
	code[0x10b] = 0xc3;
	x86_jump(code, 0x110, CALL, CALLBACK); /* point 2 */
	x86_jump(code, 0x115, CALL, EXIT);
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	graph = graph_of(&self, F);
	check_graph("f", graph, (const char *const[]){"0-a EC 1", "a-b R", NULL});
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_states(rows[i].name, &self, graph, rows[i].hits, rows[i].states);
	kct_graph_free(graph);
	graph = graph_of(&self, F + 0x100);
	check_graph("g", graph,
		    (const char *const[]){"100-10b E 2 1", "10b-10c R", "110-11a S", NULL});
	kct_graph_free(graph);
	code_close(&self);
}

/* A table of addresses; the second case falls into the third, which only the table knows besides. */
static void test_table(void **state)
{
	static const uint32_t cases[] = {F + 0x10, F + 0x18, F + 0x20, F + 0x10};
	uint8_t code[CODE_BYTES], data[256] = {0};
	struct code_image self;
	struct kct_graph *graph;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		memcpy(data + 0x40 + 8 * i, &cases[i], 4);
	memset(code, 0xcc, sizeof(code));
	/* jmp *DATA_BASE+0x40(,%rax,8) */
	memcpy(code, (uint8_t[]){0xff, 0x24, 0xc5, 0x40, 0x00, 0x02, 0x00}, 7);
	code[0x10] = 0xc3;
	x86_jump(code, 0x18, CALL, CALLBACK);
	memset(code + 0x1d, 0x90, 3);
	code[0x20] = 0xc3;
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, data, symbols);
	graph = graph_of(&self, F);
	check_graph("table", graph,
		    (const char *const[]){"0-7 ERI 1 2 3", "10-11 R", "18-20  3", "20-21 R", NULL});
	kct_graph_free(graph);
	code_close(&self);

	/* Without the table any block may be a target. */
	memset(data, 0, sizeof(data));
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, data, symbols);
	graph = graph_of(&self, F);
	check_graph("no table", graph,
		    (const char *const[]){"0-7 ERI 0 1 2", "7-11 R", "11-21 R", NULL});
	kct_graph_free(graph);
	code_close(&self);
}

/* A cold part belongs to the function, from both sides. */
static void test_cold(void **state)
{
	static const char *const blocks[] = {"0-6 E 2 1", "6-7 R", "200-205 C 3", "205-20a  1",
					     NULL};
	uint8_t code[CODE_BYTES];
	struct code_image self;
	struct kct_graph *graph;

	(void)state;
	memset(code, 0xcc, sizeof(code));
	x86_jump(code, 0, JE, F + 0x200);
	code[6] = 0xc3;
	x86_jump(code, 0x200, CALL, F + 0x100);
	x86_jump(code, 0x205, JUMP, F + 6);
	x86_jump(code, 0x100, CALL, CALLBACK);
	code_open(&self, EM_X86_64, ELFCLASS64, ELFDATA2LSB, code, NULL, symbols);
	for (uint64_t address = F; address <= F + 0x200; address += 0x200) {
		graph = graph_of(&self, address);
		check_graph("cold", graph, blocks);
		kct_graph_free(graph);
	}
	assert_int_equal(kct_graph_new(self.points, F + 0x3f0, &graph, &self.error),
			 KCT_ERR_NOT_FOUND);
	assert_non_null(strstr(self.error.text, "no function is at 0x103f0"));
	code_close(&self);
}

int main(void)
{
#ifdef KCT_HAVE_CAPSTONE
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diamond),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	puts("SKIP: built without capstone");
	return 77;
#endif
}
