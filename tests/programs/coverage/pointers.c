/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls through pointers, to what is called and what is not. */
#include <stdio.h>

static int add(int a, int b)
{
	return a + b;
}

static int subtract(int a, int b)
{
	return a - b;
}

static int multiply(int a, int b)
{
	puts("multiplied");
	return a * b;
}

static int (*const operations[])(int, int) = {add, subtract, multiply};

static int apply(unsigned which, int a, int b)
{
	int result;

	if (which >= sizeof(operations) / sizeof(operations[0]))
		return 0;
	result = operations[which](a, b);
	if (result < 0) {
		puts("negative");
		result = -result;
	}
	return result;
}

int main(void)
{
	int sum = apply(0, 1, 2) + apply(1, 1, 2);

	sum += apply(9, 1, 2);
	printf("%d\n", sum);
	return 0;
}
