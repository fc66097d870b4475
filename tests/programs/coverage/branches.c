/* SPDX-License-Identifier: BSD-2-Clause */
/* If and else, taken and not, nested. */
#include <stdio.h>

static int classify(int n)
{
	int class = 0;

	if (n < 0) {
		class = -1;
	} else if (n == 0) {
		class = 0;
		puts("zero");
	} else {
		class = 1;
		if (n > 100) {
			puts("large");
			class = 2;
		}
	}
	return class;
}

int main(void)
{
	int sum = 0;

	for (int i = 1; i < 10; i++)
		sum += classify(i);
	printf("%d\n", sum);
	return 0;
}
