/* SPDX-License-Identifier: BSD-2-Clause */
/* A function inside a function (GNU C), with something inlined into both. */
static inline __attribute__((always_inline)) void inlined(const int *x)
{
	__asm__ volatile("" : : "r"(x));
}

__attribute__((noinline, used)) int around(int x)
{
	__attribute__((noinline)) int local(int y)
	{
		inlined(&y);
		__asm__ volatile(".globl probe_local\nprobe_local: nop"); /* LINE:local */
		return x + y;
	}

	inlined(&x);
	__asm__ volatile(".globl probe_around\nprobe_around: nop"); /* LINE:around */
	return local(x) + local(2 * x);
}

int main(int argc, char **argv)
{
	(void)argv;
	return around(argc);
}
