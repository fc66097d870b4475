/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting, with all in one function. */
#include <stdio.h>

static void sort(int *items, int n)
{
	int swapped;

	do {
		swapped = 0;
		for (int i = 1; i < n; i++) {
			if (items[i - 1] > items[i]) {
				int other = items[i];

				items[i] = items[i - 1];
				items[i - 1] = other;
				swapped = 1;
			}
		}
		n--;
	} while (swapped);
}

int main(void)
{
	int items[] = {5, 3, 9, 1, 7};

	sort(items, 5);
	for (int i = 0; i < 5; i++)
		printf("%d ", items[i]);
	putchar('\n');
	if (items[0] > items[4])
		puts("not sorted");
	return 0;
}
