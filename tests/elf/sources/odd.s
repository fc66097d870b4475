/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF 4 written by hand, with what no compiler should write:
 *
 *   code           .debug_line (two sequences, the higher one first)
 *   low   16 nops  0-3 line 10, 4-7 line 0, 8-11 lines 12 and 13 (the last holds), 12-15 line 14
 *   hole  16 nops  no sequence covers it; the first has a stray row at its end
 *   high  16 nops  line 30
 *   inner 16 nops  no sequence
 *   bare  16 nops  no sequence; a second unit without ranges, a third claims half of it
 *   lines 16 nops  line 50; a fourth unit, of nothing but a line table
 *
 *   function `low`:  inlines a [1,9) and b [5,12) overlap as siblings;
 *                    c [2,3) lies in a, and has no name, call_file or call_column
 *   function `high`:  its name leads back to itself
 *   function `inner`: its DIE lies in that of b; inlines d [1,2)
 */
	.text
	.globl	low, hole, high, inner, bare, lines
low:	.fill	16, 1, 0x90
hole:	.fill	16, 1, 0x90
high:	.fill	16, 1, 0x90
inner:	.fill	16, 1, 0x90
end:
bare:	.fill	16, 1, 0x90
lines:	.fill	16, 1, 0x90

	.section .debug_abbrev, "", @progbits
	.uleb128 1; .uleb128 0x11; .byte 1	/* compile_unit */
	.uleb128 0x03; .uleb128 0x08		/* name, string */
	.uleb128 0x1b; .uleb128 0x08		/* comp_dir, string */
	.uleb128 0x10; .uleb128 0x17		/* stmt_list, sec_offset */
	.uleb128 0x11; .uleb128 0x01		/* low_pc, addr */
	.uleb128 0x12; .uleb128 0x06		/* high_pc, data4 */
	.byte 0, 0
	.uleb128 2; .uleb128 0x2e; .byte 1	/* subprogram with children */
	.uleb128 0x03; .uleb128 0x08		/* name */
	.uleb128 0x11; .uleb128 0x01
	.uleb128 0x12; .uleb128 0x06
	.byte 0, 0
	.uleb128 3; .uleb128 0x1d; .byte 1	/* inlined_subroutine with children */
	.uleb128 0x03; .uleb128 0x08		/* name */
	.uleb128 0x11; .uleb128 0x01
	.uleb128 0x12; .uleb128 0x06
	.uleb128 0x58; .uleb128 0x0b		/* call_file, data1 */
	.uleb128 0x59; .uleb128 0x0b		/* call_line, data1 */
	.uleb128 0x57; .uleb128 0x0b		/* call_column, data1 */
	.byte 0, 0
	.uleb128 4; .uleb128 0x1d; .byte 0	/* inlined_subroutine, little known */
	.uleb128 0x11; .uleb128 0x01
	.uleb128 0x12; .uleb128 0x06
	.uleb128 0x59; .uleb128 0x0b		/* call_line */
	.byte 0, 0
	.uleb128 5; .uleb128 0x2e; .byte 0	/* subprogram named by reference */
	.uleb128 0x31; .uleb128 0x13		/* abstract_origin, ref4 */
	.uleb128 0x11; .uleb128 0x01
	.uleb128 0x12; .uleb128 0x06
	.byte 0, 0
	.uleb128 6; .uleb128 0x11; .byte 1	/* compile_unit without ranges */
	.byte 0, 0
	.uleb128 7; .uleb128 0x11; .byte 0	/* compile_unit without functions */
	.uleb128 0x11; .uleb128 0x01
	.uleb128 0x12; .uleb128 0x06
	.byte 0, 0
	.uleb128 8; .uleb128 0x11; .byte 0	/* compile_unit of lines */
	.uleb128 0x10; .uleb128 0x17
	.byte 0, 0
	.byte 0

	.section .debug_info, "", @progbits
unit:	.long	unit_end - unit_start
unit_start:
	.value	4
	.long	0
	.byte	8
	.uleb128 1
	.string	"odd.c"
	.string	"/build"
	.long	0
	.quad	low
	.long	end - low
	.uleb128 2
	.string	"low"
	.quad	low
	.long	16
	.uleb128 3
	.string	"a"
	.quad	low + 1
	.long	8
	.byte	1, 21, 5
	.uleb128 4
	.quad	low + 2
	.long	1
	.byte	22
	.byte	0				/* end of a */
	.uleb128 3
	.string	"b"
	.quad	low + 5
	.long	7
	.byte	1, 23, 5
	.uleb128 2
	.string	"inner"
	.quad	inner
	.long	16
	.uleb128 3
	.string	"d"
	.quad	inner + 1
	.long	1
	.byte	1, 24, 5
	.byte	0				/* end of d */
	.byte	0				/* end of inner */
	.byte	0				/* end of b */
	.byte	0				/* end of low */
loop:	.uleb128 5
	.long	loop - unit
	.quad	high
	.long	16
	.byte	0				/* end of the unit */
unit_end:
	.long	bare_end - bare_start
bare_start:
	.value	4
	.long	0
	.byte	8
	.uleb128 6
	.uleb128 2
	.string	"bare"
	.quad	bare
	.long	16
	.byte	0				/* end of bare */
	.byte	0				/* end of the unit */
bare_end:
	.long	claim_end - claim_start
claim_start:
	.value	4
	.long	0
	.byte	8
	.uleb128 7
	.quad	bare
	.long	8
claim_end:
	.long	only_end - only_start
only_start:
	.value	4
	.long	0
	.byte	8
	.uleb128 8
	.long	only_lines - first_lines
only_end:

	.section .debug_line, "", @progbits
first_lines:
	.long	line_end - line_start
line_start:
	.value	4
	.long	program - header
header:	.byte	1, 1, 1, -5, 14, 13
	.byte	0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.string	"dir"
	.byte	0
	.string	"odd.c"
	.uleb128 1; .uleb128 0; .uleb128 0
	.byte	0
program:
	.byte	0, 9, 2; .quad high		/* set_address */
	.byte	3; .sleb128 29			/* advance_line: 30 */
	.byte	1				/* copy */
	.byte	2; .uleb128 16			/* advance_pc */
	.byte	0, 1, 1				/* end_sequence */
	.byte	0, 9, 2; .quad low
	.byte	3; .sleb128 9; .byte 1		/* +0: line 10 */
	.byte	2; .uleb128 4
	.byte	3; .sleb128 -10; .byte 1	/* +4: line 0 */
	.byte	2; .uleb128 4
	.byte	3; .sleb128 12; .byte 1		/* +8: line 12 */
	.byte	3; .sleb128 1; .byte 1		/* +8: line 13 */
	.byte	2; .uleb128 4
	.byte	3; .sleb128 1; .byte 1		/* +12: line 14 */
	.byte	2; .uleb128 4
	.byte	3; .sleb128 85; .byte 1		/* +16, at the end of the sequence: line 99 */
	.byte	0, 1, 1
line_end:
only_lines:
	.long	only_line_end - only_line_start
only_line_start:
	.value	2				/* the oldest header */
	.long	only_program - only_header
only_header:
	.byte	1, 1, -5, 14, 10
	.byte	0, 1, 1, 1, 1, 0, 0, 0, 1
	.byte	0
	.string	"/asm/only.s"
	.uleb128 0; .uleb128 0; .uleb128 0
	.byte	0
only_program:
	.byte	0, 9, 2; .quad lines
	.byte	3; .sleb128 49; .byte 1
	.byte	2; .uleb128 16
	.byte	0, 1, 1
only_line_end:
	.section .note.GNU-stack, "", @progbits
