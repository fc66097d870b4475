/* SPDX-License-Identifier: BSD-2-Clause */
/* A library function calls back what exits. */
#include <stdio.h>
#include <stdlib.h>

static int calls;

static int compare(const void *left, const void *right)
{
	int a = *(const int *)left, b = *(const int *)right;

	if (++calls == 3)
		exit(0);
	return (a > b) - (a < b);
}

static void sort(int *items, size_t n)
{
	puts("sorting");
	qsort(items, n, sizeof(*items), compare);
	puts("sorted");
}

int main(void)
{
	int few[] = {2, 1};
	int many[] = {4, 3, 2, 1, 0};

	sort(few, 2);
	puts("one done");
	sort(many, 5);
	puts("both done");
	return 0;
}
