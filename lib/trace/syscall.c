/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>

#include <kcovtrace/syscall.h>

#include "base/macros.h"
#include "trace/syscalls.inc"

/* AUDIT_ARCH_...: what ptrace says a call is of. Headers of other systems lack them. */
#define ARCH_X86_64	 0xc000003eu
#define ARCH_I386	 0x40000003u
#define ARCH_AARCH64	 0xc00000b7u
#define ARCH_RISCV64	 0xc00000f3u
#define ARCH_LOONGARCH64 0xc0000102u

/* x32: the numbers of x86-64 with this bit, for programs with short pointers. */
#define X32_BIT	  0x40000000u
#define X32_FIRST 512 /* from here on its numbers are its own */

struct row {
	uint16_t number;
	uint8_t arguments;
	const char *name;
};

#define ROW(number, name, arguments) {number, arguments, name},

static const struct row x86_64_rows[] = {KCT_SYSCALLS_X86_64(ROW)};
static const struct row i386_rows[] = {KCT_SYSCALLS_I386(ROW)};
static const struct row generic_rows[] = {KCT_SYSCALLS_GENERIC(ROW)};

static const struct table {
	uint32_t architecture;
	const char *machine;
	const struct row *rows;
	size_t n;
} tables[] = {
	{ARCH_X86_64, "x86_64", x86_64_rows, ARRAY_SIZE(x86_64_rows)},
	{ARCH_I386, "i386", i386_rows, ARRAY_SIZE(i386_rows)},
	{ARCH_I386, "i486", i386_rows, ARRAY_SIZE(i386_rows)},
	{ARCH_I386, "i586", i386_rows, ARRAY_SIZE(i386_rows)},
	{ARCH_I386, "i686", i386_rows, ARRAY_SIZE(i386_rows)},
	{ARCH_AARCH64, "aarch64", generic_rows, ARRAY_SIZE(generic_rows)},
	{ARCH_RISCV64, "riscv64", generic_rows, ARRAY_SIZE(generic_rows)},
	{ARCH_LOONGARCH64, "loongarch64", generic_rows, ARRAY_SIZE(generic_rows)},
};

static const struct table *find_table(const char *machine, uint32_t architecture)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (architecture ? tables[i].architecture == architecture
				 : machine && strcmp(tables[i].machine, machine) == 0)
			return &tables[i];
	}
	return NULL;
}

static const struct row *find_row(const struct table *table, uint32_t number)
{
	size_t low = 0, high = table->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->rows[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->n && table->rows[low].number == number ? &table->rows[low] : NULL;
}

uint32_t kct_syscall_number(int64_t number)
{
	return (uint32_t)((uint64_t)number & UINT32_MAX);
}

const char *kct_syscall_name(const char *machine, int64_t number, unsigned *ret_arguments)
{
	const struct table *table = find_table(machine, (uint32_t)((uint64_t)number >> 32));
	uint32_t own = kct_syscall_number(number);
	const struct row *row;

	if (!table)
		return NULL;
	if (table->architecture == ARCH_X86_64 && own & X32_BIT && (own & ~X32_BIT) < X32_FIRST)
		own &= ~X32_BIT;
	row = find_row(table, own);
	if (!row)
		return NULL;
	if (ret_arguments)
		*ret_arguments = row->arguments;
	return row->name;
}

static const struct {
	uint16_t number;
	const char *name;
} errnos[] = {
#define ERRNO(number, name) {number, name},
	KCT_ERRNOS(ERRNO)
#undef ERRNO
};

const char *kct_errno_name(int64_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++) {
		if (errnos[i].number == number)
			return errnos[i].name;
	}
	return NULL;
}
