/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments, environment, a usage text that is not printed. */
#include <stdio.h>
#include <stdlib.h>

static void usage(const char *program)
{
	printf("usage: %s\n", program);
	exit(2);
}

static int option(const char *text)
{
	if (text[0] != '-')
		return 0;
	switch (text[1]) {
	case 'v':
		puts("verbose");
		return 1;
	case 'q':
		puts("quiet");
		return 2;
	default:
		return -1;
	}
}

int main(int argc, char **argv)
{
	int set = 0;

	for (int i = 1; i < argc; i++) {
		int one = option(argv[i]);

		if (one < 0)
			usage(argv[0]);
		set |= one;
	}
	if (option("-v") == 1)
		set |= 1;
	if (getenv("KT_SURELY_NOT_SET"))
		set |= 8;
	printf("%d\n", set);
	return 0;
}
