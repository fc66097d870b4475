/* SPDX-License-Identifier: BSD-2-Clause */
	.text
	.globl	in_assembly, probe_assembly
	.type	in_assembly, @function
in_assembly:
	movl	%edi, %eax
probe_assembly:
	nop				/* LINE:in_assembly */
	ret
	.size	in_assembly, . - in_assembly
	.section .note.GNU-stack, "", @progbits
