/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with any number of arguments. */
#include <stdarg.h>
#include <stdio.h>

static int sum(int n, ...)
{
	va_list list;
	int result = 0;

	va_start(list, n);
	while (n-- > 0)
		result += va_arg(list, int);
	va_end(list);
	return result;
}

static void say(int level, const char *format, ...)
{
	va_list list;

	if (level > 1)
		return;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
}

int main(void)
{
	int result = sum(3, 1, 2, 3);

	say(2, "hidden %d\n", result);
	if (result != 6)
		say(0, "wrong %d\n", result);
	return 0;
}
