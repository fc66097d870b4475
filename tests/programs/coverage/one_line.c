/* SPDX-License-Identifier: BSD-2-Clause */
/* Several statements in one line, some of which run. */
#include <stdio.h>

/* clang-format off */
#define SWAP(a, b) do { int t_ = (a); (a) = (b); (b) = t_; } while (0)
#define CHECK(x) do { if (!(x)) { puts("failed: " #x); return 1; } } while (0)

static int order(int *a, int *b)
{
	if (*a > *b) {
		puts("swapped");
		SWAP(*a, *b);
	}
	CHECK(*a <= *b); CHECK(*b >= *a);
	return 0;
}

static int sign(int x) { if (x < 0) return -1; return x > 0; }

int main(int argc, char **argv)
{
	int a = argc, b = argc + 1;

	(void)argv;
	if (order(&a, &b)) { puts("wrong"); return 1; }
	for (int i = 0; i < 3; i++) { SWAP(a, b); if (a == 7) puts("seven"); }
	if (a > 100) { puts("large"); } else if (a > 50) { puts("medium"); } else { puts("small"); }
	switch (sign(a)) { case -1: puts("less"); break; case 0: puts("none"); break; default: break; }
	if (a > 200) {
		printf("%d\n", sign(-a)); return 2;
	}
	printf("%d %d\n", a, b); return 0;
}
/* clang-format on */
