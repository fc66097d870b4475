/* SPDX-License-Identifier: BSD-2-Clause */
/* A function that ends with a call which does not return: the return address is the next one's. */
__attribute__((noreturn, noinline, used)) void stop(void)
{
	for (;;)
		__asm__ volatile("");
}

__attribute__((noinline, used)) void ends_with_call(void)
{
	__asm__ volatile("");
	stop(); /* LINE:call */
}

__attribute__((noinline, used)) int next_function(int x)
{
	return x + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5)
		ends_with_call();
	return next_function(argc);
}
