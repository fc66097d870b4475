/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a fuzz target over files, or over all files of directories: a test without libFuzzer. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

/** One file. Returns 1, or -1 after a message. */
static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;

	if (file && fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size >= 0) {
		rewind(file);
		data = malloc((size_t)size + 1);
	}
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		free(data);
		if (file)
			fclose(file);
		return -1;
	}
	fclose(file);
	/* The name is what one wants to know when the target stops the program. */
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return 1;
}

/** All files of a directory. Returns their number, or -1 after a message. */
static int replay_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int n = 0;

	if (!directory) {
		perror(path);
		return -1;
	}
	while (n >= 0 && (entry = readdir(directory)) != NULL) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		n = replay_file(name) < 0 ? -1 : n + 1;
	}
	closedir(directory);
	return n;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		struct stat stat_buffer;
		int n;

		if (stat(argv[i], &stat_buffer) == 0 && S_ISDIR(stat_buffer.st_mode))
			n = replay_directory(argv[i]);
		else
			n = replay_file(argv[i]);
		if (n < 0)
			return 1;
		total += n;
	}
	printf("%d files\n", total);
	/* A corpus that was not found tests nothing. */
	return total == 0;
}
