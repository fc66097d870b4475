/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of x86-64 instructions against those of capstone: whatever is known is the same there. */
#ifdef KCT_HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "check.h"

#include "base/macros.h"
#include "points/x86_length.h"

#define MOST 15 /* bytes of an instruction */

#ifdef KCT_HAVE_CAPSTONE

struct peer {
	csh handle;
	cs_insn *insn;
};

static struct peer open_peer(void)
{
	struct peer peer;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &peer.handle), CS_ERR_OK);
	peer.insn = cs_malloc(peer.handle);
	assert_non_null(peer.insn);
	return peer;
}

static void close_peer(struct peer *peer)
{
	cs_free(peer->insn, 1);
	cs_close(&peer->handle);
}

/** Compare the length of an instruction, if it is known, with capstone's. 1 if it is. */
static size_t compare(const struct peer *peer, const uint8_t bytes[MOST])
{
	unsigned length = kct_x86_length(bytes, MOST);
	const uint8_t *code = bytes;
	size_t left = MOST;
	uint64_t address = 0x1000;

	if (length == 0)
		return 0;
	if (!cs_disasm_iter(peer->handle, &code, &left, &address, peer->insn) ||
	    peer->insn->size != length)
		fail_msg("%02x %02x %02x %02x %02x: %u bytes, not %u", bytes[0], bytes[1], bytes[2],
			 bytes[3], bytes[4], length, (unsigned)(MOST - left));
	return 1;
}

/** All opcodes of both maps with all ModRM bytes, with the SIB bytes that matter, with and without REX. */
static void test_all_opcodes(void **state)
{
	static const uint8_t prefixes[][2] = {{0},	    {0x40},	  {0x41},      {0x44},
					      {0x48},	    {0x4f},	  {0x65},      {0x66},
					      {0x65, 0x48}, {0x66, 0x41}, {0x66, 0x48}};
	static const uint8_t sibs[] = {0x00, 0x05, 0x24, 0x65, 0xff};
	struct peer peer = open_peer();
	size_t known = 0;

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++) {
		for (unsigned i = 0; i < 2u << 16; i++) {
			uint8_t bytes[MOST] = {prefixes[p][0], prefixes[p][1]};
			uint8_t *at = bytes + (prefixes[p][0] != 0) + (prefixes[p][1] != 0);

			if (i >> 16)
				*at++ = 0x0f;
			*at++ = (uint8_t)(i >> 8);
			*at++ = (uint8_t)i;
			for (size_t s = 0; s < ARRAY_SIZE(sibs); s++) {
				*at = sibs[s];
				known += compare(&peer, bytes);
				/* Nothing else asks for the byte. */
				if ((i & 7) != 4 || (i & 0xff) >= 0xc0)
					break;
			}
		}
	}
	/* A good third of the first map is common, and of the second map a fifth. */
	assert_in_range(known, 400000, 2 * 11 << 17);
	close_peer(&peer);
}

/** Bytes at random, so that numbers and displacements are not zero. */
static void test_random(void **state)
{
	struct peer peer = open_peer();
	uint64_t random = 1;
	size_t known = 0;

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		uint8_t bytes[MOST];

		for (size_t k = 0; k < MOST; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			bytes[k] = (uint8_t)(random >> 56);
		}
		known += compare(&peer, bytes);
	}
	assert_in_range(known, 100000, 300000);
	close_peer(&peer);
}

#else

static void test_all_opcodes(void **state)
{
	(void)state;
	SKIP("built without capstone");
}

static void test_random(void **state)
{
	(void)state;
	SKIP("built without capstone");
}

#endif

/** Cut off anywhere it is not known, and nothing behind the end is looked at. */
static void test_cut(void **state)
{
	static const struct {
		const char *name;
		uint8_t bytes[MOST];
		unsigned length;
	} rows[] = {
		{"ret", {0xc3}, 1},
		{"push %rbp", {0x55}, 1},
		{"mov %rsp,%rbp", {0x48, 0x89, 0xe5}, 3},
		{"mov 8(%rsp),%rax", {0x48, 0x8b, 0x44, 0x24, 0x08}, 5},
		{"mov 0x1000(,%rax,8),%rax", {0x48, 0x8b, 0x04, 0xc5, 0, 0x10}, 8},
		{"lea 0x100(%rip),%rdi", {0x48, 0x8d, 0x3d, 0, 1}, 7},
		{"movabs $1,%rax", {0x48, 0xb8, 1}, 10},
		{"mov $1,%eax", {0xb8, 1}, 5},
		{"movq $1,0x100(%rsp)", {0x48, 0xc7, 0x84, 0x24, 0, 1, 0, 0, 1}, 12},
		{"jne", {0x0f, 0x85, 1}, 6},
		{"call", {0xe8, 1}, 5},
		{"movzbl 1(%rax),%eax", {0x0f, 0xb6, 0x40, 0x01}, 4},
		{"mov %gs:0x10,%rax", {0x65, 0x48, 0x8b, 0x04, 0x25, 0x10}, 9},
		{"nopw", {0x66, 0x90}, 2},
		{"nopl 0x0(%rax,%rax,1)", {0x0f, 0x1f, 0x44, 0x00, 0x00}, 5},
		/* Not common, or none. */
		{"lea of a register", {0x8d, 0xc0}, 0},
		{"far call", {0xff, 0x18}, 0},
		{"add $1,%ax", {0x66, 0x05, 0x01, 0x00}, 0},
		{"vzeroupper", {0xc5, 0xf8, 0x77}, 0},
		{"push %es, which 64 bits do not have", {0x06}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_EQ(rows[i].name, kct_x86_length(rows[i].bytes, MOST), rows[i].length);
		for (unsigned n = 0; n < rows[i].length; n++) {
			uint8_t *part = malloc(n ? n : 1); /* so that a read behind it is seen */

			assert_non_null(part);
			memcpy(part, rows[i].bytes, n);
			CHECK_EQ(rows[i].name, kct_x86_length(part, n), 0);
			free(part);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_opcodes),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
