/* SPDX-License-Identifier: BSD-2-Clause */
__attribute__((always_inline)) inline void from_other_unit(void)
{
	__asm__ volatile(".globl probe_lto\nprobe_lto: nop"); /* LINE:from_other_unit */
}

extern void from_other_unit(void);
