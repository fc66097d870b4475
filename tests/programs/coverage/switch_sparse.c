/* SPDX-License-Identifier: BSD-2-Clause */
/* A switch that becomes comparisons. */
#include <stdio.h>

static const char *name(int code)
{
	switch (code) {
	case 1:
		return "one";
	case 404:
		return "not found";
	case 70000:
		return "large";
	case -5:
		return "negative";
	}
	return "unknown";
}

int main(void)
{
	puts(name(404));
	puts(name(12));
	return 0;
}
