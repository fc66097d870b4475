/* SPDX-License-Identifier: BSD-2-Clause */
/* Text: words, reversal, search that fails. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int words(const char *text)
{
	int n = 0, inside = 0;

	for (; *text; text++) {
		if (isspace((unsigned char)*text)) {
			inside = 0;
		} else if (!inside) {
			inside = 1;
			n++;
		}
	}
	return n;
}

static void reverse(char *text)
{
	size_t low = 0, high = strlen(text);

	if (high == 0)
		return;
	for (high--; low < high; low++, high--) {
		char c = text[low];

		text[low] = text[high];
		text[high] = c;
	}
}

static const char *find(const char *text, char c)
{
	while (*text) {
		if (*text == c)
			return text;
		text++;
	}
	return NULL;
}

int main(void)
{
	char text[] = "three small words";
	const char *found = find(text, 'z');

	printf("%d\n", words(text));
	reverse(text);
	puts(text);
	if (found)
		puts(found);
	return 0;
}
