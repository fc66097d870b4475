/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions of several parts, in one line and in more. */
#include <stdio.h>

static int both(int a, int b)
{
	if (a > 3 && b > 3)
		return 1;
	return 0;
}

static int any(int a, int b, int c)
{
	return a == 1 || b == 2 || c == 3;
}

static int pick(int a, int b)
{
	int larger = a > b ? a : b;
	/* clang-format off */
	int text = a ?
			   b :
			   -b;
	/* clang-format on */

	return larger + text;
}

int main(void)
{
	int sum = both(1, 9) + both(9, 1);

	if (sum && any(sum, 2, 3))
		puts("some");
	sum += any(1, 0, 0) + pick(1, 2);
	printf("%d\n", sum);
	return 0;
}
