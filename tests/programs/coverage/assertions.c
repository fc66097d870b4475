/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that hold, with what would follow if they did not. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "failed: %s\n", what);
	abort();
}

static int divide(int a, int b)
{
	must(b != 0, "divisor");
	assert(a >= 0);
	return a / b;
}

int main(void)
{
	int sum = 0;

	for (int i = 1; i < 5; i++) {
		int part = divide(100, i);

		must(part > 0, "part");
		sum += part;
	}
	printf("%d\n", sum);
	must(sum == 208, "sum");
	return 0;
}
