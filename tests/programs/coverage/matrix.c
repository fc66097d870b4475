/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops in loops with arithmetic, which compilers turn inside out. */
#include <stdio.h>

#define N 8

static double a[N][N], b[N][N], c[N][N];

static void fill(double m[N][N], int seed)
{
	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N; k++)
			m[i][k] = (i * 7 + k * seed) % 5;
	}
}

static void multiply(void)
{
	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N; k++) {
			double sum = 0;

			for (int j = 0; j < N; j++)
				sum += a[i][j] * b[j][k];
			c[i][k] = sum;
		}
	}
}

static double trace(int invert)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += c[i][i];
	if (invert) {
		puts("inverted");
		sum = -sum;
	}
	return sum;
}

int main(void)
{
	fill(a, 3);
	fill(b, 4);
	multiply();
	printf("%g\n", trace(0));
	return 0;
}
