/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes that run code at the end of a scope and of the program. */
#include <stdio.h>

static int open_count;

static void close_one(int *handle)
{
	if (*handle < 0)
		return;
	open_count--;
	printf("close %d\n", *handle);
}

__attribute__((constructor)) static void begin(void)
{
	puts("begin");
}

__attribute__((destructor)) static void end(void)
{
	if (open_count)
		puts("left open");
	puts("end");
}

static int use(int which)
{
	__attribute__((cleanup(close_one))) int first = which;
	__attribute__((cleanup(close_one))) int second = -1;

	open_count++;
	if (which == 3)
		return -1;
	second = which + 10;
	open_count++;
	return second;
}

int main(void)
{
	int sum = use(1) + use(2);

	printf("%d\n", sum);
	return 0;
}
