/* SPDX-License-Identifier: BSD-2-Clause */
/* A handler that is called, and one that is not. */
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen;

static void on_first(int number)
{
	seen = number;
}

static void on_second(int number)
{
	seen = -number;
}

int main(void)
{
	signal(SIGUSR1, on_first);
	signal(SIGUSR2, on_second);
	raise(SIGUSR1);
	if (seen != SIGUSR1) {
		puts("not seen");
		return 1;
	}
	puts("seen");
	return 0;
}
