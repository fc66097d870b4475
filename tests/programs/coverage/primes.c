/* SPDX-License-Identifier: BSD-2-Clause */
/* A sieve: a loop that starts where another stands. */
#include <stdio.h>

#define LIMIT 100

static unsigned char composite[LIMIT + 1];

static int sieve(void)
{
	int n = 0;

	for (int i = 2; i <= LIMIT; i++) {
		if (composite[i])
			continue;
		n++;
		for (int k = i * i; k <= LIMIT; k += i)
			composite[k] = 1;
	}
	return n;
}

int main(void)
{
	int n = sieve();

	if (n != 25) {
		printf("wrong: %d\n", n);
		return 1;
	}
	puts("25 primes");
	return 0;
}
