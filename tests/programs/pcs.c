/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callback of programs whose coverage is compared: keeps the set of PCs in a file that is mapped, so that it is
 * whole however the program ends. KT_PCS names the file: a count of words, then the PCs, 64 bits each,
 * as in the buffer of a kernel. The program must be linked at a fixed address.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_WORDS (1u << 16)

static uint64_t *area;

void __sanitizer_cov_trace_pc(void);

static void open_area(void)
{
	const char *path = getenv("KT_PCS");
	int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	if (file < 0 || ftruncate(file, MAX_WORDS * sizeof(*area)) < 0)
		_exit(99);
	area = mmap(NULL, MAX_WORDS * sizeof(*area), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (area == MAP_FAILED)
		_exit(99);
}

void __sanitizer_cov_trace_pc(void)
{
	uint64_t pc = (uint64_t)(uintptr_t)__builtin_return_address(0);

	if (!area)
		open_area();
	for (uint64_t i = 1; i <= area[0]; i++) {
		if (area[i] == pc)
			return;
	}
	if (area[0] + 1 < MAX_WORDS)
		area[++area[0]] = pc;
}
