/* SPDX-License-Identifier: BSD-2-Clause */
/* A pointer leads to a function that exits. */
#include <stdio.h>
#include <stdlib.h>

static void stay(void)
{
	puts("stay");
}

static void leave(void)
{
	puts("leave");
	exit(0);
}

static void (*volatile step)(void) = stay;

static void run(void)
{
	puts("run");
	step();
	puts("ran");
}

int main(void)
{
	run();
	puts("first");
	step = leave;
	run();
	puts("second");
	return 0;
}
