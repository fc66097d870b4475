/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes copied with bounds, errors that do not occur. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct buffer {
	char data[16];
	size_t used;
};

static int append(struct buffer *buffer, const char *text)
{
	size_t n = strlen(text);

	if (n > sizeof(buffer->data) - buffer->used) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(buffer->data + buffer->used, text, n);
	buffer->used += n;
	return 0;
}

static int fill(struct buffer *buffer)
{
	if (append(buffer, "four") < 0)
		return -1;
	if (append(buffer, "eight") < 0)
		return -1;
	if (append(buffer, "far too long for it") < 0) {
		perror("append");
		return -2;
	}
	puts("full");
	return 0;
}

int main(void)
{
	struct buffer buffer = {.used = 0};

	if (fill(&buffer) != -2)
		return 1;
	printf("%zu\n", buffer.used);
	return 0;
}
