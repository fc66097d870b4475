# SPDX-License-Identifier: BSD-2-Clause
# A kernel image of three functions for the cases, linked at 0xffffffff81000000. Only places and
# lines matter; every row of the line table stands on a nop.
#
#   offset  function     file            lines
#   0x100   sys_read     fs/read.c       10, from 0x110 12, from 0x150 18
#           0x130-0x140  fdget inlined at fs/read.c:16, include/file.h:77
#   0x200   vfs_read     fs/read.c       30, from 0x210 32
#   0x300   mutex_lock   kernel/mutex.c  50
#   0x400   no_debug     a symbol without debug information
	.file 1 "fs/read.c"
	.file 2 "include/file.h"
	.file 3 "kernel/mutex.c"

	.macro function name, start
	.org \start
	.globl \name
	.type \name, %function
\name:
	.endm

	.text
	.globl _stext
_stext:
.Ltext:
	nop
	function sys_read, 0x100
	.loc 1 10
	nop
	.org 0x110
	.loc 1 12
	nop
	.org 0x130
.Linline:
	.loc 2 77
	nop
	.org 0x140
.Linline_end:
	.loc 1 12
	nop
	.org 0x150
	.loc 1 18
	nop
	.org 0x180
	.size sys_read, 0x80
	function vfs_read, 0x200
	.loc 1 30
	nop
	.org 0x210
	.loc 1 32
	nop
	.org 0x280
	.size vfs_read, 0x80
	function mutex_lock, 0x300
	.loc 3 50
	nop
	.org 0x340
	.size mutex_lock, 0x40
.Ldebug_end:
	function no_debug, 0x400
	.org 0x440
	.size no_debug, 0x40

	.section .debug_abbrev, "", %progbits
.Labbrev:
	.uleb128 1, 0x11	# compile unit, with children
	.byte 1
	.uleb128 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x01	# name, lines, low and high pc
	.uleb128 0, 0
	.uleb128 2, 0x2e	# function, with children
	.byte 1
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x01	# name, low and high pc
	.uleb128 0, 0
	.uleb128 3, 0x1d	# inlined function: origin, low and high pc, call file and line
	.byte 0
	.uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x01, 0x58, 0x0b, 0x59, 0x0b
	.uleb128 0, 0
	.uleb128 4, 0x2e	# function that is only inlined
	.byte 0
	.uleb128 0x03, 0x08, 0x20, 0x0b
	.uleb128 0, 0
	.byte 0

	.section .debug_info, "", %progbits
.Lunit:
	.long .Lunit_end - .Lunit_start
.Lunit_start:
	.short 4
	.long .Labbrev
	.byte 8
	.uleb128 1
	.asciz "fs/read.c"
	.long .Lline
	.quad .Ltext, .Ldebug_end
.Lfdget:
	.uleb128 4
	.asciz "fdget"
	.byte 1
	.uleb128 2
	.asciz "sys_read"
	.quad sys_read, sys_read + 0x80
	.uleb128 3
	.long .Lfdget - .Lunit
	.quad .Linline, .Linline_end
	.byte 1, 16
	.byte 0
	.uleb128 2
	.asciz "vfs_read"
	.quad vfs_read, vfs_read + 0x80
	.byte 0
	.uleb128 2
	.asciz "mutex_lock"
	.quad mutex_lock, mutex_lock + 0x40
	.byte 0
	.byte 0
.Lunit_end:

	.section .debug_line, "", %progbits
.Lline:
