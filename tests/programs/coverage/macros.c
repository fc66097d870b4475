/* SPDX-License-Identifier: BSD-2-Clause */
/* Several statements in one line, by macros. */
#include <stdio.h>

#define SWAP(a, b)            \
	do {                  \
		int t_ = (a); \
		(a) = (b);    \
		(b) = t_;     \
	} while (0)
#define CHECK(x)                             \
	do {                                 \
		if (!(x)) {                  \
			puts("failed: " #x); \
			return 1;            \
		}                            \
	} while (0)

static int order(int *a, int *b)
{
	CHECK(*a <= *b);
	CHECK(*b >= *a);
	return 0;
}

int main(int argc, char **argv)
{
	int a = argc, b = argc + 1;

	(void)argv;

	/* clang-format off: several statements in a line are what this is about */
	if (order(&a, &b)) {
		puts("wrong");
		return 1;
	}
	for (int i = 0; i < 3; i++) {
		SWAP(a, b);
		if (a == 7)
			puts("seven");
	}
	/* clang-format on */
	printf("%d %d\n", a, b);
	return 0;
}
