/* SPDX-License-Identifier: BSD-2-Clause */
/* A switch that becomes a table, with cases that fall through. */
#include <stdio.h>

static int weigh(int kind)
{
	int weight = 0;

	switch (kind) {
	case 0:
		weight = 3;
		break;
	case 1:
		weight = 1;
		puts("one");
		/* fall through */
	case 2:
		weight += 10;
		puts("one or two");
		break;
	case 3:
		puts("three");
		weight = 7;
		break;
	case 4:
		puts("four");
		weight = 9;
		/* fall through */
	case 5:
		weight++;
		puts("four or five");
		/* fall through */
	case 6:
		weight *= 2;
		break;
	case 7:
		weight = -1;
		puts("seven");
		break;
	default:
		puts("other");
		weight = 100;
	}
	return weight;
}

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	for (int i = 0; i < 3; i++)
		sum += weigh(i * argc);
	sum += weigh(4 + argc);
	printf("%d\n", sum);
	return 0;
}
