/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callbacks of the test programs. They do what the hooks of a kernel with EXT
 * records do: an ENTRY of two words, an EXIT, a plain PC, an EESUM after a region
 * that could not be traced. Addresses are stored as if the program were linked
 * at the top of the address space.
 *
 * Beside the area a log of what really happened is written, from the function
 * addresses that the compiler hands to the callbacks and that are in no record.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

#define SLIDE	  0xffffffff80000000u
#define MAX_WORDS (1u << 20)

static uint64_t area[MAX_WORDS];
static FILE *truth;
static int traced = 1;
static int depth, lowest;

volatile int kt_sink;

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
void __sanitizer_cov_trace_pc(void);

static void put(uint64_t word)
{
	if (area[0] + 1 < MAX_WORDS)
		area[++area[0]] = word;
}

static uint64_t high(void *address)
{
	return (uint64_t)(uintptr_t)address + SLIDE;
}

static FILE *open_named(const char *variable)
{
	const char *path = getenv(variable);
	FILE *file = path ? fopen(path, "wb") : NULL;

	if (!file)
		abort();
	return file;
}

static void say(const char *what, void *function, void *call_site)
{
	if (!truth)
		truth = open_named("KT_TRUTH");
	fprintf(truth, "%s %p %p\n", what, function, call_site);
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	say(traced ? "enter" : "untraced-enter", function, call_site);
	if (!traced) {
		depth++;
		return;
	}
	put(high(__builtin_return_address(0)) & 0x00ffffffffffffffu);
	put(high(call_site));
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	say(traced ? "exit" : "untraced-exit", function, call_site);
	if (!traced) {
		depth--;
		lowest = depth < lowest ? depth : lowest;
		return;
	}
	put((high(__builtin_return_address(0)) & 0x00ffffffffffffffu) | 0x1000000000000000u);
}

void __sanitizer_cov_trace_pc(void)
{
	if (traced)
		put(high(__builtin_return_address(0)));
}

void kt_switch_away(void)
{
	traced = depth = lowest = 0;
}

void kt_switch_back(void)
{
	traced = 1;
	put(0x2000000000000000u | (uint16_t)depth | (uint64_t)(uint16_t)lowest << 16);
	say("eesum", (void *)0, (void *)0);
}

__attribute__((destructor)) static void write_area(void)
{
	FILE *trace = open_named("KT_TRACE");
	size_t words = area[0] + 1;

	if (fwrite(area, sizeof(area[0]), words, trace) != words || fclose(trace) != 0 ||
	    (truth && fclose(truth) != 0))
		abort();
}
