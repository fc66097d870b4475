/* SPDX-License-Identifier: BSD-2-Clause */
/* Jumps forward and back, clean-up at the end. */
#include <stdio.h>
#include <stdlib.h>

static int work(int fail)
{
	char *first = NULL, *second = NULL;
	int result = -1;

	first = malloc(10);
	if (!first)
		goto out;
	if (fail == 1) {
		puts("first failed");
		goto free_first;
	}
	second = malloc(10);
	if (!second)
		goto free_first;
	if (fail == 2) {
		puts("second failed");
		goto free_second;
	}
	puts("fine");
	result = 0;
free_second:
	free(second);
free_first:
	free(first);
out:
	return result;
}

static int count(int n)
{
	int i = 0;

again:
	if (i < n) {
		i++;
		goto again;
	}
	if (i > 100)
		goto large;
	return i;
large:
	puts("large");
	return -1;
}

int main(void)
{
	printf("%d %d %d\n", work(0), work(1), count(5));
	return 0;
}
