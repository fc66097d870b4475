/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that are left by longjmp, and what follows setjmp. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static volatile int count;

static void throw_at(int n)
{
	if (n == 2)
		longjmp(back, n);
	puts("not thrown");
}

static void carry(int n)
{
	throw_at(n);
	count++;
	puts("carried");
}

int main(void)
{
	if (setjmp(back)) {
		printf("caught after %d\n", count);
		return 0;
	}
	for (int i = 0; i < 5; i++) {
		carry(i);
		puts("next");
	}
	puts("never");
	return 1;
}
