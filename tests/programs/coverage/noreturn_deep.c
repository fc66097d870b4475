/* SPDX-License-Identifier: BSD-2-Clause */
/* exit() far below functions that never get to go on. */
#include <stdio.h>
#include <stdlib.h>

static void third(int n)
{
	puts("third");
	if (n)
		exit(0);
	puts("third goes on");
}

static void second(int n)
{
	puts("second");
	third(n);
	puts("second goes on");
}

static void first(int n)
{
	puts("first");
	second(n);
	puts("first goes on");
}

int main(int argc, char **argv)
{
	(void)argv;
	first(0);
	puts("once");
	first(argc);
	puts("twice");
	return 0;
}
