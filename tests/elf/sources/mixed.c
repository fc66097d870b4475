/* SPDX-License-Identifier: BSD-2-Clause */
/* C beside assembly: only the assembler writes .debug_aranges when this is from clang. */
int in_assembly(int x);

__attribute__((noinline, used)) int in_c(int x)
{
	__asm__ volatile(".globl probe_c\nprobe_c: nop"); /* LINE:in_c */
	return x;
}

int main(int argc, char **argv)
{
	(void)argv;
	return in_c(in_assembly(argc));
}
