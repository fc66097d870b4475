/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that call themselves and each other. */
#include <stdio.h>

static int is_odd(unsigned n);

static int is_even(unsigned n)
{
	if (n == 0)
		return 1;
	return is_odd(n - 1);
}

static int is_odd(unsigned n)
{
	if (n == 0)
		return 0;
	return is_even(n - 1);
}

static int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

static int hanoi(int n)
{
	int moves = 0;

	if (n > 1)
		moves += hanoi(n - 1);
	moves++;
	if (n > 1)
		moves += hanoi(n - 1);
	if (n > 30)
		puts("too many");
	return moves;
}

int main(void)
{
	printf("%d %d %d\n", is_even(10), ackermann(2, 3), hanoi(6));
	return 0;
}
