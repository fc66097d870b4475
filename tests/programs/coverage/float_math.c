/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating point, with cases for what is no number. */
#include <math.h>
#include <stdio.h>

static double root(double n)
{
	double guess = n / 2;

	if (n < 0)
		return NAN;
	if (n == 0)
		return 0;
	for (int i = 0; i < 50; i++) {
		double better = (guess + n / guess) / 2;

		if (better == guess)
			break;
		guess = better;
	}
	return guess;
}

static const char *describe(double n)
{
	if (isnan(n))
		return "nan";
	if (isinf(n))
		return "inf";
	return n < 1 ? "small" : "large";
}

int main(void)
{
	printf("%.6f %s %s\n", root(2), describe(root(9)), describe(0.5));
	return 0;
}
