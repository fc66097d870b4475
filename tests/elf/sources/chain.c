/* SPDX-License-Identifier: BSD-2-Clause */
/* Three functions inlined into a fourth, and one that a header defines. */
#include "chain.h"

#define INLINED static inline __attribute__((always_inline))
#define MACHINE __attribute__((noinline, used))

INLINED void innermost(void)
{
	__asm__ volatile(".globl probe_inner\nprobe_inner: nop"); /* LINE:innermost */
}

INLINED void middle(void)
{
	innermost(); /* LINE:middle */
}

INLINED void outermost(void)
{
	middle(); /* LINE:outermost */
}

MACHINE void machine(void)
{
	outermost(); /* LINE:machine */
}

int main(void)
{
	machine();
	in_header();
	return 0;
}
