/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/proc.h"

/** The beginning of a file of /proc/THREAD, as a string. */
static void read_file(pid_t thread, const char *name, char *buffer, size_t bytes)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)thread, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buffer, bytes - 1);
		close(fd);
	}
	buffer[n > 0 ? n : 0] = '\0';
}

void proc_name(pid_t thread, char ret_name[PROC_NAME_BYTES])
{
	char text[PROC_NAME_BYTES + 1];

	read_file(thread, "comm", text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	memcpy(ret_name, text, PROC_NAME_BYTES);
	ret_name[PROC_NAME_BYTES - 1] = '\0';
}

uint64_t proc_status_number(pid_t thread, const char *label)
{
	char text[4096];
	const char *line = text;

	read_file(thread, "status", text, sizeof(text));
	while (line && strncmp(line, label, strlen(label)) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return line ? strtoull(line + strlen(label), NULL, 10) : 0;
}
