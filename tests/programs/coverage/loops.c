/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops: for, while, do, nested, with break and continue, without a turn. */
#include <stdio.h>

static int collatz(unsigned n)
{
	int steps = 0;

	while (n != 1) {
		if (n % 2)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

static int skip(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (i % 3 == 0)
			continue;
		if (i > 20)
			break;
		sum += i;
	}
	do {
		sum--;
	} while (sum > 50);
	return sum;
}

static int never(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		printf("turn %d\n", i);
		sum += i;
	}
	while (n > 0) {
		puts("again");
		n--;
	}
	return sum;
}

int main(void)
{
	printf("%d %d %d\n", collatz(27), skip(40), never(0));
	return 0;
}
