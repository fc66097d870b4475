/* SPDX-License-Identifier: BSD-2-Clause */
/* A "kernel" with coverage points, linked where kernels are. Its parts are chosen by macros, so that
 * one source can be several compilation units. */
#include "kernel.h"

#ifdef MAIN
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
}

int two_ways(int x)
{
	if (x)
		return inner(x);
	return 2;
}

int one_line(int x)
{
	return x ? outside(1) : outside(2); /* two blocks on this line */
}

int outside(int x)
{
	return x;
}

static int same_name(int x)
{
	return x + 1;
}

int calls_first(int x)
{
	return same_name(x);
}
#endif

#ifdef OTHER
static int same_name(int x)
{
	return x + 2;
}

int calls_second(int x)
{
	return same_name(x);
}
#endif
