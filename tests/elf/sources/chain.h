/* SPDX-License-Identifier: BSD-2-Clause */
/* A function that has its own code but a header's name; and a type, for dwz to share. */
struct shape {
	int area, angles, sides, left, right, top, bottom, depth, colour, shade, weight, name;
	struct shape *next, *previous, *parent, *child;
};

static struct shape shape __attribute__((used));

static __attribute__((noinline, used)) void in_header(void)
{
	__asm__ volatile(".globl probe_header\nprobe_header: nop"); /* LINE:in_header */
}
