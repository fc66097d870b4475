/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels as values: an interpreter of four operations. */
#include <stdio.h>

static int run(const unsigned char *code)
{
	static const void *const operations[] = {&&stop, &&push, &&add, &&negate, &&print};
	int stack[8], depth = 0;

	goto *operations[*code];
push:
	stack[depth++] = code[1];
	code += 2;
	goto *operations[*code];
add:
	depth--;
	stack[depth - 1] += stack[depth];
	code++;
	goto *operations[*code];
negate:
	puts("negated");
	stack[depth - 1] = -stack[depth - 1];
	code++;
	goto *operations[*code];
print:
	printf("%d\n", stack[depth - 1]);
	code++;
	goto *operations[*code];
stop:
	return depth ? stack[depth - 1] : 0;
}

int main(void)
{
	static const unsigned char sum[] = {1, 4, 1, 5, 2, 4, 0};

	return run(sum) == 9 ? 0 : 1;
}
