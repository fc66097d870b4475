/* SPDX-License-Identifier: BSD-2-Clause */
/* A function whose unlikely block goes to another section, at a lower address. */
__attribute__((cold, noinline, used)) void complain(void)
{
	__asm__ volatile("");
}

__attribute__((noinline, used)) int in_two_parts(int x)
{
	if (__builtin_expect(x == 77, 0)) {
		complain();
		__asm__ volatile(".globl probe_cold\nprobe_cold: nop"); /* LINE:cold */
		return 0;
	}
	__asm__ volatile(".globl probe_hot\nprobe_hot: nop"); /* LINE:hot */
	return x;
}

int main(int argc, char **argv)
{
	(void)argv;
	return in_two_parts(argc);
}
