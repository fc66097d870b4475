/* SPDX-License-Identifier: BSD-2-Clause */
/* Returns in the middle of functions. */
#include <stdio.h>
#include <string.h>

static int parse(const char *text)
{
	int value = 0;

	if (!text)
		return -1;
	if (strlen(text) > 4)
		return -2;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -3;
		value = value * 10 + (*text - '0');
	}
	return value;
}

int main(void)
{
	printf("%d\n", parse("123"));
	printf("%d\n", parse("12345"));
	return 0;
}
