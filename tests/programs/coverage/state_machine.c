/* SPDX-License-Identifier: BSD-2-Clause */
/* A loop around a switch, whose states are entered in part. */
#include <stdio.h>

enum state { START, NUMBER, WORD, SPACE, ERROR };

static enum state next(enum state state, char c)
{
	switch (state) {
	case START:
	case SPACE:
		if (c >= '0' && c <= '9')
			return NUMBER;
		if (c >= 'a' && c <= 'z')
			return WORD;
		return c == ' ' ? SPACE : ERROR;
	case NUMBER:
		if (c >= '0' && c <= '9')
			return NUMBER;
		if (c == ' ')
			return SPACE;
		puts("bad number");
		return ERROR;
	case WORD:
		if (c == ' ')
			return SPACE;
		if (c < 'a' || c > 'z')
			return ERROR;
		return WORD;
	case ERROR:
		puts("still wrong");
		return ERROR;
	}
	return ERROR;
}

int main(void)
{
	const char *text = "12 abc 7";
	enum state state = START;
	int numbers = 0;

	for (; *text; text++) {
		enum state old = state;

		state = next(state, *text);
		if (state == NUMBER && old != NUMBER)
			numbers++;
		if (state == ERROR)
			break;
	}
	printf("%d numbers\n", numbers);
	return state == ERROR;
}
