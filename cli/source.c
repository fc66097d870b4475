/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

/* The longest source of a kernel, a table of registers, has some 20 MiB. */
#define MAX_SOURCE ((off_t)64 << 20)

bool source_read(const char *path, struct source *ret_source)
{
	/* A path may name anything: do not wait for a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct source source = {0};
	struct stat there;
	ssize_t n = 1;

	if (fd < 0)
		return false;
	if (fstat(fd, &there) < 0 || !S_ISREG(there.st_mode) || there.st_size > MAX_SOURCE) {
		close(fd);
		return false;
	}
	source.text = zeroed(char, (size_t)there.st_size + 1);
	while (source.bytes < (size_t)there.st_size && n > 0) {
		n = read(fd, source.text + source.bytes, (size_t)there.st_size - source.bytes);
		source.bytes += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	*ret_source = source;
	return true;
}

void source_free(struct source *source)
{
	free(source->text);
	*source = (struct source){0};
}

uint32_t source_count_lines(const struct source *source)
{
	const char *at = source->text, *end = at + source->bytes;
	uint32_t lines = 0;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		lines++;
		at++;
	}
	/* A last line without its end. */
	return lines + (source->bytes && end[-1] != '\n');
}

uint32_t source_lines(const char *path)
{
	struct source source;
	uint32_t lines;

	if (!source_read(path, &source))
		return UINT32_MAX;
	lines = source_count_lines(&source);
	source_free(&source);
	return lines;
}
