/* SPDX-License-Identifier: BSD-2-Clause */
/* A loop that only ends from within. */
#include <stdio.h>
#include <stdlib.h>

static int ticks;

static void tick(void)
{
	ticks++;
	if (ticks == 5) {
		puts("enough");
		exit(0);
	}
}

static void serve(void)
{
	puts("serving");
	for (;;) {
		tick();
		if (ticks > 10)
			puts("overtime");
	}
}

int main(void)
{
	puts("start");
	serve();
	return 0;
}
