/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file debug_sources.h
 * The sources that test_image_debug.c compiles. #line gives every function its line.
 */
#ifndef KCT_TESTS_DEBUG_SOURCES_H
#define KCT_TESTS_DEBUG_SOURCES_H

/* Each function begins with a nop of its own line, N + 2. */
#define NOP "	__asm__ volatile(\"nop\");\n"

static const char one_c[] = "__attribute__((always_inline)) static inline int twice(int x)\n"
			    "{\n"
			    "#line 50 \"./include/twice.h\"\n"
			    "	volatile int y = x; return y * 2;\n"
			    "}\n"
			    "#line 100 \"fs/one.c\"\n"
			    "int run(int x)\n"
			    "{\n" NOP "	return twice(x) + 1;\n"
			    "}\n"
			    "#line 200 \"fs/one.c\"\n"
			    "__attribute__((section(\".init.text\"))) void start(void)\n"
			    "{\n" NOP "}\n"
			    "#line 300 \"fs/one.c\"\n"
			    "__attribute__((section(\".exit.text\"))) void stop(void)\n"
			    "{\n" NOP "}\n";

static const char two_c[] = "#line 400 \"/opt/two.c\"\n"
			    "void second_unit(void)\n"
			    "{\n" NOP "}\n";

static const char split_c[] = "extern void panic(const char *) __attribute__((cold, noreturn));\n"
			      "#line 500 \"split.c\"\n"
			      "__attribute__((noipa)) int split(int x)\n"
			      "{\n" NOP "	if (__builtin_expect(x == 7, 0))\n"
			      "		panic(\"seven\");\n"
			      "	return x + 3;\n"
			      "}\n"
			      "#line 600 \"split.c\"\n"
			      "void _start(void) { split(7); for (;;); }\n";

/* Lines, but no DWARF function: asm_code has a symbol, what is behind it has none. */
static const char code_s[] = ".text\n"
			     ".file \"code.S\"\n"
			     ".file 1 \"code.S\"\n"
			     ".globl asm_code, panic\n"
			     "asm_code:\n"
			     "panic:\n"
			     ".loc 1 10\n"
			     "nop\n.skip 3\n"
			     ".loc 1 12\n"
			     ".size asm_code, 4\n"
			     "nop\n.skip 3\n";

#endif
