/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions over several lines, of which some are never looked at. */
#include <stdio.h>

/* clang-format off */
static int pick(int a, int b)
{
	int larger = a > b ? a : b;
	int text = a ?
			   b :
			   -b;

	return larger + text;
}

static int all(const int *values, int n)
{
	int sum = 0;

	for (int i = 0;
	     i < n &&
	     values[i] > 0 &&
	     sum < 100;
	     i++)
		sum += values[i] > 50
			       ? 50
			       : values[i];
	return sum;
}

int main(int argc, char **argv)
{
	int values[] = {1, 2, argc, -1, 60};
	int sum = pick(argc, 2) +
		  all(values, 5);

	if (argc > 5 &&
	    argv[5][0] == 'x' &&
	    sum > 3)
		puts("five");
	if (sum == 0 ||
	    sum > 1000 ||
	    argc > 100)
		puts("odd");
	else
		puts(argc > 1 ?
			     "arguments" :
			     "none");
	printf("%d\n", sum);
	return 0;
}
/* clang-format on */
