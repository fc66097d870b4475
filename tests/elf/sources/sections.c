/* SPDX-License-Identifier: BSD-2-Clause */
/* With -ffunction-sections the linker drops one function; its DWARF stays, at an address that
 * means nothing. */
__attribute__((noinline)) void dropped(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

__attribute__((noinline)) void kept(void)
{
	__asm__ volatile(".globl probe_kept\nprobe_kept: nop"); /* LINE:kept */
}

int main(void)
{
	kept();
	return 0;
}
