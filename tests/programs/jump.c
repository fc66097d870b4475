/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames left without an exit, as by longjmp, and noreturn functions at the end of the trace. */
#include <setjmp.h>
#include <stdlib.h>

#include "runtime.h"

static jmp_buf back;

KT_NOINLINE void thrower(int n)
{
	if (n > 3)
		longjmp(back, n);
	kt_sink += n;
}

KT_NOINLINE void carrier(int n)
{
	thrower(n);
	kt_sink++;
}

KT_NOINLINE int catcher(int n)
{
	if (setjmp(back))
		return 1;
	carrier(n);
	return 0;
}

KT_NOINLINE __attribute__((noreturn)) void leave(void)
{
	exit(0);
}

int main(void)
{
	for (int i = 0; i < 8; i++)
		kt_sink += catcher(i);
	leave();
}
